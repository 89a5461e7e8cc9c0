public import DrawingServices
public import Storage

/// The views of check-ins: a week, a day, and cards. `CollectionService` stores and lists them.
public struct CheckInService: Sendable {
  private let checkIns: CollectionService
  private var gate: AccessGate { checkIns.gate }

  /// Check-ins with the access of a caller.
  public init(_ environment: ServiceEnvironment, as caller: Caller) {
    checkIns = CollectionService(.checkIns, in: environment, as: caller)
  }

  /// The check-ins of a half-open range of time, oldest first.
  private func range(from start: Moment, to end: Moment, of uid: String) throws -> [CheckIn] {
    try checkIns.page(of: uid, from: start, to: end, limit: nil).documents.map { CheckIn($0) }
  }

  // MARK: - Charts

  /// A check-in in the chart of a week.
  public struct ChartPoint: Hashable, Sendable {
    /// The check-in of this point.
    public let checkIn: CheckIn
    /// Its day in the time zone of the viewer; several check-ins may share it.
    public let day: LocalDay
    /// The score of its emotion, 1 to 5; nil for an unknown emotion.
    public let score: Int?
  }

  /// The check-ins of the seven days up to the day of a moment, oldest first.
  public func weekChart(
    of uid: String, until moment: Moment, zone: ZoneRules
  ) throws -> [ChartPoint] {
    let today = zone.day(of: moment)
    let checkIns = try range(
      from: zone.start(of: today - 6), to: zone.start(of: today + 1), of: uid)
    return checkIns.map {
      ChartPoint(
        checkIn: $0, day: zone.day(of: $0.createdAt), score: EmotionScore.of($0.emotion))
    }
  }

  /// The check-ins of the day of a moment, oldest first. The app shows each as a planet.
  public func planets(of uid: String, at moment: Moment, zone: ZoneRules) throws -> [CheckIn] {
    let today = zone.day(of: moment)
    return try range(from: zone.start(of: today), to: zone.start(of: today + 1), of: uid)
  }

  // MARK: - Cards

  /// The cards of the latest check-ins of a user, and of the drawings since the day of the oldest
  /// of these check-ins.
  public func cards(
    of uid: String, checkIns count: Int, zone: ZoneRules,
    reading: CardAssembler.Reading = .untilNextCheckIn
  ) throws -> [CardAssembler.Card] {
    let paths = try UserPaths(uid)
    let environment = gate.environment
    return try gate.read { reader in
      let latest = Query(paths.checkIns).ordered(by: "createdAt", descending: true).page(count)
      let checkIns = try reader.documents(latest).map { CheckIn($0) }
      let start =
        checkIns.last.map { zone.start(of: zone.day(of: $0.createdAt)) }
        ?? zone.sameTime(environment.settings.orphanCardDays, daysBefore: environment.now())
      let ids = Set(checkIns.map(\.id))
      func found(
        _ conditions: Query.Condition..., where isWanted: (DrawingRecord) -> Bool = { _ in true }
      ) throws -> [DrawingRecord] {
        let query = conditions.reduce(Query(paths.drawings)) { $0.filtered("createdAt", $1) }
        return try reader.documents(query.ordered(by: "createdAt")).map { DrawingRecord($0) }
          .filter(isWanted)
      }
      // A drawing of these check-ins may be up to a day older.
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
