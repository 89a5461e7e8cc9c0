package import HTTP

/// The handler of a server's requests. Its functions are called on the threads of the connections,
/// so they must not block.
package protocol RequestHandler: AnyObject, Sendable {
  /// Decides by the header alone, before any body is read.
  func plan(for exchange: Exchange) -> Plan
  /// The response to a request that is refused before it reaches `plan`, or whose body is too
  /// large.
  func response(to refusal: Refusal, in exchange: Exchange) -> Response
  /// The maximum number of bytes of a body to read and drop before a refusal is sent. Many clients,
  /// browsers among them, read no response while they send, and then only see that the connection
  /// closes.
  func dropLimit(for exchange: Exchange) -> Int
  /// The client's address in a request from a proxy, according to its header.
  func client(of exchange: Exchange) -> String
  /// Called when a request is over: its response was sent, or the connection has ended.
  func finished(_ exchange: Exchange)
}

/// The way to answer a request.
package enum Plan: Sendable {
  /// Immediately. An announced body is not read, and the connection is closed.
  case answer(Response)
  /// On a thread of the work queue, with the whole body of at most this many bytes. No owner of
  /// requests can occupy all threads, or all memory for bodies. `quick` responds on the thread of the
  /// connection, without waiting for anything, or returns nil.
  case work(
    bodyLimit: Int, owner: String, quick: (@Sendable (Exchange) -> Response?)? = nil,
    @Sendable (Exchange) -> Response)
  /// On a thread for probes only: without a body, and within a second.
  case probe(@Sendable (Exchange) -> Response)
}

extension RequestHandler {
  /// The address of the connection, for servers without proxies.
  package func client(of exchange: Exchange) -> String { exchange.connection.address }
}
