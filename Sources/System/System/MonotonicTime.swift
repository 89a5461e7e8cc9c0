import Glibc

/// The clock that nobody sets. `ContinuousClock` would do, but links the runtime of concurrency,
/// which begins its work at every start.
package enum MonotonicTime {
  /// Seconds since some moment.
  package static var now: Double { seconds(CLOCK_MONOTONIC) }

  /// The seconds that all threads of this process have run.
  package static var ofProcessors: Double { seconds(CLOCK_PROCESS_CPUTIME_ID) }

  private static func seconds(_ clock: clockid_t) -> Double {
    var time = timespec()
    clock_gettime(clock, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
  }
}
