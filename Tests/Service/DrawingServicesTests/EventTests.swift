import Foundation
import TestSupport
import Testing
import Threads

@testable import DrawingServices
@testable import Journal
@testable import Storage

/// Milestones, weekly summaries, and the delivery of their events.
struct EventTests {
  private let fixture = ServiceFixture()
  private let start = ServiceFixture.start
  private var outbox: Outbox { Outbox(fixture.environment) }

  private static func moment(_ text: String) throws -> Moment {
    try #require(Moment(iso8601: text))
  }

  /// The names of all waiting events.
  private func waiting() throws -> [String] {
    try fixture.environment.documents.documents(Query(Collections.outbox)).map(\.id)
  }

  private func submit(_ count: Int, of uid: String = "ann") throws {
    for _ in 0..<count { try fixture.checkIns(as: .user(uid)).create(Samples.checkIn, of: uid) }
  }

  // MARK: - Milestones

  @Test func `a milestone has one event per user and number`() throws {
    try submit(9)
    #expect(try waiting().isEmpty)
    try submit(1)
    #expect(try waiting() == ["ann-checkins-10"])
    let event = try #require(try outbox.due().first)
    let json = try JSONSerialization.jsonObject(with: Data(event.json)) as? [String: Any]
    #expect(json?["kind"] as? String == "milestone" && json?["uid"] as? String == "ann")
    #expect((json?["payload"] as? [String: Int]) == ["checkIns": 10])
    #expect(json?["createdAt"] as? String == "2026-11-18T12:00:00Z")
    try submit(20)
    try submit(10, of: "bob")
    #expect(try waiting() == ["ann-checkins-10", "ann-checkins-30", "bob-checkins-10"])
  }

  @Test func `deleting and adding check-ins reaches no milestone twice`() throws {
    try submit(10)
    for isDelivered in [false, true] {
      if isDelivered { try outbox.deliver { _ in true } }
      let before = try waiting()
      for _ in 0..<3 {
        let last = try #require(try fixture.checkIns().page(of: "ann", limit: 1).documents.first)
        try fixture.checkIns().delete(last.id, of: "ann")
        try submit(1)
      }
      #expect(try waiting() == before && before.count == (isDelivered ? 0 : 1))
    }
  }

  @Test func `settings choose the numbers of milestones`() throws {
    var settings = ServiceSettings()
    #expect(settings.milestones == [10, 30, 50, 100, 365])
    settings.milestones = [1, 3]
    let fixture = ServiceFixture(settings: settings)
    for _ in 0..<4 { try fixture.checkIns().create(Samples.checkIn, of: "ann") }
    let ids = try fixture.environment.documents.documents(Query(Collections.outbox)).map(\.id)
    #expect(ids == ["ann-checkins-1", "ann-checkins-3"])
  }

