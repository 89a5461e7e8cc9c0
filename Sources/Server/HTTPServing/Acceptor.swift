import CNetwork
import Glibc
import Threads

/// Accepts connections at a listening socket, on a thread of its own.
///
/// The library could do it too. But on `MHD_quiesce_daemon` its own threads and the calling one
/// remove the socket from the same set, and the library aborts the program if one of them finds it
/// missing. And at its connection limit it accepts no connection at all, regardless of the clients.
final class Acceptor: Sendable {
  /// The handler of connections.
  protocol Delegate: AnyObject, Sendable {
    /// Whether the next connection has to wait: too many are open or closing.
    var isCrowded: Bool { get }
    /// Takes a connection, or closes it.
    func take(_ handle: Int32, _ address: sockaddr_storage)
    /// Called when the system has no free file descriptors. Closes connections that can be spared.
    func makeRoom()
  }

  private let socket: Int32
  private let bell = Doorbell()
  private let delegate: any Delegate
  private let state = ConditionMutex((isStopping: false, hasEnded: false))

  /// A listening socket that does not block.
  init(_ socket: Int32, _ delegate: any Delegate) {
    (self.socket, self.delegate) = (socket, delegate)
  }

  /// Starts accepting; false if no thread could be created.
  func start() -> Bool {
    Lanes.begin { [self] in
      run()
      state.change { $0.hasEnded = true }
    }
  }

  /// Closes the socket: the system refuses new clients and those not accepted yet. No connection is
  /// passed on after this.
  func stop() {
    state.change { $0.isStopping = true }
    bell.ring()
    state.wait { $0.hasEnded ? () : nil }
    close(socket)
  }

  /// The maximum number of connections to accept before checking whether to stop.
  private static let acceptedAtOnce = 64
  /// The pause for the system to free file descriptors, in milliseconds.
  private static let pause: Int32 = 20

  private func run() {
    var waiting = [
      pollfd(fd: socket, events: Int16(POLLIN), revents: 0),
      pollfd(fd: bell.handle, events: Int16(POLLIN), revents: 0),
    ]
    while !state.withLock({ $0.isStopping }) {
      if poll(&waiting, nfds_t(waiting.count), -1) < 0, errno != EINTR { return }
      for _ in 0..<Self.acceptedAtOnce {
        if delegate.isCrowded {
          // Closing connections takes a moment.
          bell.wait(milliseconds: 1)
          break
        }
        guard acceptOne() else { break }
      }
    }
  }

  /// Accepts a connection. Returns false if none is waiting.
  private func acceptOne() -> Bool {
    var address = sockaddr_storage()
    let handle = acceptClient(socket, &address, UInt32(MemoryLayout<sockaddr_storage>.size))
    if handle >= 0 {
      delegate.take(handle, address)
      return true
    }
    switch errno {
    case EMFILE, ENFILE, ENOBUFS, ENOMEM:
      delegate.makeRoom()
      bell.wait(milliseconds: Self.pause)
      return false
    case EAGAIN: return false
    case EBADF, EINVAL, ENOTSOCK:
      // The socket fails permanently. Wait, to avoid a busy loop.
      bell.wait(milliseconds: Self.pause)
      return false
    // The connection failed before it was accepted.
    default: return true
    }
  }
}
