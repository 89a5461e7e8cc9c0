import Foundation
import TestSupport
import Testing

@testable import DrawingServices
@testable import Journal
@testable import Storage

/// Backup and restore of a service, and the export of documents.
struct BackupTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func path(_ name: String) -> String { folder.file(name).path }

  /// A service in a folder, with some drawings and documents.
  private func service(_ name: String, drawings: Int = 3) throws -> ServiceEnvironment {
    _ = try LocalService.open(.journal, path(name))
    _ = try LocalService.changeSettings(.journal, path(name)) { settings in
      settings.thumbnailSide = 16
      settings.imageScale = 0.5
    }
    let service = try LocalService.open(.journal, path(name), for: .writing)
    for seed in 0..<drawings {
      // Names that are too long for a plain header of the archive.
      let id = "d\(seed)" + String(repeating: "x", count: seed == 1 ? 100 : 0)
      try DrawingService(service, as: .operator).submit(
        try Recordings.submission(UInt64(seed), id: id), of: "ann")
    }
    try CollectionService(.checkIns, in: service, as: .operator).create(
      Samples.checkIn, of: "bob", id: "c1")
    try UserService(service, as: .operator).setProfile("eve", ["userName": "Eve"])
    return service
  }

  private func archive(_ name: String) throws -> [UInt8] {
    var bytes: [UInt8] = []
    _ = try Backup.write(.journal, path(name)) { bytes += $0 }
    return bytes
  }

  /// Bytes in pieces, never more than requested.
  private static func source(_ bytes: [UInt8], piece: Int = .max) -> (Int) throws -> [UInt8] {
    var offset = 0
    return { wanted in
      let end = min(offset + min(wanted, piece), bytes.count)
      defer { offset = end }
      return Array(bytes[offset..<end])
    }
  }

  private static func documents(_ service: ServiceEnvironment) throws -> [Document] {
    try service.documents.read { reader in
      try reader.collections(beginningWith: "", after: nil, limit: 999).flatMap {
        try reader.documents(Query($0))
      }
    }
  }

  @Test func `a restored service has an identity of its own, so that devices compare everything`()
    throws
  {
    let service = try service("a", drawings: 1)
    let bytes = try archive("a")
    var identities = [try service.documents.identity]
    for name in ["b", "c"] {
      _ = try Backup.restore(.journal, path(name), from: Self.source(bytes))
      identities.append(
        try LocalService.open(.journal, path(name), for: .writing).documents.identity)
    }
    #expect(Set(identities.compactMap { $0 }).count == 3)
  }

  @Test func `a folder accepts one restore, and no new service meanwhile`() throws {
    let before = try service("service")
    let bytes = try archive("service")
    let (whole, other) = (Self.source(bytes), path("other"))
    var isAsked = false
    _ = try Backup.restore(.journal, other) { wanted in
      if !isAsked {
        isAsked = true
        #expect(throws: ServiceError.self) {
          try Backup.restore(.journal, other, from: Self.source(bytes))
        }
        #expect(throws: ServiceError.self) { try LocalService.open(.journal, other) }
      }
      return try whole(wanted)
    }
    let after = try LocalService.open(.journal, other, for: .reading)
    #expect(try Self.documents(after).count == Self.documents(before).count)
    #expect(try Verification(after).run(isDeep: true).findings.isEmpty)
    // A service that another program has made there in spite of it stays.
    let third = path("third")
    var isMade = false
    let again = Self.source(bytes)
    #expect(throws: StorageError.self) {
      try Backup.restore(.journal, third) { wanted in
        if !isMade {
          isMade = true
          _ = try SQLiteDocumentStore(
            "\(third)/pentimento.db", indexes: Application.journal.indexes)
          try Data("its own".utf8).write(to: URL(fileURLWithPath: "\(third)/settings.json"))
        }
        return try again(wanted)
      }
    }
    #expect(LocalService.exists(third))
    #expect(try String(contentsOfFile: "\(third)/settings.json", encoding: .utf8) == "its own")
  }

  @Test func `a restored service equals the service that was backed up`() throws {
    let service = try service("a")
    var result = Backup.Result()
    var bytes: [UInt8] = []
    result = try Backup.write(.journal, path("a")) { bytes += $0 }
    #expect(result.drawings == 3 && result.problems.isEmpty)
    for piece in [Int.max, 1000] {
      let name = "b\(piece)"
      let restored = try Backup.restore(
        .journal, path(name), from: Self.source(bytes, piece: piece))
      #expect(restored.drawings == 3 && restored.bytes == result.bytes)
      let other = try LocalService.open(.journal, path(name))
      #expect(try Self.documents(other) == Self.documents(service))
      let all = try files(in: other.blobs, below: "users")
      #expect(try all == files(in: service.blobs, below: "users") && all.count == 9)
      #expect(try Verification(other).run().findings.isEmpty)
      for path in all.keys {
        let (before, after) = (
          try service.blobs.info(BlobPath(path)), try other.blobs.info(BlobPath(path))
        )
        #expect(after?.contentType == before?.contentType && after?.sha256 == before?.sha256)
        // Archives store whole seconds.
        #expect(
          after?.updated == before.map { Moment(seconds: $0.updated.microseconds / 1_000_000) })
      }
      #expect(try Sweep(other).run() == Sweep.Result())
    }
    // No temporary files are left.
    let names = try FileManager.default.contentsOfDirectory(atPath: path("a")).sorted()
    #expect(names.filter { $0.hasPrefix(".") } == [])
    // An existing service is never overwritten.
    #expect(
      storageProblem { try Backup.restore(.journal, path("a"), from: Self.source(bytes)) }
        == .alreadyExists)
    #expect(try Self.documents(service).count == 5)
  }

  @Test func `the system's tar reads a backup`() throws {
    let service = try service("a")
    try Data(try archive("a")).write(to: folder.file("a.tar"))
    let list = try Program.shell("tar -tf a.tar", in: folder.url)
    #expect(list.code == 0 && list.errors.isEmpty)
    let all = try files(in: service.blobs, below: "users")
    #expect(
      list.text.split(separator: "\n").map(String.init).sorted()
        == (all.keys + ["MANIFEST", "pentimento.db", "settings.json"]).sorted())
    let unpacked = try Program.shell(
      "mkdir out; cd out; tar -xf ../a.tar; cat MANIFEST", in: folder.url)
    #expect(unpacked.code == 0)
    for (path, bytes) in all {
      let file = folder.file("out").appendingPathComponent(path)
      #expect([UInt8](try Data(contentsOf: file)) == bytes)
      #expect(unpacked.text.contains("\(ContentHash.of(bytes)) \(bytes.count) "))
    }
  }

  @Test func `a damaged backup is refused and leaves no service`() throws {
    _ = try service("a", drawings: 1)
    let bytes = try archive("a")
    var count = 0
    // In memory if there is such a folder, because everything is written hundreds of times.
    let memory = "/dev/shm/pentimento-\(UUID().uuidString)"
    let root = access("/dev/shm", W_OK) == 0 ? memory : path("r")
    defer { try? FileManager.default.removeItem(atPath: root) }
    func expectRefused(_ bytes: [UInt8], _ what: String) throws {
      count += 1
      do {
        _ = try Backup.restore(.journal, root, from: Self.source(bytes))
        Issue.record("\(what) was restored")
      } catch {
        #expect(error is ServiceError || error is StorageError, "\(what): \(error)")
      }
      #expect(!LocalService.exists(root), "\(what)")
      #expect(
        try FileManager.default.contentsOfDirectory(atPath: root).allSatisfy {
          !$0.hasSuffix(".db")
        })
      try FileManager.default.removeItem(atPath: root)
    }
    // Most bytes belong to similar documents, so fewer of them are changed.
    let step = 97 * RunLength.step(9)
    for offset in stride(from: 0, to: bytes.count, by: step) {
      var damaged = bytes
      damaged[offset] ^= 0xFF
      try expectRefused(damaged, "byte \(offset) inverted")
    }
    for offset in stride(from: 0, to: 4096, by: 97) {
      for index in [offset, bytes.count - 1 - offset] {
        for bit: UInt8 in [0x01, 0x20] {
          var damaged = bytes
          damaged[index] ^= bit
          try expectRefused(damaged, "bit \(bit) of byte \(index)")
        }
      }
    }
    for length in Array(stride(from: 0, to: bytes.count, by: bytes.count / 40)) + [
      bytes.count - 1, bytes.count - 512, bytes.count - 513, bytes.count - 1024,
      bytes.count - 1025, bytes.count - 1536,
    ] {
      try expectRefused(Array(bytes.prefix(length)), "\(length) bytes")
    }
    try expectRefused(bytes + [0], "one byte more")
    try expectRefused(Array("no archive at all".utf8), "text")
    #expect(count > 200)
    // An interrupted restore may be repeated.
    #expect(throws: (any Error).self) {
      try Backup.restore(.journal, root, from: Self.source(Array(bytes.dropLast(600))))
    }
    #expect(try Backup.restore(.journal, root, from: Self.source(bytes)).drawings == 1)
    #expect(LocalService.exists(root))
  }

  @Test func `a backup reports files that cannot be read, and archives the rest`() throws {
    _ = try service("a")
    let file = folder.file("a/users/ann/drawings/d0/image.png")
    try Data([1]).write(to: file)
    var bytes: [UInt8] = []
    let result = try Backup.write(.journal, path("a")) { bytes += $0 }
    #expect(result.problems.count == 1 && result.drawings == 3)
    #expect(result.problems[0].hasPrefix("users/ann/drawings/d0/image.png: "))
    _ = try Backup.restore(.journal, path("b"), from: Self.source(bytes))
    let other = try LocalService.open(.journal, path("b"))
    #expect(try files(in: other.blobs, below: "users").count == 8)
    #expect(try Verification(other).run(repairs: true).isIntact)
    #expect(try files(in: other.blobs, below: "users").count == 9)
  }

  @Test func `a backup does not mistake a new drawing for a deleted one`() throws {
    let environment = try service("a")
    let service = DrawingService(environment, as: .operator)
    var bytes: [UInt8] = []
    let result = try Backup.write(.journal, path("a")) { piece in
      // Runs while the first files are written.
      if bytes.isEmpty {
        try service.delete("d2", of: "ann")
        try service.submit(try Recordings.submission(7, id: "d2"), of: "ann")
      }
      bytes += piece
    }
    #expect(result.drawings == 2 && result.problems.isEmpty)
    _ = try Backup.restore(.journal, path("b"), from: Self.source(bytes))
    let other = try LocalService.open(.journal, path("b"))
    #expect(try Verification(other).run().findings.isEmpty)
    #expect(try DrawingService(other, as: .operator).all(of: "ann").drawings.count == 2)
    #expect(try service.all(of: "ann").drawings.count == 3)
  }

  @Test func `old leftovers of interrupted backups are deleted by a sweep`() throws {
    let service = try service("a", drawings: 1)
    for name in [".backup-x.db", ".backup-x.db-wal", ".restore-y.db", ".other", "backup-z"] {
      try Data("left".utf8).write(to: folder.file("a/" + name))
    }
    let before = Set(try FileManager.default.contentsOfDirectory(atPath: path("a")))
    let now = service.now()
    #expect(try LocalService.removeLeftovers(path("a"), before: now - 3600) == 0)
    #expect(try LocalService.removeLeftovers(path("a"), before: now + 3600) == 3)
    let after = Set(try FileManager.default.contentsOfDirectory(atPath: path("a")))
    #expect(
      before.subtracting(after) == [".backup-x.db", ".backup-x.db-wal", ".restore-y.db"])
  }

  @Test func `a leftover log of another database is not applied to the restored one`() throws {
    let other = try service("other", drawings: 0)
    let log = try Data(contentsOf: folder.file("other/pentimento.db-wal"))
    #expect(!log.isEmpty)
    _ = try service("a", drawings: 1)
    let bytes = try archive("a")
    try FileManager.default.createDirectory(
      at: folder.file("b"), withIntermediateDirectories: false)
    try log.write(to: folder.file("b/pentimento.db-wal"))
    _ = try Backup.restore(.journal, path("b"), from: Self.source(bytes))
    let restored = try LocalService.open(.journal, path("b"))
    #expect(try Self.documents(restored) == Self.documents(LocalService.open(.journal, path("a"))))
    #expect(try Verification(restored).run().findings.isEmpty)
    #expect(try Self.documents(other).count == 2)
  }

  @Test func `only one program at a time holds a folder lock`() throws {
    _ = try service("a", drawings: 0)
    var first = try FolderLock(path("a"), "deliver")
    #expect(first != nil)
    #expect(try FolderLock(path("a"), "deliver") == nil)
    #expect(try FolderLock(path("a"), "other") != nil)
    #expect(try FolderLock.isHeld(path("a"), "deliver") && !FolderLock.isHeld(path("a"), "none"))
    first = nil
    #expect(try FolderLock(path("a"), "deliver") != nil)
    // A lock that cannot be checked counts as held.
    #expect(symlink("deliver", path("a") + "/.linked") == 0)
    #expect(throws: StorageError.self) { try FolderLock.isHeld(path("a"), "linked") }
    #expect(first == nil)
  }

  @Test func `a backup that cannot be written leaves the service unchanged`() throws {
    struct Full: Error {}
    let service = try service("a")
    let before = try Self.documents(service)
    for limit in [0, 1, 5, 12] {
      var count = 0
      #expect(throws: Full.self) {
        try Backup.write(.journal, path("a")) { _ in
          count += 1
          if count > limit { throw Full() }
        }
      }
      let names = try FileManager.default.contentsOfDirectory(atPath: path("a"))
      #expect(names.allSatisfy { !$0.hasPrefix(".backup") })
    }
    #expect(try Self.documents(service) == before)
  }

  // MARK: - Texts

  private static func document(_ id: String, _ fields: Fields) throws -> Document {
    let now = ServiceFixture.start
    return Document(
      path: try DocumentPath("users/ann/moodEntries/\(id)"), fields: fields, created: now,
      updated: now, sequence: 1)
  }

  @Test func `documents are exported as standard JSON`() throws {
    let documents = try [
      Self.document(
        "m1",
        [
          "note": "a \"quote\", a \\ and\na line\u{1}\u{2028}貓", "timestamp": Samples.moment,
          "synced": true, "nothing": .null, "number": 0.1, "large": .integer(1 << 53),
          "list": ["a", 1, .map(["b": false])], "bytes": .bytes([0, 255]),
        ]), Self.document("m2", [:]),
    ]
    let text = Data(Export.json(documents))
    let parsed = try #require(try JSONSerialization.jsonObject(with: text) as? [[String: Any]])
    #expect(parsed.count == 2)
    #expect(parsed[1]["path"] as? String == "users/ann/moodEntries/m2")
    #expect((parsed[1]["fields"] as? [String: Any])?.isEmpty == true)
    let first = try #require(parsed[0]["fields"] as? [String: Any])
    #expect(first["note"] as? String == "a \"quote\", a \\ and\na line\u{1}\u{2028}貓")
    #expect(first["timestamp"] as? String == "2026-11-18T12:00:00Z")
    #expect(first["synced"] as? Bool == true && first["nothing"] is NSNull)
    #expect(first["number"] as? Double == 0.1 && first["large"] as? Int == 1 << 53)
    #expect(first["bytes"] as? String == "00ff")
    let list = try #require(first["list"] as? [Any])
    #expect(list[0] as? String == "a" && list[1] as? Int == 1)
    #expect((list[2] as? [String: Bool]) == ["b": false])
    let nothing = try JSONSerialization.jsonObject(with: Data(Export.json([]))) as? [Any]
    #expect(nothing?.isEmpty == true)
  }

  /// Parses CSV by RFC 4180, byte by byte.
  private static func table(_ bytes: [UInt8]) -> [[String]] {
    var (rows, row, cell): ([[String]], [String], [UInt8]) = ([], [], [])
    var (isQuoted, offset) = (false, 0)
    func close() {
      row.append(String(decoding: cell, as: UTF8.self))
      cell = []
    }
    while offset < bytes.count {
      let byte = bytes[offset]
      if isQuoted {
        if byte != 34 {
          cell.append(byte)
        } else if offset + 1 < bytes.count, bytes[offset + 1] == 34 {
          cell.append(34)
          offset += 1
        } else {
          isQuoted = false
        }
      } else if byte == 34 {
        isQuoted = true
      } else if byte == 44 {
        close()
      } else if byte == 13, offset + 1 < bytes.count, bytes[offset + 1] == 10 {
        close()
        rows.append(row)
        row = []
        offset += 1
      } else {
        cell.append(byte)
      }
      offset += 1
    }
    return rows
  }

  @Test func `a CSV export keeps every cell, and no cell is a formula`() throws {
    let texts = [
      "", "plain", "a,b", "a\"b", "\"", "\"\u{301}x", "a\nb", "a\r\nb", "\u{301}", "貓", " =1",
      "=1+1", "+1", "-1", "@SUM(A1)", "\tx", "\rx", "\r\nx", "\nx", "=\u{301}1", "＝1", "-\u{20DD}1",
    ]
    let documents = try texts.enumerated().map { index, text in
      try Self.document("m\(index)", ["note": .text(text), "n": .integer(-5), "=f()": .bool(true)])
    }
    let rows = Self.table(Export.csv(documents))
    #expect(rows.count == texts.count + 1)
    #expect(rows[0] == ["path", "'=f()", "n", "note"])
    for (row, text) in zip(rows.dropFirst(), texts) {
      try #require(row.count == 4)
      #expect(row[2] == "-5" && row[1] == "true")
      let first = text.unicodeScalars.first
      let isFormula = first.map { "=+-@\t\r\n＝＋－＠".unicodeScalars.contains($0) } ?? false
      let wanted = isFormula ? "'" + text : text
      #expect(Array(row[3].utf8) == Array(wanted.utf8))
    }
    #expect(Self.table(Export.csv([])) == [["path"]])
    let moments = try [Self.document("m", ["timestamp": Samples.moment])]
    #expect(Self.table(Export.csv(moments))[1][1] == "2026-11-18T12:00:00Z")
  }
}
