import Foundation
import StorageTestSupport
import TestSupport
import Testing
import Threads

@testable import Storage

/// Flushes of the disk that several threads share.
struct SharedSynchronizationTests {
  private let folder: TemporaryFolder
  private let root: Folder

  init() throws {
    folder = try TemporaryFolder()
    root = try Folder(folder.url.path)
  }

  private func names() throws -> [String] {
    try FileManager.default.subpathsOfDirectory(atPath: folder.url.path).sorted()
  }

  private static func contents(_ number: Int) -> [BlobContent] {
    [BlobContent("x", contentType: "text/plain", [UInt8(number)])]
  }

  @Test func `threads that arrive during a flush share the next one`() throws {
    let (flushes, current) = (
      ConditionMutex<[Int]>([]), ConditionMutex(SharedSynchronization?.none)
    )
    let synchronization = SharedSynchronization { requests in
      let isFirst = flushes.withLock { flushes in
        flushes.append(requests.count)
        return flushes.count == 1
      }
      while isFirst, current.withLock({ $0?.waitingCount ?? 0 }) < 5 { usleep(100) }
    }
    current.withLock { $0 = synchronization }
    let entry = root.entry
    Lanes.run(6) { lane in
      while lane > 0, flushes.withLock({ $0.isEmpty }) { usleep(100) }
      #expect(problem { try synchronization.wait(for: [entry]) } == nil)
    }
    #expect(flushes.withLock { $0 } == [1, 5])
    // An empty list needs no flush.
    try synchronization.wait(for: [])
    #expect(flushes.withLock { $0.count } == 2)
  }

  @Test func `a failed flush stores nothing, and every thread of its group fails`() throws {
    let (fails, failed) = (ConditionMutex(true), ConditionMutex(0))
    let store = FileBlobStore(
      root, isDurable: true,
      SharedSynchronization { requests in
        // Long enough for the other threads to arrive.
        usleep(20_000)
        guard fails.withLock({ $0 }) else { return }
        failed.withLock { $0 += requests.count }
        for request in requests { request.fail(StorageError(.system(EIO), "disk")) }
      })
    let told = ConditionMutex(0)
    Lanes.run(8) { lane in
      let found = problem {
        try store.create(
          Self.contents(lane), in: BlobFolder("users/u\(lane)/d"), at: Moment(seconds: 1))
      }
      if found == .system(EIO) { told.withLock { $0 += 1 } }
    }
    #expect(told.withLock { $0 } == 8 && failed.withLock { $0 } == 8)
    #expect(try names().filter { $0.contains("/d") || $0.contains(".new-") } == [])
    fails.withLock { $0 = false }
    #expect(
      try store.create(Self.contents(1), in: BlobFolder("users/u1/d"), at: Moment(seconds: 2))
        != nil)
    // A replacement that fails leaves the old blob.
    fails.withLock { $0 = true }
    let path = try BlobPath("users/u1/d/x")
    #expect(
      problem { try store.put(path, contentType: "a/b", [9], at: Moment(seconds: 3)) }
        == .system(EIO))
    #expect(try store.get(path)?.bytes == [1])
  }

  @Test func `a folder gets its name after its files are durable, and is stored after its name is`()
    throws
  {
    let states = ConditionMutex<[(files: [String], names: [String])]>([])
    let path = folder.url.path
    let store = FileBlobStore(
      root, isDurable: true,
      SharedSynchronization { requests in
        let names = try? FileManager.default.subpathsOfDirectory(atPath: path)
        let files = requests.flatMap { $0.files.map { $0.path } }
        states.withLock { $0.append((files, names ?? [])) }
      })
    _ = try store.create(Self.contents(1), in: BlobFolder("users/ann/d"), at: Moment(seconds: 1))
    let seen = states.withLock { $0 }
    try #require(seen.count == 2)
    #expect(!seen[0].names.contains("users/ann/d") && seen[1].names.contains("users/ann/d/x"))
    let synchronized = seen[0].files.map { $0.split(separator: "/").last.map(String.init) ?? "" }
    #expect(synchronized == ["x", ".blobs", "."])
    // The names of both new folders above it, and its own.
    #expect(seen[1].files == ["\(path)/.", "\(path)/users/.", "\(path)/users/ann/."])
  }

  @Test func `many threads can store at once, with both ways of synchronizing`() throws {
    #expect(OpenEntry.synchronize([root.entry, root.entry]) == [nil, nil])
    for (name, way) in [
      ("shared", SharedSynchronization(root)),
      (
        "each",
        SharedSynchronization { requests in
          for failure in OpenEntry.synchronize(requests.flatMap(\.files)) {
            if let failure { requests.forEach { $0.fail(failure) } }
          }
        }
      ),
    ] {
      let store = FileBlobStore(root, isDurable: true, way)
      Lanes.run(16) { lane in
        for number in 0..<8 {
          let folder = "\(name)/u\(lane % 4)/d\(lane)-\(number)"
          let contents =
            Self.contents(lane) + [
              BlobContent("y", contentType: "a/b", [UInt8](repeating: 7, count: 50_000))
            ]
          let infos = try? store.create(contents, in: BlobFolder(folder), at: Moment(seconds: 1))
          #expect(infos?.count == 2)
        }
      }
      #expect(try store.list(below: BlobFolder(name), limit: 999).count == 16 * 8 * 2)
    }
    #expect(try names().allSatisfy { !$0.contains(".new-") })
  }
}
