import Foundation
import TestSupport
import Testing
import Threads

@testable import DrawingServices
@testable import Storage

/// The cache of renditions and its limit.
struct RenditionCacheTests {
  private let start = ServiceFixture.start

  private static func path(_ index: Int) throws -> BlobPath {
    let hash = ContentHash.of(Array("\(index)".utf8))
    return try BlobPath("renditions/\(hash.prefix(2))/\(hash)/p.png")
  }

  /// A cache in memory or in a folder; the folder is deleted with the returned value.
  private static func cache(
    inFile: Bool, limit: Int
  ) throws -> (cache: RenditionCache, folder: TemporaryFolder) {
    let folder = try TemporaryFolder()
    let store: any BlobStore =
      inFile ? try FileBlobStore(folder.url.path) : InMemoryBlobStore()
    return (RenditionCache(store: store, limit: limit), folder)
  }

  private static func bytes(in cache: RenditionCache) throws -> Int {
    // Without reading the files, because reading may change their access times.
    try cache.store.list(below: BlobFolder("renditions"), limit: 1_000_000).reduce(0) {
      $0 + $1.size
    }
  }

  @Test(arguments: [false, true])
  func `the rendition cache evicts the least recently used pictures first`(_ inFile: Bool) throws {
    let (cache, folder) = try Self.cache(inFile: inFile, limit: 1000)
    defer { withExtendedLifetime(folder) {} }
    let picture = [UInt8](repeating: 7, count: 100)
    for index in 0..<10 {
      try cache.add(picture, as: Self.path(index), at: start + Int64(index))
    }
    #expect(try Self.bytes(in: cache) == 1000)
    // The oldest two are used.
    for index in 0..<2 {
      #expect(try cache.picture(Self.path(index), at: start + Int64(20 + index)) == picture)
    }
    try cache.add(picture, as: Self.path(10), at: start + 30)
    #expect(try cache.picture(Self.path(2), at: start + 31) == nil)
    try cache.add([UInt8](repeating: 7, count: 300), as: Self.path(11), at: start + 32)
    let left = try (0..<12).filter { try cache.store.info(Self.path($0)) != nil }
    #expect(left == [0, 1, 6, 7, 8, 9, 10, 11])
    #expect(try Self.bytes(in: cache) == 1000)
    // Replacing a picture evicts no other.
    try cache.add([UInt8](repeating: 8, count: 300), as: Self.path(11), at: start + 33)
    #expect(try (0..<12).filter { try cache.store.info(Self.path($0)) != nil } == left)
    // A picture larger than the limit is not cached, and evicts nothing.
    try cache.add([UInt8](repeating: 7, count: 1001), as: Self.path(12), at: start + 34)
    #expect(try (0..<13).filter { try cache.store.info(Self.path($0)) != nil } == left)
  }

  @Test func `the rendition cache stays below its limit with constant work`()
    throws
  {
    let store = CountingBlobStore()
    let cache = RenditionCache(store: store, limit: 20_000)
    var random = SplitMix64(seed: 8)
    var most = 0
    for index in 0..<600 {
      store.reset()
      let size = Int.random(in: 1...300, using: &random)
      try cache.add(
        [UInt8](repeating: 1, count: size), as: Self.path(index), at: start + Int64(index))
      most = max(most, store.looks)
      if index.isMultiple(of: RunLength.step(7)) {
        #expect(try Self.bytes(in: cache) <= 20_000)
      }
    }
    #expect(try Self.bytes(in: cache) > 19_000)
    // The limits of the work of one put: 16 folders, and twice that when a round begins.
    #expect(most <= 160, "\(most)")
    // New pictures are cached more often than old ones.
    let there = try (0..<600).filter { try store.info(Self.path($0)) != nil }
    #expect(try store.info(Self.path(599)) != nil && (there.first ?? 0) > 100)
  }

  @Test func `the rendition cache finds and evicts uncounted pictures`() throws {
    let (cache, folder) = try Self.cache(inFile: true, limit: 3000)
    let picture = [UInt8](repeating: 7, count: 100)
    // In the form of an older program.
    for index in 0..<100 {
      try cache.store.put(Self.path(index), contentType: "image/png", picture, at: start)
    }
    for index in 100..<130 {
      try cache.add(picture, as: Self.path(index), at: start + Int64(index))
    }
    #expect(try Self.bytes(in: cache) <= 3000)
    // A wrong total is corrected, too.
    for wrong in ["999999999 0", "-5 -5", "0 0 renditions/zz", "nonsense", "1 2 ../../x"] {
      try cache.store.put(
        BlobPath("renditions/usage"), contentType: "text/plain", Array(wrong.utf8), at: start)
      for index in 130..<200 {
        try cache.add(picture, as: Self.path(index), at: start + Int64(index))
      }
      let bytes = try Self.bytes(in: cache)
      #expect(1500...3000 ~= bytes, "\(wrong): \(bytes)")
    }
    withExtendedLifetime(folder) {}
  }

  @Test func `concurrent programs keep the rendition cache below its limit`() throws {
    let folder = try TemporaryFolder()
    let path = folder.url.path
    DispatchQueue.concurrentPerform(iterations: 4) { worker in
      // Each like a separate program.
      guard let store = try? FileBlobStore(path) else { return }
      let cache = RenditionCache(store: store, limit: 2000)
      for index in 0..<25 {
        try? cache.add(
          [UInt8](repeating: 1, count: 100), as: Self.path(worker * 100 + index),
          at: start + Int64(index))
        if index % 5 == 4, let gone = try? Self.path(worker * 100 + index).folder {
          try? cache.delete(gone)
        }
      }
    }
    let cache = RenditionCache(store: try FileBlobStore(path), limit: 2000)
    let bytes = try Self.bytes(in: cache)
    #expect(1000...2000 ~= bytes, "\(bytes)")
  }

