/// Words that the texts of a document must contain, ignoring case and accents.
///
/// A word must be part of a text. A word with letters of a script without spaces may also be part
/// of the texts of one path, one after the other.
public struct TextSearch: Hashable, Sendable {
  /// The paths of the searched texts: names of fields, separated by slashes. A path goes through
  /// all elements of a list.
  public let texts: [String]
  /// The words, without duplicates.
  package let words: [FoldedText]
  private let paths: [TextPath]

  /// The words of a text, separated by spaces. Every document has all words of an empty text.
  public init(_ text: String, in texts: [String]) {
    self.texts = texts
    paths = texts.map { TextPath($0) }
    words = Set(text.split { $0.isWhitespace }.map { FoldedText($0) }.filter { !$0.bytes.isEmpty })
      .sorted { $0.bytes.lexicographicallyPrecedes($1.bytes) }
  }

  /// Whether there are no words.
  public var isEmpty: Bool { words.isEmpty }

  /// The texts of a path in a document.
  package struct Found {
    /// The number of texts.
    package let count: Int
    /// The indices of those that contain a word, alone or together.
    package var indices: Set<Int> = []
  }

  func matches(_ fields: Fields) -> Bool { found(in: fields) != nil }

  /// The found texts of each path; nil if a word is in none.
  package func found(in fields: Fields) -> [Found]? {
    let texts = paths.map { fields.foldedTexts(at: $0) }
    var found = texts.map { Found(count: $0.count) }
    for word in words {
      var isFound = false
      for (index, texts) in texts.enumerated() {
        let indices = Self.indices(of: word, in: texts)
        if indices.isEmpty { continue }
        isFound = true
        found[index].indices.formUnion(indices)
      }
      if !isFound { return nil }
    }
    return found
  }

  private static func indices(of word: FoldedText, in texts: [FoldedText]) -> [Int] {
    let indices = texts.indices.filter { texts[$0].contains(word) }
    return indices.isEmpty && word.isWithoutSpaces ? runs(of: word, in: texts) : indices
  }

  /// The indices of texts that contain a word together with adjacent texts.
  private static func runs(of word: FoldedText, in texts: [FoldedText]) -> [Int] {
    var ends: [Int] = []
    for text in texts { ends.append((ends.last ?? 0) + text.bytes.count) }
    return FoldedText(joined: texts).offsets(of: word).flatMap { start in
      texts.indices.filter {
        let begin = $0 == 0 ? 0 : ends[$0 - 1]
        return begin < start + word.bytes.count && ends[$0] > start
      }
    }
  }
}

/// A term of a text index: up to three letters that follow each other in folded text. The letters
/// are in 21 bits each, the first one in the highest; zero is no letter.
///
/// An index has one term for each letter of a document: that letter and the next two of the same
/// text. If one of the three belongs to a script without spaces, they may be from several texts.
/// So an index finds every document with a word, and a few without, whose texts are then compared.
/// After a change of these rules a migration must delete all text indexes.
package struct TextTerm: Hashable, Sendable, Comparable {
  package let bits: UInt64

  private init(bits: UInt64) { self.bits = bits }

  private init(_ letters: some Sequence<Unicode.Scalar>) {
    var (bits, shift): (UInt64, UInt64) = (0, 63)
    for letter in letters {
      shift -= 21
      bits |= UInt64(letter.value + 1) << shift
    }
    self.bits = bits
  }

  package static func < (a: Self, b: Self) -> Bool { a.bits < b.bits }

  /// The terms of the texts of a document.
  static func of(_ fields: Fields, at paths: [TextPath]) -> Set<TextTerm> {
    var terms: Set<TextTerm> = []
    for path in paths {
      var letters: [Unicode.Scalar] = []
      /// For each letter the end of its text.
      var ends: [Int] = []
      for text in fields.foldedTexts(at: path) {
        letters += text.scalars
        ends += repeatElement(letters.count, count: letters.count - ends.count)
      }
      for start in letters.indices {
        let next = letters[start..<min(start + 3, letters.count)]
        terms.insert(
          TextTerm(
            next.contains(where: \.isOfScriptWithoutSpaces)
              ? next : next.prefix(ends[start] - start)
          ))
      }
    }
    return terms
  }

  /// The terms of all documents that contain a word. A word of one or two letters is itself a term,
  /// and documents have terms that begin with it.
  package static func of(_ word: FoldedText) -> Set<TextTerm> {
    let letters = Array(word.scalars)
    guard letters.count >= 3 else { return [TextTerm(letters)] }
    var triples = (0...letters.count - 3).map { letters[$0..<$0 + 3] }
    // Documents may have its other letters in several texts, which have no common terms.
    if word.isWithoutSpaces { triples.removeAll { !$0.contains(where: \.isOfScriptWithoutSpaces) } }
    return Set(triples.map { TextTerm($0) })
  }

  package var isWhole: Bool { bits & 0x1F_FFFF != 0 }

  /// The term, and the shorter ones that it begins with.
  package var beginnings: [TextTerm] {
    [bits, bits & ~0x1F_FFFF, bits & ~0x3FF_FFFF_FFFF].map { TextTerm(bits: $0) }
  }

  /// The UTF-8 of the letters in hexadecimal digits.
  var digits: String {
    var digits: [UInt8] = []
    let alphabet = Array("0123456789abcdef".utf8)
    for shift in stride(from: 42 as UInt64, through: 0, by: -21) {
      let value = bits >> shift & 0x1F_FFFF
      guard value > 0, let letter = Unicode.Scalar(UInt32(value - 1)) else { break }
      for byte in UTF8.encode(letter).map({ Array($0) }) ?? [] {
        digits += [alphabet[Int(byte >> 4)], alphabet[Int(byte & 15)]]
      }
    }
    return String(decoding: digits, as: UTF8.self)
  }
}

/// A path of `TextSearch`.
struct TextPath: Hashable, Sendable {
  /// The names of the fields as UTF-8.
  let names: [[UInt8]]

  init(_ path: String) { names = path.utf8.split(separator: UInt8(ascii: "/")).map { Array($0) } }
}

extension Fields {
  /// The texts at a path, folded.
  func foldedTexts(at path: TextPath) -> [FoldedText] {
    var texts: [FoldedText] = []
    FieldReader.read(bytes) { reader in
      _ = reader.forEachText(at: path.names[...]) { texts.append(FoldedText(utf8: $0)) }
    }
    return texts
  }
}
