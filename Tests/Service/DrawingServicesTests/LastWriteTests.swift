import TestSupport
import Testing

@testable import DrawingServices
@testable import Journal
@testable import Storage

/// Of two writes the later one stays, by the times of their clients; and the limits of these times.
struct LastWriteTests {
  private let fixture = ServiceFixture()
  private let start = ServiceFixture.start
  private var entries: CollectionService {
    CollectionService(.moodEntries, in: fixture.environment, as: .user("ann"))
  }

  /// The models with a time of change, each with a document named x and a way to change one of its
  /// fields.
  private typealias Model = (
    field: String, change: (Fields) throws -> Updated<Document>, stored: () throws -> Document
  )

  private func models() throws -> [Model] {
    let (checkIns, drawings) = (fixture.checkIns(), fixture.drawings())
    let documents = DocumentService(fixture.environment, as: .user("ann"))
    let at: Fields = ["updatedAt": Samples.moment, "createdAt": Samples.moment]
    try checkIns.create(Samples.checkIn.merging(at), of: "ann", id: "x")
    try entries.create(Samples.moodEntry.merging(at), of: "ann", id: "x")
    try fixture.setDrawing("x", at: start)
    try fixture.set("users/ann/moodEntries/y", Samples.moodEntry.merging(at))
    try fixture.set("users/ann/moodEntries/z", Samples.moodEntry.merging(at))
    let (other, third) = (
      try DocumentPath("users/ann/moodEntries/y"), try DocumentPath("users/ann/moodEntries/z")
    )
    return [
      (
        "journal", { try checkIns.update("x", of: "ann", $0) },
        { try checkIns.document("x", of: "ann") }
      ),
      (
        "promptUsed", { try drawings.update("x", of: "ann", $0).map(\.document) },
        { try drawings.drawing("x", of: "ann").document }
      ),
      (
        "note", { try entries.update("x", of: "ann", $0) }, { try entries.document("x", of: "ann") }
      ),
      (
        "note", { try documents.set(other, $0, merges: true) }, { try documents.document(other) }
      ),
      (
        "note", { try documents.set(third, Samples.moodEntry.merging($0)) },
        { try documents.document(third) }
      ),
    ]
  }

  @Test func `an older change does not replace a newer one, and returns the stored value`() throws {
    for (field, change, stored) in try models() {
      fixture.clock.now = start + 100
      func put(_ text: String, at seconds: Int64) throws -> Updated<Document> {
        try change(Fields([(field, .text(text)), ("updatedAt", .moment(start + seconds))]))
      }
      let newer = try put("newer", at: 50)
      #expect(newer.isApplied && newer.value[field] == "newer")
      for (text, seconds) in [("older", 49), ("other", 50), ("oldest", -9999)] as [(String, Int64)]
      {
        let late = try put(text, at: seconds)
        #expect(!late.isApplied && late.value == newer.value, "\(field) \(text)")
        #expect(try stored() == newer.value, "\(field) \(text)")
      }
      // Repeating the request, as after a lost response, changes nothing and succeeds.
      let again = try put("newer", at: 50)
      #expect(again.isApplied && again.value == newer.value)
      #expect(try put("newest", at: 51).value[field] == "newest")
      fixture.clock.now = start
    }
  }

  @Test func `concurrent changes give the same result in any order`() throws {
    var random = SplitMix64(seed: 16)
    try entries.create(
      Samples.moodEntry.merging(["updatedAt": Samples.moment]), of: "ann", id: "m")
    fixture.clock.now = start + 100
    for _ in 0..<20 {
      try fixture.set(
        "users/ann/moodEntries/m",
        Samples.moodEntry.merging(["updatedAt": Samples.moment, "createdAt": Samples.moment]))
      for second in (1...6).shuffled(using: &random) {
        try entries.update(
          "m", of: "ann",
          ["note": .text("\(second)"), "updatedAt": .moment(start + Int64(second))])
      }
      #expect(try entries.document("m", of: "ann")["note"] == "6")
    }
  }

