public import Storage
public import Strokes

extension DrawingService {
  /// A search result.
  public struct Found: Sendable {
    /// The drawing.
    public let drawing: DrawingRecord
    /// Its recognized words that match. Empty if other texts contain the whole
    /// search.
    public let words: [RecognizedText.Word]
  }

  /// One page of search results.
  public struct SearchPage: Sendable {
    /// The drawings, newest first, those without a date last.
    public internal(set) var results: [Found] = []
    /// The cursor of the next page; nil on the last page. A page with a cursor may have fewer
    /// results than the limit, or none: each page compares a bounded number of drawings.
    public internal(set) var cursor: Query.Cursor?
  }

  /// The maximum length of a search text, in bytes.
  public static let searchByteLimit = 200
  /// The maximum number of drawings whose texts are compared for a page.
  private static let comparedDrawingLimit = 5_000
  /// The texts that a search looks at, the recognized words last.
  static let searchedTexts = [
    "title", "tags", "promptUsed", "\(DrawingRecord.recognizedTextField)/words/text",
  ]

  /// The drawings of a user whose title, tags, prompt and words contain all words of a text,
  /// ignoring case and accents.
  ///
  /// Throws `ServiceError.badRequest` for a text without words, or with too many bytes.
  public func search(
    _ text: String, of uid: String, limit: Int = galleryPageSize, after cursor: Query.Cursor? = nil
  ) throws -> SearchPage {
    guard text.utf8.count <= Self.searchByteLimit else {
      throw ServiceError.badRequest(
        "the text to search must have at most \(Self.searchByteLimit) bytes")
    }
    let wanted = TextSearch(text, in: Self.searchedTexts)
    if wanted.isEmpty { throw ServiceError.badRequest("the text to search must have a word") }
    var query = Query(try UserPaths(uid).drawings).ordered(by: "createdAt", descending: true)
    query.search = wanted
    query.comparisonLimit = Self.comparedDrawingLimit
    guard limit > 0 else { return SearchPage() }
    let page = try gate.read { try $0.page(query.page(limit, after: cursor)) }
    return SearchPage(
      results: page.documents.compactMap { document in
        let drawing = DrawingRecord(document)
        return drawing.words(with: wanted).map { Found(drawing: drawing, words: $0) }
      }, cursor: page.cursor)
  }
}

extension DrawingRecord {
  /// The recognized words that contain a searched word; nil if some searched word is in none of
  /// its texts, or if the words have another form than the schema allows.
  fileprivate func words(with search: TextSearch) -> [RecognizedText.Word]? {
    guard let found = search.found(in: document.fields)?.last else { return nil }
    if found.indices.isEmpty { return [] }
    let values = document[Self.recognizedTextField]?.mapValue?["words"]?.listValue ?? []
    guard values.count == found.count else { return nil }
    let words = found.indices.sorted().compactMap { RecognizedText.word(values[$0]) }
    return words.count == found.indices.count ? words : nil
  }
}
