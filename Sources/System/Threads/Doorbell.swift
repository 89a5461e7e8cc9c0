import Glibc

/// Wakes a thread that waits for files, from another thread.
package final class Doorbell: Sendable {
  /// The end that can be read after `ring`; -1 if the system has no pipe.
  package let handle: Int32
  private let other: Int32

  package init() {
    var ends: [Int32] = [-1, -1]
    _ = pipe(&ends)
    for end in ends where end >= 0 {
      _ = fcntl(end, F_SETFL, O_NONBLOCK)
      _ = fcntl(end, F_SETFD, FD_CLOEXEC)
    }
    (handle, other) = (ends[0], ends[1])
  }

  deinit {
    if handle >= 0 { Glibc.close(handle) }
    if other >= 0 { Glibc.close(other) }
  }

  /// Wakes the waiting thread, or the next one that waits.
  package func ring() {
    var byte: UInt8 = 1
    // A full pipe has rung often enough.
    _ = write(other, &byte, 1)
  }

  /// Forgets how often it has rung.
  package func clear() {
    var bytes = [UInt8](repeating: 0, count: 64)
    while read(handle, &bytes, bytes.count) > 0 {}
  }

  /// Waits until it rings, for some milliseconds at most.
  package func wait(milliseconds: Int32) {
    var waiting = pollfd(fd: handle, events: Int16(POLLIN), revents: 0)
    if poll(&waiting, 1, milliseconds) > 0 { clear() }
  }
}
