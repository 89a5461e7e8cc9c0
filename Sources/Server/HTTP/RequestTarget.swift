/// The target of a request: the segments of its path and the items of its query, decoded once.
package struct RequestTarget: Hashable, Sendable {
  /// The decoded segments of the path. No segment is empty, `.` or `..`; the path `/` has none.
  package let segments: [String]
  /// The items of the query in their order, with decoded names and values.
  package let query: [Item]

  /// A name and a value.
  package struct Item: Hashable, Sendable {
    package let name: String
    package let value: String

    package init(name: String, value: String) { (self.name, self.value) = (name, value) }
  }

  /// The maximum length of a target in bytes.
  package static let maximumByteCount = 8_192

  /// Decodes a target from a request line.
  package init(_ raw: [UInt8]) throws(Refusal) {
    guard raw.count <= Self.maximumByteCount else {
      throw Refusal(414, "long-target", "The address is too long.", closesConnection: true)
    }
    guard raw.first == UInt8(ascii: "/") else {
      throw .malformed("bad-target", "The target must be a path.")
    }
    // Fragments are never sent, and characters outside ASCII must be encoded.
    guard raw.allSatisfy({ 33...126 ~= $0 && $0 != UInt8(ascii: "#") }) else {
      throw .malformed("bad-target", "The address has characters that must be encoded.")
    }
    let question = raw.firstIndex(of: UInt8(ascii: "?")) ?? raw.endIndex
    var path = raw[1..<question]
    // A path may end with one slash.
    if path.last == UInt8(ascii: "/") { path.removeLast() }
    var segments: [String] = []
    if question > 1 {
      for segment in path.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false) {
        segments.append(try Self.segment(segment))
      }
    }
    self.segments = segments
    var query: [Item] = []
    for item in raw[question...].dropFirst().split(separator: UInt8(ascii: "&")) {
      let equals = item.firstIndex(of: UInt8(ascii: "=")) ?? item.endIndex
      query.append(
        Item(
          name: try Self.text(item[..<equals], plusIsBlank: true),
          value: try Self.text(item[equals...].dropFirst(), plusIsBlank: true)))
    }
    self.query = query
  }

  /// The value of an item; nil if there is none. Throws for a duplicate name, since other programs
  /// may use the other value.
  package func value(_ name: String) throws(Refusal) -> String? {
    let values = query.filter { $0.name == name }
    guard values.count < 2 else {
      throw Refusal(400, "double-parameter", "A parameter comes twice.", field: name)
    }
    return values.first?.value
  }

  private static func segment(_ raw: ArraySlice<UInt8>) throws(Refusal) -> String {
    let text = try text(raw, plusIsBlank: false)
    // A decoded slash stays in its segment: names of objects may contain slashes, and each part
    // between them must be a valid segment.
    var (dots, others) = (0, 0)
    func isNamed() -> Bool { others > 0 || dots > 2 }
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "/"):
        guard isNamed() else { throw Self.leadsElsewhere }
        (dots, others) = (0, 0)
      case UInt8(ascii: "."): dots += 1
      default: others += 1
      }
    }
    guard isNamed() else { throw Self.leadsElsewhere }
    return text
  }

  private static let leadsElsewhere = Refusal.malformed(
    "bad-target", "The path has a segment that is empty or leads elsewhere.")

  /// Decodes text once.
  private static func text(
    _ raw: ArraySlice<UInt8>, plusIsBlank: Bool
  ) throws(Refusal) -> String {
    // All bytes of a target are printable ASCII, so text without encoded characters needs no check.
    guard raw.contains(where: { $0 == UInt8(ascii: "%") || plusIsBlank && $0 == UInt8(ascii: "+") })
    else { return String(decoding: raw, as: UTF8.self) }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(raw.count)
    var rest = raw
    while let byte = rest.popFirst() {
      switch byte {
      case UInt8(ascii: "%"):
        guard let high = rest.popFirst()?.hexadecimalValue,
          let low = rest.popFirst()?.hexadecimalValue
        else {
          throw .malformed("bad-target", "The address has a percent sign without two digits.")
        }
        bytes.append(high << 4 | low)
      case UInt8(ascii: "+") where plusIsBlank: bytes.append(32)
      default: bytes.append(byte)
      }
    }
    guard bytes.allSatisfy({ $0 >= 32 && $0 != 127 }),
      let text = String(validating: bytes, as: UTF8.self)
    else { throw .malformed("bad-target", "The address has control characters, or is no UTF-8.") }
    return text
  }
}
