import Storage

/// What a user's week was, told on Monday at nine by the user's own clock.
public struct WeeklySummaries: Sendable {
  private let environment: ServiceEnvironment

  /// The summaries of a service.
  public init(_ environment: ServiceEnvironment) { self.environment = environment }

  /// Makes the summaries that are due and were not made, and says how many. A week without a check-in and
  /// without a drawing has none.
  @discardableResult
  public func makeDue() throws -> Int {
    var count = 0
    try UserService.forEachUser(in: environment.documents) { if try make($0) { count += 1 } }
    return count
  }

  private func make(_ uid: String) throws -> Bool {
    let paths = try UserPaths(uid)
    return try environment.documents.change(at: environment.now()) { transaction in
      // The clock of the newest check-in, or of the newest drawing of those who only draw.
      func offset(_ collection: CollectionPath) throws -> Int64? {
        let newest = Query(collection).ordered(by: "createdAt", descending: true).page(1)
        return try transaction.documents(newest).first?["timezoneOffsetMinutes"]?.integerValue
      }
      let minutes = try offset(paths.checkIns) ?? offset(paths.drawings) ?? 0
      let zone = ZoneRules(offsetMinutes: Int(minutes))
      // The last Monday of which nine o'clock has passed.
      let today = zone.day(of: transaction.moment + -9 * 3600)
      let monday = today - today.weekday
      let path = try paths.weeklySummaries.document(monday.description)
      guard try transaction.document(path) == nil else { return false }
      let (start, end) = (zone.start(of: monday - 7), zone.start(of: monday))
      func during(_ collection: CollectionPath) -> Query {
        Query(collection).filtered("createdAt", .atLeast(.moment(start)))
          .filtered("createdAt", .less(.moment(end))).ordered(by: "createdAt")
      }
      let checkIns = try transaction.documents(during(paths.checkIns)).map { CheckIn($0) }
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
        path, summary.merging(["createdAt": .moment(transaction.moment)]))
      try Outbox.add(
        "\(uid)-week-\(monday)".storageName, kind: "weeklySummary", uid: uid, payload: summary,
        in: transaction)
      return true
    }
  }
}
