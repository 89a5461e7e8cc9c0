import Foundation
import StorageTestSupport
import TestSupport
import Testing
import Threads

@testable import Storage

/// Tests that only the file store has: foreign files, damage, and the leftovers of crashes.
struct FileBlobStoreTests {
  private let folder: TemporaryFolder
  private let root: URL
  private let open: OpenBlobStore

  init() throws {
    folder = try TemporaryFolder()
    root = folder.file("root")
    try FileManager.default.createDirectory(at: root, withIntermediateDirectories: false)
    open = OpenBlobStore(store: try FileBlobStore(root.path), folder: folder)
  }

  private func file(_ path: String) -> URL { root.appendingPathComponent(path) }

  private func bytes(_ path: String) throws -> [UInt8] {
    [UInt8](try Data(contentsOf: file(path)))
  }

  private func write(_ bytes: [UInt8], _ path: String) throws {
    // In place, like damage on a disk.
    let handle = Glibc.open(file(path).path, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
    defer { close(handle) }
    try #require(Glibc.write(handle, bytes, bytes.count) == bytes.count)
  }

  private func makeFolder(_ path: String) throws {
    try FileManager.default.createDirectory(at: file(path), withIntermediateDirectories: true)
  }

  private func link(_ path: String, to target: URL) throws {
    try FileManager.default.createSymbolicLink(at: file(path), withDestinationURL: target)
  }

  private func isThere(_ path: String) -> Bool {
    (try? FileManager.default.attributesOfItem(atPath: file(path).path)) != nil
  }

  /// All names below the root, sorted.
  private func names() throws -> [String] {
    try FileManager.default.subpathsOfDirectory(atPath: root.path).sorted()
  }

  /// Whether reading a blob throws `.damaged`.
  private func isFoundOut(_ path: String) -> Bool {
    guard case .damaged = problem({ try open.text(path) }) else { return false }
    return true
  }

  // MARK: - Files

  @Test func `blobs are plain files at their paths, and nothing else is left`() throws {
    try open.put("users/ann/d1/image.png", "picture")
    try open.put("users/ann/d1/image.png", "another picture")
    try open.put("users/ann/d1/thumb.png", "small")
    #expect(try bytes("users/ann/d1/image.png") == Array("another picture".utf8))
    #expect(
      try names() == [
        "users", "users/ann", "users/ann/d1", "users/ann/d1/.blobs", "users/ann/d1/image.png",
        "users/ann/d1/thumb.png",
      ])
    try open.store.delete(BlobPath("users/ann/d1/thumb.png"))
    try open.store.delete(BlobPath("users/ann/d1/image.png"))
    #expect(try names() == ["users", "users/ann"])
  }

