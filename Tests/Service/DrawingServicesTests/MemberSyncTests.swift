import TestSupport
import Testing

@testable import DrawingServices
@testable import Journal
@testable import Storage

/// Sync by members of single drawings.
struct MemberSyncTests {
  private let fixture = ServiceFixture()
  private var environment: ServiceEnvironment { fixture.environment }
  private let later = ServiceFixture.start + 60

  init() throws {
    for id in ["d1", "d2"] {
      var submission = try Recordings.submission(2, id: id)
      submission.promptUsed = "a tree"
      try fixture.drawings().submit(submission, of: "ann")
    }
    try fixture.setCheckIn("c1", at: ServiceFixture.start)
    _ = try fixture.drawings().update("d1", of: "ann", ["tags": ["mine"], "title": "Old"])
    for (uid, role) in [("cat", AccessRule.Role.reader), ("dan", .writer)] {
      let code = try MemberService(environment, as: .user("ann"))
        .invite(to: "d1", of: "ann", role: role).code
      try MemberService(environment, as: .user(uid)).join(code, name: nil)
    }
    fixture.clock.now = later
  }

  private func answer(_ request: SyncRequest, as uid: String) throws -> SyncResponse {
    try SyncService(environment, as: .user(uid)).answer(request, of: "ann")
  }

  /// A version of a drawing with another recording, as a device sends it.
  private func version(
    of id: String = "d1", _ seed: UInt64 = 4, after former: UInt64 = 2, at moment: Moment? = nil,
    _ changes: Fields = [:]
  ) throws -> SyncChange {
    let recording = try Recordings.pkd(seed)
    let sha256 = ContentHash.of(recording)
    let stored = try fixture.drawings().drawing("d1", of: "ann").document.fields
    let fields = DocumentKind.drawings.content(of: stored).merging([
      "recordingSHA256": .text(sha256), "updatedAt": .moment(moment ?? later),
      "deviceID": "device",
    ]).merging(changes)
    var change = SyncChange(SyncName(.drawings, id), .document(fields))
    change.ancestors = [ContentHash.of(try Recordings.pkd(former))]
    change.files = [SyncFile(DrawingFiles.recording, sha256: sha256, recording)]
    return change
  }

  private func request(_ changes: SyncChange...) -> SyncRequest {
    var request = SyncRequest()
    request.changes = changes
    return request
  }

  private static func isRefused(_ result: SyncResult?) -> Bool {
    if case .refused(code: "not-allowed", _)? = result { true } else { false }
  }

  @Test func `a writer's ink and title are stored, and the owner's fields stay`() throws {
    let change = try version(
      4, ["title": "New", "tags": ["theirs"], "promptUsed": .null, "isFromCheckIn": true, "x": 1])
    let response = try answer(request(change), as: "dan")
    #expect(response.results.isEmpty && response.changes.isEmpty && response.cursor == 0)
    let record = try fixture.drawings().drawing("d1", of: "ann")
    #expect(record.recordingSHA256 == ContentHash.of(try Recordings.pkd(4)))
    #expect(record.title == "New" && record.tags == ["mine"] && record.promptUsed == "a tree")
    #expect(record.document["isFromCheckIn"] == false && record.document["x"] == nil)
    // The title alone.
    let title = try version(4, at: later + 60, ["title": "Newer"])
    fixture.clock.now = later + 60
    #expect(try answer(request(title), as: "dan").results.isEmpty)
    #expect(try fixture.drawings().drawing("d1", of: "ann").title == "Newer")
  }

