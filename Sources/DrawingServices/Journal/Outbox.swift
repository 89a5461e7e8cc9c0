import Interchange
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

  /// The events that should be told by now, the most urgent first.
  public func due(limit: Int = 100) throws -> [Event] { try due(by: environment.now(), limit) }

  private func due(by moment: Moment, _ limit: Int) throws -> [Event] {
    let query = Query(Collections.outbox)
      .filtered("nextAttemptAt", .atMost(.moment(moment)))
      .ordered(by: "nextAttemptAt").page(limit)
    return try environment.documents.read { reader in
      try environment.documents(query, in: reader).map { Event(document: $0) }
    }
  }

  /// How many events wait.
  public func count() throws -> Int {
    try environment.documents.read { try $0.count(Query(Collections.outbox)) }
  }

  /// Tells all events that are due to a listener, which says whether it has heard. Those that it has not
  /// heard wait longer each time, up to six hours. Gives how many were heard and how many not.
  @discardableResult
  public func deliver(
    to listener: (Event) throws -> Bool
  ) throws -> (delivered: Int, failed: Int) {
    var result = (delivered: 0, failed: 0)
    // What becomes due meanwhile is for the next time: a slow listener that hears nothing would be told
    // for ever.
    let start = environment.now()
    while true {
      let events = try due(by: start, 100)
      if events.isEmpty { return result }
      for event in events {
        let isHeard = (try? listener(event)) ?? false
        try environment.documents.change(at: environment.now()) { transaction in
          let path = event.document.path
          if isHeard {
            // Nobody asks for events that were heard.
            try transaction.erase(path)
          } else if let document = try transaction.document(path) {
            // Others may have tried meanwhile.
            let attempts = Event(document: document).attempts
            let delay = min(Int64(60) << Int64(min(attempts, 10)), 21_600)
            try transaction.update(
              path,
              [
                "attempts": .integer(Int64(attempts + 1)),
                "nextAttemptAt": .moment(transaction.moment + delay),
              ])
          }
        }
        if isHeard { result.delivered += 1 } else { result.failed += 1 }
      }
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