  @Test(arguments: [false, true])
  func `a milestone that several threads reach has one event`(_ isInFile: Bool) throws {
    let folder = try TemporaryFolder()
    let store: any DocumentStore =
      isInFile
      ? try SQLiteDocumentStore(folder.file("db").path, indexes: Application.journal.indexes)
      : InMemoryDocumentStore()
    let environment = ServiceFixture(documents: store).environment
    let count = isInFile ? 56 : 120
    DispatchQueue.concurrentPerform(iterations: 8) { _ in
      for _ in 0..<count / 8 {
        _ = try? CollectionService(.checkIns, in: environment, as: .user("ann")).create(
          Samples.checkIn, of: "ann")
      }
    }
    let ids = try store.documents(Query(Collections.outbox)).map(\.id)
    #expect(
      Set(ids) == Set([10, 30, 50, 100].filter { $0 <= count }.map { "ann-checkins-\($0)" }))
  }

  @Test func `a check-in that fails reaches no milestone`() throws {
    try submit(9)
    #expect(throws: FieldError.self) {
      try fixture.checkIns().create(Samples.checkIn.merging(["emotion": 1]), of: "ann")
    }
    #expect(try waiting().isEmpty)
  }

  @Test func `users with long names have events, too`() throws {
    let uids = [String(repeating: "u", count: 128), String(repeating: "u", count: 127) + "v"]
    for uid in uids { try submit(10, of: uid) }
    #expect(try waiting().count == 2)
    #expect(Set(try outbox.due().compactMap { $0.document["uid"]?.textValue }) == Set(uids))
  }

  // MARK: - Weeks

  @Test func `a week is summarized once, on Monday at nine in the user's time zone`() throws {
    // 2026-11-16 is a Monday.
    for (uid, offset, nine) in [
      ("taipei", 480, "2026-11-16T01:00:00Z"), ("utc", 0, "2026-11-16T09:00:00Z"),
      ("newYork", -300, "2026-11-16T14:00:00Z"), ("kathmandu", 345, "2026-11-16T03:15:00Z"),
    ] as [(String, Int64, String)] {
      let fixture = ServiceFixture()
      let nine = try Self.moment(nine)
      let monday = Moment(seconds: nine.flooredSeconds - 9 * 3600)
      for (id, at, emotion) in [
        ("before", monday + -7 * 86_400 + -1, "sad"), ("first", monday + -7 * 86_400, "joy"),
        ("middle", monday + -3 * 86_400, "joy"), ("last", monday + -1, "anger"),
        ("after", monday, "sad"),
      ] as [(String, Moment, String)] {
        try fixture.setCheckIn(id, at: at, emotion: emotion, of: uid, offset: offset)
      }
      try fixture.setDrawing("d1", at: monday + -1, of: uid)
      try fixture.setDrawing("d2", at: monday, of: uid)
      let weeks = WeeklySummaries(fixture.environment)
      func summaries() throws -> [String] {
        try fixture.allDocuments().keys.filter { $0.contains("weekly_summaries") }.sorted()
      }
      fixture.clock.now = Moment(microseconds: nine.microseconds - 1)
      #expect(try weeks.makeDue() == 1, "the week before")
      #expect(try summaries() == ["users/\(uid)/weekly_summaries/2026-11-09"])
      fixture.clock.now = nine
      #expect(try weeks.makeDue() == 1 && weeks.makeDue() == 0, "\(uid)")
      fixture.clock.now = nine + 7 * 86_400 + -1
      #expect(try weeks.makeDue() == 0)
      let made = try #require(
        try fixture.allDocuments()["users/\(uid)/weekly_summaries/2026-11-16"])
      #expect(made["checkIns"] == 3 && made["drawings"] == 1 && made["emotion"] == "joy")
      #expect(made["from"] == "2026-11-09" && made["until"] == "2026-11-16")
      #expect(made["averageScore"] == .number(11.0 / 3))
      fixture.clock.now = nine + 7 * 86_400
      #expect(try weeks.makeDue() == 1)
      fixture.clock.now = nine + 14 * 86_400
      #expect(try weeks.makeDue() == 0, "an empty week has no summary")
      let events = try Outbox(fixture.environment).due()
      #expect(events.map(\.kind) == ["weeklySummary", "weeklySummary", "weeklySummary"])
      #expect(Set(events.map(\.id)).count == 3)
    }
  }

  @Test func `missed weekly summaries are made later, up to a limit`() throws {
    let monday = try Self.moment("2026-11-16T00:00:00Z")
    for week in [-20, -10, -9, -8, -3, -2, -1] {
      for uid in ["ann", "bob"] {
        try fixture.setCheckIn(
          "c\(-week)", at: monday + Int64(week * 7 + 1) * 86_400, of: uid)
      }
    }
    func weeks(_ uid: String) throws -> [String] {
      try fixture.allDocuments().keys.filter { $0.hasPrefix("users/\(uid)/weekly") }.sorted().map {
        String($0.suffix(10))
      }
    }
    func make(_ week: Int64) throws -> Int {
      fixture.clock.now = monday + week * 7 * 86_400 + 9 * 3600
      return try WeeklySummaries(fixture.environment).makeDue()
    }
    // The first summary is about the last week, even if check-ins are older.
    #expect(try make(-18) == 0)
    #expect(try make(-8) == 2)
    #expect(try make(0) == 8)
    let latest = ["2026-09-28", "2026-11-02", "2026-11-09", "2026-11-16"]
    #expect(try weeks("ann") == ["2026-09-21"] + latest && weeks("bob") == weeks("ann"))
    #expect(try make(0) == 0)
    // After half a year not all missed weeks are summarized.
    fixture.clock.now = monday
    for week in ["2026-09-21"] + latest {
      try fixture.environment.documents.change(at: monday) {
        _ = try $0.delete(DocumentPath("users/bob/weekly_summaries/\(week)"))
        try $0.set(DocumentPath("users/bob/weekly_summaries/2026-07-06"), [:])
        _ = try $0.erase(CollectionPath("outbox"))
      }
    }
    #expect(try make(0) == 5)
    #expect(try weeks("bob") == ["2026-07-06", "2026-09-21"] + latest)
  }

  @Test func `users with only drawings have summaries in their own time zone, too`() throws {
    try fixture.set(
      "users/ann/drawings/d1",
      Samples.drawing.merging([
        "createdAt": .moment(try Self.moment("2026-11-15T15:30:00Z")),
        "timezoneOffsetMinutes": 480, "updatedAt": Samples.moment,
      ]))
    fixture.clock.now = try Self.moment("2026-11-16T00:59:59Z")
    #expect(try WeeklySummaries(fixture.environment).makeDue() == 0)
    fixture.clock.now = try Self.moment("2026-11-16T01:00:00Z")
    #expect(try WeeklySummaries(fixture.environment).makeDue() == 1)
    #expect(try waiting() == ["ann-week-2026-11-16"])
  }

  @Test func `several threads summarize the weeks of many users once`() throws {
    for index in 0..<520 {
      try fixture.setCheckIn("c", at: start, of: "u\(index)")
    }
    fixture.clock.now = start + 7 * 86_400
    let environment = fixture.environment
    let made = ConditionMutex(0)
    DispatchQueue.concurrentPerform(iterations: 3) { _ in
      let count = (try? WeeklySummaries(environment).makeDue()) ?? 0
      made.withLock { $0 += count }
    }
    #expect(made.withLock { $0 } == 520)
    #expect(try outbox.count() == 520)
  }

  // MARK: - Delivery

  @Test func `a delivered event is removed, a failed one waits longer each time`() throws {
    try submit(10)
    var attempts: [Moment] = []
    var delays: [Int64] = []
    for _ in 0..<14 {
      let result = try outbox.deliver { _ in
        attempts.append(fixture.clock.now)
        return false
      }
      #expect(result.delivered == 0 && result.failed == 1)
      // Not a moment too early.
      let next = try #require(
        try fixture.environment.documents.documents(Query(Collections.outbox)).first?[
          "nextAttemptAt"]?
          .momentValue)
      delays.append((next.microseconds - fixture.clock.now.microseconds) / 1_000_000)
      fixture.clock.now = Moment(microseconds: next.microseconds - 1)
      #expect(try outbox.due().isEmpty)
      fixture.clock.now = next
    }
    #expect(attempts.count == 14)
    #expect(delays.starts(with: [60, 120, 240, 480]) && delays == delays.sorted())
    #expect(delays.last == 21_600)
    #expect(try outbox.due().map(\.attempts) == [14])
    #expect(try outbox.deliver { _ in true } == (1, 0))
    #expect(try outbox.deliver { _ in true } == (0, 0))
    #expect(try outbox.count() == 0)
  }

  @Test func `a listener that throws does not accept the event or delay others`() throws {
    try submit(10)
    try submit(10, of: "bob")
    var received: [String] = []
    let result = try outbox.deliver { event in
      if event.id.hasPrefix("ann") { throw ServiceError.badRequest("no") }
      received.append(event.id)
      return true
    }
    #expect(result == (1, 1))
    #expect(received == ["bob-checkins-10"])
    #expect(try waiting() == ["ann-checkins-10"])
  }

  @Test func `a slow listener that fails is called once for each event`() throws {
    for index in 0..<250 {
      try fixture.environment.documents.change(at: start) {
        try Outbox.add("e\(index)", kind: "milestone", uid: "ann", payload: [:], in: $0)
      }
    }
    var callCount = 0
    let result = try outbox.deliver { _ in
      callCount += 1
      // Every attempt takes as long as the first one waits.
      fixture.clock.now = fixture.clock.now + 60
      return callCount > 1000
    }
    #expect(callCount == 250)
    #expect(result == (0, 250))
  }

  @Test func `events are delivered at least once, whenever the program dies, with stable ids`()
    throws
  {
    let folder = try TemporaryFolder()
    let clock = fixture.clock
    func service() throws -> ServiceEnvironment {
      let service = try LocalService.open(.journal, folder.file("service").path)
      return ServiceEnvironment(
        .journal, documents: service.documents, blobs: service.blobs, now: { clock.now },
        newID: { LocalService.randomName() })
    }
    for index in 0..<10 {
      try CollectionService(.checkIns, in: try service(), as: .operator).create(
        Samples.checkIn, of: "ann", id: "c\(index)")
    }
    #expect(try Outbox(service()).deliver { _ in false } == (0, 1))
    // Opened again, it has the waiting events and their times.
    #expect(try Outbox(service()).due().isEmpty && Outbox(service()).count() == 1)
    clock.now = start + 60
    #expect(try Outbox(service()).due().map(\.attempts) == [1])
    // Delivered, but the program dies before it records this: the event is delivered again with the
    // same id.
    let notes = Notes()
    let documents = NotingDocumentStore(notes: notes)
    let environment = ServiceFixture(documents: documents).environment
    for _ in 0..<10 {
      try CollectionService(.checkIns, in: environment, as: .operator).create(
        Samples.checkIn, of: "ann")
    }
    notes.reset(callsThatSucceed: 0)
    var received: [String] = []
    func listen(_ event: Outbox.Event) -> Bool {
      received.append(event.id)
      return true
    }
    #expect(throws: StorageError.self) { try Outbox(environment).deliver(to: listen) }
    notes.reset()
    #expect(try Outbox(environment).deliver(to: listen) == (1, 0))
    #expect(received == ["ann-checkins-10", "ann-checkins-10"])
  }
}
