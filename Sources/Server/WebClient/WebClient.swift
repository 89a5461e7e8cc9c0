/// Requests to other servers, over HTTPS.
package enum WebClient {
  /// Whether a URL may be used: HTTPS, or HTTP on this machine, where nobody can eavesdrop.
  package static func isSafe(_ url: String) -> Bool {
    guard isPlain(url) else { return false }
    if url.hasPrefix("https://") { return url.utf8.count > 8 }
    return url.hasPrefix("http://") && isLocal(url)
  }

  /// Whether a URL uses HTTP without TLS, on any machine.
  static func isPlainHTTP(_ url: String) -> Bool {
    isPlain(url) && url.hasPrefix("http://") && url.utf8.count > 7
  }

  /// Whether a text has only characters that are valid in URLs.
  static func isPlain(_ text: String) -> Bool {
    text.utf8.allSatisfy { 33...126 ~= $0 && $0 != UInt8(ascii: "\\") }
  }

  /// The host of a safe URL with its port, and any user information before it.
  static func authority(_ url: String) -> Substring {
    url.dropFirst(url.hasPrefix("https:") ? 8 : 7).prefix { $0 != "/" && $0 != "?" && $0 != "#" }
  }

  /// Whether the host of a URL of either scheme is this machine.
  static func isLocal(_ url: String) -> Bool {
    let host = authority(url)
    if host.hasPrefix("[::1]") { return host.dropFirst(5).first.map { $0 == ":" } ?? true }
    return !host.contains("@") && ["127.0.0.1", "localhost"].contains(host.prefix { $0 != ":" })
  }

  /// Fetches a URL and waits for the response, of at most `limit` bytes. Does not follow redirects.
  package static func get(
    _ url: String, limit: Int, seconds: Double
  ) throws(WebProblem) -> WebAnswer {
    guard isSafe(url) else { throw WebProblem(.unsafeAddress, "only https:// addresses are asked") }
    let transfer = try WebTransfer(.init(connectSeconds: seconds, silenceSeconds: seconds))
    return try transfer.run(WebRequest(.get, url, seconds: seconds), .collect(limit: limit))
  }

  /// Sends a body to a URL and waits for the response, of at most `limit` bytes. Does not follow
  /// redirects.
  package static func post(
    _ url: String, _ fields: [(name: String, value: String)], body: [UInt8], limit: Int,
    seconds: Double
  ) throws(WebProblem) -> WebAnswer {
    guard isSafe(url) else { throw WebProblem(.unsafeAddress, "only https:// addresses are asked") }
    let transfer = try WebTransfer(.init(connectSeconds: seconds, silenceSeconds: seconds))
    return try transfer.run(
      WebRequest(.post, url, fields, body: body, seconds: seconds), .collect(limit: limit))
  }
}
