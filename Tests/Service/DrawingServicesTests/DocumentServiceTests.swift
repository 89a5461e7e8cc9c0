import TestSupport
import Testing

@testable import DrawingServices
@testable import Journal
@testable import Storage

/// Any document through the rules, the catalogue, and the list of users.
struct DocumentServiceTests {
  private let fixture = ServiceFixture()
  private let start = ServiceFixture.start
  private var ann: DocumentService { DocumentService(fixture.environment, as: .user("ann")) }
  private var all: DocumentService { DocumentService(fixture.environment, as: .operator) }

  private func path(_ text: String) throws -> DocumentPath { try DocumentPath(text) }

  @Test func `documents are set, read, listed and deleted through the rules`() throws {
    let entry = try path("users/ann/moodEntries/m1")
    #expect(try ann.set(entry, Samples.moodEntry).value["updatedAt"] == Samples.moment)
    #expect(try ann.document(entry)["moodType"] == "happy")
    try ann.set(entry, ["note": "n"], merges: true)
    #expect(try ann.document(entry)["note"] == "n")
    // Without merging, only the given fields remain, and those that the service fills in.
    fixture.clock.now = start + 9
    try ann.set(entry, Samples.moodEntry)
    #expect(
      try ann.document(entry).fields
        == Samples.moodEntry.merging([
          "createdAt": Samples.moment, "updatedAt": .moment(start + 9),
        ]))
    try ann.set(path("users/ann/moodEntries/m0"), Samples.moodEntry)
    let page = try ann.page(CollectionPath("users/ann/moodEntries"), limit: 1)
    let rest = try ann.page(CollectionPath("users/ann/moodEntries"), after: page.cursor)
    #expect((page.documents + rest.documents).map(\.id) == ["m0", "m1"] && rest.cursor == nil)
    #expect(try ann.delete(entry) && !ann.delete(entry))
    #expect(storageProblem { try ann.document(entry) } == .notFound)

