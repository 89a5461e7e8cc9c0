import CNetwork
import Glibc
package import HTTP

/// A request and its response.
package final class Exchange: @unchecked Sendable {
  // Only one thread at a time uses an exchange: that of the connection, or a worker while the
  // connection is suspended.

  /// A number for the log and for error messages.
  package let number: UInt64
  /// The target as it arrived, at most as long as `RequestTarget` allows.
  package let rawTarget: [UInt8]
  /// The client.
  package let connection: Connection
  /// When the request line was read, in milliseconds of the monotonic clock.
  package let began = milliseconds()

  /// The age of the request, in milliseconds.
  package var age: Int { milliseconds() - began }

  /// The header; nil before it was read.
  package private(set) var head: RequestHead?
  /// The checked values of the header; nil if it was refused.
  package private(set) var checked: RequestHead.Checked?
  /// The body of a `Plan.work`.
  package private(set) var body: [UInt8] = []
  /// The status of the response; zero before there is one.
  package private(set) var status = 0
  /// The size of the response body in bytes; nil if unknown.
  package private(set) var answerByteCount: Int?
  /// Whether the response was sent completely.
  package private(set) var isComplete = false
  /// The handler's note about this request.
  package var note: (any Sendable)?

  private var state = State.begun
  private var budget: ByteBudget?
  /// The owner to whom the body's bytes are counted.
  private var owner = ""

  private enum State {
    case begun
    /// The body is being read for this work.
    case reading(Plan)
    /// The body is not wanted: its rest is read and dropped, up to `left` bytes, and then the
    /// response is sent.
    case dropping(Response, left: Int)
    /// A worker computes the response.
    case working
    case made(Response)
    case answered
  }

  init(number: UInt64, rawTarget: [UInt8], connection: Connection) {
    self.number = number
    self.rawTarget = rawTarget
    self.connection = connection
  }

  deinit { budget?.give(back: body.count, of: owner) }
}

// MARK: - The steps of a request

extension Exchange {
  /// Handles an event of the library: the header, a piece of the body, its end, or a resumed
  /// connection.
  func advance(
    _ link: OpaquePointer, _ listener: HTTPListener, method: UnsafePointer<CChar>,
    version: UnsafePointer<CChar>, piece: UnsafeBufferPointer<UInt8>
  ) -> MHD_Result {
    switch state {
    case .begun:
      guard connection.begin() else { return .NO }
      let head = RequestHead(
        method: bytes(method, strlen(method)), target: rawTarget,
        minorVersion: strcmp(version, "HTTP/1.0") == 0 ? 0 : 1, fields: fields(of: link))
      self.head = head
      do throws(Refusal) {
        let checked = try head.check()
        self.checked = checked
        if connection.isProxy {
          let client = ClientAddress(listener.handler.client(of: self))
          guard listener.connections.lend(connection, to: client) else {
            throw Refusal(
              429, "too-many-connections", "Too many requests of this address are under way.")
          }
        }
        let plan = listener.handler.plan(for: self)
        if case .answer(let response) = plan {
          // A response in this call closes the connection, as a body may still be arriving.
          guard checked.body == .none else { return refuse(response, link, listener) }
          state = .made(response)
          return .YES
        }
        if case .work(let limit, let owner, _, _) = plan {
          self.owner = owner
          if case .count(let count) = checked.body, count > limit {
            let refusal = Refusal(
              413, "large-body", "The body has more than \(limit) bytes.", closesConnection: true)
            return refuse(listener.handler.response(to: refusal, in: self), link, listener)
          }
        }
        state = .reading(plan)
        connection.enter(.body)
        return .YES
      } catch {
        return queue(listener.handler.response(to: error, in: self), link, listener)
      }
    case .reading(let plan) where !piece.isEmpty:
      do throws(Refusal) {
        try add(piece, plan, listener)
      } catch {
        body = released()
        state = .dropping(
          listener.handler.response(to: error, in: self), left: Self.droppedByteLimit)
      }
      return .YES
    case .dropping(let response, let left) where !piece.isEmpty:
      connection.noteReceived(piece.count)
      guard piece.count <= left else { return .NO }
      state = .dropping(response, left: left - piece.count)
      return .YES
    // The library accepts no response while a body arrives.
    case .dropping(let response, _): return queue(response, link, listener)
    case .reading(.work(_, let owner, let quick, let work)):
      if let response = quick?(self) {
        body = released()
        return queue(response, link, listener)
      }
      wait(for: work, of: owner, in: listener.work, link, listener)
      return .YES
    case .reading(.probe(let work)):
      wait(for: work, of: String(number), in: listener.probes, link, listener)
      return .YES
    case .made(let response): return queue(response, link, listener)
    case .reading(.answer), .working, .answered: return .YES
    }
  }

