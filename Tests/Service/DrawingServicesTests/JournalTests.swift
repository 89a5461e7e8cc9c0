import Calendar
import Foundation
import TestSupport
import Testing

@testable import DrawingServices
@testable import Journal
@testable import Storage

/// Check-ins, mood entries, profiles, logs and the catalogue.
struct JournalTests {
  private let fixture = ServiceFixture()
  private var checkIns: CollectionService { fixture.checkIns() }
  private let start = ServiceFixture.start

  private static func moment(_ text: String) throws -> Moment {
    try #require(Moment(iso8601: text))
  }

  // MARK: - Check-ins

  @Test func `missing fields of a check-in are filled in, given ones are kept`() throws {
    var fields = Samples.checkIn
    fields["createdAt"] = nil
    let first = try checkIns.create(fields, of: "ann")
    #expect(CheckIn(first).createdAt == start && CheckIn(first).timezoneOffsetMinutes == 0)
    #expect(first["updatedAt"] == Samples.moment)
    let said = Samples.checkIn.merging([
      "createdAt": .moment(start + -60), "updatedAt": .moment(start + -30),
      "timezoneOffsetMinutes": 480, "journal": "a day", "weather": .map(["sky": "grey"]),
    ])
    let second = try checkIns.create(said, of: "ann", id: "c2")
    #expect(second.fields == said && second.id == "c2")
    #expect(try checkIns.document("c2", of: "ann") == second)
    #expect(first.id != second.id && first["emotion"] == "joy" && first["colorHex"] == "#FFD700")
    let nulls = Samples.checkIn.merging([
      "createdAt": .null, "updatedAt": .null, "timezoneOffsetMinutes": .null,
    ])
    #expect(try checkIns.create(nulls, of: "ann")["createdAt"] == .moment(start))
  }

