/// A text without the differences that a search ignores: case, accents, and the width of letters in
/// East Asian fonts.
struct FoldedText: Hashable {
  /// UTF-8.
  let bytes: [UInt8]

  init(_ text: some StringProtocol) {
    if text.utf8.allSatisfy({ $0 < 0x80 }) {
      bytes = text.utf8.map { 0x41...0x5A ~= $0 ? $0 | 0x20 : $0 }
      return
    }
    var folded: [UInt8] = []
    for scalar in text.lowercased().unicodeScalars {
      switch scalar.value {
      case 0x300...0x36F: continue  // combining accents
      case 0xFF01...0xFF5E:  // letters that are as wide as ideographs
        let narrow = UInt8(scalar.value - 0xFEE0)
        folded.append(0x41...0x5A ~= narrow ? narrow | 0x20 : narrow)
      case 0x3000: folded.append(0x20)
      default: folded += UTF8.encode(Self.bases[scalar] ?? scalar).map { Array($0) } ?? []
      }
    }
    bytes = folded
  }

  /// Folded texts, one after the other.
  init(joined bytes: [UInt8]) { self.bytes = bytes }

  /// Whether the text has letters of a script without spaces between words. A recognizer may return
  /// any number of such letters as a word.
  var isWithoutSpaces: Bool {
    String(decoding: bytes, as: UTF8.self).unicodeScalars.contains {
      0x2E80...0x9FFF ~= $0.value || 0xF900...0xFAFF ~= $0.value || 0x20000...0x3FFFF ~= $0.value
    }
  }

  /// The offsets, in bytes, of another text in this one; empty if there is none. Overlapping
  /// occurrences count, too.
  func offsets(of other: FoldedText) -> [Int] {
    guard let first = other.bytes.first, bytes.count >= other.bytes.count else { return [] }
    return (0...bytes.count - other.bytes.count).filter {
      bytes[$0] == first && bytes[$0..<$0 + other.bytes.count].elementsEqual(other.bytes)
    }
  }

  func contains(_ other: FoldedText) -> Bool {
    guard let first = other.bytes.first, bytes.count >= other.bytes.count else { return false }
    return (0...bytes.count - other.bytes.count).contains {
      bytes[$0] == first && bytes[$0..<$0 + other.bytes.count].elementsEqual(other.bytes)
    }
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
