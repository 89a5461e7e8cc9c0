public import Storage

/// Events that others should hear of: kept in the transaction in which they happened, told later, again
/// and again until somebody has heard. Whoever listens may hear one twice, and knows it by its name.
public struct Outbox: Sendable {
  private let environment: ServiceEnvironment

  /// The events of a service.
  public init(_ environment: ServiceEnvironment) { self.environment = environment }

  /// Something that happened.
  public struct Event: Hashable, Sendable {
    /// What is stored.
    public let document: Document

    /// Its name, the same whenever it is told.
    public var id: String { document.id }
    /// What happened: `milestone`.
    public var kind: String { document["kind"]?.textValue ?? "" }
    /// How often it was told without success.
    public var attempts: Int { Int(document["attempts"]?.integerValue ?? 0) }
    /// The event as JSON, for whoever hears of it.
    public var json: [UInt8] {
      Fields([
        ("id", .text(id)), ("kind", .text(kind)), ("uid", document["uid"] ?? .null),
        ("createdAt", document["createdAt"] ?? .null), ("payload", document["payload"] ?? .null),
      ]).json
    }
  }

  /// Keeps an event of a user's; one of the same name is kept once.
  static func add(
    _ id: String, kind: String, uid: String, payload: Fields,
    in transaction: any DocumentTransaction
  ) throws {
    let path = try Collections.outbox.document(id)
    guard try transaction.document(path) == nil else { return }
    try transaction.create(
      path,
      [
        "kind": .text(kind), "uid": .text(uid), "payload": .map(payload),
        "createdAt": .moment(transaction.moment), "attempts": 0,
        "nextAttemptAt": .moment(transaction.moment),
      ])
  }

  /// Events that were not heard wait at most these seconds.
  static let longestDelay: Int64 = 21_600

  /// The events that should be told by now, the most urgent first.
  public func due(limit: Int = 100) throws -> [Event] {
    let now = environment.now()
    return try environment.documents.read { reader in
      let events = try Self.questions(now).flatMap { query in
        try environment.documents(query.page(limit), in: reader)
      }
      return events.prefix(limit).map { Event(document: $0) }
    }
  }

  /// What asks for the events that are due. Those that would wait longer than any event does are due, too:
  /// the clock was ahead when they were kept.
  private static func questions(_ now: Moment) -> [Query] {
    let events = Query(Collections.outbox).ordered(by: "nextAttemptAt")
    return [
      events.filtered("nextAttemptAt", .atMost(.moment(now))),
      events.filtered("nextAttemptAt", .greater(.moment(now + longestDelay))),
    ]
  }

  /// How many events wait.
  public func count() throws -> Int {
    try environment.documents.read { try $0.count(Query(Collections.outbox)) }
  }

  /// Tells all events that are due to a listener, which says whether it has heard, until `isStopped`. Those
  /// that it has not heard wait longer each time, up to six hours. Each is told once at most, whatever the
  /// clock does meanwhile; what is kept meanwhile is for the next time. Events that cannot be read are
  /// told to `unreadable` and stay. Gives how many were heard and how many not.
  @discardableResult
  public func deliver(
    to listener: (Event) throws -> Bool, isStopped: () -> Bool = { false },
    unreadable: (_ path: String, _ reason: String) -> Void = { _, _ in }
  ) throws -> (delivered: Int, failed: Int) {
    var result = (delivered: 0, failed: 0)
    // Whatever this run changes has a greater number.
    let last = try environment.documents.read { try $0.lastSequence() }
    let start = environment.now()
    func tell(_ document: Document) throws {
      guard document.sequence <= last else { return }
      let isHeard = (try? listener(Event(document: document))) ?? false
      do {
        try note(document.path, isHeard: isHeard)
      } catch let error as StorageError {
        guard case .damaged = error.problem else { throw error }
        unreadable("\(document.path)", error.reason)
      }
      if isHeard { result.delivered += 1 } else { result.failed += 1 }
    }
    for query in Self.questions(start) {
      var cursor: Query.Cursor?
      repeat {
        let page = try environment.documents.read { try $0.page(query.page(100, after: cursor)) }
        for error in page.damaged { unreadable(error.subject, error.reason) }
        for document in page.documents {
          if isStopped() { return result }
          try tell(document)
        }
        cursor = page.cursor
      } while cursor != nil
    }
    return result
  }

  /// Notes whether an event was heard.
  private func note(_ path: DocumentPath, isHeard: Bool) throws {
    try environment.documents.change(at: environment.now()) { transaction in
      // Nobody asks for events that were heard.
      if isHeard { return try transaction.erase(path) }
      // Others may have tried meanwhile.
      guard let document = try transaction.document(path) else { return }
      let attempts = min(max(Event(document: document).attempts, 0), 1_000_000)
      let delay = min(Int64(60) << Int64(min(attempts, 10)), Self.longestDelay)
      try transaction.update(
        path,
        [
          "attempts": .integer(Int64(min(attempts + 1, 1_000_000))),
          "nextAttemptAt": .moment(transaction.moment + delay),
        ])
    }
  }

}

/// Round numbers of check-ins, told once per user and number.
enum Milestones {
  /// Keeps the milestone that a user has just reached, if it is one.
  static func reach(_ uid: String, in transaction: GatedTransaction) throws {
    let (paths, documents) = (try UserPaths(uid), transaction.transaction)
    let count = try documents.count(Query(paths.checkIns))
    guard transaction.gate.environment.settings.milestones.contains(count) else { return }
    let path = try paths.milestones.document("checkins-\(count)")
    // Whoever deletes a check-in and adds another has not reached it again.
    guard try documents.document(path) == nil else { return }
    try documents.create(
      path, ["count": .integer(Int64(count)), "reachedAt": .moment(documents.moment)])
    try Outbox.add(
      "\(uid)-checkins-\(count)".storageName, kind: "milestone", uid: uid,
      payload: ["checkIns": .integer(Int64(count))], in: documents)
  }
}

extension String {
  /// A name that can be stored, the same for the same text: long ones end in a part of their hash.
  var storageName: String {
    utf8.count <= StorageName.maximumLength
      ? self : String(prefix(90)) + "-" + ContentHash.of(Array(utf8)).prefix(32)
  }
}
