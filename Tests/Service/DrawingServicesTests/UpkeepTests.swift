import Foundation
import TestSupport
import Testing
import Threads

@testable import DrawingServices
@testable import Journal
@testable import Storage

/// Sweeps, verification, and adoption of drawings from other services.
struct UpkeepTests {
  private static func put(
    _ fixture: ServiceFixture, _ path: String, _ text: String = "bytes", at moment: Moment
  ) throws {
    try fixture.environment.blobs.put(
      try BlobPath(path), contentType: "image/png", Array(text.utf8), at: moment)
  }

  // MARK: - Sweeping

  @Test func `a sweep deletes orphans that are older than an hour`()
    throws
  {
    let fixture = ServiceFixture()
    let now = ServiceFixture.start
    try fixture.drawings().submit(try Recordings.submission(2, id: "kept"), of: "ann")
    let files = try fixture.allFiles()
    for id in ["older", "just", "young", "mixed"] { try fixture.begin(id, of: "bob") }
    for (id, age) in [("older", 3601), ("just", 3600), ("young", 3599)] as [(String, Int64)] {
      try Self.put(fixture, "users/bob/drawings/\(id)/image.png", at: now + -age)
    }
    // One new file keeps the folder: a submission may be in progress.
    try Self.put(fixture, "users/bob/drawings/mixed/image.png", at: now + -9999)
    try Self.put(fixture, "users/bob/drawings/mixed/recording.pkd", at: now + -5)
    var result = try Sweep(fixture.environment).run()
    #expect(result.orphans == 1 && result.problems.isEmpty && result.thumbnails == 0)
    func folders() throws -> [String] {
      try fixture.environment.blobs.folders(
        below: try BlobFolder("users/bob"), after: nil, limit: 99
      ).map { String($0.names[3]) }
    }
    #expect(try folders() == ["just", "mixed", "young"])
    #expect(try Sweep(fixture.environment).run() == Sweep.Result())
    fixture.clock.now = now + 1
    #expect(try Sweep(fixture.environment).run().orphans == 1)
    #expect(try folders() == ["mixed", "young"])
    fixture.clock.now = now + 9999
    result = try Sweep(fixture.environment).run()
    #expect(result.orphans == 2)
    #expect(try fixture.allFiles() == files)
    #expect(try Sweep(fixture.environment).run() == Sweep.Result())
  }

