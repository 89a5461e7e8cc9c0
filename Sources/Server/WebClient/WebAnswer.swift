/// The response of a server.
package struct WebAnswer: Sendable {
  package let status: Int
  /// The names and values of the header fields, in their order.
  package let fields: [(name: String, value: String)]
  package let body: [UInt8]

  /// The value of a field, whose name is case-insensitive; the last one of several.
  package func field(_ name: String) -> String? {
    let name = name.lowercased()
    return fields.last { $0.name.lowercased() == name }?.value
  }

  /// The lifetime of the response in seconds, if it has `Cache-Control: max-age=…`.
  package var maximumAge: Int? {
    for field in fields where field.name.lowercased() == "cache-control" {
      let words = field.value.lowercased().split { $0 == "," || $0 == " " }
      if let word = words.first(where: { $0.hasPrefix("max-age=") }) {
        return Int(word.dropFirst(8))
      }
    }
    return nil
  }
}

/// The reason why there is no response.
package struct WebProblem: Error, CustomStringConvertible, Sendable {
  package let kind: Kind
  /// The reason in plain words. It may contain the host, but never the request's header.
  package let description: String

  package enum Kind: Sendable {
    /// The URL or a header field may not be sent. Nothing was sent.
    case unsafeAddress, unsafeField
    /// The host is unknown, or did not accept a connection in time. The request was not sent.
    case cannotConnect
    /// The server's certificate is not trusted, or it does not speak TLS. The request was not sent.
    case certificate
    /// The response took too long, or nothing arrived for too long.
    case timeout
    /// The connection was lost before the end of the response.
    case interrupted
    /// The response exceeds its limit.
    case tooLarge
    /// `end()` or `close()` was called.
    case ended
    /// Another request runs on the connection.
    case busy
    case other
  }

  package init(_ kind: Kind, _ description: String) {
    (self.kind, self.description) = (kind, description)
  }
}

/// The lines of a response header.
struct AnswerHeader {
  /// The library allows more.
  private static let maximumBytes = 1 << 16

  private(set) var fields: [(name: String, value: String)] = []
  private var byteCount = 0
  /// Whether the empty line at its end has arrived: the library also accepts a header without it.
  private(set) var isComplete = false

  /// Adds a line. Returns false if the header is too large.
  mutating func add(_ bytes: some Collection<UInt8>) -> Bool {
    byteCount += bytes.count
    guard byteCount <= Self.maximumBytes else { return false }
    if bytes.starts(with: "HTTP/".utf8) {
      // The earlier lines belong to an interim response.
      (fields, isComplete) = ([], false)
      return true
    }
    let line = String(decoding: bytes, as: UTF8.self).prefix { !$0.isNewline }
    if line.isEmpty { isComplete = true }
    // Lines after the body do not belong to the header.
    guard !isComplete, let colon = line.firstIndex(of: ":") else { return true }
    let value = line[line.index(after: colon)...].drop(while: Self.isBlank)
    let end = value.lastIndex { !Self.isBlank($0) }
    fields.append((String(line[..<colon]), end.map { String(value[...$0]) } ?? ""))
    return true
  }

  private static func isBlank(_ character: Character) -> Bool {
    character == " " || character == "\t"
  }
}