  /// Lets a thread of a queue compute the response while the connection is suspended.
  private func wait(
    for work: @escaping @Sendable (Exchange) -> Response, of owner: String, in queue: WorkQueue,
    _ link: OpaquePointer, _ listener: HTTPListener
  ) {
    state = .working
    connection.enter(.work)
    MHD_suspend_connection(link)
    // The library allows resuming from any thread.
    nonisolated(unsafe) let link = link
    let isTaken = queue.add(of: owner) { [self] in
      // A job that has not begun when the server ends is refused.
      state =
        queue.isClosed
        ? .made(listener.handler.response(to: Self.ending, in: self)) : .made(work(self))
      body = body.isEmpty ? body : released()
      MHD_resume_connection(link)
    }
    if !isTaken {
      let refusal = Refusal(503, "busy", "The server has too much to do.")
      state = .made(listener.handler.response(to: refusal, in: self))
      MHD_resume_connection(link)
    }
  }

  /// Ends the request, successful or not. Drops the pending work, which captures this exchange.
  func end(isComplete: Bool) {
    self.isComplete = isComplete
    state = .answered
    body = released()
  }

  private static let ending = Refusal(503, "ending", "The server is being stopped.")

  /// The maximum number of bytes of a refused body that are read, so that its client reads the
  /// response; then the connection is closed.
  private static let droppedByteLimit = 32 << 20

  /// Responds to a request with an unwanted body: immediately, or after the body if the client may
  /// not read before.
  private func refuse(
    _ response: Response, _ link: OpaquePointer, _ listener: HTTPListener
  ) -> MHD_Result {
    // An extra connection must be free again as soon as possible.
    guard case .count(let count)? = checked?.body, head?.text("expect") == nil,
      connection.excess == nil, count <= listener.handler.dropLimit(for: self)
    else { return queue(response, link, listener) }
    state = .dropping(response, left: count)
    connection.enter(.body)
    return .YES
  }

  private func released() -> [UInt8] {
    budget?.give(back: body.count, of: owner)
    budget = nil
    return []
  }

  private func add(
    _ piece: UnsafeBufferPointer<UInt8>, _ plan: Plan, _ listener: HTTPListener
  ) throws(Refusal) {
    connection.noteReceived(piece.count)
    guard case .work(let limit, let owner, _, _) = plan, body.count + piece.count <= limit else {
      throw Refusal(413, "large-body", "The body is too large.", closesConnection: true)
    }
    guard listener.budget.take(piece.count, of: owner) else {
      throw Refusal(
        503, "busy", "Too many uploads are arriving at the moment.", closesConnection: true)
    }
    budget = listener.budget
    if body.isEmpty, case .count(let count)? = checked?.body { body.reserveCapacity(count) }
    body.append(contentsOf: piece)
  }

  private func fields(of link: OpaquePointer) -> [RequestHead.Field] {
    var found: [RequestHead.Field] = []
    withUnsafeMutablePointer(to: &found) { found in
      _ = MHD_get_connection_values_n(
        link, .HEADER_KIND,
        { context, _, name, nameCount, value, valueCount in
          let found = context?.assumingMemoryBound(to: [RequestHead.Field].self)
          found?.pointee.append(
            RequestHead.Field(bytes(name, nameCount), bytes(value, valueCount)))
          return .YES
        }, found)
    }
    return found
  }

  private func queue(
    _ response: Response, _ link: OpaquePointer, _ listener: HTTPListener
  ) -> MHD_Result {
    status = response.status
    answerByteCount = response.content.byteCount
    state = .answered
    connection.enter(.answer)
    if response.content.isStream { httpConnectionNeverIdle(link) }
    return response.queue(on: link)
  }
}

/// The bytes of a text in the library's memory.
func bytes(_ text: UnsafePointer<CChar>?, _ count: Int) -> [UInt8] {
  Array(UnsafeRawBufferPointer(start: text, count: text == nil ? 0 : count))
}
