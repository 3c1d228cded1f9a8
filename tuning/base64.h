#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace gatefold {

/// RFC 4648, with padding: bytes in a line of text.
std::string to_base64(std::string_view bytes);
std::optional<std::string> from_base64(std::string_view text);  ///< nothing if it is none

}  // namespace gatefold
