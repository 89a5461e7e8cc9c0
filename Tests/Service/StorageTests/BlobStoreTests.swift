import Foundation
import SharedStorage
import StorageTestSupport
import TestSupport
import Testing
import Threads

@testable import Storage

/// The blob stores, which all pass the same tests.
enum BlobStoreKind: CaseIterable, Sendable {
  case inMemory, file, objects

  /// Includes object storage only if there is a store: `TEST_S3=s3://BUCKET?endpoint=…` with the
  /// usual names for the credentials.
  static var allCases: [BlobStoreKind] {
    ObjectService.address == nil ? [.inMemory, .file] : [.inMemory, .file, .objects]
  }
  /// The stores with real folders. In a bucket a folder is only a prefix of names.
  static let withFolders: [BlobStoreKind] = [.inMemory, .file]

  func open() throws -> OpenBlobStore {
    let folder = try TemporaryFolder()
    let store: any BlobStore =
      switch self {
      case .inMemory: InMemoryBlobStore()
      case .file: try FileBlobStore(folder.url.path)
      case .objects: try ObjectService.store()
      }
    return OpenBlobStore(store: store, folder: folder)
  }
}

/// An object store for tests.
enum ObjectService {
  private static let environment = ProcessInfo.processInfo.environment

  static let address = environment["TEST_S3"]

  /// A store in a part of the bucket that no other test uses.
  static func store(locks: any NamedLocks = ProcessLocks()) throws -> S3BlobStore {
    let text = try #require(address)
    let parts = text.split(separator: "?", maxSplits: 1)
    let own = "\(parts[0])/test-\(UUID().uuidString)?\(parts.count > 1 ? parts[1] : "")"
    let credentials = ObjectCredentials(
      name: environment["AWS_ACCESS_KEY_ID"] ?? "",
      secret: environment["AWS_SECRET_ACCESS_KEY"] ?? "")
    let options = ObjectClient.Options {
      Moment(microseconds: Int64(Date().timeIntervalSince1970 * 1e6))
    }
    return S3BlobStore(
      ObjectClient(try ObjectAddress(own), options) { credentials }, locks: locks)
  }
}

/// A store and its folder, which is deleted with it.
struct OpenBlobStore {
  let store: any BlobStore
  let folder: TemporaryFolder

  /// Stores a text as a blob, at a moment in seconds since 1970.
  @discardableResult
  func put(
    _ path: String, _ text: String, type: String = "text/plain", at seconds: Int64 = 0
  ) throws -> BlobInfo {
    try #require(
      try store.put(
        BlobPath(path), contentType: type, Array(text.utf8), at: Moment(seconds: seconds)))
  }

  /// The text of a blob; nil if there is no blob.
  func text(_ path: String) throws -> String? {
    try store.get(BlobPath(path)).map { String(decoding: $0.bytes, as: UTF8.self) }
  }

  /// The paths of the blobs below a folder, by pages of a size.
  func list(_ folder: String, size: Int) throws -> [String] {
    var paths: [BlobPath] = []
    while true {
      let page = try store.list(below: BlobFolder(folder), after: paths.last, limit: size)
      if page.isEmpty { return paths.map(\.description) }
      try #require(page.count <= size)
      paths += page.map(\.path)
      // Fails instead of hanging if a store returns the same page again and again.
      try #require(paths.count < 1000)
    }
  }
}

