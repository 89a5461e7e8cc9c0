import Storage

/// What a user's week was, told on Monday at nine by the user's own clock.
public struct WeeklySummaries: Sendable {
  private let environment: ServiceEnvironment

  /// The summaries of a service.
  public init(_ environment: ServiceEnvironment) { self.environment = environment }

  /// Weeks for which nobody asked in time are made up for, this many at most.
  private static let longestDelay = 8

  /// Makes the summaries that are due and were not made, and says how many. A week without a check-in and
  /// without a drawing has none; a user's first is of the last week. Users for whom that fails are told one
  /// by one, unless the first failure is thrown.
  @discardableResult
  public func makeDue(
    failure: (_ uid: String, any Error) throws -> Void = { throw $1 }
  ) throws -> Int {
    var count = 0
    try UserService.forEachUser(in: environment.documents) { uid in
      do {
        count += try make(uid)
      } catch {
        try failure(uid, error)
      }
    }
    return count
  }

  private func make(_ uid: String) throws -> Int {
    let paths = try UserPaths(uid)
    return try environment.documents.change(at: environment.now()) { transaction in
      func newest(_ collection: CollectionPath) throws -> Document? {
        let query = Query(collection).ordered(by: "createdAt", descending: true).page(1)
        return try environment.documents(query, in: transaction).first
      }
      let (checkIn, drawing) = (try newest(paths.checkIns), try newest(paths.drawings))
      let moments = [checkIn, drawing].compactMap { $0?["createdAt"]?.momentValue }
      guard let last = moments.max() else { return 0 }
      // The clock of the newest check-in, or of the newest drawing of those who only draw.
      let minutes = (checkIn ?? drawing)?["timezoneOffsetMinutes"]?.integerValue ?? 0
      let zone = ZoneRules(offsetMinutes: Int(minutes))
      // The last Monday of which nine o'clock has passed.
      let today = zone.day(of: transaction.moment + -9 * 3600)
      let monday = today - today.weekday
      let made = try transaction.documents(
        Query(paths.weeklySummaries).ordered(descending: true).page(1)
      ).first.flatMap { LocalDay($0.id) }
      var (next, count) = (made.map { max($0 + 7, monday - 7 * Self.longestDelay) } ?? monday, 0)
      // Nothing happened in the weeks behind the last of all.
      while next <= monday, zone.start(of: next - 7) <= last {
        if try make(next, uid, paths, zone, in: transaction) { count += 1 }
        next = next + 7
      }
      return count
    }
  }

  /// Makes the summary of the seven days before a Monday, if anything happened on them.
  private func make(
    _ monday: LocalDay, _ uid: String, _ paths: UserPaths, _ zone: ZoneRules,
    in transaction: any DocumentTransaction
  ) throws -> Bool {
    let (start, end) = (zone.start(of: monday - 7), zone.start(of: monday))
    func during(_ collection: CollectionPath) -> Query {
      Query(collection).filtered("createdAt", .atLeast(.moment(start)))
        .filtered("createdAt", .less(.moment(end))).ordered(by: "createdAt")
    }
    let checkIns = try environment.documents(during(paths.checkIns), in: transaction).map {
      CheckIn($0)
    }
    let drawings = try transaction.count(during(paths.drawings))
    guard !checkIns.isEmpty || drawings > 0 else { return false }
    let scores = checkIns.compactMap { EmotionScore.of($0.emotion) }
    let counts = Dictionary(
      checkIns.map(\.emotion).filter { !$0.isEmpty }.map { ($0, 1) }, uniquingKeysWith: +)
    let most = counts.min { $0.value != $1.value ? $0.value > $1.value : $0.key < $1.key }?.key
    let summary: Fields = [
      "from": .text((monday - 7).description), "until": .text(monday.description),
      "checkIns": .integer(Int64(checkIns.count)), "drawings": .integer(Int64(drawings)),
      "averageScore": scores.isEmpty
        ? .null : .number(Double(scores.reduce(0, +)) / Double(scores.count)),
      "emotion": most.map { .text($0) },
    ]
    try transaction.create(
      paths.weeklySummaries.document(monday.description),
      summary.merging(["createdAt": .moment(transaction.moment)]))
    try Outbox.add(
      "\(uid)-week-\(monday)".storageName, kind: "weeklySummary", uid: uid, payload: summary,
      in: transaction)
    return true
  }
}
