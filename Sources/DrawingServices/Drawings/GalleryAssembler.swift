public import Storage

/// Puts drawings into the sections of a gallery: a day each, newest first, and one for those of which
/// nobody knows the day.
public struct GalleryAssembler: Sendable {
  private let zone: ZoneRules
  private let language: Language

  /// A gallery for a viewer.
  public init(zone: ZoneRules, language: Language) {
    self.zone = zone
    self.language = language
  }

  /// Drawings below one title.
  public struct Section: Hashable, Sendable {
    /// The day in the viewer's language.
    public let title: String
    /// The day; nil where it is not known.
    public let day: LocalDay?
    /// The drawings, newest first.
    public let drawings: [DrawingRecord]
  }

  /// The sections of drawings that come in any order.
  public func sections(_ drawings: [DrawingRecord]) -> [Section] {
    let dated = drawings.compactMap { drawing in drawing.createdAt.map { (drawing, at: $0) } }
      .sorted { $0.at != $1.at ? $0.at > $1.at : $0.0.id > $1.0.id }
    // By their days rather than side by side: clocks that are put back at midnight show a day twice.
    let days = Dictionary(grouping: dated) { zone.day(of: $0.at) }
    var sections = days.sorted { $0.key > $1.key }.map { day, members in
      Section(title: language.longDate(day), day: day, drawings: members.map(\.0))
    }
    // In the order in which pages bring them.
    let unknown = drawings.filter { $0.createdAt == nil }.sorted { $0.id > $1.id }
    if !unknown.isEmpty {
      sections.append(Section(title: language.unknownDate, day: nil, drawings: unknown))
    }
    return sections
  }
}

/// A part of a gallery.
public struct GalleryPage: Sendable {
  /// The sections. A day that is on two pages has a section on both.
  public let sections: [GalleryAssembler.Section]
  /// The place behind them; nil where there are no more.
  public let cursor: Query.Cursor?
}

extension DrawingService {
  /// How many drawings a page of the gallery has unless another number is asked for.
  public static let galleryPageSize = 60

  /// The drawings of the last days, newest first, those without a date at the end.
  public func gallery(
    of uid: String, zone: ZoneRules, language: Language = .english,
    limit: Int = galleryPageSize, after cursor: Query.Cursor? = nil
  ) throws -> GalleryPage {
    let now = environment.now()
    let drawings = try UserPaths(uid).drawings
    let since = zone.sameTime(environment.settings.galleryDays, daysBefore: now)
    // Newest first, and no date is before all dates: those without one follow by themselves.
    let dated = Query(drawings).ordered(by: "createdAt", descending: true)
      .filtered("createdAt", .atLeast(.moment(since)))
    let undated = Query(drawings).ordered(by: "createdAt", descending: true)
      .filtered("createdAt", .equal(.null))
    return try gate.read { reader in
      let first = try reader.page(dated.page(limit, after: cursor))
      var (documents, next) = (first.documents, first.cursor)
      if next == nil, documents.count < limit {
        // A place among the dated ones lies before all others, and one among the others behind all dated
        // ones, so a cursor is right for both.
        let rest = try reader.page(undated.page(limit - documents.count, after: cursor))
        documents += rest.documents
        next = rest.cursor
      } else if next == nil, let last = documents.last, try reader.count(undated) > 0 {
        next = dated.cursor(behind: last)
      }
      let assembler = GalleryAssembler(zone: zone, language: language)
      return GalleryPage(
        sections: assembler.sections(documents.map { DrawingRecord($0) }), cursor: next)
    }
  }
}

extension ZoneRules {
  /// The moment some calendar days before another, at the same time by the clocks there. Where clocks
  /// jumped over that time, the moment at which they did.
  func sameTime(_ days: Int, daysBefore moment: Moment) -> Moment {
    let clock = moment.microseconds + Int64(offset(at: moment)) * 1_000_000
    let then = clock - Int64(days) * 86_400_000_000
    // What the clock shows then it may show twice, or never.
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
