/// A connection to one server that stays open between requests. It makes one request at a time, from any thread.
///
/// A request on a connection that the server has closed meanwhile is sent again on a new one, so a request that must
/// not be carried out twice needs a condition or a key of its own.
package final class WebConnection: Sendable {
  /// How a connection is made, and when it counts as lost.
  package struct Options: Sendable {
    /// A PEM file of the authorities to trust instead of the system's, such as that of a server's own certificate.
    package var certificates: String?
    /// Until when the server must have accepted the connection, with TLS.
    package var connectSeconds: Double
    /// For how long nothing may be sent or received, also by a server that works on its answer or has no news.
    package var silenceSeconds: Double
    /// Whether the server may also be one on another machine without TLS, where nothing secret is sent.
    package var allowsPlainHTTP = false

    package init(
      certificates: String? = nil, connectSeconds: Double = 10, silenceSeconds: Double = 30
    ) {
      self.certificates = certificates
      self.connectSeconds = connectSeconds
      self.silenceSeconds = silenceSeconds
    }
  }

  /// What a request wants.
  package enum Method: String, Sendable {
    case get = "GET"
    case head = "HEAD"
    case post = "POST"
    case put = "PUT"
    case patch = "PATCH"
    case delete = "DELETE"

    var mayHaveBody: Bool { self != .get && self != .head }
    /// Whether the length of a body is sent even if there is none.
    var mustHaveBody: Bool { self == .post || self == .put || self == .patch }
  }

  /// The address in front of all paths, without a slash at its end.
  package let base: String
  private let transfer: WebTransfer

  /// A connection to a server, which the first request opens. The address may have a path and no user name; slashes
  /// at its end do not count.
  package init(_ base: String, _ options: Options = Options()) throws(WebProblem) {
    var base = base[...]
    while base.last == "/" { base = base.dropLast() }
    self.base = String(base)
    let isAllowed =
      WebClient.isSafe(self.base) || (options.allowsPlainHTTP && WebClient.isPlainHTTP(self.base))
    guard isAllowed, !base.contains(where: { $0 == "?" || $0 == "#" }) else {
      throw WebProblem(
        .unsafeAddress, "a server has an https:// address, or an http:// one on this machine")
    }
    guard !WebClient.authority(self.base).contains("@") else {
      throw WebProblem(.unsafeAddress, "the address of a server has no user name")
    }
    transfer = try WebTransfer(options)
  }

  /// Sends a request and waits for the answer, whose body must have at most `limit` bytes. All of it may take
  /// `seconds`. The path begins with a slash, may have a query, and is sent as it is. Redirects count as answers.
  package func request(
    _ method: Method, _ path: String, fields: [(name: String, value: String)] = [],
    body: [UInt8] = [], limit: Int, seconds: Double? = nil
  ) throws(WebProblem) -> WebAnswer {
    let request = try WebRequest(method, url(path), fields, body: body, seconds: seconds)
    return try transfer.run(request, .collect(limit: limit))
  }

  /// Reads an answer without an end, piece by piece, until `receive` returns false or the server ends it. Other
  /// answers than successes are returned with their bodies, and not received.
  @discardableResult
  package func stream(
    _ path: String, fields: [(name: String, value: String)] = [], receive: ([UInt8]) -> Bool
  ) throws(WebProblem) -> WebAnswer {
    let request = try WebRequest(.get, url(path), fields)
    return try withoutActuallyEscaping(receive) { receive throws(WebProblem) in
      try transfer.run(request, .stream(receive))
    }
  }

  /// Ends the request that runs: it throws `.ended`, within milliseconds. Nothing happens if there is none.
  package func end() { transfer.stop(forGood: false) }

  /// Ends the request that runs and all that come later, so that none slips through while a program ends.
  package func close() { transfer.stop(forGood: true) }

  /// The bytes of all requests and answers so far with their headers, without those of TLS.
  package var traffic: (sent: Int, received: Int) { transfer.traffic }

  private func url(_ path: String) throws(WebProblem) -> String {
    guard path.hasPrefix("/"), WebClient.isPlain(path), !path.contains("#") else {
      throw WebProblem(
        .unsafeAddress, "a path begins with a slash and has no blanks, letters beyond ASCII or #")
    }
    return base + path
  }
}
