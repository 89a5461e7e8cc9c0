public import Storage
public import Strokes

extension DrawingService {
  /// A search result.
  public struct Found: Sendable {
    /// The drawing.
    public let drawing: DrawingRecord
    /// Its recognized words that match. Empty if the prompt contains the whole text.
    public let words: [RecognizedText.Word]
  }

  /// One page of search results.
  public struct SearchPage: Sendable {
    /// The drawings, newest first, those without a date last.
    public internal(set) var results: [Found] = []
    /// The cursor of the next page; nil on the last page. A page with a cursor may have fewer
    /// results than the limit, or none: each page examines a bounded number of drawings.
    public internal(set) var cursor: Query.Cursor?
  }

  /// The maximum length of a search text, in bytes.
  public static let searchByteLimit = 200
  /// The maximum number of drawings that a page of a search examines.
  public static let searchedDrawingLimit = 5_000
  /// The maximum number of documents in memory at once.
  private static let documentsAtOnce = 100

  /// The drawings of a user whose words or prompt contain all words of a text, ignoring case and
  /// accents.
  ///
  /// Examines at most `searchedDrawingLimit` drawings. Throws `ServiceError.badRequest` for a text
  /// without words, or with too many bytes.
  public func search(
    _ text: String, of uid: String, limit: Int = galleryPageSize, after cursor: Query.Cursor? = nil
  ) throws -> SearchPage {
    try search(text, of: uid, limit: limit, after: cursor, lookingAt: Self.searchedDrawingLimit)
  }

  /// Like `search`, with another maximum number of examined drawings.
  func search(
    _ text: String, of uid: String, limit: Int, after cursor: Query.Cursor?, lookingAt most: Int
  ) throws -> SearchPage {
    let wanted = try WantedWords(text)
    let query = Query(try UserPaths(uid).drawings).ordered(by: "createdAt", descending: true)
    guard limit > 0 else { return SearchPage() }
    var page = SearchPage(cursor: cursor)
    var left = most
    repeat {
      let size = min(left, Self.documentsAtOnce)
      let next = try gate.read { try $0.page(query.page(size, after: page.cursor)) }
      for (index, document) in next.documents.enumerated() {
        let drawing = DrawingRecord(document)
        guard let words = wanted.found(in: drawing) else { continue }
        page.results.append(Found(drawing: drawing, words: words))
        if page.results.count == limit {
          let isLast = index == next.documents.count - 1 && next.cursor == nil
          page.cursor = isLast ? nil : query.cursor(after: document)
          return page
        }
      }
      page.cursor = next.cursor
      left -= size
    } while page.cursor != nil && left > 0
    return page
  }
}

/// The words of a search text.
private struct WantedWords {
  private let words: [FoldedText]

  init(_ text: String) throws(ServiceError) {
    guard text.utf8.count <= DrawingService.searchByteLimit else {
      throw .badRequest(
        "the text to search must have at most \(DrawingService.searchByteLimit) bytes")
    }
    words = Set(text.split { $0.isWhitespace }.map { FoldedText($0) }.filter { !$0.bytes.isEmpty })
      .sorted { $0.bytes.lexicographicallyPrecedes($1.bytes) }
    guard !words.isEmpty else { throw .badRequest("the text to search must have a word") }
  }

  /// The recognized words of a drawing that contain a wanted word; nil if some wanted word is
  /// neither in the recognized words nor in the prompt.
  func found(in drawing: DrawingRecord) -> [RecognizedText.Word]? {
    let prompt = drawing.promptUsed.map { FoldedText($0) }
    let recognized = drawing.recognizedText?.words ?? []
    guard prompt != nil || !recognized.isEmpty else { return nil }
    let texts = recognized.map { FoldedText($0.text) }
    var found: Set<Int> = []
    for word in words {
      var indices = texts.indices.filter { texts[$0].contains(word) }
      if indices.isEmpty, word.isWithoutSpaces { indices = Self.runs(of: word, in: texts) }
      guard !indices.isEmpty || prompt?.contains(word) == true else { return nil }
      found.formUnion(indices)
    }
    return found.sorted().map { recognized[$0] }
  }

  /// The indices of texts that contain a word together with adjacent texts.
  private static func runs(of word: FoldedText, in texts: [FoldedText]) -> [Int] {
    var ends: [Int] = []
    var joined: [UInt8] = []
    for text in texts {
      joined += text.bytes
      ends.append(joined.count)
    }
    return FoldedText(joined: joined).offsets(of: word).flatMap { start in
      texts.indices.filter {
        let begin = $0 == 0 ? 0 : ends[$0 - 1]
        return begin < start + word.bytes.count && ends[$0] > start
      }
    }
  }
}