  @Test func `a change without a time counts as later than the stored one`() throws {
    for (field, change, stored) in try models() {
      let ahead = start + 3600
      #expect(
        try change(Fields([(field, .text("a")), ("updatedAt", .moment(ahead))])).isApplied)
      // The device's clock is an hour ahead; a change without a time has the current time and is
      // applied.
      let now = try change(Fields([(field, .text("b"))]))
      #expect(now.isApplied && now.value[field] == "b")
      #expect(try stored()["updatedAt"] == .moment(Moment(microseconds: ahead.microseconds + 1)))
    }
    // Rendering pictures again does not depend on clocks either.
    let drawings = fixture.drawings()
    try drawings.submit(try Recordings.submission(2, id: "d"), of: "ann")
    try drawings.update("d", of: "ann", ["thumbnailURL": .null, "updatedAt": .moment(start + 60)])
    try drawings.rerender("d", of: "ann")
    #expect(try drawings.drawing("d", of: "ann").document["thumbnailURL"]?.textValue != nil)
  }

  @Test func `a stored time outside of the limits does not prevent changes`() throws {
    try fixture.set(
      "users/ann/moodEntries/m",
      Samples.moodEntry.merging([
        "createdAt": Samples.moment, "updatedAt": .moment(start + 9_999_999_999),
      ]))
    let entry = try entries.update("m", of: "ann", ["note": "n", "updatedAt": .moment(start + 1)])
    #expect(entry.isApplied && entry.value["updatedAt"] == .moment(start + 1))
  }

  @Test func `times far ahead of the service's clock are refused in every model`() throws {
    let latest = start + 86_400
    let (checkIns, drawings) = (fixture.checkIns(), fixture.drawings())
    let logs = CollectionService(.sessionLogs, in: fixture.environment, as: .user("ann"))
    let users = UserService(fixture.environment, as: .user("ann"))
    let operators = CollectionService(.sessionLogs, in: fixture.environment, as: .operator)
    try logs.create(Samples.sessionLog.merging(["logId": "old"]))
    try checkIns.create(Samples.checkIn, of: "ann", id: "old")
    try fixture.setDrawing("old", at: start)
    var count = 0
    func id() -> String {
      count += 1
      return "n\(count)"
    }
    let writes: [(String, (FieldValue) throws -> Any)] = [
      ("createdAt", { try checkIns.create(Samples.checkIn.merging(["createdAt": $0]), of: "ann") }),
      ("updatedAt", { try checkIns.create(Samples.checkIn.merging(["updatedAt": $0]), of: "ann") }),
      ("createdAt", { try checkIns.update("old", of: "ann", ["createdAt": $0]) }),
      ("updatedAt", { try checkIns.update("old", of: "ann", ["updatedAt": $0]) }),
      (
        "timestamp", { try entries.create(Samples.moodEntry.merging(["timestamp": $0]), of: "ann") }
      ),
      (
        "updatedAt", { try entries.create(Samples.moodEntry.merging(["updatedAt": $0]), of: "ann") }
      ),
      ("createdAt", { try drawings.update("old", of: "ann", ["createdAt": $0]) }),
      ("startTime", { try logs.update("old", ["startTime": $0]) }),
      (
        "startTime",
        {
          try operators.create(
            Samples.sessionLog.merging(["startTime": $0, "logId": .text(id())]))
        }
      ),
      ("lastActive", { try users.setProfile("ann", ["lastActive": $0]) }),
      ("creationDate", { try users.setProfile("ann", ["creationDate": $0]) }),
    ]
    for (field, write) in writes {
      let error = thrown { try write(.moment(Moment(microseconds: latest.microseconds + 1))) }
      #expect((error as? FieldError)?.problem == .tooFarAhead(seconds: 86_400), "\(field)")
      #expect((error as? FieldError)?.field == field)
      #expect(thrown { try write(.moment(latest)) } == nil, "\(field)")
    }
    var submission = try Recordings.submission(2)
    submission.date = .at(latest + 1)
    #expect(thrown { try drawings.submit(submission, of: "ann") } is FieldError)
    #expect(try fixture.allFiles().isEmpty)
    // A stored time stays, and does not prevent other changes.
    try fixture.setCheckIn("late", at: latest + 1)
    #expect(try checkIns.update("late", of: "ann", ["journal": "n"]).isApplied)
    // A reminder is in the future.
    try users.setProfile(
      "ann", ["settings": .map(["reminderTime": .moment(latest + 9_999_999)])])
  }

  @Test func `a recording whose clock was ahead is adopted without a date`() throws {
    let bytes = try Recordings.submission(2).recording
    let file = try PictureMaker.open(bytes)
    let first = try #require(file.firstMoment)
    fixture.clock.now = first + -86_401
    let adoption = Adoption(fixture.environment)
    #expect(
      try adoption.adopt(.init(uid: "ann", id: "a"), recording: bytes, image: nil) == .adopted)
    fixture.clock.now = first + -86_400
    #expect(
      try adoption.adopt(.init(uid: "ann", id: "b"), recording: bytes, image: nil) == .adopted)
    let drawings = fixture.drawings()
    #expect(try drawings.drawing("a", of: "ann").createdAt == nil)
    #expect(try drawings.drawing("b", of: "ann").createdAt == first)
  }

  @Test func `a profile belongs to its owner, and reminders are times of day`() throws {
    let users = UserService(fixture.environment, as: .operator)
    #expect(thrown { try users.setProfile("ann", ["userId": "bob"]) } is FieldError)
    #expect(thrown { try users.setProfile("ann", ["userId": "ann"]) } == nil)
    for (time, isRight) in [
      ("20:30", true), ("00:00", true), ("23:59:59", true), ("24:00", false), ("7:30", false),
      ("07:60", false), ("", false), ("soon", false), ("07:30:", false), (5, false), (true, false),
    ] as [(FieldValue, Bool)] {
      let error = thrown {
        try users.setProfile("ann", ["settings": .map(["reminderTime": time])])
      }
      #expect((error == nil) == isRight && (error == nil || error is FieldError), "\(time)")
    }
  }
}