    for other in ["users/bob", "users/bob/moodEntries/m", "sessionLogs/l", "outbox/e", "notes/n"] {
      let other = try path(other)
      for act: () throws -> Any in [
        { try ann.document(other) }, { try ann.set(other, Samples.moodEntry) },
        { try ann.set(other, Samples.moodEntry, merges: true) }, { try ann.delete(other) },
        { try ann.page(other.collection) },
      ] {
        #expect(refusal(act) != nil, "\(other)")
      }
    }
    #expect(
      refusal { try DocumentService(fixture.environment, as: .anonymous).document(entry) }
        == .unauthenticated)
  }

  @Test func `schemas apply to operators, and paths without one accept anything`() throws {
    for (bad, fields) in [
      ("users/ann", ["notificationHour": 24]), ("users/ann/mood_checkins/c", ["emotion": "joy"]),
      ("outbox/e", ["kind": "k"]), ("users/ann/milestones/m", ["count": 0]),
    ] as [(String, Fields)] {
      #expect(thrown { try all.set(path(bad), fields) } is FieldError, "\(bad)")
    }
    try all.set(path("notes/n"), ["text": "t"])
    #expect(try all.document(path("notes/n"))["text"] == "t")
    #expect(refusal { try ann.document(path("notes/n")) } == .noRule)
  }

  @Test func `JSON texts become moments if the schema has a moment`() throws {
    let text = """
      {"moodType": "2026-11-18T12:00:00Z", "timestamp": "2026-11-18T12:00:00Z", "note": "n"}
      """
    let fields = try Application.journal.fields(
      Array(text.utf8), for: path("users/ann/moodEntries/m"))
    #expect(fields["timestamp"] == Samples.moment)
    #expect(fields["moodType"] == "2026-11-18T12:00:00Z")
    // Documents that were read can be stored again, in every model.
    let models: [(String, Fields)] = [
      ("users/ann", ["lastActive": Samples.moment, "settings": .map(["reminderTime": "20:30"])]),
      ("users/ann/mood_checkins/c", Samples.checkIn), ("users/ann/drawings/d", Samples.drawing),
      ("users/ann/moodEntries/m", Samples.moodEntry), ("sessionLogs/l1", Samples.sessionLog),
      (
        "outbox/e",
        [
          "kind": "k", "uid": "ann", "payload": .map([:]), "createdAt": Samples.moment,
          "attempts": 0, "nextAttemptAt": Samples.moment,
        ]
      ),
    ]
    for (name, fields) in models {
      let path = try path(name)
      let stored = try all.set(path, fields).value.fields
      #expect(try Application.journal.fields(stored.json, for: path) == stored, "\(name)")
      #expect(try all.set(path, stored).isApplied)
    }
    for text in ["", "[]", "{", "{\"a\": }", "5"] {
      #expect(throws: ServiceError.self, "\(text)") {
        try Application.journal.fields(Array(text.utf8), for: path("users/ann"))
      }
    }
  }

  @Test func `fields that only the service sets stay unchanged`() throws {
    let drawings = fixture.drawings()
    try drawings.submit(try Recordings.submission(2, id: "d"), of: "ann")
    let path = try path("users/ann/drawings/d")
    let before = try ann.document(path)
    let forged: Fields = ["recordingSHA256": "0", "imageIsRendered": false, "imageSHA256": "1"]
    try ann.set(path, before.fields.merging(forged).merging(["promptUsed": "p"]))
    try ann.set(path, forged.merging(["promptUsed": "q"]), merges: true)
    try ann.set(path, Samples.drawing)
    for name in DrawingRecord.serviceFields {
      #expect(try ann.document(path)[name] == before[name], "\(name)")
    }
    #expect(throws: ServiceError.self) { try drawings.update("d", of: "ann", forged) }
    // In other collections a field of such a name is ordinary.
    let other = try self.path("notes/n")
    let notes = DocumentService(fixture.environment, as: .operator)
    for fields in [forged, ["text": "a"]] {
      try notes.set(other, fields)
      #expect(try notes.document(other).fields == fields)
    }
    // Its files are deleted, too.
    #expect(try ann.delete(path))
    #expect(try fixture.allFiles().isEmpty)
  }

  @Test func `operators change single entries of the catalogue`() throws {
    let catalogue = CatalogueService(fixture.environment, as: .operator)
    try catalogue.seed()
    let json = """
      {"resource_id": "r", "title": "one", "contentText": "c", "category": "safety"}
      """
    #expect(try catalogue.put(Array(json.utf8))["resourceId"] == "r")
    let changed = json.replacing("one", with: "two")
    #expect(try catalogue.put(Array(changed.utf8))["title"] == "two")
    #expect(try catalogue.entry("r", .educationalResources)["title"] == "two")
    let reader = CatalogueService(fixture.environment, as: .user("ann"))
    #expect(try reader.entry("r", .educationalResources)["title"] == "two")
    #expect(refusal { try reader.put(Array(json.utf8)) } == .noRule)
    #expect(refusal { try reader.delete("r", .educationalResources) } == .noRule)
    #expect(try catalogue.delete("r", .educationalResources))
    #expect(try !catalogue.delete("r", .educationalResources))
    #expect(storageProblem { try reader.entry("r", .educationalResources) } == .notFound)
    for wrong in [
      "", "{}", "{\"title\": \"t\"}", "{\"methodId\": \"m\", \"resourceId\": \"r\"}",
      "{\"methodId\": 5}",
    ] {
      #expect(throws: ServiceError.self, "\(wrong)") { try catalogue.put(Array(wrong.utf8)) }
    }
    #expect(throws: FieldError.self) { try catalogue.put(Array("{\"methodId\": \"m\"}".utf8)) }
  }

  @Test func `users with only logs are listed`() throws {
    let logs = CollectionService(.sessionLogs, in: fixture.environment, as: .operator)
    for index in 0..<5 {
      for uid in ["bob", "zoe"] {
        try logs.create(
          Samples.sessionLog.merging([
            "logId": .text("\(uid)\(index)"), "userId": .text(uid),
          ]))
      }
    }
    try UserService(fixture.environment, as: .user("ann")).setProfile("ann", ["userName": "n"])
    let users = UserService(fixture.environment, as: .operator)
    #expect(try users.users() == ["ann", "bob", "zoe"])
    #expect(try users.documents(of: "zoe").count == 5)
  }

  @Test func `the counts of a user's data are known before deleting everything`() throws {
    let users = UserService(fixture.environment, as: .user("ann"))
    #expect(try users.holdings(of: "ann").isEmpty)
    try users.setProfile("ann", [:])
    for _ in 0..<10 { try fixture.checkIns().create(Samples.checkIn, of: "ann") }
    try fixture.drawings().submit(try Recordings.submission(2), of: "ann")
    try CollectionService(.sessionLogs, in: fixture.environment, as: .user("ann")).create(
      Samples.sessionLog)
    let holdings = try users.holdings(of: "ann")
    #expect(holdings.files == 3 && holdings.bytes > 100)
    #expect(refusal { try users.holdings(of: "bob") } == .notOwner)
    #expect(try users.deleteEverything(of: "ann") == holdings.documents)
    #expect(try users.holdings(of: "ann").isEmpty)
  }
}
