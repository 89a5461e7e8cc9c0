/// What a server answered.
package struct WebAnswer: Sendable {
  package let status: Int
  /// The names and values of the header, in their order.
  package let fields: [(name: String, value: String)]
  package let body: [UInt8]

  /// The value of a field, whose name is compared without regard to case; of several the last one.
  package func field(_ name: String) -> String? {
    let name = name.lowercased()
    return fields.last { $0.name.lowercased() == name }?.value
  }

  /// For how many seconds the answer counts, if its server says so by `Cache-Control: max-age=…`.
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

/// Why there is no answer.
package struct WebProblem: Error, CustomStringConvertible, Sendable {
  package let kind: Kind
  /// The reason in plain words. It may name the host, and never repeats the header of the request.
  package let description: String

  package enum Kind: Sendable {
    /// The address or a field of the header may not be sent; nothing was.
    case unsafeAddress, unsafeField
    /// The host is unknown or does not accept connections, or not soon enough. The request was not sent.
    case cannotConnect
    /// The server's certificate is not trusted, or it does not speak TLS. The request was not sent.
    case certificate
    /// The answer took too long, or nothing came for too long.
    case timeout
    /// The connection was lost before the end of the answer.
    case interrupted
    /// The answer has more bytes than its limit.
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

/// The lines of an answer's header.
struct AnswerHeader {
  /// The library allows more.
  private static let maximumBytes = 1 << 16

  private(set) var fields: [(name: String, value: String)] = []
  private var byteCount = 0
  /// Whether the empty line at its end has come: the library takes less for a header, too.
  private(set) var isComplete = false

  /// Adds a line. Returns false if the header is too large.
  mutating func add(_ bytes: some Collection<UInt8>) -> Bool {
    byteCount += bytes.count
    guard byteCount <= Self.maximumBytes else { return false }
    if bytes.starts(with: "HTTP/".utf8) {
      // What came before was the header of an interim answer.
      (fields, isComplete) = ([], false)
      return true
    }
    let line = String(decoding: bytes, as: UTF8.self).prefix { !$0.isNewline }
    if line.isEmpty { isComplete = true }
    // Lines behind the body are none of the header.
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
