import CCurlShim

/// Requests to other servers, over HTTPS.
package enum WebClient {
  package struct Answer: Sendable {
    package let status: Int
    package let body: [UInt8]
    /// For how many seconds the answer counts, if its server says so.
    package let maximumAge: Int?
  }

  /// Why there is no answer.
  package struct Problem: Error, CustomStringConvertible {
    package let description: String
  }

  /// Whether an address is one that may be asked: HTTPS, or HTTP on this machine, where nobody can listen in.
  package static func isSafe(_ url: String) -> Bool {
    guard url.utf8.allSatisfy({ 33...126 ~= $0 && $0 != UInt8(ascii: "\\") }) else { return false }
    if url.hasPrefix("https://") { return url.utf8.count > 8 }
    return isLocal(url)
  }

  private static func isLocal(_ url: String) -> Bool {
    guard url.hasPrefix("http://") else { return false }
    let host = url.dropFirst(7).prefix { $0 != "/" && $0 != "?" && $0 != "#" }
    let name = host.prefix { $0 != ":" }
    return !host.contains("@") && ["127.0.0.1", "localhost"].contains(name)
  }

  /// Asks for an address and waits for the answer, which must have at most `limit` bytes. Redirects count as answers.
  package static func get(_ url: String, limit: Int, seconds: Double) throws(Problem) -> Answer {
    guard isSafe(url) else {
      throw Problem(description: "only https:// addresses are asked")
    }
    var answer = WebAnswer()
    webGet(url, isLocal(url) ? 1 : 0, limit, Int(seconds * 1000), &answer)
    defer { webAnswerFree(&answer) }
    guard answer.status != 0 else {
      let text = withUnsafeBytes(of: &answer.problem) { $0.prefix { $0 != 0 }.map { $0 } }
      throw Problem(description: String(decoding: text, as: UTF8.self))
    }
    let body = Array(UnsafeBufferPointer(start: answer.body, count: answer.bodyCount))
    let header = UnsafeBufferPointer(start: answer.header, count: answer.headerCount)
    return Answer(
      status: answer.status, body: body,
      maximumAge: maximumAge(String(decoding: header, as: UTF8.self)))
  }

  /// The seconds of `Cache-Control: max-age=…` in the lines of a header.
  static func maximumAge(_ header: String) -> Int? {
    for line in header.split(whereSeparator: \.isNewline) {
      let parts = line.lowercased().split(separator: ":", maxSplits: 1)
      guard parts.count == 2, parts[0] == "cache-control" else { continue }
      for word in parts[1].split(whereSeparator: { $0 == "," || $0 == " " })
      where word.hasPrefix("max-age=") {
        return Int(word.dropFirst(8))
      }
    }
    return nil
  }
}