/// The tests that every blob store passes.
struct BlobStoreTests {
  @Test(arguments: BlobStoreKind.allCases)
  func `an empty blob store returns nothing`(_ kind: BlobStoreKind) throws {
    let open = try kind.open()
    let (path, folder) = (try BlobPath("users/ann/image.png"), try BlobFolder("users/ann"))
    #expect(try open.store.get(path) == nil)
    #expect(try open.store.get(path, bytes: 0..<9) == nil)
    #expect(try open.store.info(path) == nil)
    #expect(try !open.store.delete(path))
    #expect(try !open.store.delete(folder))
    #expect(try open.store.folders(below: BlobFolder("users"), after: nil, limit: 9) == [])
    #expect(try open.store.entries(of: folder) == [])
    #expect(try open.store.list(below: folder, limit: 9) == [])
    #expect(
      problem { try open.store.copy(path, to: path, at: Moment(seconds: 0)) } == .notFound)
    #expect(
      try open.store.removeLeftovers(below: folder, before: Moment(seconds: 1 << 40)) == 0)
  }

  @Test(arguments: BlobStoreKind.allCases)
  func `all blobs of one put are stored`(_ kind: BlobStoreKind) throws {
    let open = try kind.open()
    let folder = try BlobFolder("users/ann/drawings/d1")
    let contents = [
      BlobContent("image.png", contentType: "image/png", [1, 2, 3]),
      BlobContent("recording.pkd", contentType: "application/octet-stream", []),
      BlobContent("Thumb_1-2.png", contentType: "image/png", [UInt8](repeating: 7, count: 100_000)),
    ]
    let infos = try open.store.put(contents, in: folder, at: Moment(seconds: 5))
    #expect(infos.map(\.path.name) == contents.map(\.name))
    for (content, info) in zip(contents, infos) {
      let path = try folder.blob(content.name)
      let blob = try #require(try open.store.get(path))
      #expect(blob.bytes == content.bytes && blob.info == info && info.path == path)
      #expect(try open.store.info(path) == info)
      #expect(info.size == content.bytes.count && info.contentType == content.contentType)
      #expect(info.created == Moment(seconds: 5) && info.updated == Moment(seconds: 5))
    }
    #expect(
      infos[1].sha256 == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
      "the hash of nothing")
    #expect(
      infos[0].sha256 == "039058c6f2c0cb492c533b0a4d14ef77cc0f78abccced5287d84a1a2011cfb81")
  }

  @Test(arguments: BlobStoreKind.allCases)
  func `a folder contains given blobs only while all have their bytes`(_ kind: BlobStoreKind)
    throws
  {
    let open = try kind.open()
    let folder = try BlobFolder("users/ann/drawings/d1")
    let contents = ["a.png", "b.png"].map { BlobContent($0, contentType: "image/png", [1, 2]) }
    let infos = try open.store.put(contents, in: folder, at: Moment(seconds: 5))
    #expect(try open.store.holds(infos, in: folder))
    #expect(try open.store.holds([infos[1]], in: folder))
    #expect(try open.store.holds([], in: folder))
    #expect(try !open.store.holds(infos, in: BlobFolder("users/ann/drawings/d2")))
    try open.store.put(infos[0].path, contentType: "image/png", [1, 3], at: Moment(seconds: 6))
    #expect(try !open.store.holds(infos, in: folder))
    #expect(try open.store.holds([infos[1]], in: folder))
    try open.store.delete(infos[1].path)
    #expect(try !open.store.holds([infos[1]], in: folder))
  }

  @Test(arguments: BlobStoreKind.allCases)
  func `blobs are added only beside the blob to which they belong`(_ kind: BlobStoreKind) throws {
    let open = try kind.open()
    let folder = try BlobFolder("users/ann/drawings/d1")
    let added = [BlobContent("b", contentType: "text/plain", [7])]
    let first = try open.put("\(folder)/a", "one", at: 1)
    let infos = try #require(try open.store.add(added, beside: first, at: Moment(seconds: 2)))
    #expect(infos == [try open.store.info(folder.blob("b"))])
    #expect(infos[0].created == Moment(seconds: 2))
    #expect(try open.text("\(folder)/a") == "one")
    // Not a second time, not beside other bytes, and not in a folder that is gone.
    #expect(try open.store.add(added, beside: first, at: Moment(seconds: 3)) == nil)
    try open.store.delete(folder.blob("b"))
    let second = try open.put("\(folder)/a", "two", at: 4)
    #expect(try open.store.add(added, beside: first, at: Moment(seconds: 5)) == nil)
    #expect(try open.store.fileNames(in: folder) == ["a"])
    try open.put("\(folder)/c", "beside", at: 6)
    try open.store.delete(folder.blob("a"))
    #expect(try open.store.add(added, beside: second, at: Moment(seconds: 7)) == nil)
    try open.store.delete(folder)
    #expect(try open.store.add(added, beside: second, at: Moment(seconds: 8)) == nil)
    #expect(try open.store.fileNames(in: folder) == [])
    #expect(try open.store.folders(below: BlobFolder("users"), after: nil, limit: 9) == [])
    // The folder is new, with the same bytes.
    try open.put("\(folder)/a", "two", at: 9)
    #expect(try open.store.add(added, beside: second, at: Moment(seconds: 9)) != nil)
  }

  @Test(arguments: BlobStoreKind.allCases)
  func `blobs are replaced and deleted together, beside the blob that was seen`(
    _ kind: BlobStoreKind
  ) throws {
    let open = try kind.open()
    let folder = try BlobFolder("users/ann/drawings/d1")
    func contents(_ text: String) -> [BlobContent] {
      ["a", "b"].map { BlobContent($0, contentType: "text/plain", Array("\(text) \($0)".utf8)) }
    }
    func replace(_ info: BlobInfo, _ text: String, at moment: Int64) throws -> [BlobInfo]? {
      try open.store.put(
        contents(text), deleting: ["c", "d"], beside: info, at: Moment(seconds: moment))
    }
    let first = try open.put("\(folder)/a", "one", at: 1)
    for name in ["b", "c", "e"] { try open.put("\(folder)/\(name)", "one", at: 1) }
    let infos = try #require(try replace(first, "two", at: 2))
    #expect(try infos == ["a", "b"].map { try #require(try open.store.info(folder.blob($0))) })
    #expect(infos.allSatisfy { $0.created.microseconds == 1_000_000 })
    #expect(try open.text("\(folder)/a") == "two a" && open.text("\(folder)/b") == "two b")
    #expect(try open.store.fileNames(in: folder) == ["a", "b", "e"])
    // The blob was replaced, by other bytes or the same ones.
    for round in Int64(3)...4 {
      try open.put("\(folder)/c", "back", at: round)
      #expect(try replace(first, "three", at: round) == nil)
      try open.put("\(folder)/a", "one", at: 5)
    }
    #expect(try open.store.fileNames(in: folder) == ["a", "b", "c", "e"])
    #expect(try open.text("\(folder)/a") == "one" && open.text("\(folder)/b") == "two b")
    // Beside a blob that stays.
    let second = try #require(try open.store.info(folder.blob("a")))
    let other = [BlobContent("b", contentType: "text/plain", [7])]
    #expect(
      try open.store.put(other, deleting: [], beside: second, at: Moment(seconds: 6))?.count == 1)
    #expect(try open.store.info(folder.blob("a")) == second)
    // In a folder without the blob, and in a deleted one.
    try open.store.delete(folder.blob("a"))
    #expect(try replace(second, "four", at: 7) == nil)
    try open.store.delete(folder)
    #expect(try replace(second, "four", at: 8) == nil)
    #expect(try open.store.fileNames(in: folder) == [])
  }

  @Test(arguments: BlobStoreKind.allCases)
  func `one of several concurrent replacements of a blob succeeds`(_ kind: BlobStoreKind) throws {
    let open = try kind.open()
    for round in Int64(0)..<20 {
      let info = try open.put("a/b/x", "round \(round)", at: 2 * round)
      let winners = ConditionMutex<[UInt8]>([])
      Lanes.run(4) { lane in
        let content = BlobContent("x", contentType: "text/plain", [UInt8(lane)])
        let infos = try? open.store.put(
          [content], deleting: [], beside: info, at: Moment(seconds: 2 * round + 1))
        if infos ?? nil != nil { winners.withLock { $0.append(UInt8(lane)) } }
      }
      let won = winners.withLock { $0 }
      #expect(won.count == 1, "round \(round)")
      #expect(try open.store.get(BlobPath("a/b/x"))?.bytes == won)
    }
  }

  @Test(arguments: BlobStoreKind.allCases)
  func `a folder is created once, with all its blobs`(_ kind: BlobStoreKind) throws {
    let open = try kind.open()
    let folder = try BlobFolder("users/ann/drawings/d1")
    let first = [BlobContent("a", contentType: "text/plain", [1])]
    let second = ["a", "b"].map { BlobContent($0, contentType: "text/plain", [2]) }
    let infos = try #require(try open.store.create(first, in: folder, at: Moment(seconds: 1)))
    #expect(infos == [try open.store.info(folder.blob("a"))])
    #expect(try open.store.create(second, in: folder, at: Moment(seconds: 2)) == nil)
    #expect(try open.store.get(folder.blob("a"))?.bytes == [1])
    #expect(try open.store.fileNames(in: folder) == ["a"])
    try open.store.delete(folder)
    #expect(try open.store.create(second, in: folder, at: Moment(seconds: 3))?.count == 2)
    guard BlobStoreKind.withFolders.contains(kind) else { return }
    #expect(throws: StorageError(.alreadyExists, "users/ann/drawings/d1/a")) {
      try open.store.create(
        first, in: BlobFolder("users/ann/drawings/d1/a"), at: Moment(seconds: 4))
    }
  }

  @Test(arguments: BlobStoreKind.allCases)
  func `one of several concurrent creations of a folder succeeds`(_ kind: BlobStoreKind) throws {
    let open = try kind.open()
    let folder = try BlobFolder("users/ann/drawings/d1")
    for round in 0..<20 {
      let created = ConditionMutex<[UInt8]>([])
      Lanes.run(4) { lane in
        let content = BlobContent("a", contentType: "text/plain", [UInt8(lane)])
        let infos = try? open.store.create([content], in: folder, at: Moment(seconds: 1))
        if infos ?? nil != nil { created.withLock { $0.append(UInt8(lane)) } }
      }
      let winners = created.withLock { $0 }
      #expect(winners.count == 1, "round \(round)")
      #expect(try open.store.get(folder.blob("a"))?.bytes == winners)
      try open.store.delete(folder)
    }
  }

  @Test(arguments: BlobStoreKind.allCases)
  func `a blob that is replaced keeps the moment it was created at, and others stay`(
    _ kind: BlobStoreKind
  ) throws {
    let open = try kind.open()
    try open.put("a/x", "first", at: 1)
    try open.put("a/y", "beside", at: 2)
    for round in Int64(3)..<8 {
      let text = "round \(round)"
      let info = try open.put("a/x", text, type: "text/\(round)", at: round)
      #expect(info.created == Moment(seconds: 1) && info.updated == Moment(seconds: round))
      #expect(info.contentType == "text/\(round)" && info.size == 7)
      #expect(try open.text("a/x") == text)
      #expect(try open.store.info(BlobPath("a/x")) == info)
      #expect(try open.store.entries(of: BlobFolder("a")).map(\.info).contains(info))
    }
    // The same bytes once more.
    let same = try open.put("a/x", "round 7", at: 9)
    #expect(same.created == Moment(seconds: 1) && same.updated == Moment(seconds: 9))
    #expect(try open.store.get(BlobPath("a/x"))?.info == same)
    #expect(try open.text("a/y") == "beside")
    #expect(try open.store.info(BlobPath("a/y"))?.updated == Moment(seconds: 2))
  }

  @Test(arguments: BlobStoreKind.allCases)
  func `a range of a blob's bytes is clamped to its size`(
    _ kind: BlobStoreKind
  ) throws {
    let open = try kind.open()
    try open.put("a/x", "0123456789")
    for (range, text) in [
      (0..<4, "0123"), (4..<4, ""), (8..<99, "89"), (10..<11, ""), (50..<60, ""),
      (-5..<2, "01"), (Int.min..<Int.max, "0123456789"),
    ] {
      let blob = try #require(try open.store.get(BlobPath("a/x"), bytes: range))
      #expect(String(decoding: blob.bytes, as: UTF8.self) == text, "\(range)")
      #expect(blob.info.size == 10)
    }
  }

  @Test(arguments: BlobStoreKind.allCases)
  func `a blob that was deleted is gone, and a new one of its path is new`(
    _ kind: BlobStoreKind
  ) throws {
    let open = try kind.open()
    try open.put("a/x", "one", at: 1)
    try open.put("a/y", "two", at: 1)
    #expect(try open.store.delete(BlobPath("a/x")))
    #expect(try !open.store.delete(BlobPath("a/x")))
    #expect(try open.text("a/x") == nil && open.store.info(BlobPath("a/x")) == nil)
    #expect(try open.text("a/y") == "two")
    #expect(try open.list("a", size: 9) == [])
    let again = try open.put("a/x", "one", at: 7)
    #expect(again.created == Moment(seconds: 7))
    #expect(try open.store.info(BlobPath("a/x")) == again)
    // Deleting the last blob deletes the folder.
    #expect(try open.store.delete(BlobPath("a/x")) && open.store.delete(BlobPath("a/y")))
    #expect(try open.store.entries(of: BlobFolder("a")) == [])
    #expect(try open.put("a/x", "one", at: 8).created == Moment(seconds: 8))
  }

  @Test(arguments: BlobStoreKind.allCases)
  func `a folder is deleted with its blobs, and no other`(_ kind: BlobStoreKind) throws {
    let open = try kind.open()
    for path in ["a/b/x", "a/b/y", "a/b/c/x", "a/x", "a/b2/x"] { try open.put(path, path) }
    #expect(try open.store.delete(BlobFolder("a/b")))
    #expect(try !open.store.delete(BlobFolder("a/b")))
    for (path, isThere) in [
      ("a/b/x", false), ("a/b/y", false), ("a/b/c/x", true), ("a/x", true), ("a/b2/x", true),
    ] {
      #expect(try (open.text(path) != nil) == isThere, "\(path)")
    }
    #expect(
      try open.store.folders(below: BlobFolder("a"), after: nil, limit: 9).map(\.description)
        == ["a/b/c", "a/b2"])
    try open.put("a/b/x", "again", at: 9)
    #expect(try open.store.info(BlobPath("a/b/x"))?.created == Moment(seconds: 9))
    #expect(try open.text("a/b/y") == nil)
  }

  @Test(arguments: BlobStoreKind.allCases)
  func `a copy of a blob does not change with its original`(_ kind: BlobStoreKind) throws {
    let open = try kind.open()
    let (from, to) = (try BlobPath("a/x"), try BlobPath("b/c/y"))
    try open.put("a/x", "text", type: "text/html", at: 1)
    let copy = try open.store.copy(from, to: to, at: Moment(seconds: 5))
    #expect(copy?.path == to && copy?.contentType == "text/html")
    #expect(copy?.created == Moment(seconds: 5))
    try open.put("a/x", "other", at: 6)
    #expect(try open.text("b/c/y") == "text")
    try open.store.copy(from, to: from, at: Moment(seconds: 7))
    #expect(try open.text("a/x") == "other")
    #expect(try open.store.info(from)?.created == Moment(seconds: 1))
  }

  // MARK: - Lists

  private static let paths = [
    "a/x", "a/b/x", "a/b/y", "a/b/c/d/x", "a/b-c/x", "a/b.c/x", "a/B/x", "a/b0/x", "a/z/1",
    "a/z/10", "a/z/2", "b/x", "ab/x",
  ]

  @Test(arguments: BlobStoreKind.allCases)
  func `blobs below a folder are listed in order, by pages of any size`(
    _ kind: BlobStoreKind
  ) throws {
    let open = try kind.open()
    for path in Self.paths.reversed() { try open.put(path, path) }
    let below = [
      "a/B/x", "a/b/x", "a/b/y", "a/b/c/d/x", "a/b-c/x", "a/b.c/x", "a/b0/x", "a/z/1", "a/z/10",
      "a/z/2",
    ]
    for size in 1...11 { #expect(try open.list("a", size: size) == below, "pages of \(size)") }
    #expect(try open.list("a/b", size: 2) == ["a/b/c/d/x"])
    #expect(try open.list("a/b/c/d", size: 2) == [] && open.list("c", size: 2) == [])
    // Cursors at paths without blobs, and outside of the folder.
    for (after, count) in [
      ("a/a/x", 9), ("a/A/x", 10), ("a/b/x2", 8), ("a/b/c/e", 7), ("a/b/c/d/a", 7), ("a/z/11", 1),
      ("a/zz/1", 0), ("A/x", 10), ("b/a", 0), ("b/x", 0), ("a/x", 10),
    ] {
      let page = try open.store.list(below: BlobFolder("a"), after: BlobPath(after), limit: 99)
      #expect(page.map(\.path.description) == Array(below.suffix(count)), "after \(after)")
    }
    #expect(try open.store.list(below: BlobFolder("a"), limit: 0) == [])
  }

  @Test(arguments: BlobStoreKind.allCases)
  func `a list of blobs contains nothing outside its folder`(_ kind: BlobStoreKind) throws {
    let open = try kind.open()
    for user in ["ann", "bob", "eve"] { try open.put("users/\(user)/d/x", "private") }
    for after in ["users/ann/d/a", "users/bob/d/a", "users/eve/d/a", "users/ann2/d/a"] {
      let page = try open.store.list(
        below: BlobFolder("users/bob"), after: BlobPath(after), limit: 9)
      #expect(page.allSatisfy { $0.path.description == "users/bob/d/x" }, "after \(after)")
    }
  }

  @Test(arguments: BlobStoreKind.allCases)
  func `folders that hold blobs are listed in order, by pages of any size`(
    _ kind: BlobStoreKind
  ) throws {
    let open = try kind.open()
    for path in Self.paths.reversed() { try open.put(path, path) }
    let below = ["a/B", "a/b", "a/b/c/d", "a/b-c", "a/b.c", "a/b0", "a/z"]
    for size in 1...8 {
      var found: [BlobFolder] = []
      while true {
        let page = try open.store.folders(
          below: BlobFolder("a"), after: found.last, limit: size)
        if page.isEmpty { break }
        found += page
        try #require(page.count <= size && found.count < 99)
      }
      #expect(found.map(\.description) == below, "pages of \(size)")
    }
    for (after, count) in [("a", 7), ("a/A", 7), ("a/b/a", 5), ("a/b/c", 5), ("b", 0), ("A", 7)] {
      let page = try open.store.folders(
        below: BlobFolder("a"), after: BlobFolder(after), limit: 99)
      #expect(page.map(\.description) == Array(below.suffix(count)), "after \(after)")
    }
    #expect(try open.store.folders(below: BlobFolder("a"), after: nil, limit: 0) == [])
  }

  @Test(arguments: BlobStoreKind.allCases)
  func `files of a blob folder are listed by name`(_ kind: BlobStoreKind) throws {
    let open = try kind.open()
    for path in ["a/z", "a/Z", "a/b/x", "a/1", "a/z.1"] { try open.put(path, path) }
    let entries = try open.store.entries(of: BlobFolder("a"))
    #expect(entries.map(\.name) == ["1", "Z", "z", "z.1"])
    for entry in entries {
      #expect(try entry.info == open.store.info(BlobPath("a/\(entry.name)")))
      #expect(entry.modified != nil)
    }
  }

  @Test(arguments: BlobStoreKind.withFolders)
  func `noting the use of a blob changes only its time of use`(_ kind: BlobStoreKind) throws {
    let open = try kind.open()
    try open.put("a/b", "text", at: 100)
    let before = try #require(try open.store.entries(of: BlobFolder("a")).first)
    // Later than all current clocks, and with a fraction of a second.
    let later = Moment(microseconds: 7_000_000_000_000_001)
    try open.store.noteUse(of: BlobPath("a/b"), at: later)
    let entry = try #require(try open.store.entries(of: BlobFolder("a")).first)
    #expect(entry.used == later && entry.info == before.info && entry.modified == before.modified)
    #expect(try open.text("a/b") == "text")
    for missing in ["a/c", "x/y"] { try open.store.noteUse(of: BlobPath(missing), at: later) }
    #expect(try open.store.entries(of: BlobFolder("a")).count == 1)
  }

  @Test(arguments: BlobStoreKind.allCases)
  func `exclusive access to a folder excludes others until it ends or fails`(_ kind: BlobStoreKind)
    throws
  {
    let open = try kind.open()
    let inside = ConditionMutex((now: 0, most: 0, count: 0))
    struct Problem: Error {}
    DispatchQueue.concurrentPerform(iterations: 8) { _ in
      for _ in 0..<20 {
        try? open.store.withExclusiveAccess {
          inside.withLock { $0 = ($0.now + 1, max($0.most, $0.now + 1), $0.count + 1) }
          defer { inside.withLock { $0.now -= 1 } }
          throw Problem()
        }
      }
    }
    #expect(inside.withLock { $0.most == 1 && $0.count == 160 })
  }

  @Test(arguments: BlobStoreKind.allCases)
  func `exclusive access to a folder excludes others of this folder only`(_ kind: BlobStoreKind)
    throws
  {
    let open = try kind.open()
    for name in ["a", "b"] { try open.put("users/\(name)/d/x", "text") }
    let inside = ConditionMutex((now: 0, most: 0))
    DispatchQueue.concurrentPerform(iterations: 8) { _ in
      for _ in 0..<20 {
        try? open.store.withExclusiveAccess(to: BlobFolder("users/a")) {
          inside.withLock { $0 = ($0.now + 1, max($0.most, $0.now + 1)) }
          // Blobs in its folders may be stored, and other folders may be locked.
          try open.put("users/a/d/x", "text")
          try open.store.withExclusiveAccess(to: BlobFolder("users/b")) {
            try open.store.withExclusiveAccess(to: BlobFolder("users/missing")) {}
          }
          inside.withLock { $0.now -= 1 }
        }
      }
    }
    #expect(inside.withLock { $0.most == 1 && $0.now == 0 })
  }

  @Test(arguments: BlobStoreKind.allCases)
  func `blob lists refuse limits below zero without a trap`(_ kind: BlobStoreKind) throws {
    let open = try kind.open()
    try open.put("a/b/x", "x")
    let refusal = StorageError.Problem.badValue("below zero")
    let folder = try BlobFolder("a")
    #expect(problem { try open.store.list(below: folder, limit: -1) } == refusal)
    #expect(problem { try open.store.folders(below: folder, after: nil, limit: .min) } == refusal)
  }

  // MARK: - What is refused

  @Test(arguments: BlobStoreKind.allCases)
  func `blob names that lead elsewhere or look alike are refused`(_ kind: BlobStoreKind) throws {
    let open = try kind.open()
    let folder = try BlobFolder("a")
    for name in badNames {
      for contents in [
        [BlobContent(name, contentType: "text/plain", [1])],
        [
          BlobContent("good", contentType: "text/plain", [1]),
          BlobContent(name, contentType: "text/plain", [1]),
        ],
      ] {
        guard
          case .badPath = problem({
            try open.store.put(contents, in: folder, at: Moment(seconds: 0))
          })
        else {
          Issue.record("taken: '\(name.prefix(40))'")
          continue
        }
      }
    }
    #expect(try open.store.entries(of: folder) == [])
  }

  @Test(arguments: BlobStoreKind.allCases)
  func `invalid content types are refused`(_ kind: BlobStoreKind) throws {
    let open = try kind.open()
    for type in [
      "", " ", "a b", "text/plain ", "text/plain\n", "a\0b", "text/plané", "\u{7F}",
      String(repeating: "t", count: 128), "text/plain; charset=utf-8",
    ] {
      #expect(
        problem { try open.put("a/x", "x", type: type) } == .badValue("not a content type"),
        "'\(type)'")
    }
    let longest = String(repeating: "t", count: 127)
    #expect(try open.put("a/x", "x", type: longest).contentType == longest)
    #expect(try open.store.get(BlobPath("a/x"))?.info.contentType == longest)
  }

  @Test(arguments: BlobStoreKind.allCases)
  func `two blobs of one name cannot be stored by one put`(_ kind: BlobStoreKind) throws {
    let open = try kind.open()
    let twice = [
      BlobContent("x", contentType: "text/plain", [1]),
      BlobContent("y", contentType: "text/plain", [2]),
      BlobContent("x", contentType: "text/plain", [3]),
    ]
    for _ in 0..<2 {
      #expect(
        problem { try open.store.put(twice, in: BlobFolder("a"), at: Moment(seconds: 0)) }
          == .alreadyExists)
      // First without the folder, then with it.
      try open.put("a/z", "z")
    }
    #expect(try open.text("a/x") == nil && open.text("a/y") == nil)
  }

  @Test(arguments: BlobStoreKind.allCases)
  func `a put without blobs stores nothing`(_ kind: BlobStoreKind) throws {
    let open = try kind.open()
    #expect(try open.store.put([], in: BlobFolder("a/b"), at: Moment(seconds: 0)) == [])
    #expect(try open.store.folders(below: BlobFolder("a"), after: nil, limit: 9) == [])
    #expect(try !open.store.delete(BlobFolder("a/b")))
  }

  @Test(arguments: BlobStoreKind.withFolders)
  func `a path is a blob or a folder, not both`(_ kind: BlobStoreKind) throws {
    let open = try kind.open()
    try open.put("a/b/c", "blob")
    try open.put("a/other", "blob")
    let moment = Moment(seconds: 0)
    // A blob at the path of a folder, and folders at the path of a blob.
    for path in ["a/b", "a/b/c/d", "a/b/c/d/e"] {
      #expect(problem { try open.put(path, "x") } == .alreadyExists, "\(path)")
      #expect(try open.text(path) == nil)
      #expect(try open.store.info(BlobPath(path)) == nil)
      #expect(try !open.store.delete(BlobPath(path)))
    }
    #expect(try !open.store.delete(BlobFolder("a/b/c")))
    #expect(try open.store.entries(of: BlobFolder("a/b/c")) == [])
    #expect(try open.store.folders(below: BlobFolder("a/b/c"), after: nil, limit: 9) == [])
    #expect(try open.store.removeLeftovers(below: BlobFolder("a/b/c"), before: moment) == 0)
    #expect(try open.text("a/b/c") == "blob" && open.text("a/other") == "blob")
    #expect(try open.store.entries(of: BlobFolder("a")).map(\.name) == ["other"])
  }

  // MARK: - Concurrency

  @Test(arguments: BlobStoreKind.allCases)
  func `threads that put, get and delete in one folder never see mixed or wrong bytes`(
    _ kind: BlobStoreKind
  ) throws {
    let open = try kind.open()
    // All bytes of a blob are equal, and their value determines their number.
    @Sendable func bytes(_ value: UInt8) -> [UInt8] {
      [UInt8](repeating: value, count: 1000 * Int(value % 7) + Int(value))
    }
    let folder = try BlobFolder("users/ann/d1")
    let problems = ConditionMutex<[String]>([])
    DispatchQueue.concurrentPerform(iterations: 8) { thread in
      var random = RandomValues(seed: UInt64(thread))
      for _ in 0..<40 {
        let value = UInt8(random.whole(1...255))
        let name = random.pick(["x", "y"])
        do {
          let path = try folder.blob(name)
          switch random.whole(0...9) {
          case 0: try open.store.delete(path)
          case 1: try open.store.delete(folder)
          case 2...4:
            let info = try open.store.put(
              path, contentType: "text/\(value)", bytes(value), at: Moment(seconds: 0))
            if info?.size != bytes(value).count { throw Mishap() }
          case 5:
            if let info = try open.store.info(path),
              info.size != bytes(UInt8(info.contentType.dropFirst(5)) ?? 0).count
            {
              throw Mishap()
            }
          case 6: _ = try open.store.list(below: BlobFolder("users"), limit: 9)
          default:
            if let blob = try open.store.get(path),
              blob.info.contentType != "text/\(blob.bytes[0])"
                || blob.bytes != bytes(blob.bytes[0])
            {
              throw Mishap()
            }
          }
        } catch {
          problems.withLock { $0.append("\(error)") }
        }
      }
    }
    problems.withLock { #expect($0 == []) }
  }
}