  @Test func `a file store that is opened again has all its contents`() throws {
    let info = try open.put("a/b/x", "text", type: "text/html", at: 5)
    try open.put("a/b/y", "one", at: 6)
    let replaced = try open.put("a/b/y", "two", at: 7)
    let again = try FileBlobStore(root.path)
    #expect(try again.get(BlobPath("a/b/x"))?.info == info)
    #expect(try again.list(below: BlobFolder("a"), limit: 9) == [info, replaced])
    #expect(
      problem { try FileBlobStore(root.path + "/missing") } == .notFound)
    #expect(problem { try FileBlobStore(file("a/b/x").path) } == .system(ENOTDIR))
  }

  @Test func `a ledger does not grow with blobs that are gone`() throws {
    try open.put("a/kept", "kept")
    for number in 0..<50 {
      try open.put("a/x\(number)", "text")
      try open.store.delete(BlobPath("a/x\(number)"))
    }
    for number in 0..<20 { try open.put("a/y", "round \(number)") }
    let lines = try bytes("a/.blobs").split(separator: UInt8(ascii: "\n"))
    // The kept blobs, and the old and new lines of the last put.
    #expect(lines.count == 3)
    #expect(try open.text("a/kept") == "kept" && open.text("a/y") == "round 19")
  }

  // MARK: - Planted links

  @Test func `a file store never follows symbolic links`() throws {
    let outside = folder.file("outside")
    try FileManager.default.createDirectory(at: outside, withIntermediateDirectories: false)
    let other = OpenBlobStore(store: try FileBlobStore(outside.path), folder: folder)
    try other.put("d/x", "secret")
    try open.put("users/ann/x", "mine")
    try link("users/bob", to: outside)
    try link("users/ann/linked", to: outside.appendingPathComponent("d/x"))
    try link("users/ann/inner", to: outside.appendingPathComponent("d"))
    try link("users/ann/self", to: file("users/ann/x"))
    try link("users/ann/nowhere", to: folder.file("nowhere"))
    for path in [
      "users/bob/d/x", "users/ann/linked", "users/ann/inner/x", "users/ann/self",
      "users/ann/nowhere", "users/ann/nowhere/x",
    ] {
      #expect(isFoundOut(path), "\(path)")
      #expect(problem { try open.store.info(BlobPath(path)) } != nil, "\(path)")
    }
    for path in ["users/bob/d/new", "users/bob/new", "users/ann/inner/new", "users/ann/nowhere/x"] {
      #expect(problem { try open.put(path, "planted") } != nil, "\(path)")
    }
    let all = try open.store.list(below: BlobFolder("users"), limit: 99)
    #expect(all.map(\.path.description) == ["users/ann/x"])
    let folders = try open.store.folders(below: BlobFolder("users"), after: nil, limit: 99)
    #expect(folders.map(\.description) == ["users/ann"])
    // Entries list them as files without metadata.
    let entries = try open.store.entries(of: BlobFolder("users/ann"))
    #expect(
      entries.filter { $0.info == nil }.map(\.name) == ["inner", "linked", "nowhere", "self"])
    #expect(
      try open.store.removeLeftovers(
        below: BlobFolder("users"), before: Moment(seconds: 1 << 40)) == 0)

    // Deleting removes the links, not their targets.
    #expect(problem { try open.store.delete(BlobPath("users/bob/d/x")) } != nil)
    #expect(problem { try open.store.delete(BlobFolder("users/bob")) } != nil)
    #expect(try open.store.delete(BlobPath("users/ann/linked")))
    #expect(try open.store.delete(BlobFolder("users/ann")))
    #expect(!isThere("users/ann") && isThere("users/bob"))
    #expect(try other.text("d/x") == "secret")
    #expect(
      try FileManager.default.subpathsOfDirectory(atPath: outside.path).sorted()
        == ["d", "d/.blobs", "d/x"])
  }

  @Test func `a link at the path of a blob or a ledger is replaced, not followed`() throws {
    let target = folder.file("target")
    try Data("theirs".utf8).write(to: target)
    try open.put("a/x", "mine")
    try FileManager.default.removeItem(at: file("a/x"))
    try link("a/x", to: target)
    #expect(problem { try open.put("a/x", "new") } != nil)
    #expect(try open.store.delete(BlobPath("a/x")))
    try open.put("a/x", "new")
    #expect(try open.text("a/x") == "new")
    try FileManager.default.removeItem(at: file("a/.blobs"))
    try link("a/.blobs", to: target)
    #expect(isFoundOut("a/x"))
    #expect(problem { try open.put("a/y", "new") } != nil)
    #expect(try Data(contentsOf: target) == Data("theirs".utf8))
  }

  @Test func `special files are refused without waiting for them`() throws {
    try open.put("a/x", "x")
    // Opening a pipe without a writer would block.
    #expect(mkfifo(file("a/pipe").path, 0o600) == 0)
    #expect(isFoundOut("a/pipe"))
    #expect(problem { try open.put("a/pipe", "y") } != nil)
    #expect(problem { try open.put("a/pipe/y", "y") } != nil)
    #expect(try open.store.entries(of: BlobFolder("a")).map(\.info?.size) == [nil, 1])
    #expect(try open.store.delete(BlobPath("a/pipe")))
  }

  @Test func `files with invalid names are listed and do no harm`() throws {
    try open.put("a/K", "kelvin")
    try open.put("a/b/x", "x")
    for name in ["\u{212A}", "e\u{301}", "a b", "x\ny", "-rf"] {
      try write(Array("planted".utf8), "a/\(name)")
      try makeFolder("a/b/\(name)")
      try write([1], "a/b/\(name)/inside")
    }
    // A name that is not valid UTF-8.
    let handle = Array(file("a").path.utf8CString.dropLast() + [47, -1, -2, 0])
      .withUnsafeBufferPointer { $0.baseAddress.map { creat($0, 0o600) } ?? -1 }
    #expect(handle >= 0)
    close(handle)
    let entries = try open.store.entries(of: BlobFolder("a"))
    #expect(entries.filter { $0.info != nil }.map(\.name) == ["K"])
    #expect(entries.count == 7)
    #expect(try open.list("a", size: 1) == ["a/b/x"])
    let folders = try open.store.folders(below: BlobFolder("a"), after: nil, limit: 9)
    #expect(folders.map(\.description) == ["a/b"])
    #expect(try open.store.delete(BlobFolder("a")))
    #expect(try open.text("a/b/x") == "x")
  }

  @Test func `a stored file may have any modification time`() throws {
    try open.put("a/b/x", "x")
    try write([1], "a/b/.new-old")
    for seconds in [Int.max, Int.min, 0] {
      var times = [timespec(tv_sec: seconds, tv_nsec: 0), timespec(tv_sec: seconds, tv_nsec: 0)]
      // Some file systems cannot store it; then the time stays unchanged.
      for path in ["a/b/x", "a/b"] { _ = utimensat(AT_FDCWD, file(path).path, &times, 0) }
      #expect(try open.store.entries(of: BlobFolder("a/b")).count == 1)
      _ = try open.store.removeLeftovers(below: BlobFolder("a"), before: Moment(seconds: 0))
    }
    #expect(try open.text("a/b/x") == "x")
  }

  @Test func `the time of a file's last use may be any, also one before 1970`() throws {
    let path = try BlobPath("a/b/x")
    try open.put("a/b/x", "x")
    for microseconds in [-1, -1_500_000, 0, 1_780_000_000_250_000] as [Int64] {
      let moment = Moment(microseconds: microseconds)
      try open.store.noteUse(of: path, at: moment)
      #expect(try open.store.entries(of: path.folder).map(\.used) == [moment])
    }
  }

  // MARK: - Damage

  @Test func `every flipped bit and every cut of a blob is found`() throws {
    try open.put("a/x", "a small blob, all of it")
    let whole = try bytes("a/x")
    try Mutation.everyCutAndFlip(of: whole) { damaged in
      try write(damaged, "a/x")
      #expect(isFoundOut("a/x"))
    }
    try write(whole + [0], "a/x")
    #expect(isFoundOut("a/x"))
    // With the original bytes it is intact again.
    try write(whole, "a/x")
    #expect(try open.text("a/x") == "a small blob, all of it")
  }

  @Test func `old and new bytes of the same checksum are distinguished by their hash`() throws {
    let old: [UInt8] = Array(0..<40)
    var new = old
    let polynomial = 1 | UInt64(0x82F6_3B78) << 1
    for index in 0..<5 { new[10 + index] ^= UInt8(truncatingIfNeeded: polynomial >> (8 * index)) }
    let folder = try BlobFolder("a")
    var ledger = BlobLedger(folder)
    let infos = [old, new].enumerated().map { index, bytes in
      BlobContent("x", contentType: "text/plain", bytes).info(
        in: folder, created: Moment(seconds: 0), updated: Moment(seconds: Int64(index)))
    }
    #expect(infos[0].checksum == infos[1].checksum && infos[0].digest != infos[1].digest)
    for info in infos { ledger.add(info) }
    #expect(ledger.info(of: "x", bytes: old) == infos[0])
    #expect(ledger.info(of: "x", bytes: new) == infos[1])
    #expect(BlobLedger(folder, bytes: ledger.bytes).infos == infos)
  }

  @Test
  func `blobs are added beside the old bytes of an interrupted replacement, and beside the new`()
    throws
  {
    let first = try open.put("a/x", "first", at: 1)
    let second = try open.put("a/x", "second", at: 2)
    // The ledger has a line for each of the two, and a crash may have left either.
    for (text, info, other) in [("first", first, second), ("second", second, first)] {
      try write(Array(text.utf8), "a/x")
      let added = [BlobContent("y", contentType: "text/plain", [7])]
      #expect(try open.store.add(added, beside: other, at: Moment(seconds: 3)) == nil)
      #expect(
        try open.store.put(added, deleting: [], beside: other, at: Moment(seconds: 3)) == nil)
      #expect(try open.store.add(added, beside: info, at: Moment(seconds: 3))?.count == 1)
      #expect(
        try open.store.put(added, deleting: [], beside: info, at: Moment(seconds: 3))?.count == 1)
      try open.store.delete(BlobPath("a/y"))
      #expect(try open.text("a/x") == text)
    }
    // Damaged bytes have no line.
    try write([1], "a/x")
    let content = [BlobContent("x", contentType: "text/plain", [7])]
    #expect(
      try open.store.put(content, deleting: [], beside: second, at: Moment(seconds: 4)) == nil)
  }

  @Test func `every flipped bit and every cut of a ledger is found`() throws {
    try open.put("a/x", "text")
    let whole = try bytes("a/.blobs")
    try Mutation.everyCutAndFlip(of: whole) { damaged in
      try write(damaged, "a/.blobs")
      // Without its last newline a ledger is still complete.
      if damaged.count == whole.count - 1 {
        #expect(try open.text("a/x") == "text")
      } else {
        #expect(isFoundOut("a/x"))
      }
    }
  }

  @Test func `swapped files, lines and ledgers are found`() throws {
    for folder in ["a", "b"] {
      for name in ["x", "y"] { try open.put("\(folder)/\(name)", "\(folder)\(name)") }
    }
    func swap(_ one: String, _ other: String) throws {
      let (first, second) = (try bytes(one), try bytes(other))
      try write(second, one)
      try write(first, other)
    }
    for (one, other) in [("a/x", "a/y"), ("a/x", "b/x"), ("a/.blobs", "b/.blobs")] {
      try swap(one, other)
      #expect(isFoundOut("a/x"), "\(one) and \(other)")
      #expect(isFoundOut(other.hasSuffix(".blobs") ? "b/x" : other))
      try swap(one, other)
      #expect(try open.text("a/x") == "ax")
    }
    let lines = try bytes("a/.blobs").split(separator: UInt8(ascii: "\n"))
    // Their order does not matter.
    try write(Array(lines.reversed().joined(separator: [10])), "a/.blobs")
    #expect(try open.text("a/x") == "ax" && open.text("a/y") == "ay")
    // Parts of one line in another line.
    var parts = lines.map { $0.split(separator: UInt8(ascii: " ")) }
    (parts[0][3], parts[1][3]) = (parts[1][3], parts[0][3])
    try write(Array(parts.map { $0.joined(separator: [32]) }.joined(separator: [10])), "a/.blobs")
    #expect(isFoundOut("a/x") && isFoundOut("a/y"))
    try FileManager.default.removeItem(at: file("a/.blobs"))
    #expect(isFoundOut("a/x"))
    #expect(problem { try open.store.info(BlobPath("a/x")) } != nil)
    // A file without an entry, in a folder with blobs and in a folder without.
    try write([1], "b/planted")
    try makeFolder("c")
    try write([1], "c/planted")
    for path in ["b/planted", "c/planted"] {
      #expect(isFoundOut(path))
      #expect(problem { try open.store.info(BlobPath(path)) } != nil)
    }
    #expect(try open.text("b/x") == "bx")
  }

  @Test func `entries of a folder include files without metadata and the reverse`() throws {
    try open.put("a/x", "x")
    try open.put("a/lost", "lost")
    try write([1], "a/planted")
    try FileManager.default.removeItem(at: file("a/lost"))
    let entries = try open.store.entries(of: BlobFolder("a"))
    #expect(entries.map(\.name) == ["lost", "planted", "x"])
    #expect(entries.map { $0.info == nil } == [false, true, false])
    #expect(entries.map { $0.modified == nil } == [true, false, false])
    #expect(try open.text("a/lost") == nil)
    #expect(try open.store.info(BlobPath("a/lost")) == nil)
  }

  @Test func `a damaged blob can be replaced, and its neighbours stay`() throws {
    try open.put("a/x", "text", at: 1)
    try open.put("a/y", "beside", at: 1)
    try write(Array("tExt".utf8), "a/x")
    let info = try open.put("a/x", "sound", at: 9)
    #expect(info.created == Moment(seconds: 9))
    #expect(try open.text("a/x") == "sound" && open.text("a/y") == "beside")
    try FileManager.default.removeItem(at: file("a/.blobs"))
    try open.put("a/x", "once more", at: 9)
    #expect(try open.text("a/x") == "once more")
    #expect(isFoundOut("a/y"))
    #expect(try open.store.delete(BlobPath("a/y")))
    #expect(try open.text("a/y") == nil)
  }

  // MARK: - After a crash

  @Test func `a half-done replacement is read as the old blob or the new one`() throws {
    for (old, new) in [("old", "newer"), ("one", "two"), ("same", "same")] {
      let path = "a/\(old)"
      let before = try open.put(path, old, at: 1)
      let after = try open.put(path, new, at: 2)
      #expect(after.created == Moment(seconds: 1))
      // As if the new bytes had not been renamed yet.
      try write(Array(old.utf8), path)
      #expect(try open.text(path) == old)
      let expected = old == new ? after : before
      #expect(try open.store.get(BlobPath(path))?.info == expected)
      #expect(try open.store.info(BlobPath(path)) == expected)
      let entries = try open.store.entries(of: BlobFolder("a"))
      #expect(entries.first { $0.name == old }?.info == expected)
      // The next put continues from there.
      let next = try open.put(path, "next", at: 3)
      #expect(next.created == Moment(seconds: 1))
      #expect(try open.store.info(BlobPath(path)) == next)
    }
  }

  @Test func `leftovers of crashes in a file store are deleted when they are old`() throws {
    try open.put("a/b/x", "x")
    try write([1], "a/b/.new-1-x")
    try makeFolder("a/.new-2-c")
    try write([1], "a/.new-2-c/y")
    try write([1], "a/.new-2-c/.blobs")
    try makeFolder("a/empty/inner")
    try write([1], "a/b/.other")
    let (old, young) = (Moment(seconds: 1), Moment(seconds: 1 << 40))
    #expect(try open.store.list(below: BlobFolder("a"), limit: 9).count == 1)
    #expect(try open.store.removeLeftovers(below: BlobFolder("a"), before: old) == 0)
    #expect(isThere("a/b/.new-1-x") && isThere("a/.new-2-c/y") && isThere("a/empty/inner"))
    // A folder that a program is still filling stays, at any age.
    try makeFolder("a/.new-3-d")
    let busy = try Folder(file("a/.new-3-d").path)
    try busy.lock()
    #expect(try open.store.removeLeftovers(below: BlobFolder("a"), before: young) == 2)
    #expect(isThere("a/.new-3-d"))
    try FileManager.default.removeItem(atPath: file("a/.new-3-d").path)
    try write([1], "a/b/.new-1-x")
    try makeFolder("a/.new-2-c")
    try makeFolder("a/empty/inner")
    #expect(try open.store.removeLeftovers(below: BlobFolder("a"), before: young) == 2)
    // `.other` is not a leftover of this store.
    #expect(try names() == ["a", "a/b", "a/b/.blobs", "a/b/.other", "a/b/x"])
    #expect(try open.store.removeLeftovers(below: BlobFolder("a"), before: young) == 0)
    #expect(try open.text("a/b/x") == "x")
  }

  @Test func `young leftovers in a file store are not deleted`() throws {
    try open.put("a/b/x", "x")
    for (name, seconds) in [(".new-old", 1000), (".new-young", 3000)] {
      try write([1], "a/b/\(name)")
      var times = [timespec(tv_sec: seconds, tv_nsec: 0), timespec(tv_sec: seconds, tv_nsec: 0)]
      #expect(utimensat(AT_FDCWD, file("a/b/\(name)").path, &times, 0) == 0)
    }
    #expect(
      try open.store.removeLeftovers(below: BlobFolder("a"), before: Moment(seconds: 2000)) == 1)
    #expect(!isThere("a/b/.new-old") && isThere("a/b/.new-young"))
  }

  @Test func `folders that a crash left empty or half deleted can be used again`() throws {
    try makeFolder("a/b")
    try open.put("a/b/x", "x")
    #expect(try open.text("a/b/x") == "x")
    // Everything except the ledger was deleted.
    try FileManager.default.removeItem(at: file("a/b/x"))
    try open.put("a/b/y", "y", at: 3)
    #expect(try open.list("a", size: 9) == ["a/b/y"])
    try FileManager.default.removeItem(at: file("a/b/y"))
    #expect(try !open.store.delete(BlobFolder("a/b")))
    #expect(!isThere("a/b"))
  }

  // MARK: - Concurrency

  @Test func `two file stores on one root do not disturb each other`() throws {
    let stores = [open.store, try FileBlobStore(root.path), try FileBlobStore(root.path)]
    let problems = ConditionMutex<[String]>([])
    DispatchQueue.concurrentPerform(iterations: 9) { thread in
      let store = stores[thread % 3]
      for round in 0..<6 {
        do {
          // All create the same new folders, each with its own blobs.
          let folder = try BlobFolder("users/u\(round)/d/e")
          let contents = (0..<2).map {
            BlobContent("t\(thread)-\($0)", contentType: "text/plain", [UInt8(thread), UInt8($0)])
          }
          try store.put(contents, in: folder, at: Moment(seconds: 1))
          try store.put(
            BlobPath("users/u\(round)/t\(thread)"), contentType: "a/b", [1], at: Moment(seconds: 1))
          for content in contents {
            let blob = try stores[(thread + 1) % 3].get(folder.blob(content.name))
            if blob?.bytes != content.bytes { throw Mishap() }
          }
        } catch {
          problems.withLock { $0.append("\(error)") }
        }
      }
    }
    problems.withLock { #expect($0 == []) }
    #expect(try open.store.list(below: BlobFolder("users"), limit: 999).count == 6 * 9 * 3)
    #expect(try names().allSatisfy { !$0.contains(".new-") })
  }

  @Test func `one of several waiting deletions deletes a folder`() throws {
    let folder = try BlobFolder("a/b")
    try open.put("a/b/x", "x")
    // As while a file is being stored there.
    let held = Glibc.open(file("a/b").path, O_RDONLY | O_DIRECTORY)
    defer { close(held) }
    try #require(flock(held, LOCK_EX) == 0)
    let stores = [open.store, try FileBlobStore(root.path)]
    let counts = ConditionMutex((deletions: 0, errors: 0))
    let group = DispatchGroup()
    for number in 0..<4 {
      group.enter()
      Thread.detachNewThread {
        let isDeleted = try? stores[number % 2].delete(folder)
        counts.withLock {
          $0.deletions += isDeleted == true ? 1 : 0
          $0.errors += isDeleted == nil ? 1 : 0
        }
        group.leave()
      }
    }
    Thread.sleep(forTimeInterval: 0.2)
    flock(held, LOCK_UN)
    group.wait()
    counts.withLock { #expect($0 == (1, 0)) }
    #expect(!isThere("a/b"))
  }

  @Test func `concurrent creation and deletion of folders leaves no damage`() throws {
    let problems = ConditionMutex<[String]>([])
    DispatchQueue.concurrentPerform(iterations: 8) { thread in
      var random = RandomValues(seed: UInt64(thread))
      for _ in 0..<40 {
        do {
          let path = random.pick(["a/b/c", "a/b/c/d", "a/b"])
          if random.chance(0.5) {
            try open.store.put(
              BlobPath("\(path)/x"), contentType: "text/plain", [1, 2, 3], at: Moment(seconds: 1))
          } else if random.chance(0.3) {
            _ = try open.store.removeLeftovers(
              below: BlobFolder("a"), before: Moment(seconds: 0))
          } else {
            try open.store.delete(BlobFolder(path))
          }
          let blob = try open.store.get(BlobPath("\(path)/x"))
          if let blob, blob.bytes != [1, 2, 3] { throw Mishap() }
          _ = try open.store.list(below: BlobFolder("a"), limit: 9)
        } catch {
          problems.withLock { $0.append("\(error)") }
        }
      }
    }
    problems.withLock { #expect($0 == []) }
    #expect(try names().allSatisfy { !$0.contains(".new-") })
  }

  @Test func `deleting a folder deletes files of any foreign name`()
    throws
  {
    try open.put("a/b/c/blob", "one")
    try open.put("a/b/kept/blob", "two")
    try open.put("a/c/blob", "three")
    for path in ["a/b/x y/z", "a/日本", "a/b/kept/inner", "a/empty/inner"] {
      try makeFolder(path)
      if !path.hasPrefix("a/empty") { try write([1], "\(path)/file") }
    }
    try write([1], "a/b/.DS_Store")
    try link("a/b/outside", to: file("a/c"))
    // A folder and a file in it with names that are no valid text.
    let name: [CChar] = (root.path + "/a/").utf8.map { CChar(bitPattern: $0) } + [-1, 120, 0]
    #expect(mkdir(name, 0o700) == 0)
    let inner = Glibc.open(name.dropLast() + [47, -2, 0], O_WRONLY | O_CREAT, 0o600)
    #expect(inner >= 0)
    close(inner)
    // A folder that another program is filling at this moment.
    try makeFolder("a/b/.new-1-d9")
    let filling = Glibc.open(file("a/b/.new-1-d9").path, O_RDONLY | O_DIRECTORY)
    defer { close(filling) }
    #expect(flock(filling, LOCK_EX) == 0)

    #expect(
      try open.store.unreachableFolders(below: BlobFolder("a")).prefix(2) == ["a/b/x y", "a/日本"])
    let store = try #require(open.store as? FileBlobStore)
    _ = try store.deleteTree(BlobFolder("a/b")) { $0.names.last == "kept" }
    #expect(
      try FileManager.default.subpathsOfDirectory(atPath: file("a/b").path).sorted()
        == [".new-1-d9", "kept", "kept/.blobs", "kept/blob"])
    #expect(try open.text("a/c/blob") == "three" && open.text("a/b/kept/blob") == "two")
    #expect(flock(filling, LOCK_UN) == 0)
    #expect(try store.deleteTree(BlobFolder("a")) { _ in false } > 2)
    #expect(!FileManager.default.fileExists(atPath: file("a").path))
    #expect(try store.deleteTree(BlobFolder("a")) { _ in false } == 0)
  }
}
