import Glibc

/// The clock that nobody sets. `ContinuousClock` would do, but links the runtime of concurrency, which begins
/// its work at every start.
enum MonotonicTime {
  /// Seconds since some moment.
  static var now: Double {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
  }
}
