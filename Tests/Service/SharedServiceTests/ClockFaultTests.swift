import Storage
import StorageTestSupport
import TestSupport
import Testing
import Threads
import WebClient

@testable import DrawingServices
@testable import SharedStorage

/// Two services on the same stores whose clocks are wrong by hours.
@Suite(.enabled(if: TestStores.arePresent, "\(TestStores.absence)"))
struct ClockFaultTests {
  private let stores: TestStores
  private let (fast, slow): (ServiceEnvironment, ServiceEnvironment)

  init() throws {
    stores = try TestStores()
    fast = try stores.service { moment() + 2 * 3600 }
    slow = try stores.service { moment() - 2 * 3600 }
  }

  private func submit(
    _ id: String, _ seed: UInt64, to service: ServiceEnvironment
  ) throws -> DrawingRecord {
    var submission = DrawingService.Submission(recording: try Ink.small(seed))
    submission.id = id
    return try DrawingService(service, as: .user("u")).submit(submission, of: "u")
  }

  @Test func `changes by two different clocks are all made, in their order`() throws {
    var cursor: Int64 = 0
    /// The changes since the last call, which must be equal for both.
    func changes() throws -> [String] {
      let pages = try [fast, slow].map {
        try ChangeService($0, as: .user("u")).page(of: "u", after: cursor, limit: 100)
      }
      #expect(pages[0].changes == pages[1].changes && pages[0].cursor == pages[1].cursor)
      cursor = pages[0].cursor
      return pages[0].changes.compactMap { $0.path.description.split(separator: "/").last }
        .map { String($0) }
    }
    for (id, here, there) in [("by-fast", fast, slow), ("by-slow", slow, fast)] {
      let service = DrawingService(there, as: .user("u"))
      let first = try submit(id, 1, to: here)
      #expect(try changes() == [id])
      // The same submission again, by the other clock.
      #expect(try submit(id, 1, to: there).document.sequence == first.document.sequence)
      let updated = try service.update(id, of: "u", ["promptUsed": "sky"])
      #expect(updated.isApplied)
      let revised = try DrawingService(here, as: .user("u"))
        .revise(Ink.small(2), ofDrawing: id, of: "u", replacing: .any)
      let again = try service.revise(Ink.small(3), ofDrawing: id, of: "u", replacing: .any)
      let documents = [
        first.document, updated.value.document, revised.document, again.document,
      ]
      let times = documents.compactMap { $0["updatedAt"]?.momentValue }
      #expect(times.count == 4 && times == times.sorted())
      #expect(again.document["promptUsed"]?.textValue == "sky")
      #expect(try changes() == [id])
      #expect(
        try DrawingService(here, as: .user("u")).file("recording.pkd", ofDrawing: id, of: "u").bytes
          == Ink.small(3))
      #expect(try service.delete(id, of: "u"))
      #expect(try changes() == [id])
      #expect(try DrawingService(here, as: .user("u")).all(of: "u", limit: 10).drawings.isEmpty)
      // The name can be used again by both.
      _ = try submit(id, 4, to: here)
      #expect(try service.delete(id, of: "u"))
      _ = try submit(id, 5, to: there)
      #expect(try DrawingService(here, as: .user("u")).delete(id, of: "u"))
      #expect(try changes() == [id])
    }
    #expect(try fast.blobs.folders(below: BlobFolder("users"), after: nil, limit: 10).isEmpty)
  }

  @Test func `a sweep with a clock hours ahead keeps open submissions`() throws {
    _ = try submit("d", 1, to: slow)
    // In the state of a submission and an upload in parts just before their end. The upload is
    // older, so it is due at the same time.
    let client = try stores.client()
    let begin = ObjectClient.Request(
      method: .post, key: "\(client.address.prefix)users/u/drawings/upload/recording.pkd",
      query: [("uploads", "")])
    #expect(try client.answer(begin).status == 200)
    let folder = try BlobFolder("users/u/drawings/young")
    let recording = BlobContent("recording.pkd", contentType: "a/b", try Ink.small(2))
    try slow.blobs.put([recording], in: folder, at: slow.now())
    for service in [fast, slow] {
      #expect(try Sweep(service).run() == Sweep.Result())
      #expect(try service.blobs.get(folder.blob("recording.pkd"))?.bytes == recording.bytes)
    }
    // By the store's clock they are a few seconds old.
    #expect(
      happens {
        (try? Sweep(fast).run(.init(minimumAge: 2, takesUnknown: true, isDryRun: true)).orphans)
          == 1
      })
    let swept = try Sweep(slow).run(.init(minimumAge: 2, takesUnknown: true))
    #expect(swept.orphans == 1 && swept.leftovers == 1 && swept.problems == [])
    #expect(
      try DrawingService(fast, as: .user("u")).file("recording.pkd", ofDrawing: "d", of: "u").bytes
        == Ink.small(1))
  }

  @Test func `sweeps with a fast clock disturb no submission with a slow one`() throws {
    let outcome = ConditionMutex((stored: [String](), orphans: 0, odd: [String]()))
    let end = seconds() + 3
    Lanes.run(3) { lane in
      var number = 0
      while seconds() < end {
        number += 1
        do {
          if lane == 0 {
            let swept = try Sweep(fast).run(.init(takesUnknown: true))
            outcome.withLock { $0.orphans += swept.orphans }
          } else {
            let record = try submit("d\(lane)-\(number)", UInt64(number), to: slow)
            outcome.withLock { $0.stored.append(record.id) }
          }
        } catch  where !mayPass(error) {
          outcome.withLock { $0.odd.append("\(error)") }
        } catch {}
      }
    }
    let seen = outcome.withLock { $0 }
    #expect(seen.odd == [])
    #expect(seen.orphans == 0 && seen.stored.count > 5)
    for id in seen.stored {
      #expect(
        try DrawingService(fast, as: .user("u")).file("recording.pkd", ofDrawing: id, of: "u").bytes
          == Ink.small(ofDrawing: id))
    }
  }
}
