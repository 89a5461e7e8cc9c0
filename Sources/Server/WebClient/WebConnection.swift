/// A connection to one server that stays open between requests. It makes one request at a time,
/// from any thread.
///
/// If the server has closed the connection meanwhile, the request is sent again on a new one. So a
/// request that must not be carried out twice needs a precondition or an idempotency key.
package final class WebConnection: Sendable {
  /// How a connection is made, and when it counts as lost.
  package struct Options: Sendable {
    /// A PEM file of the trusted authorities that replace the system's, such as a server's own
    /// certificate.
    package var certificates: String?
    /// The timeout for connecting, including TLS.
    package var connectSeconds: Double
    /// The maximum time in which nothing is sent or received, even if the server is still working
    /// or has no news.
    package var silenceSeconds: Double
    /// Whether a server on another machine may be used without TLS, if nothing secret is sent.
    package var allowsPlainHTTP = false

    package init(
      certificates: String? = nil, connectSeconds: Double = 10, silenceSeconds: Double = 30
    ) {
      self.certificates = certificates
      self.connectSeconds = connectSeconds
      self.silenceSeconds = silenceSeconds
    }
  }

  /// The method of a request.
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

  /// The prefix of all URLs, without a final slash.
  package let base: String
  private let transfer: WebTransfer

  /// A connection to a server, which the first request opens. The URL may have a path but no user
  /// name; final slashes are ignored.
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

  /// Sends a request and waits for the response, whose body must have at most `limit` bytes.
  /// `seconds` is the timeout of the whole exchange. The path begins with a slash, may have a
  /// query, and is sent unchanged. Does not follow redirects.
  package func request(
    _ method: Method, _ path: String, fields: [(name: String, value: String)] = [],
    body: [UInt8] = [], limit: Int, seconds: Double? = nil
  ) throws(WebProblem) -> WebAnswer {
    let request = try WebRequest(method, url(path), fields, body: body, seconds: seconds)
    return try transfer.run(request, .collect(limit: limit))
  }

  /// Reads a response without an end, piece by piece, until `receive` returns false or the server
  /// ends it. Other responses than successes are returned with their bodies, without calling
  /// `receive`.
  @discardableResult
  package func stream(
    _ path: String, fields: [(name: String, value: String)] = [], receive: ([UInt8]) -> Bool
  ) throws(WebProblem) -> WebAnswer {
    let request = try WebRequest(.get, url(path), fields)
    return try withoutActuallyEscaping(receive) { receive throws(WebProblem) in
      try transfer.run(request, .stream(receive))
    }
  }

  /// Aborts the running request, which throws `.ended` within milliseconds. Does nothing without
  /// one.
  package func end() { transfer.stop(forGood: false) }

  /// Aborts the running request and all later ones, so that none runs while a program ends.
  package func close() { transfer.stop(forGood: true) }

  /// The bytes of all requests and responses so far, with headers, without the overhead of TLS.
  package var traffic: (sent: Int, received: Int) { transfer.traffic }

  private func url(_ path: String) throws(WebProblem) -> String {
    guard path.hasPrefix("/"), WebClient.isPlain(path), !path.contains("#") else {
      throw WebProblem(
        .unsafeAddress, "a path begins with a slash and has no blanks, letters beyond ASCII or #")
    }
    return base + path
  }
}
