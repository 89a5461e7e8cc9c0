public import Storage

/// Events for other programs. They are stored in the transaction in which they happened, delivered
/// later, and retried until a listener has accepted them. A listener may get an event twice, and
/// can recognize it by its id.
public struct Outbox: Sendable {
  private let environment: ServiceEnvironment

  /// The events of a service.
  public init(_ environment: ServiceEnvironment) { self.environment = environment }

  /// An event that waits for delivery.
  public struct Event: Hashable, Sendable {
    /// The stored document.
    public let document: Document

    /// The id, the same in every delivery.
    public var id: String { document.id }
    /// The kind of event, named by the app that stores it.
    public var kind: String { document["kind"]?.textValue ?? "" }
    /// The number of failed deliveries.
    public var attempts: Int { Int(document["attempts"]?.integerValue ?? 0) }
    /// The event as JSON, for listeners.
    public var json: [UInt8] {
      Fields([
        ("id", .text(id)), ("kind", .text(kind)), ("uid", document["uid"] ?? .null),
        ("createdAt", document["createdAt"] ?? .null), ("payload", document["payload"] ?? .null),
      ]).json
    }
  }

  /// Stores an event of a user, unless one with the same id is stored.
  public static func add(
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

  /// The maximum delay of a retry, in seconds.
  static let maximumDelaySeconds: Int64 = 21_600

  /// The events that are due, the longest waiting first.
  public func due(limit: Int = 100) throws -> [Event] {
    let now = environment.now()
    return try environment.documents.read { reader in
      let events = try Self.dueQueries(now).flatMap { query in
        try environment.documents(query.page(limit), in: reader)
      }
      return events.prefix(limit).map { Event(document: $0) }
    }
  }

  /// The queries for due events. Events that would wait longer than the maximum delay are due, too:
  /// the clock was ahead when they were stored.
  private static func dueQueries(_ now: Moment) -> [Query] {
    let events = Query(Collections.outbox).ordered(by: "nextAttemptAt")
    return [
      events.filtered("nextAttemptAt", .atMost(.moment(now))),
      events.filtered("nextAttemptAt", .greater(.moment(now + maximumDelaySeconds))),
    ]
  }

  /// The number of waiting events.
  public func count() throws -> Int {
    try environment.documents.read { try $0.count(Query(Collections.outbox)) }
  }

  /// Delivers all due events to a listener, which returns whether it has accepted the event, until
  /// `isStopped`. Several programs may do this at once and divide the events: a lock claims each
  /// event, and ends with its program. The delay before a retry doubles, up to six hours. Each
  /// event is delivered at most once in a call, even if the clock changes. Events that are stored
  /// during the call wait for the next one. Unreadable events are reported to `unreadable` and
  /// stay. Returns the numbers of accepted and failed deliveries.
  @discardableResult
  public func deliver(
    to listener: (Event) throws -> Bool, isStopped: () -> Bool = { false },
    unreadable: (_ path: String, _ reason: String) -> Void = { _, _ in }
  ) throws -> (delivered: Int, failed: Int) {
    var result = (delivered: 0, failed: 0)
    // Changes of this call get greater sequence numbers.
    let last = try environment.documents.read { try $0.lastSequence() }
    let start = environment.now()
    func deliver(_ document: Document) throws {
      guard document.sequence <= last else { return }
      do {
        try environment.claims.withLockIfFree("\(document.path)") {
          // Another program may have delivered it, or tried to, since it was listed.
          guard try environment.documents.document(document.path)?.sequence == document.sequence
          else { return }
          let isDelivered = (try? listener(Event(document: document))) ?? false
          if isDelivered { result.delivered += 1 } else { result.failed += 1 }
          try recordAttempt(document.path, isDelivered: isDelivered)
        }
      } catch let error as StorageError {
        guard case .damaged = error.problem else { throw error }
        unreadable("\(document.path)", error.reason)
      }
    }
    for query in Self.dueQueries(start) {
      var cursor: Query.Cursor?
      repeat {
        let page = try environment.documents.read { try $0.page(query.page(100, after: cursor)) }
        for error in page.damaged { unreadable(error.subject, error.reason) }
        for document in page.documents {
          if isStopped() { return result }
          try deliver(document)
        }
        cursor = page.cursor
      } while cursor != nil
    }
    return result
  }

  /// Removes a delivered event, or schedules the retry of a failed one.
  private func recordAttempt(_ path: DocumentPath, isDelivered: Bool) throws {
    try environment.documents.change(at: environment.now()) { transaction in
      // Erased, since no client reads changes of delivered events.
      if isDelivered { return try transaction.erase(path) }
      // Its user may have been erased in the meantime.
      guard let document = try transaction.document(path) else { return }
      let attempts = min(max(Event(document: document).attempts, 0), 1_000_000)
      let delay = min(Int64(60) << Int64(min(attempts, 10)), Self.maximumDelaySeconds)
      try transaction.update(
        path,
        [
          "attempts": .integer(Int64(min(attempts + 1, 1_000_000))),
          "nextAttemptAt": .moment(transaction.moment + delay),
        ])
    }
  }
}

extension String {
  /// A valid name for this text. A text that is too long is cut, and a part of its hash appended.
  package var storageName: String {
    utf8.count <= StorageName.maximumLength
      ? self : String(prefix(90)) + "-" + ContentHash.of(Array(utf8)).prefix(32)
  }
}
