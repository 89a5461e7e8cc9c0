import Glibc

/// Threads that do the same work side by side and end together.
package enum Lanes {
  /// Calls a body once for every lane, each on a thread of its own but the first.
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
          // Without a thread the work is done here.
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
