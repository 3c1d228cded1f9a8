#pragma once

namespace gatefold {

/// How a process ended.
struct WorkerExit {
  int code = 0;    ///< exit status; meaningful if signal is 0
  int signal = 0;  ///< that ended it
};

}  // namespace gatefold