  @Test func `a service caches renditions up to the limit in its settings`() throws {
    var settings = ServiceSettings()
    #expect(settings.cacheBytes == 1 << 30)
    settings.cacheBytes = 3000
    let fixture = ServiceFixture(settings: settings)
    let record = try fixture.drawings().submit(try Recordings.submission(2), of: "ann")
    let cache = try #require(fixture.environment.cache)
    for side in 20..<40 {
      var style = RenditionStyle()
      style.side = side
      fixture.clock.now = fixture.clock.now + 1
      _ = try fixture.drawings().rendition(style, ofDrawing: record.id, of: "ann")
      let bytes = try files(in: cache, below: "renditions").values.reduce(0) { $0 + $1.count }
      #expect(bytes <= 3000)
    }
    #expect(try !files(in: cache, below: "renditions").isEmpty)
    settings.cacheBytes = 0
    let none = ServiceFixture(settings: settings)
    let other = try none.drawings().submit(try Recordings.submission(2), of: "ann")
    _ = try none.drawings().rendition(RenditionStyle(), ofDrawing: other.id, of: "ann")
    #expect(try files(in: #require(none.environment.cache), below: "renditions").isEmpty)
  }

  @Test func `the pictures of a recording that is gone leave no trace of its hash`() throws {
    for isEvicted in [false, true] {
      let (cache, folder) = try Self.cache(inFile: true, limit: 1000)
      defer { withExtendedLifetime(folder) {} }
      for index in 0..<40 {
        try cache.add([1, 2, 3], as: Self.path(index), at: start + Int64(index))
      }
      func usage() throws -> String {
        let blob = try cache.store.get(BlobPath("renditions/usage"))
        return String(decoding: blob?.bytes ?? [], as: UTF8.self)
      }
      let folders = try (0..<40).map { try Self.path($0).folder }
      let text = try usage()
      let named = try #require(folders.first { text.contains("\($0)") })
      // As if it had been evicted meanwhile.
      if isEvicted { try cache.store.delete(named) }
      try cache.delete(named)
      #expect(try !usage().contains(named.names[2]))
      // The recount goes on.
      for index in 40..<90 {
        try cache.add([1, 2, 3], as: Self.path(index), at: start + Int64(index))
      }
      #expect(try usage().hasPrefix("\(89 * 3) "))
    }
  }
}

/// Blobs in memory that count the listed folders.
private final class CountingBlobStore: BlobStore {
  private let store = InMemoryBlobStore()
  private let count = ConditionMutex(0)

  var looks: Int { count.withLock { $0 } }
  func reset() { count.withLock { $0 = 0 } }

  func put(
    _ contents: [BlobContent], in folder: BlobFolder, at moment: Moment
  ) throws(StorageError) -> [BlobInfo] { try store.put(contents, in: folder, at: moment) }
  func create(
    _ contents: [BlobContent], in folder: BlobFolder, at moment: Moment
  ) throws(StorageError) -> [BlobInfo]? { try store.create(contents, in: folder, at: moment) }
  func add(
    _ contents: [BlobContent], beside info: BlobInfo, at moment: Moment
  ) throws(StorageError) -> [BlobInfo]? { try store.add(contents, beside: info, at: moment) }
  func put(
    _ contents: [BlobContent], deleting names: [String], beside info: BlobInfo, at moment: Moment
  ) throws(StorageError) -> [BlobInfo]? {
    try store.put(contents, deleting: names, beside: info, at: moment)
  }
  func get(_ path: BlobPath) -> Blob? { store.get(path) }
  func get(_ names: [String], in folder: BlobFolder) -> [Result<Blob?, StorageError>] {
    store.get(names, in: folder)
  }
  func deleteTree(
    _ folder: BlobFolder, except keeps: (BlobFolder) throws -> Bool
  ) throws -> Int {
    try store.deleteTree(folder, except: keeps)
  }
  func move(_ folder: BlobFolder, to other: BlobFolder) throws(StorageError) -> Bool {
    try store.move(folder, to: other)
  }
  func forEachFolder(
    below folder: BlobFolder, _ body: (BlobFolder, [BlobFile]) throws -> Void
  ) throws {
    try store.forEachFolder(below: folder, body)
  }
  func fileNames(in folder: BlobFolder) -> Set<String> { store.fileNames(in: folder) }
  func uncheckedBytes(_ path: BlobPath) -> [UInt8]? { store.uncheckedBytes(path) }
  func info(_ path: BlobPath) -> BlobInfo? { store.info(path) }
  func delete(_ path: BlobPath) -> Bool { store.delete(path) }
  func delete(_ folder: BlobFolder) -> Bool { store.delete(folder) }
  func folders(
    below folder: BlobFolder, after: BlobFolder?, limit: Int
  ) throws(StorageError) -> [BlobFolder] {
    try store.folders(below: folder, after: after, limit: limit)
  }
  func entries(of folder: BlobFolder) -> [BlobEntry] {
    count.withLock { $0 += 1 }
    return store.entries(of: folder)
  }
  func removeLeftovers(below folder: BlobFolder, before moment: Moment) -> Int { 0 }
  func noteUse(of path: BlobPath, at moment: Moment) { store.noteUse(of: path, at: moment) }
  func withExclusiveAccess<Result>(
    to folder: BlobFolder?, _ body: () throws -> Result
  ) throws -> Result {
    try store.withExclusiveAccess(to: folder, body)
  }
}