/// Invalid names.
let badNames: [String] = [
  "", ".", "..", "...", ".hidden", ".blobs", ".new-1", "-rf", "_x", "~", "a/b", "/a", "a/", "../a",
  "a\\b", "..\\a", "a\0", "\0", "a\0.png", "a b", "a ", " a", "a\t", "a\n", "a\r\n", "a\u{7F}",
  "\u{1B}[2J", "%2e%2e", "a%2Fb", "%00", "a%252e", "a:b", "a*", "a?", "a\"", "a|b", "a+b", "a@b",
  "{uid}", "*", "é", "e\u{301}", "a\u{301}", "\u{212A}", "\u{FF0E}\u{FF0E}", "a\u{2024}b",
  "\u{2215}", "\u{FF41}", "\u{430}", "\u{200B}a", "a\u{200D}", "a\u{202E}gnp", "\u{FEFF}a", "貓",
  // Overlong encodings of '.' and '/', as they are decoded to text.
  String(decoding: [0xC0, 0xAE], as: UTF8.self), String(decoding: [0xC0, 0xAF], as: UTF8.self),
  String(decoding: [0xE0, 0x80, 0xAF], as: UTF8.self), String(decoding: [0xFF], as: UTF8.self),
  String(repeating: "a", count: 129), String(repeating: "a", count: 10_000),
  String(repeating: "../", count: 3000),
]

extension BlobStoreTests {
  @Test(arguments: BlobStoreKind.allCases)
  func `deleting below a folder keeps given blobs, inner folders first`(
    _ kind: BlobStoreKind
  ) throws {
    let open = try kind.open()
    for path in ["a/b/c/x", "a/b/c/d/x", "a/b/e/x", "a/b/x", "a/bb/x"] { try open.put(path, path) }
    var asked: [String] = []
    let count = try open.store.deleteTree(BlobFolder("a/b")) { folder in
      asked.append("\(folder)")
      return folder.names.last == "c"
    }
    #expect(count == 3 && Set(asked) == ["a/b/c", "a/b/c/d", "a/b/e", "a/b"])
    #expect(try open.list("a", size: 9) == ["a/b/c/x", "a/bb/x"])
    let inner = try #require(asked.firstIndex(of: "a/b/c/d"))
    #expect(try inner < #require(asked.firstIndex(of: "a/b/c")))
    #expect(try open.store.deleteTree(BlobFolder("a/b")) { _ in false } == 1)
    #expect(try open.store.deleteTree(BlobFolder("a/b")) { _ in false } == 0)
    #expect(try open.list("a", size: 9) == ["a/bb/x"])
  }
}
