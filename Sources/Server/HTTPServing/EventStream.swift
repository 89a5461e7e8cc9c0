import CNetwork
import Glibc
import Threads

/// A response without an end: bytes are sent as they become available.
package final class EventStream: @unchecked Sendable {
  private struct State {
    var waiting: [UInt8] = []
    var isClosed = false
    /// The connection; nil before the response is sent and after its end.
    var link: OpaquePointer?
    var isSuspended = false
  }

  // `State` has a pointer, which only the library dereferences.
  private let state = ConditionMutex(State())
  private let limit: Int

  /// A stream that ends when more than `limit` bytes wait: a client that reads too slowly
  /// reconnects.
  package init(limit: Int = 1 << 20) { self.limit = limit }

  /// Whether the stream has ended.
  package var isClosed: Bool { state.withLock { $0.isClosed } }

  /// Sends bytes. Returns false if the stream has ended.
  @discardableResult
  package func send(_ bytes: [UInt8]) -> Bool {
    state.withLock { state in
      guard !state.isClosed else { return false }
      if state.waiting.count + bytes.count > limit {
        state.isClosed = true
      } else {
        state.waiting += bytes
      }
      resume(&state)
      return !state.isClosed
    }
  }

  /// Ends the stream after the bytes sent so far.
  package func close() {
    state.withLock { state in
      state.isClosed = true
      resume(&state)
    }
  }

  private func resume(_ state: inout State) {
    guard state.isSuspended, let link = state.link else { return }
    state.isSuspended = false
    MHD_resume_connection(link)
  }

  /// The response for a connection, which keeps the stream alive until its end.
  func response(on link: OpaquePointer) -> OpaquePointer? {
    state.withLock { $0.link = link }
    let held = Unmanaged.passRetained(self)
    let response = MHD_create_response_from_callback(
      UInt64.max, 4096,
      { context, _, buffer, room in
        guard let context, let buffer else { return -1 }
        return Unmanaged<EventStream>.fromOpaque(context).takeUnretainedValue()
          .fill(UnsafeMutableRawBufferPointer(start: buffer, count: room))
      }, held.toOpaque(),
      { context in
        guard let context else { return }
        let stream = Unmanaged<EventStream>.fromOpaque(context).takeRetainedValue()
        stream.state.withLock { state in
          state.isClosed = true
          state.link = nil
        }
      })
    if response == nil { held.release() }
    return response
  }

  /// Called by the library when the client can receive more. Suspends the connection while there
  /// are no bytes.
  private func fill(_ buffer: UnsafeMutableRawBufferPointer) -> Int {
    state.withLock { state in
      guard !state.waiting.isEmpty else {
        // The end of the stream.
        if state.isClosed { return -1 }
        guard let link = state.link else { return -1 }
        state.isSuspended = true
        MHD_suspend_connection(link)
        return 0
      }
      let count = min(buffer.count, state.waiting.count)
      buffer.copyBytes(from: state.waiting.prefix(count))
      state.waiting.removeFirst(count)
      return count
    }
  }
}
