public import Storage

/// How users felt, moment by moment.
public struct CheckInService: Sendable {
  private let gate: Gate

  /// The check-ins that a caller may see and change.
  public init(_ environment: ServiceEnvironment, as caller: Caller) {
    gate = Gate(environment: environment, caller: caller)
  }

  /// Keeps a check-in. The time is the service's unless the fields give one; a milestone that it reaches
  /// is told in the same moment. Submitting the same under the same name again is no error.
  @discardableResult
  public func submit(_ fields: Fields, of uid: String, id: String? = nil) throws -> CheckIn {
    let paths = try UserPaths(uid)
    let path = try paths.checkIns.document(id ?? gate.environment.newID())
    return try gate.change { transaction in
      let defaults: Fields = ["createdAt": .moment(transaction.moment)]
      let checkIn = CheckIn(try transaction.create(path, fields, defaults: defaults))
      try Milestones.reach(uid, in: transaction)
      return checkIn
    }
  }

  /// Puts fields over those of a check-in. The moment of the change is the service's unless the fields give
  /// one; one that is older than what is stored changes nothing.
  @discardableResult
  public func update(_ id: String, of uid: String, _ changes: Fields) throws -> Updated<CheckIn> {
    let path = try UserPaths(uid).checkIns.document(id)
    return try gate.change { try $0.stampedUpdate(path, changes).map { CheckIn($0) } }
  }

  /// One check-in.
  public func checkIn(_ id: String, of uid: String) throws -> CheckIn {
    let path = try UserPaths(uid).checkIns.document(id)
    return try gate.read { CheckIn(try $0.existing(path)) }
  }

  /// The latest check-ins, newest first.
  public func latest(_ count: Int, of uid: String) throws -> [CheckIn] {
    try latestPage(of: uid, limit: count).checkIns
  }

  /// The check-ins from a moment until before another, oldest first.
  public func range(from start: Moment, to end: Moment, of uid: String) throws -> [CheckIn] {
    try page(from: start, to: end, of: uid).checkIns
  }

  /// Check-ins and where to go on.
  public struct Page: Sendable {
    /// The check-ins.
    public let checkIns: [CheckIn]
    /// The place behind them; nil where there are no more.
    public let cursor: Query.Cursor?

    init(_ page: Query.Page) {
      checkIns = page.documents.map { CheckIn($0) }
      cursor = page.cursor
    }
  }

  /// A page of all check-ins, newest first.
  public func latestPage(
    of uid: String, limit: Int?, after cursor: Query.Cursor? = nil
  ) throws -> Page {
    let query = Query(try UserPaths(uid).checkIns).ordered(by: "createdAt", descending: true)
    return try gate.read { Page(try $0.page(query.page(limit, after: cursor))) }
  }

  /// A page of the check-ins from a moment until before another, oldest first.
  public func page(
    from start: Moment, to end: Moment, of uid: String, limit: Int? = nil,
    after cursor: Query.Cursor? = nil
  ) throws -> Page {
    let query = Query(try UserPaths(uid).checkIns)
      .filtered("createdAt", .atLeast(.moment(start))).filtered("createdAt", .less(.moment(end)))
      .ordered(by: "createdAt").page(limit, after: cursor)
    return try gate.read { Page(try $0.page(query)) }
  }

  /// Takes a check-in away, and says whether there was one. Its drawings stay.
  @discardableResult
  public func delete(_ id: String, of uid: String) throws -> Bool {
    let path = try UserPaths(uid).checkIns.document(id)
    return try gate.change { try $0.delete(path) }
  }

  // MARK: - What is made of them

  /// A check-in in the chart of a week.
  public struct ChartPoint: Hashable, Sendable {
    /// The check-in.
    public let checkIn: CheckIn
    /// The day in the viewer's zone; several check-ins may share it.
    public let day: LocalDay
    /// How good the emotion is, 1 to 5; nil for one that is not known.
    public let score: Int?
  }

  /// The check-ins of seven days that end with the day of a moment, oldest first.
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
}

/// How good emotions are, from 1 to 5, for charts. It is a mapping for a line on a page, no judgement.
public enum EmotionScore {
  /// The score of an emotion's key; nil for one that is not known.
  public static func of(_ emotion: String) -> Int? { scores[emotion.lowercased()] }

  private static let scores = [
    "joy": 5, "happy": 5, "love": 5, "gratitude": 5, "excitement": 5,
    "calm": 4, "content": 4, "hope": 4, "pride": 4, "relief": 4, "trust": 4,
    "neutral": 3, "surprise": 3, "anticipation": 3, "confusion": 3, "boredom": 3,
    "sad": 2, "sadness": 2, "tired": 2, "lonely": 2, "worry": 2, "anxious": 2, "stress": 2,
    "anger": 1, "angry": 1, "fear": 1, "disgust": 1, "shame": 1, "guilt": 1, "despair": 1,
  ]
}
