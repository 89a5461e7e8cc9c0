public import Storage

/// Puts check-ins and drawings onto cards, so that every drawing is on exactly one:
///
/// 1. every check-in has a card;
/// 2. a drawing that belongs to one of these check-ins is on its card;
/// 3. any other drawing is on the card of the latest check-in that is not later than it;
/// 4. where there is none, it is on a card for its day, with the others of that day;
/// 5. cards come newest first, drawings on a card oldest first.
///
/// A drawing whose check-in is gone, or is not among these, is one that belongs to none.
public struct CardAssembler: Sendable {
  private let zone: ZoneRules
  private let reading: Reading

  /// What the third rule means, of which the plans say two things.
  public enum Reading: Hashable, Sendable {
    /// A check-in holds what is drawn until the next one, however many days that is.
    case untilNextCheckIn
    /// A check-in holds what is drawn until the next one or the end of its day.
    case withinDay
  }

  /// Cards for a viewer.
  public init(zone: ZoneRules, reading: Reading = .untilNextCheckIn) {
    self.zone = zone
    self.reading = reading
  }

  /// A check-in with its drawings, or drawings of a day without one.
  public struct Card: Hashable, Sendable {
    /// The check-in; nil for drawings alone.
    public let checkIn: CheckIn?
    /// All drawings, oldest first.
    public let drawings: [DrawingRecord]
    /// The check-in's moment, or that of the earliest drawing.
    public let date: Moment
    /// As many drawings as a card shows.
    public var shown: ArraySlice<DrawingRecord> { drawings.prefix(3) }
  }

  /// The cards of check-ins and drawings that come in any order.
  public func cards(_ checkIns: [CheckIn], _ drawings: [DrawingRecord]) -> [Card] {
    let checkIns = checkIns.map { (checkIn: $0, at: $0.createdAt) }.sorted {
      $0.at != $1.at ? $0.at < $1.at : $0.checkIn.id < $1.checkIn.id
    }
    let places = Dictionary(
      checkIns.enumerated().map { ($1.checkIn.id, $0) }, uniquingKeysWith: { first, _ in first })
    var ofCheckIns = [[Dated]](repeating: [], count: checkIns.count)
    var ofDays: [LocalDay: [Dated]] = [:]
    for drawing in drawings {
      let dated = Dated(record: drawing, id: drawing.id, at: drawing.moment)
      if let place = drawing.checkInID.flatMap({ places[$0] }) {
        ofCheckIns[place].append(dated)
      } else if let place = preceding(dated.at, checkIns.count, { checkIns[$0].at }) {
        ofCheckIns[place].append(dated)
      } else {
        ofDays[zone.day(of: dated.at), default: []].append(dated)
      }
    }
    var cards = zip(checkIns, ofCheckIns).map { checkIn, members in
      Card(checkIn: checkIn.checkIn, drawings: Self.oldestFirst(members), date: checkIn.at)
    }
    for members in ofDays.values {
      let date = members.map(\.at).min() ?? Moment(microseconds: 0)
      cards.append(Card(checkIn: nil, drawings: Self.oldestFirst(members), date: date))
    }
    return cards.sorted { a, b in
      a.date != b.date ? a.date > b.date : Self.name(a) > Self.name(b)
    }
  }

  private struct Dated {
    let record: DrawingRecord
    let id: String
    let at: Moment
  }

  /// The last check-in that is not later than a moment; nil for none that counts.
  private func preceding(_ moment: Moment, _ count: Int, _ at: (Int) -> Moment) -> Int? {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if at(middle) <= moment { low = middle + 1 } else { high = middle }
    }
    guard low > 0 else { return nil }
    switch reading {
    case .untilNextCheckIn: return low - 1
    case .withinDay: return zone.day(of: at(low - 1)) == zone.day(of: moment) ? low - 1 : nil
    }
  }

  private static func oldestFirst(_ members: [Dated]) -> [DrawingRecord] {
    members.sorted { $0.at != $1.at ? $0.at < $1.at : $0.id < $1.id }.map(\.record)
  }

  /// Cards of one moment are in the order of these.
  private static func name(_ card: Card) -> String {
    card.checkIn.map { "c" + $0.id } ?? "d" + (card.drawings.first?.id ?? "")
  }
}

extension DrawingService {
  /// The cards of a user's latest check-ins, and of the drawings since the start of the day of the oldest
  /// of them.
  public func cards(
    of uid: String, checkIns count: Int, zone: ZoneRules,
    reading: CardAssembler.Reading = .untilNextCheckIn
  ) throws -> [CardAssembler.Card] {
    let paths = try UserPaths(uid)
    let now = environment.now()
    return try gate.read { reader in
      let latest = Query(paths.checkIns).ordered(by: "createdAt", descending: true).page(count)
      let checkIns = try reader.documents(latest).map { CheckIn($0) }
      let start =
        checkIns.last.map { zone.start(of: zone.day(of: $0.createdAt)) }
        ?? zone.sameTime(environment.settings.orphanCardDays, daysBefore: now)
      // What belongs to these check-ins may have been drawn a little before that day.
      let dayBefore = start + -86_400
      let dated = Query(paths.drawings).filtered("createdAt", .atLeast(.moment(dayBefore)))
      let undated = Query(paths.drawings).filtered("createdAt", .equal(.null))
      let ids = Set(checkIns.map(\.id))
      let drawings = try [dated, undated].flatMap { query in
        try reader.documents(query.ordered(by: "createdAt")).map { DrawingRecord($0) }
      }.filter { drawing in
        drawing.moment >= start || drawing.checkInID.map(ids.contains) ?? false
      }
      return CardAssembler(zone: zone, reading: reading).cards(checkIns, drawings)
    }
  }
}
