import Foundation
import HTTP
import HTTPServing
import Storage
import Synchronization
import Testing
import Threads
import WebClient

@testable import SharedStorage

/// A real object store: the one of `TEST_S3`, with credentials under the usual names.
/// `TEST_OBJECTS` is the folder of `Tests/Proofs/Services/objects-up`, if that script has started
/// the store.
private enum Service {
  static let environment = ProcessInfo.processInfo.environment
  static let address = environment["TEST_S3"]
  static let folder = environment["TEST_OBJECTS"]

  static func client(
    _ options: ObjectClient.Options = .init(now: now), secret: String? = nil, bucket: String? = nil
  ) throws -> ObjectClient {
    let text = try #require(address)
    let parts = text.split(separator: "?", maxSplits: 1)
    let place = bucket.map { "s3://\($0)" } ?? String(parts[0])
    let own = "\(place)/test-\(UUID().uuidString)?\(parts.count > 1 ? parts[1] : "")"
    let credentials = ObjectCredentials(
      name: environment["AWS_ACCESS_KEY_ID"] ?? "",
      secret: secret ?? environment["AWS_SECRET_ACCESS_KEY"] ?? "")
    return ObjectClient(try ObjectAddress(own), options) { credentials }
  }

  @Sendable static func now() -> Moment {
    Moment(microseconds: Int64(Date().timeIntervalSince1970 * 1e6))
  }
}

/// The requests to a store, recorded by a scripted one.
struct BlobRequestTests {
  @Test func `the existence of blobs is checked one by one, without a list`() throws {
    let folder = try BlobFolder("users/ann/drawings/d1")
    let infos = ["a.png", "b.png", "c.png"].map { name in
      BlobContent(name, contentType: "image/png", Array(name.utf8)).info(
        in: folder, created: Moment(seconds: 1), updated: Moment(seconds: 1))
    }
    // A request that a loaded machine answers late is repeated. So a flag, not a count, marks the
    // deleted object.
    let isGone = Mutex(false)
    let server = try ScriptedStore { request, _ in
      guard let info = infos.first(where: { request.target.hasSuffix($0.path.name) }) else {
        return request.target.contains(".png")
          ? ScriptedStore.refusal(404, "NoSuchKey") : Response(200, [], .bytes([]))
      }
      if info.path.name == "c.png", isGone.withLock({ $0 }) {
        return ScriptedStore.refusal(404, "NoSuchKey")
      }
      return Response(
        200, [("x-amz-meta-pkd", ObjectNote(info).description)], .bytes(Array(info.path.name.utf8)))
    }
    defer { server.stop() }
    let store = S3BlobStore(try server.client(), locks: ProcessLocks())
    #expect(try store.holds(infos, in: folder))
    #expect(Set(server.requests.map(\.target)).count == 3)
    #expect(server.requests.allSatisfy { $0.method == "HEAD" })
    isGone.withLock { $0 = true }
    #expect(try !store.holds(infos, in: folder))
    #expect(try !store.holds(infos, in: BlobFolder("users/ann/drawings/d2")))
  }
}

@Suite(
  .enabled(if: Service.address != nil, "no store of objects: Tests/Proofs/Services/objects-up"),
  .serialized)
struct ObjectServiceTests {
  private func store(
    _ client: ObjectClient? = nil, locks: any NamedLocks = ProcessLocks()
  ) throws -> S3BlobStore {
    S3BlobStore(try client ?? Service.client(), locks: locks)
  }

  @Test func `a clock that is wrong by hours is corrected by the store's time`() throws {
    var options = ObjectClient.Options { Service.now() + 5 * 3600 }
    options.patience = 2
    let store = try store(Service.client(options))
    let path = try BlobPath("a/b")
    try store.put(path, contentType: "text/plain", [1, 2], at: Moment(seconds: 7))
    #expect(try store.get(path)?.bytes == [1, 2])
    #expect(try store.info(path)?.created == Moment(seconds: 7))
    // The ages of its objects are measured by its clock, too.
    let time = try store.timeOfFiles(options.now())
    #expect(Service.now() - 60 < time && time < Service.now() + 60)
  }

