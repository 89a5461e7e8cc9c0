import InkFiles

/// The typed text of a page. Only the positions of its paragraphs matter: ink can move with them.
struct RemarkableText {
  /// The pieces of text, sorted by the identifier of the first letter: the number of letters, the
  /// line ends, and the paragraph in which the piece begins.
  private var pieces: [(start: RemarkableID, count: UInt64, breaks: [UInt64], paragraph: Int)] = []
  private var paragraphs = 1
  private var top = 0.0

  /// Whether anything is written.
  private(set) var isEmpty = true

  /// The distance between lines, and from the top of the text to its first line, in pixels. Both
  /// are those of plain text; where lines wrap is not stored.
  private static let lineHeight = 70.0
  private static let firstLine = -18.0

  /// Groups with these anchors follow the end of the text.
  private static let ends: [RemarkableID] = [
    RemarkableID(author: 0, counter: 0xFFFF_FFFF_FFFE),
    RemarkableID(author: 0, counter: 0xFFFF_FFFF_FFFF),
  ]
  /// The y of such groups on a page without text.
  private static let endWithoutText = 100.0

  init(_ contents: ByteCursor) throws(ImportError) {
    var fields = RemarkableFields(contents)
    while let field = try fields.next() {
      switch (field.index, field.value) {
      case (2, .part(let part)): try readText(part)
      case (3, .part(var part)):
        try part.skip(8)
        let value = try part.float64()
        if abs(value) < 1e6 { top = value }
      default: break
      }
    }
    pieces.sort { $0.start < $1.start }
  }

  /// The items are nested three parts deep.
  private mutating func readText(_ part: ByteCursor) throws(ImportError) {
    var text = RemarkableFields(part)
    while let outer = try text.next() {
      guard outer.index == 1, case .part(let list) = outer.value else { continue }
      var lists = RemarkableFields(list)
      while let inner = try lists.next() {
        guard inner.index == 1, case .part(var items) = inner.value else { continue }
        // Each item takes more bytes than the smallest part.
        let count = try items.count(try items.variableLength(), of: "pieces of text", bytesEach: 5)
        var fields = RemarkableFields(items)
        for _ in 0..<count {
          guard let item = try fields.next() else { return }
          if case .part(let item) = item.value { try readPiece(item) }
        }
      }
    }
  }

  private mutating func readPiece(_ item: ByteCursor) throws(ImportError) {
    var (id, deleted) = (RemarkableID.none, UInt32(0))
    var letters: ArraySlice<UInt8> = []
    var fields = RemarkableFields(item)
    while let field = try fields.next() {
      switch (field.index, field.value) {
      case (2, .identifier(let value)): id = value
      case (5, .word(let value)): deleted = value
      case (6, .part(var part)):
        let count = try part.count(try part.variableLength(), of: "letters")
        // Whether all are ASCII.
        try part.skip(1)
        letters = try part.take(min(count, part.remaining))
      default: break
      }
    }
    // Characters are counted in UTF-16: four bytes of UTF-8 are two.
    var breaks: [UInt64] = []
    var count: UInt64 = 0
    for letter in letters where letter & 0xC0 != 0x80 {
      if letter == 0x0A { breaks.append(count) }
      count += letter >= 0xF0 ? 2 : 1
    }
    if count > 0 { isEmpty = false }
    pieces.append((id, max(count, UInt64(deleted)), breaks, paragraphs - 1))
    paragraphs += breaks.count
  }

  /// The y of a group with an anchor.
  static func y(of anchor: RemarkableID, in text: RemarkableText?) -> Double {
    guard let text else { return ends.contains(anchor) ? endWithoutText : 0 }
    return text.top + firstLine + lineHeight * Double(text.paragraph(of: anchor))
  }

  private func paragraph(of anchor: RemarkableID) -> Int {
    if Self.ends.contains(anchor) { return paragraphs - 1 }
    let next = Self.partition(pieces.count) { pieces[$0].start <= anchor }
    guard next > 0, pieces[next - 1].start.author == anchor.author else { return 0 }
    let piece = pieces[next - 1]
    let place = anchor.counter - piece.start.counter
    guard place < piece.count else { return 0 }
    return piece.paragraph + Self.partition(piece.breaks.count) { piece.breaks[$0] < place }
  }

  /// The number of leading indices that have a property. No index after them has it.
  private static func partition(_ count: Int, _ hasProperty: (Int) -> Bool) -> Int {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if hasProperty(middle) { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
