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
    // A place for each check-in, and behind them one for each day that needs one.
    var placesOfDays: [LocalDay: Int] = [:]
    func place(of drawing: DrawingRecord, at moment: Moment) -> Int {
      if let place = drawing.checkInID.flatMap({ places[$0] }) { return place }
      if let place = preceding(moment, checkIns.count, { checkIns[$0].at }) { return place }
      let next = checkIns.count + placesOfDays.count
      let day = zone.day(of: moment)
      if let place = placesOfDays[day] { return place }
      placesOfDays[day] = next
      return next
    }
    let members = drawings.indices.map { index in
      let moment = drawings[index].moment
      return Member(
        place: place(of: drawings[index], at: moment), moment: moment, index: index)
    }.sorted { a, b in
      if a.place != b.place { return a.place < b.place }
      if a.moment != b.moment { return a.moment < b.moment }
      return drawings[a.index].id < drawings[b.index].id
    }

    var cards: [Card] = []
    var rest = members[...]
    // From the newest check-in on, so that there is little left to sort.
    for place in (0..<checkIns.count + placesOfDays.count).reversed() {
      let start = rest.lastIndex { $0.place != place }.map { $0 + 1 } ?? rest.startIndex
      let own = rest[start...]
      rest = rest[..<start]
      let checkIn = place < checkIns.count ? checkIns[place] : nil
      // A day has a place because of a drawing.
      guard let date = checkIn?.at ?? own.first?.moment else { continue }
      cards.append(
        Card(checkIn: checkIn?.checkIn, drawings: own.map { drawings[$0.index] }, date: date))
    }
    return cards.sorted { a, b in
      a.date != b.date ? a.date > b.date : Self.name(a) > Self.name(b)
    }
  }

  /// Where a drawing belongs, told by its index, as moving numbers is cheap.
  private struct Member {
    let place: Int
    let moment: Moment
    let index: Int
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
      let ids = Set(checkIns.map(\.id))
      func found(
        _ conditions: Query.Condition..., where isWanted: (DrawingRecord) -> Bool = { _ in true }
      ) throws -> [DrawingRecord] {
        let query = conditions.reduce(Query(paths.drawings)) { $0.filtered("createdAt", $1) }
        return try reader.documents(query.ordered(by: "createdAt")).map { DrawingRecord($0) }
          .filter(isWanted)
      }
      // What belongs to these check-ins may have been drawn a little before that day.
      let drawings =
        try found(.atLeast(.moment(start)))
        + found(.atLeast(.moment(start + -86_400)), .less(.moment(start))) { drawing in
          drawing.checkInID.map(ids.contains) ?? false
        }
        + found(.equal(.null)) { drawing in
          drawing.moment >= start || drawing.checkInID.map(ids.contains) ?? false
        }
      return CardAssembler(zone: zone, reading: reading).cards(checkIns, drawings)
    }
  }
}
