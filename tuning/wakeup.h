#pragma once

namespace gatefold {

/// What it costs to have all threads of the pool at work: from the start of a parallel region until
/// the last thread has come and all are done. Medians in microseconds; NaN with one thread, and
/// where the system gives fewer threads than asked for.
struct Wakeup {
  int threads = 1;
  double warm_us;    ///< right after another region: the workers still spin
  double asleep_us;  ///< after a millisecond without work: the system has to wake them
};

/// Takes about half a second.
Wakeup measure_wakeup(int threads);

}  // namespace gatefold
