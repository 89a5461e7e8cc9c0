import Foundation
import TestSupport
import Testing

@testable import DrawingServices
@testable import Journal
@testable import Storage

/// A service's folder whose database was lost: its files must never count as orphans.
struct LostDatabaseTests {
  private let folder: TemporaryFolder
  private var root: String { folder.file("service").path }
  private var database: String { root + "/pentimento.db" }

  init() throws {
    folder = try TemporaryFolder()
    try submit(1...3)
  }

  private func submit(_ seeds: ClosedRange<UInt64>) throws {
    let service = DrawingService(try LocalService.open(.journal, root), as: .user("ann"))
    for seed in seeds {
      let image = seed == 3 ? try Recordings.image(9) : nil
      try service.submit(
        try Recordings.submission(seed, id: "d\(seed)", image: image), of: "ann")
    }
  }

  private func allFiles() throws -> [String: [UInt8]] {
    try files(in: FileBlobStore(root), below: "users")
  }

  private func isLost(_ purpose: LocalService.Purpose) -> Bool {
    do {
      _ = try LocalService.open(.journal, root, for: purpose)
    } catch ServiceError.lostDatabase {
      return true
    } catch {}
    return false
  }

  /// Ways to lose a database.
  enum Loss: CaseIterable, Sendable {
    case removed, emptied, anotherOne, garbage, fresh
  }

  private func lose(_ loss: Loss) throws {
    for suffix in ["", "-wal", "-shm"] {
      try? FileManager.default.removeItem(atPath: database + suffix)
    }
    switch loss {
    case .removed: break
    case .emptied: try Data().write(to: URL(fileURLWithPath: database))
    case .garbage:
      try Data((0..<5000).map { UInt8($0 & 255) }).write(to: URL(fileURLWithPath: database))
    case .anotherOne, .fresh:
      let other = folder.file("other").path
      let service = try LocalService.open(.journal, other)
      if loss == .anotherOne {
        try CollectionService(.checkIns, in: service, as: .operator).create(
          Samples.checkIn, of: "bob")
      } else {
        // A service of an older program stores no identity of its database.
        try FileManager.default.removeItem(atPath: root + "/settings.json")
      }
      try FileManager.default.copyItem(atPath: other + "/pentimento.db", toPath: database)
      try? FileManager.default.copyItem(
        atPath: other + "/pentimento.db-wal", toPath: database + "-wal")
    }
  }

  @Test(arguments: Loss.allCases)
  func `a service whose database is lost is refused, and can be repaired`(
    _ loss: Loss
  ) throws {
    let before = try allFiles()
    let documents = try LocalService.open(.journal, root).documents.documents(
      Query(CollectionPath("users/ann/drawings")))
    try lose(loss)
    for purpose in [LocalService.Purpose.reading, .writing, .creating] { #expect(isLost(purpose)) }
    let seen = try Verification(LocalService.openWithoutDocuments(.journal, root)).run(
      minimumAge: -10)
    #expect(
      seen.findings.map(\.path).sorted() == (1...3).map { "users/ann/drawings/d\($0)" })
    #expect(!seen.isIntact)

    let service = try LocalService.open(.journal, root, for: .repairing)
    let result = try Verification(service).run(repairs: true, minimumAge: -10)
    #expect(result.isIntact && result.findings.count == 3 && result.drawings == 3)
    #expect(try allFiles() == before)
    #expect(try Verification(service).run(isDeep: true, minimumAge: -10).findings.isEmpty)
    #expect(!isLost(.writing) && !isLost(.reading))
    // The data from the files is unchanged.
    let again = try service.documents.documents(Query(CollectionPath("users/ann/drawings")))
    for (old, new) in zip(documents, again) {
      for name in ["recordingSHA256", "imageSHA256", "imageIsRendered", "imageURL"] {
        #expect(old[name] ?? .null == new[name] ?? .null, "\(old.path) \(name)")
      }
    }
    #expect(try Sweep(service).run(.init(minimumAge: -10)) == Sweep.Result())
    let names = try FileManager.default.contentsOfDirectory(atPath: root)
    #expect(names.contains { $0.hasPrefix("set-aside-") } == (loss != .removed))
    // Some disks to which the folder may be copied do not allow colons in names.
    #expect(!names.contains { $0.contains(":") })
  }

