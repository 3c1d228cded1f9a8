#pragma once

#include <filesystem>
#include <string>

namespace gatefold {

/// Writes `text` as it is, over whatever is there. An Error names the file and what is wrong.
void write_text(const std::filesystem::path& path, const std::string& text);

}  // namespace gatefold
