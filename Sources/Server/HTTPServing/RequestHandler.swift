package import HTTP

/// What a server does with requests. Its functions are called on the threads of the connections, so they must not
/// wait for anything.
package protocol RequestHandler: AnyObject, Sendable {
  /// Decides by the header alone, before any body is read.
  func plan(for exchange: Exchange) -> Plan
  /// The answer to a request that is refused before it reaches `plan`, or whose body is too large.
  func response(to refusal: Refusal, in exchange: Exchange) -> Response
  /// Up to how many bytes of a body are read and dropped before a refusal is sent. Many clients, browsers among
  /// them, do not look at an answer while they send, and then see only that the connection ends.
  func dropLimit(for exchange: Exchange) -> Int
  /// The address of the client of a request that a proxy has sent on, as the proxy names it.
  func client(of exchange: Exchange) -> String
  /// A request is over: its answer was sent, or the connection has ended.
  func finished(_ exchange: Exchange)
}

/// How a request is answered.
package enum Plan: Sendable {
  /// At once. If a body was announced, it is not read, and the connection is closed.
  case answer(Response)
  /// On a thread of the queue of work, with the whole body of at most this many bytes. No owner of requests gets all
  /// threads, or all memory for bodies.
  case work(bodyLimit: Int, owner: String, @Sendable (Exchange) -> Response)
  /// On a thread that only probes have: without a body, and within a second.
  case probe(@Sendable (Exchange) -> Response)
}

extension RequestHandler {
  /// The address of the connection, for servers without proxies.
  package func client(of exchange: Exchange) -> String { exchange.connection.address }
}
