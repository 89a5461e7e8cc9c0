import Foundation
import TestSupport
import Testing
import Threads

@testable import DrawingServices
@testable import Journal
@testable import Storage

/// A damaged row of the database: it is skipped and reported, and all other data of its user stays
/// usable.
struct DamagedRowTests {
  private let folder: TemporaryFolder
  private let damage = ConditionMutex<[StorageError]>([])
  private var root: String { folder.file("service").path }

  init() throws {
    folder = try TemporaryFolder()
    let service = try LocalService.open(.journal, root)
    for seed in 1...3 as ClosedRange<UInt64> {
      try DrawingService(service, as: .user("ann")).submit(
        try Recordings.submission(seed, id: "d\(seed)"), of: "ann")
      try CollectionService(.checkIns, in: service, as: .user("ann")).create(
        Samples.checkIn, of: "ann", id: "c\(seed)")
    }
  }

  /// Changes rows without updating their checksums.
  private func damage(_ id: String, _ change: String = "created = created + 1") throws {
    let connection = try SQLiteConnection(root + "/pentimento.db", for: .writing)
    try connection.run("UPDATE documents SET \(change) WHERE id = '\(id)'")
  }

  private func service(_ purpose: LocalService.Purpose = .writing) throws -> ServiceEnvironment {
    try LocalService.open(.journal, root, for: purpose) { [damage] error in
      damage.withLock { $0.append(error) }
    }
  }

  /// The documents that were skipped since the last call.
  private func passedOver() -> Set<String> {
    damage.withLock { errors in
      defer { errors = [] }
      return Set(errors.map(\.subject))
    }
  }

  @Test func `lists, gallery, cards and exports skip and report a damaged row`() throws {
    try damage("d2")
    try damage("c2")
    let service = try service(.reading)
    let drawings = DrawingService(service, as: .user("ann"))
    let (row, checkIn) = ("users/ann/drawings/d2", "users/ann/mood_checkins/c2")
    #expect(try drawings.all(of: "ann").drawings.map(\.id).sorted() == ["d1", "d3"])
    #expect(passedOver() == [row])
    let gallery = try drawings.gallery(of: "ann", zone: .utc)
    #expect(gallery.sections.flatMap(\.drawings).map(\.id).sorted() == ["d1", "d3"])
    #expect(passedOver() == [row])
    let cards = try CheckInService(service, as: .user("ann")).cards(
      of: "ann", checkIns: 7, zone: .utc)
    #expect(cards.compactMap(\.checkIn).map(\.id).sorted() == ["c1", "c3"])
    #expect(cards.flatMap(\.drawings).map(\.id).sorted() == ["d1", "d3"])
    #expect(passedOver() == [row, checkIn])
    let checkIns = CollectionService(.checkIns, in: service, as: .user("ann"))
    #expect(try checkIns.page(of: "ann").documents.map(\.id).sorted() == ["c1", "c3"])
    #expect(passedOver() == [checkIn])
    let documents = try UserService(service, as: .user("ann")).documents(of: "ann")
    #expect(documents.count == 4 && passedOver() == [row, checkIn])
    // Pages have their full length, and a cursor skips the row.
    var (ids, cursor) = ([String](), Query.Cursor?.none)
    repeat {
      let page = try drawings.all(of: "ann", limit: 1, after: cursor)
      ids += page.drawings.map(\.id)
      cursor = page.cursor
    } while cursor != nil
    #expect(ids.sorted() == ["d1", "d3"])
    #expect(storageProblem { try drawings.drawing("d2", of: "ann") } != nil)
  }

  @Test func `a drawing with a damaged row can be deleted, with its files`() throws {
    try damage("d2")
    try damage("c2")
    let service = try service()
    #expect(try DrawingService(service, as: .user("ann")).delete("d2", of: "ann"))
    #expect(try CollectionService(.checkIns, in: service, as: .user("ann")).delete("c2", of: "ann"))
    #expect(try files(in: service.blobs, below: "users").count == 6)
    #expect(try Verification(service).run(minimumAge: -10).findings.isEmpty)
    #expect(try Sweep(service).run(.init(minimumAge: -10)) == Sweep.Result())
    #expect(try Statistics(service).drawings == 2)
  }

  @Test func `submitting the same drawing again restores its damaged row`() throws {
    try damage("d2")
    try damage("c2")
    let service = try service()
    let drawings = DrawingService(service, as: .user("ann"))
    #expect(
      storageProblem { try drawings.submit(Recordings.submission(4, id: "d2"), of: "ann") }
        == .alreadyExists)
    try drawings.submit(try Recordings.submission(2, id: "d2"), of: "ann")
    try CollectionService(.checkIns, in: service, as: .user("ann")).create(
      Samples.checkIn, of: "ann", id: "c2")
    #expect(try drawings.all(of: "ann").drawings.count == 3)
    #expect(try Verification(service).run(minimumAge: -10).findings.isEmpty)
  }

  @Test(arguments: [
    "created = created + 1", "fields = x'a0'", "fields = zeroblob(300)", "fields = x''",
    "checksum = 7",
  ])
  func `a drawing's row is recreated from its files, and keeps its readable fields`(
    _ change: String
  ) throws {
    let before = try service().documents.document(DocumentPath("users/ann/drawings/d2"))
    try damage("d2", change)
    let service = try service()
    let found = try Verification(service).run(minimumAge: -10)
    #expect(found.findings.map(\.path) == ["users/ann/drawings/d2"] && !found.isIntact)
    let repaired = try Verification(service).run(repairs: true, minimumAge: -10)
    #expect(repaired.isIntact && repaired.findings.count == 1)
    #expect(try Verification(service).run(isDeep: true, minimumAge: -10).findings.isEmpty)
    let after = try service.documents.document(DocumentPath("users/ann/drawings/d2"))
    #expect(after?["recordingSHA256"] == before?["recordingSHA256"])
    if !change.hasPrefix("fields") { #expect(after?["createdAt"] == before?["createdAt"]) }
    #expect(try DrawingService(service, as: .user("ann")).all(of: "ann").drawings.count == 3)
  }

  @Test func `backups report a damaged row and contain its files`() throws {
    try damage("d2")
    var archive: [UInt8] = []
    let result = try Backup.write(.journal, root) { archive += $0 }
    #expect(result.problems.contains { $0.contains("d2") } && result.drawings == 2)
    let text = String(decoding: archive, as: UTF8.self)
    for name in DrawingFiles.names { #expect(text.contains("users/ann/drawings/d2/\(name)")) }
  }

  @Test func `repairing a damaged row rebuilds indexes and document counts`() throws {
    do {
      let connection = try SQLiteConnection(root + "/pentimento.db", for: .writing)
      try connection.run(
        "DELETE FROM places WHERE document % 2 = 0; UPDATE collections SET count = 99")
    }
    let service = try service()
    #expect(try !Verification(service).run().isIntact)
    let repaired = try Verification(service).run(repairs: true)
    #expect(repaired.isIntact && !repaired.findings.isEmpty)
    #expect(try Verification(service).run().findings.isEmpty)
    #expect(try DrawingService(service, as: .operator).all(of: "ann").drawings.count == 3)
    #expect(try Statistics(service).counts["checkIns"] == 3)
  }
}
