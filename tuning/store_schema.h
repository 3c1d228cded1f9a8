#pragma once

#include <SQLiteCpp/Database.h>

#include <filesystem>

namespace gatefold {

inline constexpr int kStoreApplicationId = 0x67666474;  // "gfdt"
inline constexpr int kStoreVersion = 3;

/// Refuses what is not an SQLite file, before SQLite is asked: its own message names neither the
/// file nor what was found. A missing or empty file is one to be made.
void check_store_file(const std::filesystem::path& path, bool must_exist);

enum class OldVersion { upgrade, view };

/// Refuses another program's database, a newer version and damage; makes the tables in an empty
/// one. One of an older version is brought to this one in place, or, to be read only, looks like it
/// to this connection and stays as it is.
void check_or_create_schema(SQLite::Database& database, const std::filesystem::path& path,
                            OldVersion old);

}  // namespace gatefold
