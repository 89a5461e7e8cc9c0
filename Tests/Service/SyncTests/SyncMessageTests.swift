import DrawingServices
import Journal
import Storage
import TestSupport
import Testing

@testable import Sync

struct SyncMessageTests {
  private static func request() -> SyncRequest {
    var request = SyncRequest()
    request.store = "7f"
    request.cursor = 12
    request.limit = 50
    request.refusesUnseen = true
    request.fileBytes = 4096
    var drawing = SyncChange(
      SyncName(.drawings, "one"), .document(["recordingSHA256": "ab", "isFromCheckIn": false]),
      sequence: 3)
    drawing.ancestors = nil
    drawing.files = [
      SyncFile(
        "recording.pkd", sha256: "ab", base: SyncFile.Base(sha256: "cd", count: 10), [1, 2, 3])
    ]
    request.changes = [
      SyncChange(SyncName(.moodEntries, "e"), .document(["moodType": "happy"]), sequence: 1),
      SyncChange(SyncName(.checkIns, "c"), .deleted(Moment(seconds: 5)), sequence: 2), drawing,
    ]
    request.wanted = [
      WantedFile(
        drawing: "one", name: "image.png", sha256: "ef", offset: 7,
        base: SyncFile.Base(sha256: "01", count: 5))
    ]
    return request
  }

  private static func response() -> SyncResponse {
    var response = SyncResponse()
    response.store = "7f"
    response.clock = Moment(seconds: 9)
    response.cursor = 14
    response.hasMore = true
    response.results = [
      0: .superseded, 1: .unseen, 2: .needs(["recording.pkd"], has: "ab"), 3: .conflict(has: "cd"),
      4: .refused(code: "bad-field", "why"), 5: .failed(code: "full", "why"),
      7: .ahead(of: nil), 8: .ahead(of: Moment(seconds: 9)),
      6: .needs(["image.png"], has: nil),
    ]
    response.changes = request().changes
    response.files = [FoundFile(index: 0, count: 9, followsBase: true, bytes: [4, 5])]
    return response
  }

  @Test func `sync messages are read as they were written`() throws {
    let request = Self.request()
    #expect(try SyncRequest(Fields(bytes: request.fields().bytes), in: .journal) == request)
    let response = Self.response()
    #expect(try SyncResponse(Fields(bytes: response.fields().bytes), in: .journal) == response)
    // Missing fields have the defaults of an empty request.
    #expect(
      try SyncRequest(Fields(bytes: SyncRequest().fields().bytes), in: .journal) == SyncRequest())
  }

  @Test func `a sync request in JSON is read, with its moments and files`() throws {
    var request = Self.request()
    request.changes[0].content = .document([
      "moodType": "happy", "updatedAt": .moment(Moment(seconds: 77)),
    ])
    let json = request.fields(forJSON: true).json
    #expect(try SyncRequest(Fields(json: json), in: .journal) == request)
  }

  @Test func `damaged sync messages are refused or read, and never trap`() throws {
    let bytes = Self.request().fields().bytes
    let answer = Self.response().fields().bytes
    var chance = Chance(seed: 1)
    var refused = 0
    for _ in 0..<RunLength.count(4000, long: 200_000) {
      var damaged = chance.isLucky(0.5) ? bytes : answer
      for _ in 0...chance.whole(0...3) {
        let index = chance.whole(0...damaged.count - 1)
        switch chance.whole(0...2) {
        case 0: damaged[index] = UInt8(chance.whole(0...255))
        case 1: damaged.remove(at: index)
        default: damaged.insert(UInt8(chance.whole(0...255)), at: index)
        }
      }
      guard let fields = try? Fields(bytes: damaged) else {
        refused += 1
        continue
      }
      _ = try? SyncRequest(fields, in: .journal)
      _ = try? SyncResponse(fields, in: .journal)
    }
    #expect(refused > 100)
  }

  @Test func `a damaged sync request changes nothing that its sender may not change`() throws {
    let world = World(seed: 3)
    let server = Machine(world, "server", isDevice: false)
    try CollectionService(.moodEntries, in: server.environment, as: .operator).create(
      ["moodType": "calm", "timestamp": .moment(Moment(seconds: 1))], of: "bob", id: "his")
    let before = try server.contents(of: "bob")
    var request = SyncRequest()
    request.cursor = 0
    for id in ["../bob/his", "his/../..", "", ".", String(repeating: "x", count: 10_000), "a\0b"] {
      for collection in Application.journal.synchronizedKinds {
        request.changes.append(
          SyncChange(SyncName(collection, id), .deleted(Moment.supported.upperBound)))
      }
    }
    let response = try SyncService(server.environment, as: .user("ann"))
      .answer(request, of: "ann")
    #expect(response.results.count == request.changes.count)
    #expect(try server.contents(of: "bob") == before)
    #expect(throws: AccessRefusal.self) {
      try SyncService(server.environment, as: .user("ann")).answer(request, of: "bob")
    }
    #expect(throws: AccessRefusal.self) {
      try SyncService(server.environment, as: .anonymous).answer(request, of: "ann")
    }
  }

  @Test func `sync pauses after failures grow, have a limit, and differ`() {
    let backoff = Backoff(first: 1, limit: 60)
    #expect(backoff.seconds(afterFailures: 1, random: 0) == 0.5)
    #expect(backoff.seconds(afterFailures: 4, random: 0) == 4)
    #expect(backoff.seconds(afterFailures: 4, random: 0.5) == 6)
    #expect(backoff.seconds(afterFailures: 1_000_000, random: 1) == 60)
  }
}
