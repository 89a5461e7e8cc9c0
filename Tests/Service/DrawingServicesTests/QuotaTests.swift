import Foundation
import TestSupport
import Testing
import Threads

@testable import DrawingServices
@testable import Journal
@testable import Storage

/// The user's quota: exactly the stored bytes count, also during concurrent changes.
struct QuotaTests {
  /// Ways to store the same bytes twice, or to lose some of them.
  enum Way: CaseIterable {
    case imageThenRecording, filesThenDocument, oneImage, oneSubmit, onePiece, manyPieces, revision,
      laterImage
    case refusedAndFailed, manyAtOnce
  }

  private static func go(_ way: Way, _ service: ServiceEnvironment) throws {
    let drawings = DrawingService(service, as: .user("ann"))
    let (image, recording) = (try Recordings.image(1), try Recordings.pkd(1))
    let submission = try Recordings.submission(2, id: "d1")
    func put(_ id: String) throws {
      try drawings.put(.init(DrawingFiles.image, image), ofDrawing: id, of: "ann")
    }
    func tenTimes(_ body: () throws -> Void) {
      Lanes.run(10) { _ in #expect(throws: Never.self) { try body() } }
    }
    switch way {
    case .imageThenRecording:
      try put("d1")
      try drawings.submit(submission, of: "ann")
    case .filesThenDocument:
      for (name, bytes) in [(DrawingFiles.image, image), (DrawingFiles.recording, recording)] {
        try drawings.put(
          .init(name, bytes, metadata: FileMetadata.Changes()), ofDrawing: "d1", of: "ann")
      }
      try drawings.submitStored("d1", of: "ann") { $0.promptUsed = "p" }
    case .oneImage: tenTimes { try put("d1") }
    case .oneSubmit: tenTimes { try drawings.submit(submission, of: "ann") }
    case .onePiece:
      let staged = StagedFiles(service, of: "ann")
      tenTimes { try staged.add(recording, to: String(repeating: "a", count: 64), at: 0) }
    case .manyPieces:
      Lanes.run(24) { lane in
        let name = String(repeating: "a", count: 62) + "\(10 + lane)"
        for offset in 0..<3 {
          _ = try? StagedFiles(service, of: "ann").add(
            recording, to: name, at: offset * recording.count)
        }
      }
    case .revision:
      try drawings.submit(submission, of: "ann")
      try put("d1")
      try drawings.revise(recording, ofDrawing: "d1", of: "ann", replacing: .any)
    case .laterImage:
      for id in ["d1", "d2", "d3"] {
        var later = try Recordings.submission(2, id: id)
        later.rendersImageLater = true
        try drawings.submit(later, of: "ann")
        _ = try drawings.file(DrawingFiles.image, ofDrawing: id, of: "ann")
        if id != "d3" { try drawings.delete(id, of: "ann") }
      }
    case .refusedAndFailed:
      try drawings.submit(submission, of: "ann")
      for _ in 0..<5 {
        #expect(throws: StorageError.self) {
          try drawings.submit(Recordings.submission(4, id: "d1"), of: "ann")
        }
        #expect(throws: StorageError.self) {
          try StagedFiles(service, of: "ann").add(
            Array(repeating: 1, count: 2_000_000), to: String(repeating: "a", count: 64), at: 0)
        }
        #expect(throws: (any Error).self) {
          try drawings.revise(recording, ofDrawing: "d1", of: "ann", replacing: .named(["00"]))
        }
      }
    case .manyAtOnce:
      Lanes.run(8) { _ in
        for _ in 0..<10 {
          try? put("d1")
          _ = try? drawings.submit(submission, of: "ann")
          _ = try? drawings.delete("d1", of: "ann")
        }
      }
    }
  }

  @Test(arguments: Way.allCases, [false, true])
  func `each stored byte counts once for the quota, until it is deleted`(
    _ way: Way, isOnDisk: Bool
  ) throws {
    let folder = try TemporaryFolder()
    var service =
      isOnDisk
      ? try LocalService.open(.journal, folder.file("root").path) : ServiceFixture().environment
    let quotas = UserQuotas(limit: 1_000_000)
    service.quotas = quotas
    try service.checkQuota(1, of: "ann")
    #expect(quotas.sum(of: "ann") == 0)
    try Self.go(way, service)
    let excess =
      try #require(quotas.sum(of: "ann")) - Belongings(of: "ann", in: service).countedBytes()
    #expect(excess == 0)
  }

  @Test func `a deferred image beyond the quota is shown and not stored`() throws {
    let recording = ServiceFixture()
    var later = try Recordings.submission(2, id: "d1")
    later.rendersImageLater = true
    try recording.drawings().submit(later, of: "ann")
    var service = recording.environment
    let used = try Belongings(of: "ann", in: service).countedBytes()
    service.quotas = UserQuotas(limit: used + 2)
    let drawings = DrawingService(service, as: .user("ann"))
    let folder = try UserPaths("ann").folder(ofDrawing: "d1")
    let image = try drawings.file(DrawingFiles.image, ofDrawing: "d1", of: "ann").bytes
    #expect(try !service.blobs.fileNames(in: folder).contains(DrawingFiles.image))
    // The cache contains the picture that was shown.
    let cache = try #require(service.cache)
    var cached: [BlobPath] = []
    try cache.forEachFolder(below: BlobFolder("renditions")) { folder, files in
      cached += try files.map { try folder.blob($0.name) }
    }
    let key = try #require(cached.first)
    #expect(try cached.count == 1 && cache.get(key)?.bytes == image)
    try cache.put(key, contentType: "image/png", [1, 2, 3], at: service.now())
    #expect(
      try drawings.file(DrawingFiles.image, ofDrawing: "d1", of: "ann").bytes == [1, 2, 3])
    // With enough quota it is stored, and nothing else is refused meanwhile.
    service.quotas = UserQuotas(limit: used + image.count)
    try cache.delete(key)
    let roomy = DrawingService(service, as: .user("ann"))
    #expect(try roomy.file(DrawingFiles.image, ofDrawing: "d1", of: "ann").bytes == image)
    #expect(try service.blobs.fileNames(in: folder).contains(DrawingFiles.image))
  }

  // MARK: - Taking the sum

  /// A service in memory that counts the walks over its files and can run code during them.
  private final class Walks: Sendable {
    private let state = ConditionMutex((count: 0, hook: (@Sendable (Int) throws -> Void)?.none))
    let fixture: ServiceFixture
    /// The service with a quota, and another program without one.
    let limited: ServiceEnvironment
    let quotas: UserQuotas

    init(limit: Int) {
      let state = state
      let blobs = NotingBlobStore(
        notes: Notes(),
        beforeWalk: {
          let (count, hook) = state.withLock { state in
            state.count += 1
            return (state.count, state.hook)
          }
          try hook?(count)
        })
      fixture = ServiceFixture(blobs: blobs)
      quotas = UserQuotas(limit: limit)
      var limited = fixture.environment
      limited.quotas = quotas
      self.limited = limited
    }

    /// The number of walks: two for each sum.
    var count: Int { state.withLock { $0.count } }

    func onWalk(_ hook: (@Sendable (Int) throws -> Void)?) {
      state.withLock { $0 = (0, hook) }
    }

    func put(_ id: String, _ image: [UInt8]? = nil) throws {
      try DrawingService(limited, as: .user("ann")).put(
        .init(DrawingFiles.image, image ?? Recordings.image(1)), ofDrawing: id, of: "ann")
    }

    func entry(_ id: String, _ byteCount: Int) throws {
      try CollectionService(.moodEntries, in: limited, as: .user("ann")).create(
        Samples.moodEntry.merging(["note": .text(String(repeating: "x", count: byteCount))]),
        of: "ann", id: id)
    }

    func pass(_ seconds: Int64) { fixture.clock.now = fixture.clock.now + seconds }

    var storedBytes: Int {
      get throws { try Belongings(of: "ann", in: fixture.environment).countedBytes() }
    }
  }

  private func isOverQuota(_ body: () throws -> Void) -> Bool {
    if case .overQuota? = storageProblem(body) { return true }
    return false
  }

  @Test func `concurrent writers share one sum of the quota and stay below it`() throws {
    let image = try Recordings.image(1, side: 1000)
    // The limit includes the notes about 30 images.
    #expect(image.count > 6000)
    let limit = image.count * 3 + 6000
    let walks = Walks(limit: limit)
    // Other threads arrive during the summation.
    walks.onWalk { _ in usleep(50_000) }
    let stored = ConditionMutex(0)
    func storeMany(_ prefix: String) {
      stored.withLock { $0 = 0 }
      Lanes.run(30) { lane in
        if (try? walks.put("\(prefix)\(lane)", image)) != nil { stored.withLock { $0 += 1 } }
      }
    }
    storeMany("a")
    #expect(stored.withLock { $0 } == 3)
    #expect(walks.count == 2)
    #expect(try walks.storedBytes <= limit)
    // One of them repeats an old sum.
    walks.pass(601)
    walks.onWalk { _ in usleep(50_000) }
    storeMany("b")
    #expect(stored.withLock { $0 } == 0)
    #expect(walks.count == 2)
    #expect(try walks.storedBytes <= limit)
  }

  @Test func `changes during the summation never make the sum too small`() throws {
    let walks = Walks(limit: 1_000_000)
    for id in ["d1", "d2"] { try walks.put(id) }
    walks.pass(601)
    // The files of drawings were already counted.
    walks.onWalk { count in
      guard count == 2 else { return }
      try walks.put("d3")
      try DrawingService(walks.limited, as: .user("ann")).deleteFile(
        DrawingFiles.image, ofDrawing: "d1", of: "ann")
    }
    try walks.entry("m1", 10)
    walks.onWalk(nil)
    let (sum, stored) = (try #require(walks.quotas.sum(of: "ann")), try walks.storedBytes)
    #expect(sum >= stored + (try Recordings.image(1).count))
    // Before refusing anything, the sum is repeated.
    walks.pass(1)
    try walks.limited.checkQuota(1_000_000 - stored, of: "ann")
    #expect(walks.quotas.sum(of: "ann") == (try walks.storedBytes))
  }

  @Test
  func `a refusal needs a recent sum, and does not repeat the summation`()
    throws
  {
    let walks = Walks(limit: 100_000)
    try walks.entry("m1", 60_000)
    try walks.put("d1")
    walks.onWalk(nil)
    func isRefused() -> Bool { isOverQuota { try walks.entry("m2", 60_000) } }
    #expect((0..<20).allSatisfy { _ in isRefused() })
    #expect(walks.count == 0)
    walks.pass(10)
    #expect((0..<20).allSatisfy { _ in isRefused() })
    #expect(walks.count == 2)
    // A summation that takes two seconds is repeated less often.
    walks.onWalk { _ in walks.pass(1) }
    walks.pass(10)
    #expect((0..<20).allSatisfy { _ in isRefused() })
    #expect(walks.count == 2)
    walks.pass(57)
    #expect((0..<20).allSatisfy { _ in isRefused() })
    #expect(walks.count == 2)
    // Another program deletes data.
    walks.onWalk(nil)
    try CollectionService(.moodEntries, in: walks.fixture.environment, as: .operator).delete(
      "m1", of: "ann")
    walks.pass(1)
    #expect(!isRefused())
    #expect(walks.count == 2)
    // Changes of a device are refused one by one, and so is a file.
    try CollectionService(.moodEntries, in: walks.fixture.environment, as: .operator).delete(
      "m2", of: "ann")
    var request = SyncRequest()
    request.changes = [
      SyncChange(
        SyncName(.moodEntries, "m6"),
        .document(
          Samples.moodEntry.merging([
            "note": .text(String(repeating: "x", count: 60_000)), "createdAt": Samples.moment,
            "updatedAt": Samples.moment,
          ])))
    ]
    let sync = SyncService(walks.limited, as: .user("ann"))
    for _ in 0..<20 { #expect(try sync.answer(request, of: "ann").results[0] != nil) }
    #expect(walks.count == 2)
    walks.pass(11)
    #expect(try sync.answer(request, of: "ann").results[0] == nil)
    #expect(walks.count == 4)
  }

  @Test func `documents are accepted while the file store is away`()
    throws
  {
    let walks = Walks(limit: 100_000)
    for number in 0..<4 {
      try StagedFiles(walks.fixture.environment, of: "ann").add(
        Array(repeating: 1, count: 10_000), to: String(repeating: "\(number)", count: 64), at: 0)
    }
    walks.onWalk { _ in throw StorageError(.unavailable("no answer"), "bucket") }
    for number in 0..<10 { try walks.entry("a\(number)", 100) }
    #expect(walks.count == 1)
    // The number of documents without files is limited, too.
    try walks.entry("b", 60_000)
    #expect(isOverQuota { try walks.entry("c", 60_000) })
    #expect(throws: StorageError(.unavailable("no answer"), "bucket")) { try walks.put("d1") }
    #expect(walks.count == 2)
    walks.pass(10)
    try walks.entry("d", 10)
    #expect(walks.count == 2)
    walks.pass(1)
    walks.onWalk(nil)
    #expect(isOverQuota { try walks.entry("e", 10) })
    #expect(walks.quotas.sum(of: "ann") == (try walks.storedBytes))
    // The former sum is better than none.
    let staged = StagedFiles(walks.limited, of: "ann")
    try staged.remove(String(repeating: "1", count: 64))
    walks.pass(601)
    walks.onWalk { _ in throw StorageError(.unavailable("no answer"), "bucket") }
    try walks.entry("f", 5000)
    #expect(isOverQuota { try walks.entry("g", 20_000) })
    #expect(walks.count == 1)
  }

  @Test func `names of deleted documents count for the quota from the start`()
    throws
  {
    let walks = Walks(limit: 10_000)
    func isRefused(_ content: (Int) -> SyncChange) throws -> Bool {
      var request = SyncRequest()
      request.changes = (0..<100).map(content)
      return try SyncService(walks.limited, as: .user("ann")).answer(request, of: "ann").results
        .values.contains {
          if case .failed(code: "quota-exceeded", _) = $0 { return true }
          return false
        }
    }
    let name = String(repeating: "n", count: 120)
    #expect(
      try isRefused {
        SyncChange(SyncName(.moodEntries, "\(name)\($0)"), .deleted(walks.fixture.clock.now))
      })
    #expect(try walks.storedBytes <= 10_000)
    #expect(walks.quotas.sum(of: "ann") == (try walks.storedBytes))
  }

  // MARK: - Pieces

  @Test func `small pieces of an upload are stored in few files`() throws {
    let fixture = ServiceFixture()
    let staged = StagedFiles(fixture.environment, of: "ann")
    func files(_ name: String) throws -> Int {
      try fixture.environment.blobs.fileNames(in: BlobFolder("uploads/ann/\(name)")).count
    }
    var random = SplitMix64(seed: 1)
    for (size, count, limit) in [(1, 1500, 1), (100_000, 100, 40), (1 << 20, 9, 9)] {
      let bytes = (0..<size * count).map { _ in UInt8.random(in: 0...255, using: &random) }
      let name = ContentHash.of(bytes)
      for offset in stride(from: 0, to: bytes.count, by: size) {
        let next = try staged.add(
          Array(bytes[offset..<offset + size]), to: name, at: offset)
        #expect(next == offset + size)
        // A repeated or early piece changes nothing.
        if offset > 0 { #expect(try staged.add([1], to: name, at: offset) == next) }
      }
      #expect(try files(name) <= limit)
      #expect(try staged.file(name) == bytes)
    }
  }
}
