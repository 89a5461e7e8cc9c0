import Glibc

/// Threads that run the same work in parallel and are joined at its end.
package enum Lanes {
  /// Calls a body once for every lane and waits for all. The first lane runs on the caller's
  /// thread, every other one on a thread of its own.
  package static func run(_ count: Int, _ body: (_ lane: Int) -> Void) {
    guard count > 1 else { return body(0) }
    withoutActuallyEscaping(body) { body in
      var threads: [pthread_t] = []
      for lane in 1..<count {
        let work = Unmanaged.passRetained(Work { body(lane) })
        var thread = pthread_t()
        let status = pthread_create(
          &thread, nil,
          { argument in
            guard let argument else { return nil }
            Unmanaged<Work>.fromOpaque(argument).takeRetainedValue().body()
            return nil
          }, work.toOpaque())
        if status == 0 {
          threads.append(thread)
        } else {
          // If no thread can be created, the work is done here.
          work.takeRetainedValue().body()
        }
      }
      body(0)
      for thread in threads { pthread_join(thread, nil) }
    }
  }

  private final class Work {
    let body: () -> Void
    init(_ body: @escaping () -> Void) { self.body = body }
  }
}
