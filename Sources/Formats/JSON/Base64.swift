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

  /// The bytes of a text; nil if it is not base64. Some programs leave out the padding, which
  /// `needsPadding` allows.
  package static func decode(_ text: String, needsPadding: Bool = true) -> [UInt8]? {
    var text = text
    return text.withUTF8 { characters in
      let padded = characters.suffix(2).reversed().prefix { $0 == padding }.count
      let count = characters.count - padded
      guard count % 4 != 1 else { return nil }
      if needsPadding || padded > 0 {
        guard characters.count.isMultiple(of: 4) else { return nil }
      }
      return decode(UnsafeBufferPointer(rebasing: characters[..<count]))
    }
  }

  /// The bytes of characters without padding.
  private static func decode(_ characters: UnsafeBufferPointer<UInt8>) -> [UInt8]? {
    let values = Self.values
    var bytes: [UInt8] = []
    bytes.reserveCapacity(characters.count / 4 * 3 + 3)
    var (bits, held) = (UInt32(0), 0)
    for character in characters {
      let value = values[Int(character)]
      guard value < 64 else { return nil }
      bits = bits << 6 | UInt32(value)
      held += 6
      guard held >= 8 else { continue }
      held -= 8
      bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(held)))
    }
    return bytes
  }

  /// The value of each character; 255 for those that are not base64.
  private static let values: [UInt8] = {
    var values = [UInt8](repeating: 0xFF, count: 256)
    for (value, character) in characters.enumerated() { values[Int(character)] = UInt8(value) }
    return values
  }()
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

  /// The bytes of a text; nil if `encodeURL` could not have made it, so that no two texts have the
  /// same bytes.
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
