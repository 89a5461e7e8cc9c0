public import Storage

// All drawings of a gallery in several orders, and their tags.

extension DrawingService {
  /// An order of all drawings.
  public enum Order: String, CaseIterable, Sendable {
    /// By date, drawings without a date last; a section for each day.
    case newest, oldest
    /// By title without regard to case and accents, then the oldest first; drawings without a title
    /// last. One section.
    case title
    /// The last changed first. One section.
    case changed
  }

  /// The maximum number of drawings that are compared with a tag for a page.
  private static let comparedTagLimit = 5_000
  /// The maximum number of different lists of tags that `tags(of:)` reads.
  private static let tagListLimit = 2_000

  /// One page of all drawings in an order, with a tag or all of them. With a tag, a page with a
  /// cursor may have fewer drawings than the limit, or none.
  public func gallery(
    of uid: String, in order: Order, tag: String? = nil, zone: ZoneRules,
    language: Language = .english, limit: Int = galleryPageSize, after cursor: Query.Cursor? = nil
  ) throws -> GalleryPage {
    var query = Query(try UserPaths(uid).drawings)
    if let tag {
      query = query.filtered("tags", .contains(.text(tag)))
      // An index finds the few drawings that contain the text.
      query.search = TextSearch(tag, in: Self.searchedTexts)
      query.comparisonLimit = Self.comparedTagLimit
    }
    let (documents, next) = try gate.read { reader in
      switch order {
      case .newest:
        let page = try reader.page(
          query.ordered(by: "createdAt", descending: true).page(limit, after: cursor))
        return (page.documents, page.cursor)
      case .changed:
        let page = try reader.page(
          query.ordered(by: "updatedAt", descending: true).page(limit, after: cursor))
        return (page.documents, page.cursor)
      case .oldest:
        return try page(
          query.ordered(by: "createdAt"), limit, after: cursor, reader,
          from: .moment(Moment.supported.lowerBound))
      case .title:
        return try page(
          query.ordered(by: "title/folded", "createdAt"), limit, after: cursor, reader,
          from: .text(""))
      }
    }
    let drawings = documents.map { DrawingRecord($0) }
    let assembler = GalleryAssembler(zone: zone, language: language)
    let sections =
      switch order {
      case .newest, .oldest: assembler.sections(drawings, isAscending: order == .oldest)
      case .title, .changed:
        drawings.isEmpty
          ? [] : [GalleryAssembler.Section(title: language.gallery, day: nil, drawings: drawings)]
      }
    return GalleryPage(sections: sections, cursor: next)
  }

  /// One page in ascending order. Documents whose first field is null come last, not first.
  private func page(
    _ query: Query, _ limit: Int, after cursor: Query.Cursor?, _ reader: GatedReader,
    from lowest: FieldValue
  ) throws -> ([Document], Query.Cursor?) {
    let field = query.order[0]
    // It is before all keys that begin with null.
    var null = ValueKey()
    null.append(.null)
    let isAtEnd = cursor.map { $0.key.bytes.starts(with: null.bytes) } ?? false
    var documents: [Document] = []
    var position = cursor
    if !isAtEnd {
      let first = try reader.page(
        query.filtered(field, .atLeast(lowest)).page(limit, after: cursor))
      if first.cursor != nil { return (first.documents, first.cursor) }
      documents = first.documents
      position = Query.Cursor(key: null)
    }
    let rest = query.filtered(field, .equal(.null))
    if documents.count == limit {
      let more = try reader.page(rest.page(1, after: position))
      return (documents, more.documents.isEmpty && more.cursor == nil ? nil : position)
    }
    let last = try reader.page(rest.page(limit - documents.count, after: position))
    return (documents + last.documents, last.cursor)
  }

  /// All tags of a user, without duplicates, in their order without regard to case and accents.
  public func tags(of uid: String) throws -> [String] {
    let query = Query(try UserPaths(uid).drawings).ordered(by: "tags")
    var tags: Set<String> = []
    try gate.read { reader in
      var last = FieldValue.list([])
      // One document is read for each list of tags, not for each drawing.
      for _ in 0..<Self.tagListLimit {
        let page = try reader.page(query.filtered("tags", .greater(last)).page(1))
        guard let list = page.documents.first?["tags"] else { break }
        last = list
        tags.formUnion(list.listValue?.compactMap(\.textValue) ?? [])
      }
    }
    func key(_ tag: String) -> ValueKey {
      var key = ValueKey()
      key.append(.text(String(decoding: FoldedText(tag).bytes, as: UTF8.self)))
      key.append(.text(tag))
      return key
    }
    return tags.map { (key: key($0), tag: $0) }.sorted { $0.key < $1.key }.map(\.tag)
  }
}
