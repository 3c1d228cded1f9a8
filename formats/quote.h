#pragma once

#include <string>
#include <string_view>

namespace gatefold {

/// `text` from a file, in single quotes, fit for a one-line message: what is not printable ASCII
/// becomes \xNN (a name may hold line breaks or terminal codes), long text is cut.
std::string quote(std::string_view text);

}  // namespace gatefold
