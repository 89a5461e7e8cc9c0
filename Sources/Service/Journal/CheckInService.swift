public import DrawingServices
public import Storage

/// Check-ins: storing, listing, and the charts of them.
public struct CheckInService: Sendable {
  private let gate: AccessGate

  /// Check-ins with the access of a caller.
  /// With `expecting`, changes only a document that still has this sequence number.
  public init(
    _ environment: ServiceEnvironment, as caller: Caller, expecting sequence: Int64? = nil
  ) {
    gate = AccessGate(environment, as: caller, expecting: sequence)
  }

  /// Stores a check-in, at the current time unless the fields have one. A milestone that it reaches
  /// is stored in the same transaction. Submitting the same check-in again with the same id is not
  /// an error.
  @discardableResult
  public func submit(_ fields: Fields, of uid: String, id: String? = nil) throws -> CheckIn {
    let paths = try UserPaths(uid)
    let path = try paths.checkIns.document(id ?? gate.environment.newID())
    return try gate.change { transaction in
      let defaults: Fields = ["createdAt": .moment(transaction.moment)]
      let checkIn = CheckIn(try transaction.create(path, fields, defaults: defaults))
      try Milestones.reach(uid, gate.environment, transaction.ofService)
      return checkIn
    }
  }

  /// Overwrites some fields of a check-in, at the current time unless the fields have one. A change
  /// that is older than the stored one has no effect.
  @discardableResult
  public func update(_ id: String, of uid: String, _ changes: Fields) throws -> Updated<CheckIn> {
    let path = try UserPaths(uid).checkIns.document(id)
    return try gate.change { try $0.stampedUpdate(path, changes).map { CheckIn($0) } }
  }

  /// One check-in; throws if there is none.
  public func checkIn(_ id: String, of uid: String) throws -> CheckIn {
    let path = try UserPaths(uid).checkIns.document(id)
    return try gate.read { CheckIn(try $0.existing(path)) }
  }

  /// The latest check-ins, newest first.
  public func latest(_ count: Int, of uid: String) throws -> [CheckIn] {
    try latestPage(of: uid, limit: count).checkIns
  }

  /// The check-ins of a half-open range of time, oldest first.
  public func range(from start: Moment, to end: Moment, of uid: String) throws -> [CheckIn] {
    try page(from: start, to: end, of: uid).checkIns
  }

  /// One page of check-ins and the cursor of the next page.
  public struct Page: Sendable {
    /// The check-ins of this page.
    public let checkIns: [CheckIn]
    /// The cursor of the next page; nil on the last page.
    public let cursor: Query.Cursor?

    init(_ page: Query.Page) {
      checkIns = page.documents.map { CheckIn($0) }
      cursor = page.cursor
    }
  }

  /// One page of all check-ins, newest first.
  public func latestPage(
    of uid: String, limit: Int?, after cursor: Query.Cursor? = nil
  ) throws -> Page {
    let query = Query(try UserPaths(uid).checkIns).ordered(by: "createdAt", descending: true)
    return try gate.read { Page(try $0.page(query.page(limit, after: cursor))) }
  }

  /// One page of the check-ins of a half-open range of time, oldest first.
  public func page(
    from start: Moment, to end: Moment, of uid: String, limit: Int? = nil,
    after cursor: Query.Cursor? = nil
  ) throws -> Page {
    let query = Query(try UserPaths(uid).checkIns)
      .filtered("createdAt", .atLeast(.moment(start))).filtered("createdAt", .less(.moment(end)))
      .ordered(by: "createdAt").page(limit, after: cursor)
    return try gate.read { Page(try $0.page(query)) }
  }

  /// Deletes a check-in and returns whether it existed. Its drawings stay.
  @discardableResult
  public func delete(_ id: String, of uid: String) throws -> Bool {
    let path = try UserPaths(uid).checkIns.document(id)
    return try gate.change { try $0.delete(path) }
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

  /// The check-ins of the day of a moment, oldest first: each is a planet.
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