  @Test func `a repeated check-in is stored once`() throws {
    let entries = CollectionService(.moodEntries, in: fixture.environment, as: .user("ann"))
    let logs = CollectionService(.sessionLogs, in: fixture.environment, as: .user("ann"))
    var undated = Samples.checkIn
    undated["createdAt"] = nil
    let first = try checkIns.create(undated, of: "ann", id: "c")
    let entry = try entries.create(Samples.moodEntry, of: "ann", id: "m")
    let log = try logs.create(Samples.sessionLog)
    let documents = try fixture.allDocuments()
    fixture.clock.now = start + 60
    #expect(try checkIns.create(undated, of: "ann", id: "c") == first)
    #expect(try entries.create(Samples.moodEntry, of: "ann", id: "m") == entry)
    #expect(try logs.create(Samples.sessionLog) == log)
    #expect(try fixture.allDocuments() == documents)
    // Other fields under the same name are refused.
    for other: Fields in [["emotion": "sad"], ["createdAt": .moment(start + 60)], ["new": 1]] {
      let fields = undated.merging(other)
      #expect(storageProblem { try checkIns.create(fields, of: "ann", id: "c") } == .alreadyExists)
    }
    // A request without a time equals the earlier one.
    let open = Samples.moodEntry.merging(["createdAt": .null, "updatedAt": .null])
    #expect(try entries.create(open, of: "ann", id: "m") == entry)
    let noted = Samples.moodEntry.merging(["note": "a note"])
    try entries.create(noted, of: "ann", id: "noted")
    #expect(
      storageProblem { try entries.create(Samples.moodEntry, of: "ann", id: "noted") }
        == .alreadyExists)
    try entries.delete("noted", of: "ann")
    let note = Samples.moodEntry.merging(["note": "other"])
    #expect(storageProblem { try entries.create(note, of: "ann", id: "m") } == .alreadyExists)
    let notes = Samples.sessionLog.merging(["userNotes": "other"])
    #expect(storageProblem { try logs.create(notes) } == .alreadyExists)
    #expect(throws: ServiceError.self) { try logs.create(Samples.sessionLog, id: "l2") }
    // Other users cannot find out whether a name exists.
    #expect(throws: AccessRefusal.self) {
      try fixture.checkIns(as: .user("bob")).create(undated, of: "ann", id: "c")
    }
    #expect(try fixture.allDocuments() == documents)
  }

  @Test func `a check-in without any choice is valid`() throws {
    let fields = Samples.checkIn.merging([
      "colorHex": "", "emotion": "", "topic": "", "evaluation": "", "colorIntensity": 0,
    ])
    let checkIn = try checkIns.create(fields, of: "ann")
    #expect(checkIn["emotion"] == "" && checkIn["colorHex"] == "")
    let chart = try fixture.views().weekChart(
      of: "ann", until: start, zone: .utc)
    #expect(chart.map(\.score) == [nil])
  }

  @Test func `the latest check-ins are newest first, a range is oldest first`() throws {
    for index in 0..<9 { try fixture.setCheckIn("c\(index)", at: start + Int64(index)) }
    func page(
      _ limit: Int? = nil, from start: Moment? = nil, to end: Moment? = nil, of uid: String = "ann"
    ) throws -> [String] {
      try fixture.checkIns(as: .user(uid))
        .page(of: uid, from: start, to: end, limit: limit).documents.map(\.id)
    }
    #expect(try page(7) == (2...8).reversed().map { "c\($0)" })
    #expect(try page(0).isEmpty && page(99).count == 9)
    #expect(try page(from: start + 2, to: start + 5) == ["c2", "c3", "c4"])
    #expect(try page(from: start + 7) == ["c7", "c8"] && page(to: start + 1) == ["c0"])
    #expect(try page(from: start + 5, to: start + 5).isEmpty)
    #expect(storageProblem { try page(-1) } == .badValue("below zero"))
    #expect(try page(7, of: "bob").isEmpty)
  }

  @Test func `an update of a check-in changes its fields and the time of change`() throws {
    let before = try checkIns.create(
      Samples.checkIn.merging(["more": 1]), of: "ann", id: "c1")
    fixture.clock.now = start + 50
    let after = try checkIns.update("c1", of: "ann", ["journal": "later", "emotion": "calm"]).value
    #expect(
      after.fields
        == before.fields.merging([
          "journal": "later", "emotion": "calm", "updatedAt": .moment(start + 50),
        ]))
    #expect(throws: FieldError.self) { try checkIns.update("c1", of: "ann", ["colorIntensity": 2]) }
    #expect(try checkIns.document("c1", of: "ann") == after)
    #expect(storageProblem { try checkIns.update("c2", of: "ann", [:]) } == .notFound)
    #expect(try checkIns.delete("c1", of: "ann") && !checkIns.delete("c1", of: "ann"))
    #expect(storageProblem { try checkIns.document("c1", of: "ann") } == .notFound)
  }

  @Test func `the mood chart has seven days and a score for each known emotion`() throws {
    let zone = try ZoneRules(named: "Asia/Taipei")
    // It is the 18th in Taipei; that day began at 16:00 the day before.
    for (id, text, emotion) in [
      ("c1", "2026-11-11T15:59:59.999999Z", "joy"), ("c2", "2026-11-11T16:00:00Z", "Joy"),
      ("c3", "2026-11-17T15:59:59Z", "sad"), ("c4", "2026-11-17T16:00:00Z", "somethingElse"),
      ("c5", "2026-11-18T15:59:59Z", "anger"), ("c6", "2026-11-18T16:00:00Z", "joy"),
    ] {
      try fixture.setCheckIn(id, at: try Self.moment(text), emotion: emotion)
    }
    let chart = try fixture.views().weekChart(of: "ann", until: start, zone: zone)
    #expect(chart.map(\.checkIn.id) == ["c2", "c3", "c4", "c5"])
    #expect(chart.map(\.score) == [5, 2, nil, 1])
    #expect(
      chart.map(\.day.description) == ["2026-11-12", "2026-11-17", "2026-11-18", "2026-11-18"])
    #expect(
      try fixture.views().planets(of: "ann", at: start, zone: zone).map(\.id) == ["c4", "c5"])
    #expect(
      try fixture.views().planets(of: "ann", at: start, zone: .utc).map(\.id) == ["c5", "c6"])
  }

  // MARK: - Mood entries

  @Test func `mood entries come in pages of fifty, newest first by when they were logged`() throws {
    let service = CollectionService(.moodEntries, in: fixture.environment, as: .user("ann"))
    for index in 0..<120 {
      // Two entries at every moment.
      let fields: Fields = ["moodType": "sad", "timestamp": .moment(start + Int64(index / 2))]
      let entry = try service.create(fields, of: "ann", id: "m\(padded(index, 3))")
      #expect(entry["createdAt"] == Samples.moment && entry["updatedAt"] == Samples.moment)
    }
    var (ids, cursor, sizes) = ([String](), Query.Cursor?.none, [Int]())
    repeat {
      let page = try service.page(of: "ann", after: cursor)
      ids += page.documents.map(\.id)
      sizes.append(page.documents.count)
      cursor = page.cursor
    } while cursor != nil && sizes.count < 9
    #expect(sizes == [50, 50, 20] && CollectionService.pageSize == 50)
    #expect(ids == (0..<120).reversed().map { "m\(padded($0, 3))" })
    #expect(
      storageProblem { try service.create(Samples.moodEntry, of: "ann", id: "m000") }
        == .alreadyExists)
  }

  @Test func `the time of a journal change comes from the device or the service`() throws {
    let service = CollectionService(.moodEntries, in: fixture.environment, as: .user("ann"))
    try service.create(Samples.moodEntry.merging(["deviceID": "d", "more": 1]), of: "ann", id: "m")
    fixture.clock.now = start + 60
    var entry = try service.update(
      "m", of: "ann", ["note": "n", "updatedAt": .moment(start + 5)]
    ).value
    #expect(entry["updatedAt"] == .moment(start + 5) && entry["more"] == 1)
    entry = try service.update("m", of: "ann", ["note": "o"]).value
    #expect(entry["updatedAt"] == .moment(start + 60) && entry["createdAt"] == Samples.moment)
    #expect(throws: FieldError.self) { try service.update("m", of: "ann", ["timestamp": 5]) }
    #expect(try service.delete("m", of: "ann") && !service.delete("m", of: "ann"))
  }

  // MARK: - Profiles and logs

  @Test func `a profile is created by the first fields and changed by the next`() throws {
    let service = UserService(fixture.environment, as: .user("ann"))
    #expect(try service.profile("ann") == nil)
    try service.setProfile("ann", ["userName": "Ann", "theme": "dark"])
    fixture.clock.now = start + 9
    let profile = try service.setProfile("ann", ["notificationHour": 21])
    #expect(
      profile.fields == [
        "userName": "Ann", "theme": "dark", "notificationHour": 21, "createdAt": Samples.moment,
      ])
    #expect(try service.profile("ann") == profile)
    for fields: Fields in [
      ["notificationHour": 24], ["notificationMinute": -1], ["userName": 5],
      ["settings": .map(["privacyLevel": "none"])], ["selectedExpectations": [1]],
    ] {
      #expect(throws: FieldError.self) { try service.setProfile("ann", fields) }
      #expect(throws: FieldError.self) {
        try UserService(fixture.environment, as: .user("bob")).setProfile("bob", fields)
      }
    }
    #expect(refusal { try service.setProfile("bob", [:]) } == .notOwner)
  }

  @Test func `a session log belongs to the user in its field`() throws {
    let service = CollectionService(.sessionLogs, in: fixture.environment, as: .user("ann"))
    let bob = CollectionService(.sessionLogs, in: fixture.environment, as: .user("bob"))
    try service.create(Samples.sessionLog)
    var fields = Samples.sessionLog
    (fields["logId"], fields["startTime"]) = (nil, .moment(start + 60))
    let second = try service.create(fields)
    #expect(second["logId"] == .text(second.id))
    try bob.create(fields.merging(["userId": "bob"]))
    #expect(refusal { try bob.create(fields) } == .notOwner)
    #expect(try service.page(of: "ann").documents.map(\.id) == [second.id, "l1"])
    #expect(refusal { try bob.page(of: "ann") } == .notOwner)
    for act: () throws -> Any in [
      { try bob.update("l1", ["userNotes": "n"]) }, { try bob.delete("l1") },
      { try bob.update("missing", ["userNotes": "n"]) }, { try bob.delete("missing") },
      { try service.update("l1", ["userId": "bob"]) },
    ] {
      // Other users cannot find out whether it exists.
      #expect(refusal(act) == .notOwner)
    }
    #expect(try service.update("l1", ["userNotes": "n"]).value["userNotes"] == "n")
    #expect(throws: FieldError.self) { try service.update("l1", ["moodBefore": "odd"]) }
    #expect(throws: FieldError.self) { try service.update("l1", ["duration": -1]) }
    #expect(try service.delete("l1"))
    #expect(try service.page(of: "ann", limit: 1).documents.map(\.id) == [second.id])
  }

  // MARK: - The catalogue

  @Test func `the catalogue's seeds are valid, and seeding twice changes nothing`() throws {
    let catalogue = CatalogueService(fixture.environment, as: .operator)
    let count = try catalogue.seed()
    let methods = try catalogue.growthMethods()
    let articles = try catalogue.educationalResources()
    #expect(methods.count >= 3 && articles.count >= 2 && count == methods.count + articles.count)
    let stages = try methods.map { try #require($0["stage"]?.integerValue) }
    #expect(stages == stages.sorted() && Set(stages).count > 1)
    fixture.clock.now = start + 60
    #expect(try catalogue.seed() == 0)
    #expect(try catalogue.growthMethods() == methods)
    let reader = CatalogueService(fixture.environment, as: .user("ann"))
    #expect(try reader.growthMethods() == methods && reader.educationalResources() == articles)
  }

  @Test func `catalogue seeds may use snake case, and replace entries that differ`() throws {
    let catalogue = CatalogueService(fixture.environment, as: .operator)
    func seeds(_ title: String, _ names: [String]) -> [UInt8] {
      let (methodID, text, link, needs, criteria, safety, resourceID, content) = (
        names[0], names[1], names[2], names[3], names[4], names[5], names[6], names[7]
      )
      return Array(
        """
        {"growthMethods": [{"\(methodID)": "m1", "stage": 2, "title": "\(title)",
          "description": "d", "\(text)": "i", "\(link)": "file:v", "\(needs)": ["pen"],
          "\(criteria)": "c", "\(safety)": "s"}],
         "educationalResources": [{"\(resourceID)": "r1", "title": "t", "\(content)": "x",
          "category": "safety"}]}
        """.utf8)
    }
    let snake = [
      "method_id", "instructions_text", "visual_placeholder_url", "equipment_needed",
      "progression_criteria", "safety_notes", "resource_id", "content_text",
    ]
    let camel = [
      "methodId", "instructionsText", "visualPlaceholderUrl", "equipmentNeeded",
      "progressionCriteria", "safetyNotes", "resourceId", "contentText",
    ]
    #expect(try catalogue.seed(seeds("one", snake)) == 2)
    let first = try #require(try catalogue.growthMethods().first)
    #expect(Set(first.fields.all.map(\.0)) == Set(camel[..<6] + ["stage", "title", "description"]))
    #expect(try catalogue.seed(seeds("one", camel)) == 0)
    #expect(try catalogue.seed(seeds("two", camel)) == 1)
    #expect(try catalogue.growthMethods().map { $0["title"] } == ["two"])
  }

  @Test func `invalid catalogue seeds change nothing`() throws {
    let catalogue = CatalogueService(fixture.environment, as: .operator)
    let good = #"{"resourceId": "r1", "title": "t", "contentText": "x", "category": "safety"}"#
    for text in [
      "", "[]", "nonsense", #"{"growthMethods": [1]}"#, #"{"growthMethods": {}}"#,
      #"{"educationalResources": [{"title": "t"}]}"#,
      #"{"educationalResources": [\#(good), {"resourceId": "../x"}]}"#,
      #"{"educationalResources": [\#(good), {"resourceId": "r2", "title": 5}]}"#,
      #"{"educationalResources": [\#(good)], "growthMethods": [{"methodId": "m1"}]}"#,
    ] {
      #expect(throws: (any Error).self, "\(text)") { try catalogue.seed(Array(text.utf8)) }
      #expect(try fixture.allDocuments().isEmpty, "\(text)")
    }
    #expect(try catalogue.seed(Array("{}".utf8)) == 0)
  }

  // MARK: - Everything of one user

  @Test func `all data of one user is deleted, and none of the others`() throws {
    let environment = fixture.environment
    func fill(_ uid: String) throws {
      let caller = Caller.user(uid)
      try UserService(environment, as: caller).setProfile(uid, ["userName": "n"])
      for index in 0..<10 {
        try CollectionService(.checkIns, in: environment, as: caller).create(
          Samples.checkIn, of: uid, id: "c\(index)")
      }
      try DrawingService(environment, as: caller).submit(
        try Recordings.submission(2, id: "d1"), of: uid)
      try CollectionService(.moodEntries, in: environment, as: caller).create(
        Samples.moodEntry, of: uid, id: "m")
      try CollectionService(.sessionLogs, in: environment, as: caller).create(
        Samples.sessionLog.merging(["userId": .text(uid), "logId": .text("log-\(uid)")]))
      // A folder without a document, as after a crash.
      try environment.blobs.put(
        try BlobPath("users/\(uid)/drawings/left/image.png"), contentType: "image/png", [1],
        at: start)
    }
    // Names that are prefixes of each other.
    let others = ["an", "ann-b", "ann.b", "annb", "bob"]
    for uid in others { try fill(uid) }
    fixture.clock.now = start + 7 * 86_400
    try WeeklySummaries(environment).makeDue()
    let before = (try fixture.allDocuments(), try fixture.allFiles())
    fixture.clock.now = start
    try fill("ann")
    // A collection without documents, only with deletions.
    try CollectionService(.moodEntries, in: environment, as: .user("ann")).delete("m", of: "ann")
    fixture.clock.now = start + 7 * 86_400
    try WeeklySummaries(environment).makeDue()
    #expect(try fixture.allDocuments().count > before.0.count)

    let service = UserService(environment, as: .user("ann"))
    let mine = try service.documents(of: "ann")
    #expect(mine.count == 1 + 10 + 1 + 0 + 1 + 2)
    #expect(
      mine.allSatisfy {
        $0.path.description.hasPrefix("users/ann/") || $0.path.description == "users/ann"
          || $0["userId"] == "ann"
      })
    #expect(refusal { try service.documents(of: "bob") } == .notOwner)
    #expect(refusal { try service.deleteEverything(of: "bob") } == .notOwner)
    // Including the two events that are not delivered yet.
    #expect(try service.deleteEverything(of: "ann") == mine.count + 2)
    #expect(try fixture.allDocuments() == before.0 && fixture.allFiles() == before.1)
    #expect(try service.deleteEverything(of: "ann") == 0)
    // No record of earlier deletions remains.
    let known = try environment.documents.read {
      try $0.changes(after: 0, in: nil, limit: .max).filter {
        $0.document == nil && "/\($0.path)/".replacing("-", with: "/").contains("/ann/")
      }
    }
    #expect(known.isEmpty)
    #expect(try UserService(environment, as: .operator).users() == others.sorted())
  }
}
