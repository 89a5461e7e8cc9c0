import Foundation
import Glibc
import TestSupport

/// A proxy between servers and a store on this machine, which does wrong what it is told to, at once and for all
/// connections. Each has a thread.
final class StoreProxy: @unchecked Sendable {
  // All that changes is behind the lock.

  enum Mode: Hashable, Sendable {
    case passing
    /// Connections are reset, and new ones too.
    case refusing
    /// Requests get no answer. With a number that many bytes of it still come.
    case stallingAnswers(after: Int)
    /// Of each request that begins now that many bytes get through.
    case stallingRequests(after: Int)
    /// Each answer comes so much later.
    case delaying(seconds: Double)
  }

  var port: UInt16 { listener.port }
  private let target: UInt16
  private let listener: LoopbackListener
  private let lock = NSLock()
  private var modeNow = Mode.passing
  private var stalled = 0

  init(target: UInt16) throws {
    self.target = target
    listener = try LoopbackListener()
    listener.start { [weak self] in self?.begin($0) }
  }

  /// What happens from now on.
  var mode: Mode {
    get { lock.withLock { modeNow } }
    set { lock.withLock { (modeNow, stalled) = (newValue, 0) } }
  }

  /// The number of connections that the mode has stalled.
  var stalledCount: Int { lock.withLock { stalled } }

  // MARK: - Connections

  private struct Side {
    let handle: Int32
    /// The bytes since the other side has spoken: those of this request or answer.
    var count = 0
    var isStalled = false
    var isDelayed = false
  }

  /// POLLRDHUP: the other side sends no more.
  private static let hangUp: Int16 = 0x2000

  private func begin(_ client: Int32) {
    Thread { [self] in
      serve(client)
      close(client)
    }.start()
  }

  private func serve(_ client: Int32) {
    guard mode != .refusing, let server = Loopback.connection(to: target) else {
      return Loopback.reset(client)
    }
    defer { close(server) }
    var sides = [Side(handle: client), Side(handle: server)]
    while true {
      let mode = mode
      if mode == .refusing {
        Loopback.reset(client)
        return Loopback.reset(server)
      }
      for index in sides.indices where sides[index].isStalled {
        sides[index].isStalled = allowed(sides[index], isAnswer: index == 1, mode) == 0
      }
      // A stalled side is not read, but its end is noticed.
      var ends = sides.map { side in
        pollfd(
          fd: side.handle, events: side.isStalled ? Self.hangUp : Int16(POLLIN), revents: 0)
      }
      guard poll(&ends, 2, 20) >= 0 else { return }
      for index in sides.indices where ends[index].revents != 0 {
        if sides[index].isStalled { return }
        guard pass(&sides, from: index, mode) else { return }
      }
    }
  }

  /// How many bytes of one side the mode lets through now.
  private func allowed(_ side: Side, isAnswer: Bool, _ mode: Mode) -> Int {
    switch mode {
    case .stallingAnswers(let limit) where isAnswer: max(limit - side.count, 0)
    case .stallingRequests(let limit) where !isAnswer: max(limit - side.count, 0)
    default: 1 << 16
    }
  }

  /// Passes on what one side has sent; false at its end.
  private func pass(_ sides: inout [Side], from index: Int, _ mode: Mode) -> Bool {
    let allowed = allowed(sides[index], isAnswer: index == 1, mode)
    if allowed == 0 {
      sides[index].isStalled = true
      lock.withLock { stalled += 1 }
      return true
    }
    if index == 1, sides[1].count == 0, case .delaying(let seconds) = mode {
      usleep(UInt32(seconds * 1e6))
    }
    guard let bytes = Loopback.receive(sides[index].handle, limit: min(allowed, 1 << 16)) else {
      return false
    }
    sides[index].count += bytes.count
    sides[1 - index].count = 0
    return Loopback.send(bytes[...], to: sides[1 - index].handle)
  }
}
