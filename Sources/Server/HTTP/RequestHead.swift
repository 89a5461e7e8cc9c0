/// A request line and the fields of its header, as they arrived.
///
/// The parser before this accepts more than is safe: `check` refuses headers that two programs
/// could interpret differently, before any body is read.
package struct RequestHead: Sendable {
  /// The method, in upper case like all known ones.
  package let method: Bytes
  /// The target, not decoded.
  package let target: Bytes
  /// The minor version of HTTP/1.
  package let minorVersion: Int
  /// The fields in their order.
  package let fields: [Field]

  package typealias Bytes = [UInt8]

  /// A field of a header.
  package struct Field: Hashable, Sendable {
    /// The name in lower case.
    package let name: String
    /// The value, without blanks around it.
    package let value: Bytes
    /// Whether the name has only valid characters. With a blank before the colon, this server would
    /// ignore a field that other programs accept.
    fileprivate let isNamed: Bool

    package init(_ name: Bytes, _ value: Bytes) {
      isNamed = !name.isEmpty && name.allSatisfy { $0.isTokenCharacter }
      var name = name
      for index in name.indices { name[index] = name[index].lowercased }
      self.name = String(decoding: name, as: UTF8.self)
      self.value = value.trimmingBlanks
    }
  }

  package init(method: Bytes, target: Bytes, minorVersion: Int, fields: [Field]) {
    self.method = method
    self.target = target
    self.minorVersion = minorVersion
    self.fields = fields
  }

  /// The methods that the server knows.
  package enum Method: String, CaseIterable, Sendable {
    case get = "GET"
    case head = "HEAD"
    case post = "POST"
    case put = "PUT"
    case patch = "PATCH"
    case delete = "DELETE"
    case options = "OPTIONS"

    /// Whether a request changes nothing.
    package var isSafe: Bool { self == .get || self == .head || self == .options }
  }

  /// The body that the header announces.
  package enum Body: Hashable, Sendable {
    case none
    case count(Int)
    /// Chunked, with an unknown total length.
    case chunked
  }

  /// The unambiguous values of a valid header.
  package struct Checked: Sendable {
    package let method: Method
    package let target: RequestTarget
    package let body: Body
    /// The host with its port, as the client named it; nil in HTTP/1.0 without one.
    package let host: String?
  }
}

// MARK: - The first look

extension RequestHead {
  /// The maximum number of fields, and of their bytes.
  private static let maximumFieldCount = 100
  private static let maximumFieldBytes = 16_384

  /// The fields that may only occur once: programs differ in the interpretation of two of them.
  private static let singleFields: Set<String> = [
    "authorization", "content-encoding", "content-length", "content-range", "content-type",
    "expect", "host",
    "if-modified-since", "if-range", "if-unmodified-since", "origin", "range", "transfer-encoding",
  ]

  /// Checks the whole header. Throws for the first error.
  package func check() throws(Refusal) -> Checked {
    try checkFields()
    let method = try knownMethod()
    return Checked(
      method: method, target: try RequestTarget(target), body: try announcedBody(), host: try host()
    )
  }

  private func checkFields() throws(Refusal) {
    guard fields.count <= Self.maximumFieldCount,
      fields.reduce(0, { $0 + $1.name.utf8.count + $1.value.count }) <= Self.maximumFieldBytes
    else { throw Refusal(431, "large-header", "The header is too large.", closesConnection: true) }
    var seen: [String] = []
    for field in fields {
      guard field.isNamed else {
        throw .malformed("bad-header", "A field of the header has a name that is none.")
      }
      guard field.value.allSatisfy({ $0 == 9 || ($0 >= 32 && $0 != 127) }) else {
        throw .malformed(
          "bad-header", "A field of the header has control characters.", field: field.name)
      }
      guard Self.singleFields.contains(field.name) else { continue }
      guard !seen.contains(field.name) else {
        throw .malformed("double-header", "A field of the header comes twice.", field: field.name)
      }
      seen.append(field.name)
      // An unreadable value must not count as missing: the body would begin elsewhere.
      guard String(validating: field.value, as: UTF8.self) != nil else {
        throw .malformed("bad-header", "A field of the header is no UTF-8.", field: field.name)
      }
    }
    if let expected = text("expect"), expected.lowercased() != "100-continue" {
      throw Refusal(
        417, "bad-expectation", "Only 100-continue can be expected.", field: "expect",
        closesConnection: true)
    }
  }

  private func knownMethod() throws(Refusal) -> Method {
    if let method = Method(rawValue: String(decoding: method, as: UTF8.self)) { return method }
    // If CONNECT had been accepted, the following bytes would belong to a tunnel.
    if method == Bytes("CONNECT".utf8) {
      throw .malformed("bad-method", "This server opens no tunnels.")
    }
    // Standard methods that are not supported: TRACE would return secrets of the header; QUERY is a
    // GET with a body, which no route needs.
    if [Bytes("TRACE".utf8), Bytes("QUERY".utf8)].contains(method) {
      throw Refusal(
        405, "wrong-method", "No address supports this method.", closesConnection: true)
    }
    throw Refusal(
      501, "unknown-method", "This server does not know the method.", closesConnection: true)
  }

  private func announcedBody() throws(Refusal) -> Body {
    let length = text("content-length")
    if let coding = text("transfer-encoding") {
      guard length == nil else {
        throw .malformed(
          "two-lengths", "A request has a length or is in chunks, not both.",
          field: "content-length")
      }
      guard minorVersion > 0 else {
        throw .malformed("bad-coding", "HTTP/1.0 has no chunks.", field: "transfer-encoding")
      }
      guard coding.lowercased() == "chunked" else {
        throw Refusal(
          501, "unknown-coding", "Bodies come in chunks or as they are.",
          field: "transfer-encoding",
          closesConnection: true)
      }
      return .chunked
    }
    guard let length else { return .none }
    // At most 15 digits, which fit into an integer.
    guard 1...15 ~= length.utf8.count, length.utf8.allSatisfy({ $0.isDigit }),
      let count = Int(length)
    else {
      throw .malformed("bad-length", "The length is no number of bytes.", field: "content-length")
    }
    return count == 0 ? .none : .count(count)
  }

  private func host() throws(Refusal) -> String? {
    guard let host = text("host") else {
      guard minorVersion == 0 else {
        throw .malformed("no-host", "A request needs the name of its host.", field: "host")
      }
      return nil
    }
    guard !host.isEmpty, host.utf8.count <= 255, host.utf8.allSatisfy({ $0.isHostCharacter }) else {
      throw .malformed("bad-host", "The name of the host is none.", field: "host")
    }
    return host
  }
}

// MARK: - Fields

extension RequestHead {
  /// The value of the first field with a lowercase name; nil if there is none or if it is not
  /// UTF-8.
  package func text(_ name: String) -> String? {
    guard let index = firstIndex(name) else { return nil }
    return String(validating: fields[index].value, as: UTF8.self)
  }

  /// Whether there is a field with a lowercase name.
  package func has(_ name: String) -> Bool { firstIndex(name) != nil }

  private func firstIndex(_ name: String) -> Int? {
    for index in fields.indices where fields[index].name == name { return index }
    return nil
  }

  /// The values of all fields with a name, joined by commas as one list; nil if there is none.
  package func list(_ name: String) -> String? {
    guard has(name) else { return nil }
    let values = fields.filter { $0.name == name }
      .map { String(decoding: $0.value, as: UTF8.self) }
    return values.joined(separator: ", ")
  }
}
