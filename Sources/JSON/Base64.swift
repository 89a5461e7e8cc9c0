/// Base64 with padding (RFC 4648): bytes as text of 64 characters, and back.
package enum Base64 {
  private static let characters = Array(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
  private static let padding = UInt8(ascii: "=")

  /// The text of bytes, padded with `=` to a multiple of four characters.
  package static func encode(_ bytes: [UInt8]) -> String {
    var text: [UInt8] = []
    text.reserveCapacity((bytes.count + 2) / 3 * 4)
    for start in stride(from: 0, to: bytes.count, by: 3) {
      let group = bytes[start..<min(start + 3, bytes.count)]
      let bits = group.reduce(0) { $0 << 8 | UInt32($1) } << UInt32(8 * (3 - group.count))
      for index in 0..<4 {
        text.append(
          index <= group.count
            ? characters[Int(bits >> UInt32(18 - 6 * index) & 63)] : padding)
      }
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// The bytes of a text; nil if it is not base64.
  package static func decode(_ text: String) -> [UInt8]? {
    var values = [UInt8](repeating: 0xFF, count: 256)
    for (value, character) in characters.enumerated() {
      values[Int(character)] = UInt8(value)
    }
    let text = Array(text.utf8)
    guard text.count.isMultiple(of: 4) else { return nil }
    let padded = text.suffix(2).filter { $0 == padding }.count
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.count / 4 * 3)
    var bits: UInt32 = 0
    for (index, character) in text.dropLast(padded).enumerated() {
      let value = values[Int(character)]
      guard value < 64 else { return nil }
      bits = bits << 6 | UInt32(value)
      if index % 4 == 3 {
        bytes += [16, 8, 0].map { UInt8(truncatingIfNeeded: bits >> $0) }
        bits = 0
      }
    }
    if padded == 1 { bytes += [10, 2].map { UInt8(truncatingIfNeeded: bits >> $0) } }
    if padded == 2 { bytes.append(UInt8(truncatingIfNeeded: bits >> 4)) }
    return bytes
  }
}

// The form for addresses and tokens: other characters, and no padding.
extension Base64 {
  /// The text of bytes.
  package static func encodeURL(_ bytes: [UInt8]) -> String {
    let text = encode(bytes).utf8.compactMap { character -> UInt8? in
      switch character {
      case UInt8(ascii: "+"): UInt8(ascii: "-")
      case UInt8(ascii: "/"): UInt8(ascii: "_")
      case padding: nil
      default: character
      }
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// The bytes of a text; nil if `encodeURL` could not have made it, so that no two texts have the same bytes.
  package static func decodeURL(_ text: some Sequence<UInt8>) -> [UInt8]? {
    let text = Array(text)
    var padded = text.map { character -> UInt8 in
      switch character {
      case UInt8(ascii: "-"): UInt8(ascii: "+")
      case UInt8(ascii: "_"): UInt8(ascii: "/")
      case UInt8(ascii: "+"), UInt8(ascii: "/"), padding: 0
      default: character
      }
    }
    while !padded.count.isMultiple(of: 4) { padded.append(padding) }
    guard let bytes = decode(String(decoding: padded, as: UTF8.self)),
      encodeURL(bytes).utf8.elementsEqual(text)
    else { return nil }
    return bytes
  }
}