  @Test(arguments: [true, false])
  func `a drawing whose document and ledger are lost is repaired from its files`(
    _ hasImage: Bool
  ) throws {
    let before = try allFiles()
    try lose(.removed)
    let drawing = "users/ann/drawings/d3"
    try FileManager.default.removeItem(atPath: "\(root)/\(drawing)/\(BlobLedger.name)")
    let image = "\(drawing)/\(DrawingFiles.image)"
    if !hasImage { try FileManager.default.removeItem(atPath: "\(root)/\(image)") }
    let service = try LocalService.open(.journal, root, for: .repairing)
    let repaired = try Verification(service).run(repairs: true, minimumAge: -10)
    #expect(repaired.isIntact, "\(repaired.findings)")
    let seen = try Verification(service).run(isDeep: true, minimumAge: -10)
    #expect(seen.findings.isEmpty, "\(seen.findings)")
    let drawings = DrawingService(service, as: .user("ann"))
    for name in hasImage ? [DrawingFiles.recording, DrawingFiles.image] : [DrawingFiles.recording] {
      let file = try drawings.file(name, ofDrawing: "d3", of: "ann")
      #expect(file.bytes == before["\(drawing)/\(name)"])
    }
  }

  @Test
  func `restoring an older database loses no files`()
    throws
  {
    do {
      let service = try LocalService.open(.journal, root)
      try (service.documents as? SQLiteDocumentStore)?.copy(to: root + "/older.db")
    }
    try submit(4...6)
    let before = try allFiles()
    for suffix in ["", "-wal", "-shm"] {
      try? FileManager.default.removeItem(atPath: database + suffix)
    }
    try FileManager.default.moveItem(atPath: root + "/older.db", toPath: database)
    let service = try LocalService.open(.journal, root, for: .writing)
    let found = try Verification(service).run(minimumAge: -10)
    #expect(found.findings.map(\.problem) == Array(repeating: "its document is missing", count: 3))
    #expect(try Sweep(service).run(.init(minimumAge: -10, isDryRun: true)).unknown == 3)
    #expect(try Sweep(service).run(.init(minimumAge: -10)).unknown == 3)
    #expect(try allFiles() == before)
    #expect(try Sweep(service).run(.init(minimumAge: -10, takesUnknown: true)).orphans == 3)
    #expect(try allFiles().count == 9)

    // The trash can be adopted without changes.
    let trash = try #require(
      FileManager.default.contentsOfDirectory(atPath: root + "/trash").first)
    for id in ["d4", "d5", "d6"] {
      let prefix = "\(root)/trash/\(trash)/users/ann/drawings/\(id)/"
      let outcome = try Adoption(service).adopt(
        .init(uid: "ann", id: id),
        recording: [UInt8](Data(contentsOf: URL(fileURLWithPath: prefix + "recording.pkd"))),
        image: [UInt8](Data(contentsOf: URL(fileURLWithPath: prefix + "image.png"))))
      #expect(outcome == .adopted)
    }
    #expect(try allFiles() == before)
    #expect(try Verification(service).run(minimumAge: -10).findings.isEmpty)
  }

  @Test func `files without their lost documents stay, and get documents again`() throws {
    let service = try LocalService.open(.journal, root)
    let model = try service.blobs.get(BlobPath("users/ann/drawings/d1/recording.pkd"))
    for index in 0..<11 {
      try service.blobs.put(
        BlobPath("users/bob/drawings/o\(index)/recording.pkd"), contentType: "a/b",
        model?.bytes ?? [], at: service.now())
    }
    let before = try allFiles()
    let swept = try Sweep(service).run(.init(minimumAge: -10))
    #expect(swept.unknown == 11 && swept.problems.count == 1 && swept.orphans == 0)
    #expect(try allFiles() == before)
    let result = try Verification(service).run(repairs: true, minimumAge: -10)
    #expect(result.isIntact && result.findings.count == 11)
    #expect(try Sweep(service).run(.init(minimumAge: -10)) == Sweep.Result())
  }

  @Test func `only expired days of the trash are deleted`() throws {
    let documents = try SQLiteDocumentStore(database, indexes: Application.journal.indexes)
    let fixture = ServiceFixture(documents: documents, blobs: try FileBlobStore(root))
    try FileManager.default.createDirectory(
      atPath: root + "/trash/letters/mine", withIntermediateDirectories: true)
    fixture.clock.now = LocalService.systemTime() + 10
    for name in ["x", "y"] {
      try fixture.environment.blobs.put(
        BlobPath("users/bob/drawings/\(name)/recording.pkd"), contentType: "a/b", [1],
        at: fixture.clock.now)
    }
    #expect(
      try Sweep(fixture.environment).run(.init(minimumAge: 0, takesUnknown: true)).orphans == 2)
    // A second folder with the same path gets its own name.
    try fixture.environment.blobs.put(
      BlobPath("users/bob/drawings/x/recording.pkd"), contentType: "a/b", [2],
      at: fixture.clock.now)
    #expect(
      try Sweep(fixture.environment).run(.init(minimumAge: 0, takesUnknown: true)).orphans == 1)
    #expect(try FileManager.default.contentsOfDirectory(atPath: root + "/trash").count == 3)
    fixture.clock.now = fixture.clock.now + 30 * 86_400
    #expect(try Sweep(fixture.environment).run().emptied == 0)
    fixture.clock.now = fixture.clock.now + 86_400
    #expect(try Sweep(fixture.environment).run().emptied == 3)
    #expect(try FileManager.default.contentsOfDirectory(atPath: root + "/trash") == ["letters"])
    #expect(try allFiles().count == 9)
  }

  @Test func `files of deleted drawings are deleted, wherever the deletion was interrupted`() throws
  {
    let service = try LocalService.open(.journal, root)
    try service.documents.change(at: service.now()) {
      _ = try $0.delete(DocumentPath("users/ann/drawings/d1"))
    }
    #expect(try Verification(service).run(minimumAge: -10).findings.isEmpty)
    var result = try Sweep(service).run(.init(minimumAge: -10))
    #expect(result.deleted == 1 && result.orphans == 0)
    // As if the deletion of a user was interrupted before deleting its files.
    try service.documents.change(at: service.now()) { transaction in
      try transaction.erase(CollectionPath("users/ann/drawings"))
      try transaction.set(Collections.erasures.document("ann"), [:])
    }
    result = try Sweep(service).run(.init(minimumAge: -10))
    #expect(try allFiles().isEmpty && result.orphans == 0)
    #expect(!FileManager.default.fileExists(atPath: root + "/trash"))
    #expect(!FileManager.default.fileExists(atPath: root + "/users/ann"))
    let erasures = Query(Collections.erasures)
    #expect(try service.documents.read { try $0.count(erasures) } == 0)
  }

  @Test func `a restore refuses a folder with drawings, but an interrupted one may be repeated`()
    throws
  {
    var archive: [UInt8] = []
    _ = try Backup.write(.journal, root) { archive += $0 }
    func source(_ bytes: [UInt8]) -> (Int) throws -> [UInt8] {
      var rest = bytes[...]
      return { count in
        defer { rest = rest.dropFirst(count) }
        return Array(rest.prefix(count))
      }
    }
    let before = try allFiles()
    try lose(.removed)
    #expect(throws: ServiceError.self) { try Backup.restore(.journal, root, from: source(archive)) }
    #expect(try allFiles() == before)
    let other = folder.file("other").path
    for length in [0, 600, archive.count / 2, archive.count - 1] {
      #expect(throws: (any Error).self) {
        try Backup.restore(.journal, other, from: source(Array(archive[..<length])))
      }
    }
    #expect(try Backup.restore(.journal, other, from: source(archive)).drawings == 3)
    let service = try LocalService.open(.journal, other, for: .reading)
    #expect(try Verification(service).run(isDeep: true).findings.isEmpty)
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: other).allSatisfy {
        !$0.hasPrefix(".restore")
      })
  }
}
