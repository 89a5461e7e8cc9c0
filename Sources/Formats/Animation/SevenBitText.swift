/// Bytes in the text of a page: seven bits for each character, which is 12 % shorter than Base64.
///
/// HTML changes the characters 0 and 13 in scripts, and `<` may end one. They are replaced by those
/// from U+00A0 on: 128 for each, according to the seven bits that follow, so that these two bytes
/// of UTF-8 hold as much as two others.
enum SevenBitText {
  private static let replaced: [UInt8] = [0, 13, UInt8(ascii: "<")]
  private static let firstReplacement = 0xA0

  /// The text, in UTF-8. Its reader must know the number of bytes.
  static func encode(_ bytes: [UInt8]) -> [UInt8] {
    var text: [UInt8] = []
    text.reserveCapacity(bytes.count * 8 / 7 + 2)
    var pending: Int?
    func add(_ value: UInt8) {
      if let index = pending {
        let code = firstReplacement + 128 * index + Int(value)
        text += [UInt8(0xC0 | code >> 6), UInt8(0x80 | code & 63)]
        pending = nil
      } else {
        pending = replaced.firstIndex(of: value)
        if pending == nil { text.append(value) }
      }
    }
    var bits: UInt32 = 0
    var bitCount: UInt32 = 0
    for byte in bytes {
      bits = bits << 8 | UInt32(byte)
      bitCount += 8
      while bitCount >= 7 {
        bitCount -= 7
        add(UInt8(bits >> bitCount & 127))
      }
    }
    if bitCount > 0 { add(UInt8(bits << (7 - bitCount) & 127)) }
    if pending != nil { add(0) }
    return text
  }
}
