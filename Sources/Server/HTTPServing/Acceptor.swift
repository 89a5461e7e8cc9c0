import CNetwork
import Glibc
import Threads

/// Accepts connections at a listening socket, on a thread of its own.
///
/// The library could do it too. But when it is told to listen no longer, its own threads and the one that tells them both
/// take the socket out of the same set, and it ends the program if one of them finds it gone (`MHD_quiesce_daemon`). And
/// at its limit of connections it accepts nobody, whoever holds them.
final class Acceptor: Sendable {
  /// What becomes of connections.
  protocol Delegate: AnyObject, Sendable {
    /// Whether so many connections are open, or about to be closed, that the next one has to wait.
    var isCrowded: Bool { get }
    /// Takes a connection, or closes it.
    func take(_ handle: Int32, _ address: sockaddr_storage)
    /// The system has no more files. Closes connections that nobody needs.
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

  /// Begins to accept; false if there is no thread for it.
  func start() -> Bool {
    Lanes.begin { [self] in
      run()
      state.change { $0.hasEnded = true }
    }
  }

  /// Closes the socket: clients that come now, and those that were not accepted yet, are refused by the system. No
  /// connection is handed on after this.
  func stop() {
    state.change { $0.isStopping = true }
    bell.ring()
    state.wait { $0.hasEnded ? () : nil }
    close(socket)
  }

  /// How many connections are accepted before it is asked whether to stop.
  private static let acceptedAtOnce = 64
  /// How long the system gets to find files again, in milliseconds.
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
          // Those that are about to be closed take a moment.
          bell.wait(milliseconds: 1)
          break
        }
        guard acceptOne() else { break }
      }
    }
  }

  /// Accepts a connection. Returns false if there is none at the moment.
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
      // It is no listening socket any more, which nobody should see as a busy processor.
      bell.wait(milliseconds: Self.pause)
      return false
    // The connection has failed before it was accepted.
    default: return true
    }
  }
}
