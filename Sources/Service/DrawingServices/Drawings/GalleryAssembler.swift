package import JSON
public import Storage

/// Groups drawings into the sections of a gallery: one per day, newest first, and a last one for
/// drawings without a date.
public struct GalleryAssembler: Sendable {
  private let zone: ZoneRules
  private let language: Language

  /// An assembler for the time zone and language of a viewer.
  public init(zone: ZoneRules, language: Language) {
    self.zone = zone
    self.language = language
  }

  /// A section: a title and its drawings.
  public struct Section: Hashable, Sendable {
    /// The day in the language of the viewer.
    public let title: String
    /// The day; nil for drawings without a date.
    public let day: LocalDay?
    /// The drawings, newest first.
    public let drawings: [DrawingRecord]
  }

  /// The sections for drawings in any order. `isAscending` puts the oldest first.
  public func sections(
    _ drawings: [DrawingRecord], isAscending: Bool = false
  ) -> [Section] {
    let dated = drawings.compactMap { drawing in drawing.createdAt.map { (drawing, at: $0) } }
      .sorted { one, other in
        let (first, second) = isAscending ? (other, one) : (one, other)
        return first.at != second.at ? first.at > second.at : first.0.id > second.0.id
      }
    // Grouped by day, as a day may occur twice in time order: clocks may be put back at midnight.
    let days = Dictionary(grouping: dated) { zone.day(of: $0.at) }
    let order = days.sorted { isAscending ? $0.key < $1.key : $0.key > $1.key }
    var sections = order.map { day, members in
      Section(title: language.longDate(day), day: day, drawings: members.map(\.0))
    }
    // In the same order as in pages.
    let unknown = drawings.filter { $0.createdAt == nil }
      .sorted { isAscending ? $0.id < $1.id : $0.id > $1.id }
    if !unknown.isEmpty {
      sections.append(Section(title: language.unknownDate, day: nil, drawings: unknown))
    }
    return sections
  }
}

/// One page of a gallery and the cursor of the next page.
public struct GalleryPage: Sendable {
  /// The sections. A day with drawings on two pages has a section on both.
  public let sections: [GalleryAssembler.Section]
  /// The cursor of the next page; nil on the last page.
  public let cursor: Query.Cursor?
}

extension GalleryPage {
  /// Writes title and sections as members of an object; `drawing` writes the document of a drawing.
  package func write(
    to json: inout JSONWriter, title: String, _ drawing: (inout JSONWriter, Document) -> Void
  ) {
    json.field("title", title)
    json.list("sections", sections) { json, section in
      json.object { json in
        json.field("title", section.title)
        json.field("day", section.day?.description)
        json.list("drawings", section.drawings) { drawing(&$0, $1.document) }
      }
    }
  }
}

extension DrawingService {
  /// The default number of drawings in a page of the gallery.
  public static let galleryPageSize = 60

  /// One page of the drawings of the last days (see `ServiceSettings.galleryDays`), newest first,
  /// those without a date last.
  public func gallery(
    of uid: String, zone: ZoneRules, language: Language = .english,
    limit: Int = galleryPageSize, after cursor: Query.Cursor? = nil
  ) throws -> GalleryPage {
    let now = environment.now()
    let drawings = try UserPaths(uid).drawings
    let since = zone.sameTime(environment.settings.galleryDays, daysBefore: now)
    // In descending order null comes after all dates, so that the drawings without a date come
    // last.
    let dated = Query(drawings).ordered(by: "createdAt", descending: true)
      .filtered("createdAt", .atLeast(.moment(since)))
    let undated = Query(drawings).ordered(by: "createdAt", descending: true)
      .filtered("createdAt", .equal(.null))
    return try gate.read { reader in
      let first = try reader.page(dated.page(limit, after: cursor))
      var (documents, next) = (first.documents, first.cursor)
      if next == nil, documents.count < limit {
        // A cursor is valid for both queries: all dated drawings come before all undated ones.
        let undatedPage = try reader.page(undated.page(limit - documents.count, after: cursor))
        documents += undatedPage.documents
        next = undatedPage.cursor
      } else if next == nil, let last = documents.last, try reader.count(undated) > 0 {
        next = dated.cursor(after: last)
      }
      let assembler = GalleryAssembler(zone: zone, language: language)
      return GalleryPage(
        sections: assembler.sections(documents.map { DrawingRecord($0) }), cursor: next)
    }
  }
}

extension ZoneRules {
  /// The moment some calendar days before another one, at the same local time. If the clocks
  /// skipped that local time, returns the moment of the transition.
  package func sameTime(_ days: Int, daysBefore moment: Moment) -> Moment {
    let clock = moment.microseconds + Int64(offset(at: moment)) * 1_000_000
    let then = clock - Int64(days) * 86_400_000_000
    // A local time may occur twice, or not at all.
    let middle = Moment(microseconds: then)
    let offsets = Set([-1, 0, 1].map { offset(at: middle + $0 * 86_400) })
    let moments = offsets.map { Moment(microseconds: then - Int64($0) * 1_000_000) }
    let shown = moments.filter { $0.microseconds + Int64(offset(at: $0)) * 1_000_000 == then }
    if let first = shown.min() { return first }
    guard let before = moments.min(), let after = moments.max(),
      let change = change(between: before.flooredSeconds, and: after.flooredSeconds + 1)
    else { return middle }
    return Moment(seconds: change)
  }
}