  @Test func `a reader's change and everything else are refused, each alone`() throws {
    let entry = SyncChange(
      SyncName(.moodEntries, "m1"),
      .document(Samples.moodEntry.merging(["updatedAt": .moment(later)])))
    let changes = [
      entry, SyncChange(SyncName(.checkIns, "c1"), .deleted(later)),
      SyncChange(SyncName(.drawings, "d1"), .deleted(later)), try version(of: "d2"),
      try version(of: "d3"), SyncChange(SyncName(.drawings, "../d1"), .deleted(later)),
      try version(),
    ]
    let before = try fixture.allDocuments()
    for uid in ["cat", "dan"] {
      var request = SyncRequest()
      request.changes = uid == "cat" ? changes : changes.dropLast()
      // The member wants a file of the shared drawing, and so may ask.
      let sha256 = ContentHash.of(try Recordings.pkd(2))
      request.wanted = ["d1", "d2"].map {
        WantedFile(drawing: $0, name: DrawingFiles.recording, sha256: sha256)
      }
      request.fileBytes = 100_000
      let response = try answer(request, as: uid)
      for index in request.changes.indices {
        #expect(Self.isRefused(response.results[index]), "\(uid) \(index)")
      }
      #expect(response.files.map(\.index) == [0])
      #expect(response.files.first?.bytes == (try Recordings.pkd(2)))
    }
    #expect(try fixture.allDocuments() == before)
    // Beside them, the writer's own change is stored.
    let mixed = try answer(request(entry, version()), as: "dan")
    #expect(mixed.results.count == 1 && Self.isRefused(mixed.results[0]))
  }

  @Test func `a cursor, or nothing that is shared, is refused as to strangers`() throws {
    var all = SyncRequest()
    all.cursor = 0
    var both = request(try version())
    both.cursor = 0
    let requests = [SyncRequest(), all, both, request(try version(of: "d2"))]
    for uid in ["bob", "cat", "dan"] {
      for request in requests {
        #expect(refusal { try answer(request, as: uid) } == .notOwner)
      }
    }
    #expect(refusal { try answer(request(version()), as: "bob") } == .notOwner)
    try MemberService(environment, as: .user("ann")).remove("dan", from: "d1", of: "ann")
    #expect(refusal { try answer(request(version()), as: "dan") } == .notOwner)
  }

  @Test func `a member's image is not taken, and the service renders one`() throws {
    let image = try Recordings.image(9)
    var change = try version(4, ["imageSHA256": .text(ContentHash.of(image))])
    change.files.append(SyncFile(DrawingFiles.image, sha256: ContentHash.of(image), image))
    #expect(try answer(request(change), as: "dan").results.isEmpty)
    #expect(
      try fixture.drawings().file(DrawingFiles.image, ofDrawing: "d1", of: "ann").bytes != image)
    #expect(try fixture.drawings().drawing("d1", of: "ann").hasRenderedImage)
  }

  @Test func `pieces of a file come from the member's own uploads`() throws {
    var change = try version()
    change.files = []
    let recording = try Recordings.pkd(4)
    try StagedFiles(environment, of: "ann").add(recording, to: ContentHash.of(recording), at: 0)
    guard
      case .needs([DrawingFiles.recording], _)? =
        try answer(request(change), as: "dan").results[0]
    else {
      Issue.record("the owner's pieces were used")
      return
    }
    let own = StagedFiles(environment, of: "dan")
    try own.add(recording, to: ContentHash.of(recording), at: 0)
    #expect(try answer(request(change), as: "dan").results.isEmpty)
    #expect(try own.count(ContentHash.of(recording)) == 0)
    #expect(
      try StagedFiles(environment, of: "ann").count(ContentHash.of(recording)) == recording.count)
  }

  @Test func `the owner's device gets a member's change, and both merge as usual`() throws {
    #expect(try answer(request(version()), as: "dan").results.isEmpty)
    // The owner has drawn on the former recording meanwhile.
    let other = try answer(request(version(6)), as: "ann")
    #expect(other.results[0] == .conflict(has: ContentHash.of(try Recordings.pkd(4))))
    var poll = SyncRequest()
    poll.cursor = 0
    let change = try answer(poll, as: "ann").changes.first { $0.name.id == "d1" }
    #expect(change?.sha256(of: DrawingFiles.recording) == ContentHash.of(try Recordings.pkd(4)))
    #expect(change?.fields?["tags"] == ["mine"])
  }
}