  @Test func `a large blob round-trips, whole and in ranges`() throws {
    let store = try store()
    let path = try BlobPath("a/large")
    let bytes = (0..<(20 << 20)).map { UInt8(truncatingIfNeeded: $0 &* 0x9E37_79B1 >> 13) }
    try store.put(path, contentType: "text/plain", bytes, at: Moment(seconds: 7))
    #expect(try store.get(path)?.bytes == bytes)
    let key = store.client.address.prefix + "a/large"
    #expect(
      try store.client.get(key, bytes: 9_000_000..<9_000_100) == Array(bytes[9_000_000..<9_000_100])
    )
    #expect(try store.client.get(key, bytes: bytes.count..<bytes.count + 5) == [])
    #expect(try store.client.get("missing", bytes: 0..<5) == nil)
  }

  @Test func `more than a thousand objects are listed in pages and deleted together`() throws {
    let store = try store()
    let folders = try (0..<1100).map { try BlobFolder("users/u\($0 % 7)/drawings/d\($0)") }
    let prefix = store.client.address.prefix
    _ = try Lanes.map(folders, lanes: 16) {
      try store.client.put("\(prefix)\($0)/a", [1], contentType: "text/plain", note: "n")
    }
    var found: [BlobFolder] = []
    while true {
      let page = try store.folders(below: BlobFolder("users"), after: found.last, limit: 150)
      if page.isEmpty { break }
      found += page
    }
    #expect(found == folders.sorted())
    let all = try store.client.all(store.client.address.prefix)
    #expect(all.count == 1100)
    try store.client.delete(all.map(\.key))
    #expect(try store.client.all(store.client.address.prefix).isEmpty)
  }

  @Test func `a signed link opens one blob without credentials`() throws {
    let store = try store()
    let path = try BlobPath("a/b.png")
    try store.put(path, contentType: "image/png", [1, 2, 3], at: Moment(seconds: 7))
    let now = Service.now()
    let link = try #require(try store.link(to: path, at: now, seconds: 60))
    // Links of the same minute are equal, later ones are not.
    let minute = Moment(seconds: now.microseconds / 60_000_000 * 60)
    #expect(try store.link(to: path, at: minute + 59, seconds: 60) == link)
    #expect(try store.link(to: path, at: minute + 61, seconds: 60) != link)
    let answer = try WebClient.get(link, limit: 100, seconds: 5)
    #expect(answer.status == 200 && answer.body == [1, 2, 3])
    #expect(answer.field("content-type") == "image/png")
    let other = link.replacing("b.png", with: "c.png")
    #expect(try WebClient.get(other, limit: 1000, seconds: 5).status == 403)
  }

  @Test func `objects that other programs have stored are blobs, too`() throws {
    let store = try store()
    let client = store.client
    let request = ObjectClient.Request(
      method: .put, key: client.address.prefix + "users/u/drawings/d/recording.pkd",
      fields: [("Content-Type", "application/octet-stream")], body: [7, 8, 9])
    #expect(try client.answer(request).status == 200)
    let path = try BlobPath("users/u/drawings/d/recording.pkd")
    #expect(try store.get(path)?.bytes == [7, 8, 9])
    #expect(try store.info(path)?.size == 3)
    #expect(try store.entries(of: path.folder).map(\.name) == ["recording.pkd"])
    let info = try #require(try store.info(path))
    let replaced = try store.put(
      [BlobContent("recording.pkd", contentType: "a/b", [1])], deleting: [], beside: info,
      at: Moment(seconds: 5))
    #expect(replaced?.first?.created == info.created)
  }

  @Test func `folders are found among foreign names, which are reported`() throws {
    let store = try store()
    let prefix = store.client.address.prefix
    let keys = [
      "users/a/drawings/d/recording.pkd", "users/a/drawings/d/thumbnail.png",
      // Before and after those of 'd' in byte order, and inside its folder.
      "users/a/drawings/d-1/x", "users/a/drawings/d.png", "users/a/drawings/d/inner/x",
      "users/a/drawings/d/s", "users/a/drawings/d0/x", "users/a/drawings/",
      "users/a@b/drawings/d/x",
      "users/a/drawings/é/x", "users//drawings/d/x", "users/z/x",
    ]
    for key in keys {
      let request = ObjectClient.Request(method: .put, key: prefix + key, body: [1])
      // Names that this program never writes must be escaped in a path.
      guard key.utf8.allSatisfy({ $0 < 128 && $0 != 64 }) else { continue }
      #expect(try store.client.answer(request).status == 200, "\(key)")
    }
    var found: [String: [String]] = [:]
    try store.forEachFolder(below: BlobFolder("users")) { folder, files in
      #expect(found.updateValue(files.map(\.name), forKey: "\(folder)") == nil)
    }
    #expect(
      found == [
        "users/a/drawings": ["d.png"], "users/a/drawings/d-1": ["x"], "users/a/drawings/d0": ["x"],
        "users/a/drawings/d": ["recording.pkd", "s", "thumbnail.png"],
        "users/a/drawings/d/inner": ["x"], "users/z": ["x"],
      ])
    #expect(try store.unreachableFolders(below: BlobFolder("users")) == ["users/"])
    #expect(try store.folders(below: BlobFolder("users"), after: nil, limit: 99).count == 6)
  }

  @Test func `deleting a folder deletes objects of any foreign name`() throws {
    let store = try store()
    let client = store.client
    let names = [
      "users/a/drawings/a b/x.png", "users/a/drawings/日本/x", "users/a/drawings/x//y",
      "users/a/drawings/<&>\"'/+%", "users/a/../b/x", "users/a/./x", "users/a/drawings/d/",
      "users/a/drawings/d/recording.pkd", "users/a/tab\there", "users/a/bell\u{7}", "users/a/bell",
      "users/ab/drawings/d/x",
    ]
    let prefix = client.address.prefix
    for name in names {
      try client.put(prefix + name, Array(name.utf8), contentType: "a/b", note: "n")
      #expect(try client.get(prefix + name)?.bytes == Array(name.utf8), "\(name)")
    }
    // Objects in the folder of a drawing go with it.
    try client.put(prefix + "users/a/drawings/m/ü .png", [7], contentType: "a/b", note: "n")
    #expect(try store.move(BlobFolder("users/a/drawings/m"), to: BlobFolder("trash/m")))
    #expect(try client.get(prefix + "trash/m/ü .png")?.bytes == [7])
    #expect(try store.delete(BlobFolder("trash/m")))
    let count = try store.deleteTree(BlobFolder("users/a")) { $0.names.count == 4 }
    #expect(count > 3)
    func keys() throws -> [String] {
      try client.all(prefix).map { String($0.key.dropFirst(prefix.count)) }
    }
    #expect(
      try keys() == [
        "users/a/drawings/d/", "users/a/drawings/d/recording.pkd", "users/ab/drawings/d/x",
      ])
    #expect(try store.deleteTree(BlobFolder("users/a")) { _ in false } == 1)
    #expect(try keys() == ["users/ab/drawings/d/x"])
  }

  @Test func `wrong credentials and a missing bucket are reported`() throws {
    for client in [
      try Service.client(secret: "wrong"), try Service.client(bucket: "there-is-none"),
    ] {
      let store = try store(client)
      #expect(throws: StorageError.self) {
        try store.put(BlobPath("a/b"), contentType: "text/plain", [1], at: Moment(seconds: 1))
      }
    }
  }

  @Test func `uploads in parts that a crash has left are aborted once they are old`() throws {
    let store = try store()
    let client = store.client
    let request = ObjectClient.Request(
      method: .post, key: client.address.prefix + "a/b", query: [("uploads", "")])
    #expect(try client.answer(request).status == 200)
    let folder = try BlobFolder("a")
    #expect(try store.removeLeftovers(below: folder, before: Service.now() - 3600) == 0)
    #expect(try store.removeLeftovers(below: folder, before: Service.now() + 3600) == 1)
    #expect(try store.removeLeftovers(below: folder, before: Service.now() + 3600) == 0)
  }

  @Test(.enabled(if: Service.folder != nil))
  func `a gateway that is killed and restarted loses nothing acknowledged`() throws {
    let folder = try #require(Service.folder)
    var options = ObjectClient.Options(now: Service.now)
    options.patience = 0.5
    let store = try store(Service.client(options))
    let stored = ConditionMutex<[BlobPath]>([])
    let failures = ConditionMutex<[StorageError]>([])
    let isEnding = ConditionMutex(false)
    let end = Date() + 60
    Lanes.run(9) { lane in
      if lane == 8 {
        // This thread cuts the connection after the first hundred blobs, for a second.
        while stored.withLock({ $0.count < 100 }), Date() < end { usleep(20_000) }
        let pid =
          (try? String(contentsOfFile: "\(folder)/client.rgw.pid", encoding: .utf8))
          .flatMap { Int32($0.trimmingCharacters(in: .whitespacesAndNewlines)) } ?? 0
        if pid > 0 { kill(pid, SIGKILL) }
        usleep(1_000_000)
        _ = system("setsid radosgw -c \(folder)/conf -n client.rgw </dev/null >/dev/null 2>&1 &")
        let before = stored.withLock { $0.count }
        while stored.withLock({ $0.count < before + 200 }), Date() < end { usleep(20_000) }
        isEnding.change { $0 = true }
        return
      }
      var number = 0
      while !isEnding.withLock({ $0 }), number < 1000, Date() < end {
        number += 1
        do {
          let path = try BlobPath("u\(lane)/d\(number)/a")
          let bytes = Array("\(path)".utf8)
          try store.put(path, contentType: "text/plain", bytes, at: Moment(seconds: 1))
          stored.change { $0.append(path) }
        } catch {
          if let error = error as? StorageError { failures.change { $0.append(error) } }
          // Callers of an absent store are refused at once.
          usleep(20_000)
        }
      }
    }
    let paths = stored.withLock { $0 }
    #expect(paths.count >= 300)
    let lost = try Lanes.map(paths, lanes: 16) { path in
      try store.get(path)?.bytes == Array("\(path)".utf8) ? nil : path
    }.compactMap { $0 }
    #expect(lost.isEmpty)
    // Every refusal meanwhile was reported as passing.
    for error in failures.withLock({ $0 }) {
      guard case .unavailable = error.problem else {
        Issue.record("\(error)")
        continue
      }
    }
    #expect(!failures.withLock { $0.isEmpty })
  }
}
