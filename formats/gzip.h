#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

namespace gatefold {

/// One gzip member; the same text gives the same bytes.
std::string gzip(std::string_view text);

/// The text of a gzip file of one member. What is no gzip file, ends early, is damaged, goes on
/// after its end or unpacks to more than `most` bytes is an error that names `file`.
std::string gunzip(std::string_view bytes, const std::string& file, size_t most);

}  // namespace gatefold
