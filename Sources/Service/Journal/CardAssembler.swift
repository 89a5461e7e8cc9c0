package import JSON
public import DrawingServices
import Graphics
public import Storage

/// Assigns check-ins and drawings to cards, each drawing to exactly one:
///
/// 1. every check-in has a card;
/// 2. a drawing that belongs to one of these check-ins is on its card;
/// 3. any other drawing is on the card of the latest check-in before it, or at the same moment;
/// 4. without such a check-in it is on a card for its day, with the other drawings of that day;
/// 5. cards are sorted newest first, drawings on a card oldest first.
///
/// A drawing whose check-in was deleted, or is not in the list, belongs to no check-in.
public struct CardAssembler: Sendable {
  private let zone: ZoneRules
  private let reading: Reading

  /// The two interpretations of the third rule.
  public enum Reading: Hashable, Sendable {
    /// A check-in gets the drawings until the next check-in, even over many days.
    case untilNextCheckIn
    /// A check-in gets the drawings until the next check-in or the end of its day.
    case withinDay
  }

  /// An assembler for the time zone of a viewer.
  public init(zone: ZoneRules, reading: Reading = .untilNextCheckIn) {
    self.zone = zone
    self.reading = reading
  }

  /// A check-in with its drawings, or the drawings of a day without a check-in.
  public struct Card: Hashable, Sendable {
    /// The check-in; nil for a card of a day.
    public let checkIn: CheckIn?
    /// All drawings, oldest first.
    public let drawings: [DrawingRecord]
    /// The time of the check-in, or of the earliest drawing.
    public let date: Moment
    /// The first three drawings, which a card shows.
    public var shown: ArraySlice<DrawingRecord> { drawings.prefix(3) }
  }

  /// The cards for check-ins and drawings in any order.
  public func cards(_ checkIns: [CheckIn], _ drawings: [DrawingRecord]) -> [Card] {
    let checkIns = checkIns.map { (checkIn: $0, at: $0.createdAt) }.sorted {
      $0.at != $1.at ? $0.at < $1.at : $0.checkIn.id < $1.checkIn.id
    }
    let slots = Dictionary(
      checkIns.enumerated().map { ($1.checkIn.id, $0) }, uniquingKeysWith: { first, _ in first })
    let times = checkIns.map { $0.at }
    // One slot for each check-in, followed by one for each day with drawings without a check-in.
    var slotsOfDays: [LocalDay: Int] = [:]
    func slot(of drawing: DrawingRecord, at moment: Moment) -> Int {
      if let slot = drawing.checkInID.flatMap({ slots[$0] }) { return slot }
      if let slot = preceding(moment, in: times) { return slot }
      let next = checkIns.count + slotsOfDays.count
      let day = zone.day(of: moment)
      if let slot = slotsOfDays[day] { return slot }
      slotsOfDays[day] = next
      return next
    }
    let members = drawings.indices.map { index in
      let moment = drawings[index].moment
      return Member(
        slot: slot(of: drawings[index], at: moment), moment: moment, index: index)
    }.sorted { a, b in
      if a.slot != b.slot { return a.slot < b.slot }
      if a.moment != b.moment { return a.moment < b.moment }
      return drawings[a.index].id < drawings[b.index].id
    }

    var cards: [Card] = []
    var rest = members[...]
    // In descending order of check-ins, so that the cards are almost sorted.
    for slot in (0..<checkIns.count + slotsOfDays.count).reversed() {
      let start = rest.lastIndex { $0.slot != slot }.map { $0 + 1 } ?? rest.startIndex
      let own = rest[start...]
      rest = rest[..<start]
      let checkIn = slot < checkIns.count ? checkIns[slot] : nil
      // The slot of a day has at least one drawing.
      guard let date = checkIn?.at ?? own.first?.moment else { continue }
      cards.append(
        Card(checkIn: checkIn?.checkIn, drawings: own.map { drawings[$0.index] }, date: date))
    }
    return cards.sorted { a, b in
      a.date != b.date ? a.date > b.date : Self.name(a) > Self.name(b)
    }
  }

  /// A drawing by its index, with its slot: sorting these is cheaper than sorting drawings.
  private struct Member {
    let slot: Int
    let moment: Moment
    let index: Int
  }

  /// The index of the latest check-in up to a moment; nil if there is none that counts.
  private func preceding(_ moment: Moment, in times: [Moment]) -> Int? {
    let next = times.partitioningIndex { $0 > moment }
    guard next > 0 else { return nil }
    switch reading {
    case .untilNextCheckIn: return next - 1
    case .withinDay: return zone.day(of: times[next - 1]) == zone.day(of: moment) ? next - 1 : nil
    }
  }

  /// The tie-breaker for cards with the same date.
  private static func name(_ card: Card) -> String {
    card.checkIn.map { "c" + $0.id } ?? "d" + (card.drawings.first?.id ?? "")
  }
}

extension CardAssembler.Card {
  /// Writes the card as an object; the bodies write the documents of a check-in and of a drawing.
  package func write(
    to json: inout JSONWriter, checkIn writeCheckIn: (inout JSONWriter, Document) -> Void,
    drawing: (inout JSONWriter, Document) -> Void
  ) {
    json.object { json in
      json.field("date", date.iso8601)
      json.key("checkIn")
      if let checkIn { writeCheckIn(&json, checkIn.document) } else { json.null() }
      json.list("drawings", drawings) { drawing(&$0, $1.document) }
      json.field("shown", shown.count)
    }
  }
}

extension CheckInService.ChartPoint {
  /// Writes the point as an object.
  package func write(to json: inout JSONWriter) {
    json.object { json in
      json.field("id", checkIn.id)
      json.field("day", day.description)
      json.field("createdAt", checkIn.createdAt.iso8601)
      json.field("emotion", checkIn.emotion)
      json.key("score")
      if let score { json.value(score) } else { json.null() }
    }
  }
}