  @Test func `files without any record are reported, and deleted only on request`() throws {
    let fixture = ServiceFixture()
    for index in 0..<450 {
      try Self.put(
        fixture, "users/u\(index % 7)/drawings/d\(index)/image.png",
        at: ServiceFixture.start + -9999)
    }
    try fixture.drawings().submit(try Recordings.submission(2, id: "d1"), of: "ann")
    try fixture.environment.blobs.delete(BlobPath("users/ann/drawings/d1/thumbnail.png"))
    let files = try fixture.allFiles().count
    // No crash leaves such files. All other work is done.
    let result = try Sweep(fixture.environment).run()
    #expect(result.unknown == 450 && result.orphans == 0 && result.thumbnails == 1)
    #expect(result.problems.count == 1 && result.problems[0].hasPrefix("450 of 451 drawings"))
    #expect(try fixture.allFiles().count == files + 1)
    #expect(
      try Sweep(fixture.environment).run(.init(takesUnknown: true, isDryRun: true)).orphans
        == 450)
    #expect(try fixture.allFiles().count == files + 1)
    #expect(try Sweep(fixture.environment).run(.init(takesUnknown: true)).orphans == 450)
    #expect(try fixture.allFiles().count == 3)
    var count = 0
    try fixture.environment.blobs.forEachFolder(below: BlobFolder("trash")) { count += $1.count }
    #expect(count == 450)
  }

  @Test func `two concurrent sweeps treat each thumbnail and orphan once`() throws {
    let folder = try TemporaryFolder()
    let root = folder.file("root").path
    let services = try (0..<2).map { _ in try LocalService.open(.journal, root) }
    for index in 0..<8 {
      let submission = try Recordings.submission(2, id: "d\(index)")
      try DrawingService(services[0], as: .user("ann")).submit(submission, of: "ann")
      let paths = try UserPaths("ann")
      try services[0].blobs.delete(paths.folder(ofDrawing: "d\(index)").blob("thumbnail.png"))
      try services[0].blobs.put(
        paths.folder(ofDrawing: "orphan\(index)").blob("recording.pkd"),
        contentType: "application/octet-stream", submission.recording, at: Moment(seconds: 0))
    }
    let results = try Lanes.map(services, lanes: 2) {
      try Sweep($0).run(.init(minimumAge: -60, takesUnknown: true))
    }
    #expect(results.reduce(0) { $0 + $1.thumbnails } == 8)
    #expect(results.reduce(0) { $0 + $1.orphans } == 8)
    #expect(results.allSatisfy { $0.problems.isEmpty })
    #expect(try Sweep(services[0]).run(.init(minimumAge: -60)) == Sweep.Result())
  }

  @Test func `missing thumbnails are rendered, and lost files are reported`() throws {
    let fixture = ServiceFixture()
    for seed in [1, 2, 3] {
      try fixture.drawings().submit(
        try Recordings.submission(UInt64(seed), id: "d\(seed)"), of: "ann")
    }
    let files = try fixture.allFiles()
    let blobs = fixture.environment.blobs
    try blobs.delete(try BlobPath("users/ann/drawings/d1/thumbnail.png"))
    var result = try Sweep(fixture.environment).run()
    #expect(result.thumbnails == 1 && result.problems.isEmpty)
    #expect(try fixture.allFiles() == files)
    try blobs.delete(try BlobPath("users/ann/drawings/d2/recording.pkd"))
    try Self.put(fixture, "users/ann/avatars/image.png", at: ServiceFixture.start)
    result = try Sweep(fixture.environment).run()
    #expect(
      result.problems == [
        "users/ann/avatars: not the folder of a drawing",
        "users/ann/drawings/d2/recording.pkd: it is missing",
      ])
    #expect(result.thumbnails == 0 && result.orphans == 0)
  }

  @Test
  func `cached pictures of a deleted drawing are deleted, wherever its deletion was interrupted`()
    throws
  {
    let cache = InMemoryBlobStore()
    let fixture = ServiceFixture(cache: cache)
    try fixture.drawings().submit(try Recordings.submission(2, id: "d1"), of: "ann")
    var style = RenditionStyle()
    style.side = 20
    _ = try fixture.drawings().rendition(style, ofDrawing: "d1", of: "ann")
    #expect(try files(in: cache, below: "renditions").count == 1)
    try fixture.environment.documents.change(at: fixture.clock.now) {
      _ = try $0.delete(DocumentPath("users/ann/drawings/d1"))
    }
    fixture.clock.now = fixture.clock.now + 7200
    let result = try Sweep(fixture.environment).run()
    #expect(result.deleted == 1 && result.orphans == 0)
    #expect(try files(in: cache, below: "renditions").isEmpty)
  }

  @Test func `files stored under the name of a deleted drawing go to the trash`() throws {
    let fixture = ServiceFixture()
    for (number, id) in [(UInt64(1), "d1"), (2, "d2")] {
      try fixture.drawings().submit(Recordings.submission(number, id: id), of: "ann")
      try fixture.environment.documents.change(at: fixture.clock.now) {
        _ = try $0.delete(DocumentPath("users/ann/drawings/\(id)"))
      }
    }
    // One has only files that were stored before its deletion.
    fixture.clock.now = fixture.clock.now + 3600
    try Self.put(fixture, "users/ann/drawings/d1/recording.pkd", at: fixture.clock.now)
    fixture.clock.now = fixture.clock.now + 7200
    let result = try Sweep(fixture.environment).run()
    #expect(result.orphans == 1 && result.deleted == 1)
    let trash = try fixture.environment.blobs.folders(
      below: BlobFolder("trash"), after: nil, limit: 9)
    #expect(trash.map { $0.description.hasSuffix("users/ann/drawings/d1") } == [true])
  }

  @Test func `deleting the files of a drawing deletes their tokens`() throws {
    let fixture = ServiceFixture()
    for (number, id) in [(UInt64(1), "d1"), (2, "d2")] {
      try fixture.drawings().submit(Recordings.submission(number, id: id), of: "ann")
      _ = try fixture.drawings().changeMetadata(DrawingFiles.image, ofDrawing: id, of: "ann") {
        $0.tokens = [id]
      }
    }
    // As after an interrupted deletion.
    try fixture.environment.documents.change(at: fixture.clock.now) {
      _ = try $0.delete(DocumentPath("users/ann/drawings/d1"))
    }
    fixture.clock.now = fixture.clock.now + 7200
    #expect(try Sweep(fixture.environment).run().deleted == 1)
    let tokens = try fixture.environment.documents.documents(Query(UserPaths("ann").secrets))
      .map { $0["tokens"] }
    #expect(tokens == [["d2"]])
  }

  // MARK: - Verification

  @Test func `an image that an app has replaced is reported and kept by a repair`() throws {
    let fixture = ServiceFixture()
    let (first, second) = (try Recordings.image(1), try Recordings.image(2))
    try fixture.drawings().submit(
      Recordings.submission(1, id: "d1", image: first), of: "ann")
    let path = try BlobPath("users/ann/drawings/d1/image.png")
    try fixture.environment.blobs.put(
      path, contentType: "image/png", second, at: fixture.clock.now)
    var result = try Verification(fixture.environment).run()
    #expect(result.findings.map(\.path) == ["\(path)"] && !result.isIntact)
    result = try Verification(fixture.environment).run(repairs: true)
    #expect(result.isIntact)
    #expect(try fixture.environment.blobs.get(path)?.bytes == second)
    #expect(try Verification(fixture.environment).run().findings.isEmpty)
  }

  @Test func `a deep verification finds a stored image that cannot be decoded`() throws {
    let fixture = ServiceFixture()
    try fixture.drawings().submit(Recordings.submission(1, id: "d1"), of: "ann")
    let path = try BlobPath("users/ann/drawings/d1/image.png")
    try fixture.environment.blobs.put(
      path, contentType: "image/png", Array("no image".utf8), at: fixture.clock.now)
    #expect(try Verification(fixture.environment).run().findings.isEmpty)
    let result = try Verification(fixture.environment).run(isDeep: true)
    #expect(result.findings.map(\.path) == ["\(path)"])
  }

  /// A service with its files in a folder, with three drawings, one of them with an uploaded image.
  private struct FileService {
    let folder: TemporaryFolder
    let fixture: ServiceFixture

    init() throws {
      folder = try TemporaryFolder()
      fixture = ServiceFixture(blobs: try FileBlobStore(folder.url.path))
      for seed in [1, 2, 3] {
        let image = seed == 3 ? try Recordings.image(9) : nil
        try fixture.drawings().submit(
          try Recordings.submission(UInt64(seed), id: "d\(seed)", image: image), of: "ann")
      }
    }

    func file(_ path: String) -> URL { folder.url.appendingPathComponent(path) }

    func bytes(_ path: String) throws -> [UInt8] { [UInt8](try Data(contentsOf: file(path))) }

    func write(_ bytes: [UInt8], _ path: String) throws {
      try Data(bytes).write(to: file(path))
    }

    func verify(repairs: Bool = false) throws -> Verification.Result {
      try Verification(fixture.environment).run(repairs: repairs)
    }

    static let paths = ["d1", "d2", "d3"].flatMap { id in
      DrawingFiles.names.map { "users/ann/drawings/\(id)/\($0)" }
    }
  }

  @Test func `verification finds every kind of damage to a file`() throws {
    let service = try FileService()
    let whole = try service.verify()
    #expect(whole.findings.isEmpty && whole.drawings == 3 && whole.isIntact)
    #expect(try whole.bytes == FileService.paths.reduce(0) { try $0 + service.bytes($1).count })
    var random = SplitMix64(seed: 66)
    func below(_ limit: Int) -> Int { Int.random(in: 0..<limit, using: &random) }
    for round in 0..<RunLength.count(200, long: 10_000) {
      let path = FileService.paths[below(FileService.paths.count)]
      let other = FileService.paths.filter { $0 != path }[below(FileService.paths.count - 1)]
      let (bytes, others) = (try service.bytes(path), try service.bytes(other))
      var (damaged, wanted) = (bytes, [path])
      let what: String
      switch below(6) {
      case 0:
        what = "flip"
        damaged[below(bytes.count)] ^= 1 << UInt8(below(8))
      case 1:
        what = "cut"
        damaged.removeLast(1 + below(bytes.count))
      case 2:
        what = "longer"
        damaged.append(UInt8(below(256)))
      case 3:
        what = "swapped with \(other)"
        damaged = others
        wanted.append(other)
        try service.write(bytes, other)
      case 4:
        what = "overwritten"
        for index in bytes.indices where below(20) == 0 { damaged[index] = 0xA5 }
        damaged[below(bytes.count)] ^= 0x81
      default:
        what = "missing"
      }
      if what == "missing" {
        try FileManager.default.removeItem(at: service.file(path))
      } else {
        try service.write(damaged, path)
      }
      let result = try service.verify()
      #expect(
        result.findings.map(\.path).sorted() == wanted.sorted() && !result.isIntact,
        "round \(round): \(path), \(what)")
      try service.write(bytes, path)
      try service.write(others, other)
    }
    #expect(try service.verify().findings.isEmpty)
  }

  @Test func `verification finds files of another drawing, even with their ledger`() throws {
    let service = try FileService()
    let (first, second) = (
      service.file("users/ann/drawings/d1"), service.file("users/ann/drawings/d2")
    )
    let spare = service.file("spare")
    for (from, to) in [(first, spare), (second, first), (spare, second)] {
      try FileManager.default.moveItem(at: from, to: to)
    }
    #expect(try service.verify().findings.count == 6)
    // It is intact, but not the recording of the document.
    let path = try BlobPath("users/ann/drawings/d3/recording.pkd")
    try service.fixture.environment.blobs.put(
      path, contentType: "application/octet-stream", try Recordings.pkd(8), at: ServiceFixture.start
    )
    let findings = try service.verify().findings.filter { $0.path == path.description }
    #expect(findings.map(\.problem) == ["it is not the recording of this drawing"])
  }

  @Test
  func `damage to a ledger is found, and repaired if the document has the hash of the recording`()
    throws
  {
    let service = try FileService()
    let ledger = "users/ann/drawings/d2/.blobs"
    let bytes = try service.bytes(ledger)
    for index in stride(from: 0, to: bytes.count, by: RunLength.step(23)) {
      var damaged = bytes
      damaged[index] ^= 0x20
      try service.write(damaged, ledger)
      #expect(try !service.verify().findings.isEmpty, "byte \(index)")
    }
    try FileManager.default.removeItem(at: service.file(ledger))
    let result = try service.verify(repairs: true)
    #expect(result.findings.count == 3 && result.isIntact)
    #expect(try service.verify().findings.isEmpty)
    // The document also has the hash of the uploaded image.
    let files = try service.fixture.allFiles()
    try FileManager.default.removeItem(at: service.file("users/ann/drawings/d3/.blobs"))
    #expect(try service.verify(repairs: true).isIntact)
    #expect(try service.fixture.allFiles() == files && service.verify().findings.isEmpty)
    #expect(try !service.fixture.drawings().drawing("d3", of: "ann").hasRenderedImage)
  }

  @Test func `an orphan is removed in any state of its files and its ledger`() throws {
    let service = try FileService()
    let files = try service.fixture.allFiles()
    let drawings = service.file("users/ann/drawings")
    for name in ["copied", "damaged", "bare"] {
      try service.fixture.begin(name, of: "ann")
      try FileManager.default.copyItem(
        at: drawings.appendingPathComponent("d1"), to: drawings.appendingPathComponent(name))
    }
    try service.write([1], "users/ann/drawings/damaged/recording.pkd")
    try FileManager.default.removeItem(at: drawings.appendingPathComponent("bare/.blobs"))
    service.fixture.clock.now = LocalService.systemTime() + 10
    let result = try Sweep(service.fixture.environment).run(.init(minimumAge: 0))
    #expect(result.orphans == 3 && result.problems.isEmpty)
    #expect(try service.fixture.allFiles() == files)
  }

  @Test func `a damaged document hides no other damage`() throws {
    let folder = try TemporaryFolder()
    let root = folder.file("service").path
    func service() throws -> ServiceEnvironment { try LocalService.open(.journal, root) }
    for (seed, uid) in [(1, "ann"), (2, "ann"), (3, "bob")] as [(UInt64, String)] {
      try DrawingService(service(), as: .operator).submit(
        try Recordings.submission(seed, id: "d\(seed)"), of: uid)
    }
    do {
      let connection = try SQLiteConnection(root + "/pentimento.db", for: .writing)
      try connection.run("UPDATE documents SET created = created + 1 WHERE id = 'd1'")
    }
    for path in ["ann/drawings/d2/image.png", "bob/drawings/d3/thumbnail.png"] {
      try Data([1]).write(to: folder.file("service/users/" + path))
    }
    let environment = try service()
    let paths: Set = [
      "users/ann/drawings/d1", "users/ann/drawings/d2/image.png",
      "users/bob/drawings/d3/thumbnail.png",
    ]
    var result = try Verification(environment).run()
    #expect(Set(result.findings.map(\.path)) == paths && result.findings.count == 3)
    // Its files stay, because they may still be needed.
    let swept = try Sweep(environment).run(.init(minimumAge: -10))
    #expect(swept.orphans == 0 && !swept.problems.isEmpty)
    var count = 0
    try environment.blobs.forEachFolder(below: BlobFolder("users")) { count += $1.count }
    #expect(count == 9)
    let backup = try Backup.write(.journal, root) { _ in }
    #expect(backup.drawings == 2 && !backup.problems.isEmpty)
    _ = try WeeklySummaries(environment).makeDue()
    result = try Verification(environment).run(repairs: true)
    #expect(Set(result.findings.map(\.path)) == paths && result.isIntact)
    #expect(try Verification(environment).run(isDeep: true).findings.isEmpty)
    // Deleting all data of the user works, too.
    try UserService(environment, as: .user("ann")).deleteEverything(of: "ann")
    #expect(try Verification(environment).run().findings.isEmpty)
    #expect(try files(in: environment.blobs, below: "users").count == 3)
  }

  @Test func `changed bytes with the same CRC-32C are found by their SHA-256`() throws {
    let service = try FileService()
    let path = "users/ann/drawings/d2/image.png"
    var bytes = try service.bytes(path)
    // Adding a multiple of the polynomial does not change a CRC-32C.
    let polynomial = 1 | UInt64(0x82F6_3B78) << 1
    for index in 0..<5 {
      bytes[100 + index] ^= UInt8(truncatingIfNeeded: polynomial >> (8 * index))
    }
    try service.write(bytes, path)
    let blob = try #require(try service.fixture.environment.blobs.get(try BlobPath(path)))
    #expect(blob.bytes == bytes)
    let findings = try service.verify().findings
    #expect(findings.map(\.path) == [path])
    #expect(try service.verify(repairs: true).isIntact)
    #expect(try service.verify().findings.isEmpty)
  }

  @Test func `pictures are rendered again on request, and lost recordings reported`() throws {
    for name in DrawingFiles.names {
      for isMissing in [true, false] {
        let service = try FileService()
        let before = try service.fixture.allFiles()
        for id in ["d1", "d3"] {
          let path = "users/ann/drawings/\(id)/\(name)"
          if isMissing {
            try FileManager.default.removeItem(at: service.file(path))
          } else {
            try service.write([1, 2, 3], path)
          }
        }
        #expect(try service.verify().findings.allSatisfy { !$0.isRepaired })
        let result = try service.verify(repairs: true)
        #expect(result.findings.count == 2)
        let isPicture = name != DrawingFiles.recording
        #expect(result.findings.allSatisfy { $0.isRepaired == isPicture })
        #expect(result.isIntact == isPicture)
        let again = try service.verify(repairs: true)
        #expect(again.findings.count == (isPicture ? 0 : 2))
        if isPicture {
          let after = try service.fixture.allFiles()
          let changed = after.filter { before[$0.key] != $0.value }.map(\.key)
          // The uploaded image is lost; the ink is not.
          #expect(
            changed == (name == DrawingFiles.image ? ["users/ann/drawings/d3/image.png"] : []))
        }
      }
    }
  }

  // MARK: - Adoption

  @Test func `drawings of another service are adopted once, with their dates`() throws {
    let fixture = ServiceFixture()
    let adoption = Adoption(fixture.environment)
    let image = try Recordings.image(9)
    let found = (1...4).map { Adoption.Found(uid: "u\($0 % 2)", id: "d\($0)") }
    func adopt(_ seed: Int, _ image: [UInt8]?) throws -> Adoption.Outcome {
      try adoption.adopt(
        found[seed - 1], recording: try Recordings.submission(UInt64(seed)).recording, image: image)
    }
    #expect(try adopt(1, image) == .adopted)
    #expect(try adopt(2, Array("no picture".utf8)) == .adopted)
    #expect(try adopt(1, image) == .alreadyExists)
    // An adoption interrupted here continues later.
    fixture.clock.now = ServiceFixture.start + 9999
    let outcomes = try (1...4).map { try adopt($0, nil) }
    #expect(outcomes == [.alreadyExists, .alreadyExists, .adopted, .adopted])
    for seed in 1...4 {
      let record = try fixture.drawings(as: .operator).drawing("d\(seed)", of: "u\(seed % 2)")
      let drawn = Moment(seconds: 978_307_200 + 800_000_000 + Int64(seed) * 1000)
      #expect(record.createdAt == drawn)
      #expect(record.hasRenderedImage == (seed != 1))
    }
    let files = try fixture.allFiles()
    #expect(files.count == 12 && files["users/u1/drawings/d1/image.png"] == image)
    #expect(files["users/u0/drawings/d2/recording.pkd"] == (try Recordings.pkd(2)))
    #expect(try Verification(fixture.environment).run().findings.isEmpty)
  }

  @Test func `recordings without a date are adopted without one, and invalid ones are not`() throws
  {
    let fixture = ServiceFixture()
    let adoption = Adoption(fixture.environment)
    let found = Adoption.Found(uid: "ann", id: "d1")
    let large = try Recordings.image(1) + [UInt8](repeating: 0, count: DrawingFiles.sizeLimit)
    #expect(
      try adoption.adopt(found, recording: try Recordings.empty(), image: large) == .adopted)
    let record = try fixture.drawings().drawing("d1", of: "ann")
    #expect(record.createdAt == nil && record.hasRenderedImage)
    #expect(
      try fixture.drawings().gallery(of: "ann", zone: .utc).sections.map(\.title)
        == ["Unknown Date"])
    for bytes in [[], Array("garbage".utf8), try Recordings.pkd(2).dropLast()] {
      #expect(throws: ServiceError.self) {
        try adoption.adopt(Adoption.Found(uid: "ann", id: "d2"), recording: bytes, image: nil)
      }
    }
    #expect(throws: StorageError.self) {
      try adoption.adopt(
        Adoption.Found(uid: "..", id: "d2"), recording: try Recordings.pkd(2), image: nil)
    }
    #expect(try fixture.allDocuments().count == 1 && fixture.allFiles().count == 3)
  }

  @Test func `statistics count the stored data`() throws {
    let fixture = ServiceFixture()
    try fixture.drawings().submit(try Recordings.submission(2), of: "ann")
    for index in 0..<10 {
      try fixture.checkIns(as: .user("bob")).create(
        Samples.checkIn, of: "bob", id: "c\(index)")
    }
    try fixture.set("users/ann/moodEntries/m", Samples.moodEntry)
    for uid in ["ann", "eve"] { try fixture.set("users/\(uid)", ["userName": "n"]) }
    let statistics = try Statistics(fixture.environment)
    #expect(
      statistics.users == 3 && statistics.drawings == 1 && statistics.counts["checkIns"] == 10)
    #expect(statistics.counts["moodEntries"] == 1 && statistics.waitingEvents == 1)
    #expect(
      try statistics.fileBytes == fixture.allFiles().values.reduce(0) { $0 + $1.count })
    #expect(
      try UserService(fixture.environment, as: .operator).users() == ["ann", "bob", "eve"])
  }
}
