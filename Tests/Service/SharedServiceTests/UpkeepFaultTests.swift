import Foundation
import Storage
import StorageTestSupport
import TestSupport
import Testing
import Threads
import WebClient

@testable import DrawingServices
@testable import SharedStorage

/// The upkeep of shared stores, after crashes and concurrently.
@Suite(.enabled(if: TestStores.arePresent, "\(TestStores.absence)"))
struct UpkeepFaultTests {
  @Test func `a sweep aborts an upload in parts that a crash has left`() throws {
    let proxy = try FaultyProxy(target: TestStores.objectsPort)
    let stores = try TestStores(throughPort: proxy.port)
    let server = try stores.server()
    let client = UserClient(uid: "u", token: try stores.token("u"))
    let recording = try Ink.large(points: 450_000)
    #expect(recording.count > ObjectClient.partSize && recording.count < DrawingFiles.sizeLimit)
    let path = "/v1/users/u/drawings/large/recording.pkd"
    proxy.mode = .stallingRequests(after: 1 << 20)
    Thread { _ = client.status(.put, path, to: server.url, body: recording) }.start()
    let prefix = try stores.client().address.prefix
    func uploads() throws -> Int {
      try stores.client().unfinishedUploads(prefix, before: moment() + 3600).count
    }
    #expect(try happens { try proxy.stalledCount > 0 && uploads() == 1 })
    server.kill()
    proxy.mode = .passing

    let again = try stores.server()
    #expect(try uploads() == 1)
    #expect(client.status(.get, path, to: again.url) == 404)
    #expect(try client.drawings(at: again.url) == [])
    let service = try stores.service()
    // As long as it is young, it may be in progress.
    #expect(try Sweep(service).run().leftovers == 0)
    #expect(try uploads() == 1)
    let swept = try Sweep(service).run(.init(minimumAge: -60))
    #expect(swept.leftovers == 1 && swept.problems == [])
    #expect(try uploads() == 0)
    #expect(try Sweep(service).run(.init(minimumAge: -60)) == Sweep.Result())
    #expect(try client.drawings(at: again.url) == [])
    // The app tries again, now without a fault.
    #expect(client.status(.put, path, to: again.url, body: recording) == 201)
    let stored = try #require(client.send(.get, path, to: again.url)?.answer)
    #expect(stored.status == 200 && stored.body == recording)
    #expect(try uploads() == 0)
  }

  @Test func `two sweeps at the same time, with submits, move each orphan once and lose nothing`()
    throws
  {
    let stores = try TestStores()
    let services = [try stores.service(), try stores.service(), try stores.service()]
    let orphans = try (0..<30).map { try BlobFolder("users/gone/drawings/o\($0)") }
    _ = try Lanes.map(orphans, lanes: 8) { folder in
      try services[0].blobs.put(
        [
          BlobContent("recording.pkd", contentType: "a/b", Array("\(folder)".utf8)),
          BlobContent("thumbnail.png", contentType: "a/b", [1]),
        ], in: folder, at: moment())
    }
    let outcome = ConditionMutex((stored: [String](), orphans: 0, sweeps: 0, odd: [String]()))
    let end = seconds() + 5
    Lanes.run(4) { lane in
      var number = 0
      while seconds() < end {
        number += 1
        do {
          if lane < 2 {
            // Everything without a document is old enough, including open submissions.
            let result = try Sweep(services[lane])
              .run(.init(minimumAge: -60, takesUnknown: true))
            outcome.withLock {
              $0.orphans += result.orphans
              $0.sweeps += 1
              $0.odd += result.problems
            }
          } else {
            var submission = DrawingService.Submission(recording: try Ink.small(UInt64(number)))
            submission.id = "d\(lane)-\(number)"
            submission.rendersImageLater = true
            let record = try DrawingService(services[2], as: .operator)
              .submit(submission, of: "u")
            outcome.withLock { $0.stored.append(record.id) }
          }
        } catch  where !mayPass(error) {
          outcome.withLock { $0.odd.append("\(error)") }
        } catch {}
      }
    }
    let seen = outcome.withLock { $0 }
    #expect(seen.odd == [])
    #expect(seen.sweeps >= 2 && seen.stored.count > 10)
    let blobs = services[0].blobs
    for id in seen.stored {
      let bytes = try blobs.get(BlobPath("users/u/drawings/\(id)/recording.pkd"))?.bytes
      #expect(try bytes == Ink.small(ofDrawing: id), "\(id)")
    }
    // Each orphan is in the trash once, whole.
    let trash = try blobs.folders(below: BlobFolder("trash"), after: nil, limit: .max)
    #expect(trash.count == seen.orphans)
    for folder in orphans {
      #expect(try blobs.fileNames(in: folder).isEmpty)
      let found = trash.filter { $0.description.hasSuffix("/\(folder)") }
      #expect(found.count == 1, "\(folder)")
      for place in found {
        #expect(
          try blobs.get(place.blob("recording.pkd"))?.bytes == Array("\(folder)".utf8))
        #expect(try blobs.fileNames(in: place) == ["recording.pkd", "thumbnail.png"])
      }
    }
    #expect(try Sweep(services[1]).run(.init(minimumAge: -60)).orphans == 0)
    print("\(seen.sweeps) sweeps, \(seen.stored.count) submits: \(seen.orphans) to the trash")
  }
}

/// The time of this machine.
@Sendable func moment() -> Moment { LocalService.systemTime() }
