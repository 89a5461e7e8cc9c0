/// A text without the differences that a search ignores: case, accents, and the width of letters in
/// East Asian fonts.
package struct FoldedText: Hashable, Sendable {
  /// UTF-8.
  package let bytes: [UInt8]

  package init(_ text: some StringProtocol) { self.init(utf8: text.utf8) }

  init(utf8 text: some Collection<UInt8>) {
    if text.allSatisfy({ $0 < 0x80 }) {
      bytes = text.map { 0x41...0x5A ~= $0 ? $0 | 0x20 : $0 }
      return
    }
    var folded: [UInt8] = []
    folded.reserveCapacity(text.count)
    for scalar in String(decoding: text, as: UTF8.self).lowercased().unicodeScalars {
      switch scalar.value {
      case 0x300...0x36F: continue  // combining accents
      case 0xFF01...0xFF5E:  // letters that are as wide as ideographs
        let narrow = UInt8(scalar.value - 0xFEE0)
        folded.append(0x41...0x5A ~= narrow ? narrow | 0x20 : narrow)
      case 0x3000: folded.append(0x20)
      case 0..<0x80: folded.append(UInt8(scalar.value))
      // No letter of the table is beyond.
      case 0x2000...: folded += UTF8.encode(scalar).map { Array($0) } ?? []
      default: folded += UTF8.encode(Self.bases[scalar] ?? scalar).map { Array($0) } ?? []
      }
    }
    bytes = folded
  }

  /// Folded texts, one after the other.
  init(joined texts: [FoldedText]) { bytes = texts.flatMap(\.bytes) }

  var scalars: String.UnicodeScalarView { String(decoding: bytes, as: UTF8.self).unicodeScalars }

  /// Whether the text has letters of a script without spaces between words. A recognizer may return
  /// any number of such letters as a word.
  var isWithoutSpaces: Bool {
    bytes.contains { $0 >= 0x80 } && scalars.contains(where: \.isOfScriptWithoutSpaces)
  }

  /// The offsets, in bytes, of another text in this one; empty if there is none. Overlapping
  /// occurrences count, too.
  func offsets(of other: FoldedText) -> [Int] {
    guard !other.bytes.isEmpty, bytes.count >= other.bytes.count else { return [] }
    return (0...bytes.count - other.bytes.count).filter { has(other, at: $0) }
  }

  func contains(_ other: FoldedText) -> Bool {
    guard !other.bytes.isEmpty, bytes.count >= other.bytes.count else { return false }
    return (0...bytes.count - other.bytes.count).contains { has(other, at: $0) }
  }

  private func has(_ other: FoldedText, at offset: Int) -> Bool {
    for index in other.bytes.indices where bytes[offset + index] != other.bytes[index] {
      return false
    }
    return true
  }

  /// The accented letters of Latin alphabets, and their base letters.
  private static let bases: [Unicode.Scalar: Unicode.Scalar] = {
    let letters: KeyValuePairs<Unicode.Scalar, String> = [
      "a": "àáâãäåāăąǎạảấầẩẫậắằẳẵặ", "c": "çćĉċč", "d": "ďđ", "e": "èéêëēĕėęěẹẻẽếềểễệ",
      "g": "ĝğġģ", "h": "ĥħ", "i": "ìíîïĩīĭįıǐỉị", "j": "ĵ", "k": "ķ", "l": "ĺļľŀł", "n": "ñńņňŉ",
      "o": "òóôõöøōŏőǒơọỏốồổỗộớờởỡợ", "r": "ŕŗř", "s": "śŝşšș", "t": "ţťŧț",
      "u": "ùúûüũūŭůűųǔǖǘǚǜưụủứừửữự", "w": "ŵ", "y": "ýÿŷỳỵỷỹ", "z": "źżž", "σ": "ς",
    ]
    var bases: [Unicode.Scalar: Unicode.Scalar] = [:]
    for (base, accented) in letters {
      for letter in accented.unicodeScalars { bases[letter] = base }
    }
    return bases
  }()
}

extension Fields {
  /// The value by which queries and indexes sort: a field, or with `NAME/folded` its folded text.
  func sortValue(_ name: String) -> FieldValue {
    guard name.hasSuffix(Self.foldedSuffix) else { return self[name] ?? .null }
    guard let text = self[String(name.dropLast(Self.foldedSuffix.count))]?.textValue,
      !text.isEmpty
    else { return .null }
    return .text(String(decoding: FoldedText(text).bytes, as: UTF8.self))
  }

  private static let foldedSuffix = "/folded"
}

extension Unicode.Scalar {
  var isOfScriptWithoutSpaces: Bool {
    0x2E80...0x9FFF ~= value || 0xF900...0xFAFF ~= value || 0x20000...0x3FFFF ~= value
  }
}
