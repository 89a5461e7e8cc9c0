public import DrawingServices
import Storage

/// Weekly summaries of users, due on Monday at nine in the time zone of the user.
public struct WeeklySummaries: Sendable {
  private let environment: ServiceEnvironment

  /// The summaries of a service.
  public init(_ environment: ServiceEnvironment) { self.environment = environment }

  /// The maximum number of missed weeks that are summarized later.
  private static let maximumMissedWeeks = 8

  /// Creates the due summaries that are missing, and returns their number. A week without check-ins
  /// and drawings has none; a user's first summary is that of the last week. Calls `failure` for
  /// each user whose summary fails; by default it throws.
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
      // The time zone of the newest check-in, or of the newest drawing if there are no check-ins.
      let minutes = (checkIn ?? drawing)?["timezoneOffsetMinutes"]?.integerValue ?? 0
      let zone = ZoneRules(offsetMinutes: Int(minutes))
      // The last Monday whose nine o'clock has passed.
      let today = zone.day(of: transaction.moment + -9 * 3600)
      let monday = today - today.weekday
      let newestSummary = try transaction.documents(
        Query(paths.weeklySummaries).ordered(descending: true).page(1)
      ).first.flatMap { LocalDay($0.id) }
      var (next, count) = (
        newestSummary.map { max($0 + 7, monday - 7 * Self.maximumMissedWeeks) } ?? monday, 0
      )
      // The weeks after the newest entry are empty.
      while next <= monday, zone.start(of: next - 7) <= last {
        if try make(next, uid, paths, zone, in: transaction) { count += 1 }
        next = next + 7
      }
      return count
    }
  }

  /// Creates the summary of the seven days before a Monday; false if they are empty.
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
    let mostFrequent = counts.min { $0.value != $1.value ? $0.value > $1.value : $0.key < $1.key }?
      .key
    let summary: Fields = [
      "from": .text((monday - 7).description), "until": .text(monday.description),
      "checkIns": .integer(Int64(checkIns.count)), "drawings": .integer(Int64(drawings)),
      "averageScore": scores.isEmpty
        ? .null : .number(Double(scores.reduce(0, +)) / Double(scores.count)),
      "emotion": mostFrequent.map { .text($0) },
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
