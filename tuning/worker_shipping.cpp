#include "tuning/worker_shipping.h"

namespace gatefold {
namespace {

std::string quoted(const std::string& text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

}  // namespace

std::string shipping_command(const std::string& command, size_t bytes) {
  // `head` may read more than it writes, so nothing is sent behind the program until it is there.
  const std::string script =
      "d=$(mktemp -d) && trap 'rm -rf \"$d\"' EXIT && trap 'exit 129' HUP INT TERM && "
      "head -c " +
      std::to_string(bytes) +
      " >\"$d/gatefold-worker\" && chmod 700 \"$d/gatefold-worker\" && echo " + quoted(kArrived) +
      " && \"$d/gatefold-worker\"";
  // The shell over there may be one that understands none of this.
  return command + " " + quoted("exec /bin/sh -c " + quoted(script));
}

}  // namespace gatefold
