import Foundation
import TestSupport
import Testing
import Threads

@testable import DrawingServices
@testable import Journal
@testable import Storage

/// All data of a user: counted, exported, backed up and erased by one list.
struct BelongingsTests {
  private let folder: TemporaryFolder
  private let root: String

  init() throws {
    folder = try TemporaryFolder()
    root = folder.file("root").path
  }

  /// A name that occurs in no other bytes.
  private static let ann = "ann-of-this-test"

  /// Stores data of a user in every possible place, and the same for another user.
  private func fill(_ service: ServiceEnvironment) throws {
    for (number, uid) in [Self.ann, "bob"].enumerated() {
      let drawings = DrawingService(service, as: .user(uid))
      let seed = UInt64(number * 10)
      try drawings.submit(try Recordings.submission(seed + 1, id: "d1"), of: uid)
      var style = RenditionStyle()
      style.side = 20
      _ = try drawings.rendition(style, ofDrawing: "d1", of: uid)
      try drawings.submit(try Recordings.submission(seed + 2, id: "d2"), of: uid)
      try drawings.delete("d2", of: uid)
      _ = try drawings.put(
        .init(DrawingFiles.image, Recordings.image(seed + 3)), ofDrawing: "loose", of: uid)
      _ = try CollectionService(.checkIns, in: service, as: .user(uid)).create(
        Samples.checkIn.merging(["journal": .text("secret of \(uid)")]), of: uid, id: "c1")
      _ = try UserService(service, as: .user(uid)).setProfile(uid, ["userName": .text(uid)])
      _ = try CollectionService(.sessionLogs, in: service, as: .user(uid)).create(
        Samples.sessionLog.merging(["userId": .text(uid), "logId": .text("log-\(uid)")]))
      _ = try ShareService(service, as: .user(uid)).share(
        "d1", of: uid, showsReplay: false, title: "share of \(uid)", expires: nil)
      _ = try LinkService(service).text(of: uid)
      try StagedFiles(service, of: uid).add(
        Array(repeating: 65, count: 5000), to: String(repeating: "a", count: 64), at: 0)
      // In the states that a sweep, an upload and a sync leave.
      let paths = try UserPaths(uid)
      let bytes = Array("ink of \(uid)".utf8)
      for path in [
        "trash/2026-11-01/users/\(uid)/drawings/old/recording.pkd",
        "trash/2026-11-02.2/users/\(uid)/drawings/old/recording.pkd",
        "uploads/\(uid)/\(String(repeating: "b", count: 32))/state",
        "sync/place-\(uid)/d1/0123.pkd",
      ] {
        try service.blobs.put(BlobPath(path), contentType: "a/b", bytes, at: service.now())
      }
      try service.documents.change(at: service.now()) { transaction in
        try transaction.set(paths.syncPlaces.document("place-\(uid)"), ["a": 1])
        try transaction.set(paths.begun.document("d9"), ["a": 1])
        try transaction.set(Collections.outbox.document("e-\(uid)"), ["uid": .text(uid)])
      }
    }
  }

  /// The files of the service whose path or bytes contain a text.
  private func files(naming text: String) throws -> [String] {
    let all = try FileManager.default.subpathsOfDirectory(atPath: root)
    return all.filter { path in
      let bytes = FileManager.default.contents(atPath: "\(root)/\(path)")
      return path.contains(text) || bytes?.firstRange(of: Data(text.utf8)) != nil
    }.sorted()
  }

  @Test func `erasing a user leaves no byte of theirs and all of others`() throws {
    let service = try LocalService.open(.journal, root)
    try fill(service)
    let users = UserService(service, as: .operator)
    let before = try users.holdings(of: "bob")
    let renditions = try #require(service.cache).folders(
      below: BlobFolder("renditions"), after: nil, limit: 9)
    #expect(renditions.count == 2)
    #expect(try users.holdings(of: Self.ann).files == before.files)

    try users.deleteEverything(of: Self.ann)
    let left = try files(naming: Self.ann)
    #expect(left == [])
    #expect(try users.holdings(of: Self.ann).isEmpty)
    #expect(try users.users() == ["bob"])
    #expect(try users.holdings(of: "bob") == before)
    #expect(
      try service.cache?.folders(below: BlobFolder("renditions"), after: nil, limit: 9).count == 1)
    #expect(
      try DrawingService(service, as: .user("bob")).file("image.png", ofDrawing: "d1", of: "bob")
        .bytes.count > 0)
  }

  @Test func `a sweep completes an erasure that was interrupted after its transaction`() throws {
    let service = try LocalService.open(.journal, root)
    try fill(service)
    try service.documents.change(at: service.now()) { transaction in
      let erased = try Belongings(of: Self.ann, in: service).eraseDocuments(in: transaction)
      try transaction.set(
        Collections.erasures.document(Self.ann), ["places": .list(erased.places.map { .text($0) })])
    }
    let verified = try Verification(service).run(minimumAge: 0)
    #expect(verified.findings.isEmpty && verified.interrupted == 1)
    #expect(try Sweep(service).run().problems.isEmpty)
    #expect(try files(naming: Self.ann).filter { !$0.hasPrefix("pentimento.db") } == [])
  }

  /// Files like those in a copy of a bucket: with names that are invalid here, and in folders
  /// without a drawing.
  private func makeStrays(of uid: String) throws -> [String] {
    let paths = [
      "users/\(uid)/drawings/x/y/recording.pkd", "users/\(uid)/drawings/a b/recording.pkd",
      "users/\(uid)/drawings/日本/recording.pkd", "users/\(uid)/drawings/x/y/z w/image.png",
      "users/\(uid)/drawings/sub/drawings/d9/recording.pkd", "uploads/\(uid)/a b/state",
      "trash/2026-10-31/users/\(uid)/drawings/a b/recording.pkd",
      "users/\(uid)/note.txt", "users/\(uid)/.DS_Store", "users/\(uid)/drawings/d1/extra.txt",
      "users/\(uid)/drawings/only/.DS_Store",
    ]
    for path in paths {
      let file = folder.file("root/\(path)")
      try FileManager.default.createDirectory(
        at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data("stray".utf8).write(to: file)
    }
    return paths
  }

  @Test func `an erasure deletes files that other programs stored under any name`() throws {
    let service = try LocalService.open(.journal, root)
    try fill(service)
    let bob = try makeStrays(of: "bob")
    _ = try makeStrays(of: Self.ann)
    let users = UserService(service, as: .operator)
    try users.deleteEverything(of: Self.ann)
    #expect(try files(naming: Self.ann) == [])
    #expect(bob.allSatisfy { FileManager.default.fileExists(atPath: "\(root)/\($0)") })
    // The same holds if nothing else of the user is left.
    try FileManager.default.createDirectory(
      atPath: "\(root)/users/\(Self.ann)/drawings/a b", withIntermediateDirectories: true)
    #expect(try !users.holdings(of: Self.ann).isEmpty)
    try users.deleteEverything(of: Self.ann)
    #expect(try files(naming: Self.ann) == [] && users.holdings(of: Self.ann).isEmpty)
  }

  @Test func `a sweep reports an erasure that it cannot complete, and goes on`() throws {
    let service = try LocalService.open(.journal, root)
    try fill(service)
    // A link replaces the folder: files behind it must not be touched.
    let (ann, moved) = ("\(root)/users/\(Self.ann)", folder.file("elsewhere").path)
    try FileManager.default.moveItem(atPath: ann, toPath: moved)
    try FileManager.default.createSymbolicLink(atPath: ann, withDestinationPath: moved)
    #expect(throws: StorageError.self) {
      try UserService(service, as: .operator).deleteEverything(of: Self.ann)
    }
    // Everything that can be deleted is deleted.
    #expect(
      try files(naming: Self.ann).filter { $0.hasPrefix("uploads/") || $0.hasPrefix("trash/") }
        == [])
    for number in 0..<2 {
      // Another erasure, of a user whose name comes later.
      try service.documents.change(at: service.now()) { transaction in
        _ = try Belongings(of: "bob", in: service).eraseDocuments(in: transaction)
        try transaction.set(Collections.erasures.document("bob"), [:])
      }
      if number == 1 { _ = try makeStrays(of: "bob") }
      let result = try Sweep(service).run(.init(minimumAge: -10))
      #expect(result.problems.count == 1 && result.problems[0].hasPrefix("users/\(Self.ann) was"))
      for place in ["users", "uploads"] {
        #expect(!FileManager.default.fileExists(atPath: "\(root)/\(place)/bob"))
      }
    }
    #expect(FileManager.default.fileExists(atPath: "\(moved)/drawings/d1/recording.pkd"))
    unlink(ann)
    #expect(try Sweep(service).run(.init(minimumAge: -10)).problems == [])
    #expect(try files(naming: Self.ann) == [])
  }

  @Test func `a sweep goes on after a folder that it cannot move`() throws {
    let service = try LocalService.open(.journal, root)
    func write(_ path: String) throws {
      let file = folder.file("root/\(path)")
      try FileManager.default.createDirectory(
        at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data("stray".utf8).write(to: file)
    }
    for name in ["ann/drawings/d1", "ann/drawings/d2", "bob/drawings/x", "cid/drawings/d3"] {
      try write("users/\(name)/image.png")
    }
    // A link is where the folder for one of them must be created.
    let users = "\(root)/trash/\(ZoneRules.utc.day(of: service.now()))/users"
    try FileManager.default.createDirectory(atPath: users, withIntermediateDirectories: true)
    try FileManager.default.createSymbolicLink(
      atPath: "\(users)/bob", withDestinationPath: folder.url.path)
    let result = try Sweep(service).run(.init(minimumAge: -10, takesUnknown: true))
    #expect(result.orphans == 3 && result.problems.count == 1)
    #expect(result.problems.first?.hasPrefix("users/bob/drawings/x: ") == true)
  }

  @Test
  func `sweep and verification report folders without a drawing, and go on`()
    throws
  {
    let service = try LocalService.open(.journal, root)
    try fill(service)
    _ = try makeStrays(of: "bob")
    let result = try Sweep(service).run(.init(minimumAge: -10))
    let named: Set = [
      "users/bob", "users/bob/drawings/x/y", "users/bob/drawings/sub/drawings/d9",
      "users/bob/drawings/a b", "users/bob/drawings/日本", "users/bob/drawings/x/y/z w",
    ]
    #expect(Set(result.problems.compactMap { $0.components(separatedBy: ": ").first }) == named)
    let verified = try Verification(service).run(minimumAge: 0).findings.map(\.path)
    #expect(try Set(verified + Upkeep.unreachableFolders(in: service)) == named)
  }

  @Test
  func `erased data held in the log by a reader is removed by the next sweep`()
    throws
  {
    let service = try LocalService.open(.journal, root)
    try fill(service)
    let users = UserService(service, as: .operator)
    let count = try service.documents.read { reader in
      // Reads like a backup that copies the database at this moment.
      _ = try reader.lastSequence()
      return try users.deleteEverything(of: Self.ann)
    }
    #expect(count > 5)
    let secret = "secret of \(Self.ann)"
    #expect(try files(naming: secret).contains("pentimento.db-wal"))
    var verified = try Verification(service).run(minimumAge: 0)
    #expect(verified.findings.isEmpty && verified.interrupted == 1)
    // The user is back. New data is not confused with the deleted data.
    let drawings = DrawingService(service, as: .user(Self.ann))
    try drawings.put(.init(DrawingFiles.image, Recordings.image(4)), ofDrawing: "new", of: Self.ann)
    try drawings.submit(try Recordings.submission(5, id: "d1"), of: Self.ann)
    let staged = String(repeating: "c", count: 64)
    try StagedFiles(service, of: Self.ann).add([1], to: staged, at: 0)
    let before = try service.documents.read { reader in
      _ = try reader.lastSequence()
      return try (Sweep(service).run(.init(minimumAge: -10)), files(naming: secret))
    }
    #expect(before.0.problems == [] && before.1.contains("pentimento.db-wal"))
    #expect(try Sweep(service).run(.init(minimumAge: -10)) == Sweep.Result())
    #expect(try files(naming: secret) == [])
    verified = try Verification(service).run(minimumAge: 0)
    #expect(verified.findings.isEmpty && verified.interrupted == 0 && verified.drawings == 2)
    #expect(try drawings.file(DrawingFiles.image, ofDrawing: "new", of: Self.ann).bytes.count > 0)
    #expect(try StagedFiles(service, of: Self.ann).count(staged) == 1)
  }

  @Test func `an export contains the user's data and no internal fields`() throws {
    let service = try LocalService.open(.journal, root)
    try fill(service)
    let paths = try UserService(service, as: .user(Self.ann)).documents(of: Self.ann)
      .map { $0.path.collection.description }
    #expect(
      Set(paths) == [
        "users", "users/\(Self.ann)/drawings", "users/\(Self.ann)/mood_checkins", "sessionLogs",
        "shares",
      ])
  }

  @Test(arguments: FilePlace.allCases)
  func
    `a backup has and a verification reads the files of a place, or both leave out what can be sent or made again`(
      _ place: FilePlace
    ) throws
  {
    let service = try LocalService.open(.journal, root)
    try fill(service)
    var archive: [UInt8] = []
    _ = try Backup.write(.journal, root) { archive += $0 }
    var files: [String] = []
    try service.blobs.forEachFolder(below: place.folder) { folder, found in
      files += found.map { "\(folder)/\($0.name)" }
    }
    let copied = files.filter { archive.firstRange(of: Array($0.utf8)) != nil }
    #expect(!files.isEmpty && copied == (place == .drawings ? files : []))

    #expect(try Verification(service).run(minimumAge: 0).findings.isEmpty)
    for file in files {
      let url = folder.file("root/\(file)")
      var bytes = try Data(contentsOf: url)
      bytes[bytes.count / 2] ^= 1
      try bytes.write(to: url)
    }
    let found = try Verification(service).run(minimumAge: 0).findings.map(\.path)
    let isVerified = place == .drawings || place == .unfinished
    #expect(Set(found) == Set(isVerified ? files : []))
  }

  // MARK: - The quota

  /// A service in memory with a quota of 100,000 bytes.
  private static func limited() -> ServiceEnvironment {
    var environment = ServiceFixture().environment
    environment.quotas = UserQuotas(limit: 100_000)
    return environment
  }

  private func isOverQuota<Result>(_ body: () throws -> Result) -> Bool {
    storageProblem(body) == .overQuota(limit: 100_000)
  }

  private static func entry(_ count: Int) -> Fields {
    Samples.moodEntry.merging(["note": .text(String(repeating: "x", count: count))])
  }

  @Test func `documents count for the quota until they are deleted`()
    throws
  {
    let environment = Self.limited()
    let entries = CollectionService(.moodEntries, in: environment, as: .user("ann"))
    try entries.create(Self.entry(60_000), of: "ann", id: "m1")
    #expect(isOverQuota { try entries.create(Self.entry(60_000), of: "ann", id: "m2") })
    #expect(
      isOverQuota { try entries.update("m1", of: "ann", ["more": Self.entry(60_000)["note"]]) })
    #expect(try entries.page(of: "ann").documents.count == 1)
    // Refused entries do not count, and other users have their own quota.
    try entries.create(Self.entry(30_000), of: "ann", id: "m3")
    try CollectionService(.moodEntries, in: environment, as: .user("bob")).create(
      Self.entry(60_000), of: "bob", id: "m1")
    try entries.update("m1", of: "ann", ["note": "short"])
    try entries.create(Self.entry(60_000), of: "ann", id: "m2")
    try entries.delete("m2", of: "ann")
    try entries.create(Self.entry(60_000), of: "ann", id: "m4")
    #expect(isOverQuota { try entries.create(Self.entry(60_000), of: "ann", id: "m5") })
    // The same holds for a device.
    var request = SyncRequest()
    request.changes = [
      SyncChange(
        SyncName(.moodEntries, "m6"),
        .document(
          Self.entry(60_000).merging(["createdAt": Samples.moment, "updatedAt": Samples.moment])))
    ]
    let results = try SyncService(environment, as: .user("ann")).answer(request, of: "ann").results
    guard case .failed(code: "quota-exceeded", _)? = results[0] else {
      Issue.record("\(results)")
      return
    }
  }

  @Test func `files and their parts count for the quota until they are deleted`() throws {
    let environment = Self.limited()
    let staged = StagedFiles(environment, of: "ann")
    let names = ["a", "b"].map { String(repeating: $0, count: 64) }
    try staged.add(Array(repeating: 1, count: 60_000), to: names[0], at: 0)
    #expect(isOverQuota { try staged.add(Array(repeating: 1, count: 60_000), to: names[1], at: 0) })
    let entries = CollectionService(.moodEntries, in: environment, as: .user("ann"))
    #expect(isOverQuota { try entries.create(Self.entry(60_000), of: "ann") })
    try staged.remove(names[0])
    try staged.add(Array(repeating: 1, count: 90_000), to: names[1], at: 0)
    let drawings = DrawingService(environment, as: .user("ann"))
    let submission = try Recordings.submission(2, id: "d1", image: Recordings.image(2))
    let byteCount = submission.recording.count + (submission.image?.count ?? 0)
    // Until the remaining quota is too small.
    try entries.create(Self.entry(9800 - byteCount), of: "ann", id: "m1")
    #expect(isOverQuota { try drawings.submit(submission, of: "ann") })
    try staged.remove(names[1])
    try drawings.submit(submission, of: "ann")
    let counted = try Belongings(of: "ann", in: environment).countedBytes()
    try drawings.delete("d1", of: "ann")
    #expect(try Belongings(of: "ann", in: environment).countedBytes() < counted - byteCount)
    // The counted bytes equal those in the stores.
    let rest = try 100_000 - Belongings(of: "ann", in: environment).countedBytes()
    #expect(isOverQuota { try environment.checkQuota(rest + 200, of: "ann") })
    try environment.checkQuota(rest - 200, of: "ann")
  }

  @Test func `unfinished files of a user have limits, and the oldest are deleted first`()
    throws
  {
    let fixture = ServiceFixture()
    let staged = StagedFiles(fixture.environment, of: "ann")
    func name(_ number: Int) -> String {
      let text = String(number, radix: 16)
      return String(repeating: "0", count: 64 - text.count) + text
    }
    func count(_ numbers: some Sequence<Int>) throws -> [Int] {
      try numbers.filter { try staged.count(name($0)) > 0 }
    }
    for number in 0..<20 {
      fixture.clock.now = fixture.clock.now + 1
      try staged.add([1], to: name(number), at: 0)
    }
    #expect(try count(0..<20) == Array(4..<20))
    let piece = [UInt8](repeating: 7, count: 8 << 20)
    for number in 30..<40 {
      fixture.clock.now = fixture.clock.now + 1
      try staged.add(piece, to: name(number), at: 0)
    }
    #expect(try count(0..<40) == Array(32..<40))
    #expect(throws: ServiceError.self) {
      try staged.add(piece, to: name(39), at: piece.count)
    }
    // After a week a sweep deletes them.
    fixture.clock.now = fixture.clock.now + 7 * 86_400 + 1
    #expect(try Sweep(fixture.environment).run().leftovers == 8)
    #expect(try count(0..<40) == [])
  }

  // MARK: - Uploads without a document

  @Test func `files that were uploaded without a document are no orphans`() throws {
    let service = try LocalService.open(.journal, root)
    let drawings = DrawingService(service, as: .user("ann"))
    let (image, recording) = (try Recordings.image(1), Recordings.pencilKit(1))
    var changes = FileMetadata.Changes()
    changes.tokens = ["token-of-some-length"]
    try drawings.put(
      .init(DrawingFiles.image, image, metadata: changes), ofDrawing: "d1", of: "ann")
    try drawings.put(
      .init(DrawingFiles.recording, recording, metadata: changes), ofDrawing: "d1", of: "ann")
    // An upload that no Firebase SDK has sent, and whose other files never come.
    try drawings.put(.init(DrawingFiles.image, image), ofDrawing: "d2", of: "ann")
    for _ in 0..<2 {
      #expect(try Sweep(service).run(.init(minimumAge: -10)) == Sweep.Result())
    }
    let verified = try Verification(service).run(minimumAge: 0)
    #expect(verified.findings.isEmpty && verified.interrupted == 0)
    #expect(verified.bytes == 2 * image.count + recording.count)
    #expect(try drawings.opens("token-of-some-length", "image.png", ofDrawing: "d1", of: "ann"))

    // A backup contains them.
    var archive: [UInt8] = []
    #expect(try Backup.write(.journal, root) { archive += $0 }.problems.isEmpty)
    let other = folder.file("other").path
    var rest = archive[...]
    _ = try Backup.restore(.journal, other) { count in
      defer { rest = rest.dropFirst(count) }
      return Array(rest.prefix(count))
    }
    let restored = try LocalService.open(.journal, other)
    #expect(
      try DrawingService(restored, as: .user("ann")).file(
        "recording.pkd", ofDrawing: "d1", of: "ann"
      ).bytes == recording)
    #expect(try Sweep(restored).run(.init(minimumAge: -10)) == Sweep.Result())

    // A damaged file is found, and its document can be created later.
    try Data([1, 2, 3]).write(to: URL(fileURLWithPath: "\(root)/users/ann/drawings/d2/image.png"))
    #expect(
      try Verification(service).run(minimumAge: 0).findings.map(\.path) == [
        "users/ann/drawings/d2/image.png"
      ])
    try drawings.submitStored("d1", of: "ann") { $0.promptUsed = "p" }
    #expect(try drawings.file("image.png", ofDrawing: "d1", of: "ann").bytes == image)
    try drawings.delete("d1", of: "ann")
    #expect(try Sweep(service).run(.init(minimumAge: -10)).deleted == 0)
  }

  @Test
  func `a crash while an image is replaced leaves no finding`()
    throws
  {
    let images = try (1...3).map { try Recordings.image($0) }
    let path = try BlobPath("users/ann/drawings/d1/image.png")
    for isUploaded in [true, false] {
      for step in 0..<6 {
        let notes = Notes()
        let fixture = ServiceFixture(
          documents: NotingDocumentStore(notes: notes), blobs: NotingBlobStore(notes: notes))
        let service = fixture.drawings()
        try service.submit(
          Recordings.submission(2, id: "d1", image: isUploaded ? images[0] : nil), of: "ann")
        let drawn = try service.file(DrawingFiles.image, ofDrawing: "d1", of: "ann").bytes
        notes.reset(callsThatSucceed: step)
        let isDone =
          thrown {
            try service.put(.init(DrawingFiles.image, images[1]), ofDrawing: "d1", of: "ann")
          } == nil
        notes.reset()
        #expect(isDone == (step == 5))
        let isHalf = 3...4 ~= step
        let found = try Verification(fixture.environment).run(minimumAge: -10)
        #expect(
          found.findings.isEmpty && found.interrupted == (isHalf && isUploaded ? 1 : 0),
          "step \(step)")
        // An image that another program has stored is still a finding.
        if isHalf, isUploaded {
          for (image, count) in [(images[2], 1), (images[1], 0)] {
            try fixture.environment.blobs.put(
              path, contentType: "image/png", image, at: fixture.clock.now)
            #expect(
              try Verification(fixture.environment).run(minimumAge: -10).findings.count == count)
          }
        }
        var result = Sweep.Result()
        result.revisions = isHalf ? 1 : 0
        #expect(try Sweep(fixture.environment).run(.init(minimumAge: -10)) == result)
        #expect(try Sweep(fixture.environment).run(.init(minimumAge: -10)) == Sweep.Result())
        let verified = try Verification(fixture.environment).run(minimumAge: -10)
        #expect(verified.findings.isEmpty && verified.interrupted == 0)
        let isNew = isHalf || isDone
        let image = try service.file(DrawingFiles.image, ofDrawing: "d1", of: "ann").bytes
        #expect(image == (isNew ? images[1] : drawn))
        #expect(
          try service.drawing("d1", of: "ann").document["imageSHA256"]
            == (isNew || isUploaded ? .text(ContentHash.of(image)) : nil))
        let begun = try UserPaths("ann").begun
        #expect(
          try fixture.environment.documents.read { try $0.names(in: begun, after: nil, limit: 9) }
            == [])
      }
    }
  }

  @Test
  func `concurrent uploads of two images leave no orphan and no former token`()
    throws
  {
    let notes = Notes()
    let fixture = ServiceFixture(
      documents: NotingDocumentStore(notes: notes), blobs: NotingBlobStore(notes: notes))
    let service = fixture.drawings()
    let images = try (1...3).map { try Recordings.image($0) }
    try service.submit(Recordings.submission(2, id: "d1", image: images[0]), of: "ann")
    var changes = FileMetadata.Changes()
    changes.tokens = ["token-of-some-length"]
    try service.put(
      .init(DrawingFiles.image, images[0], metadata: changes), ofDrawing: "d1", of: "ann")
    func put(_ index: Int, calls: Int?) -> (any Error)? {
      notes.reset(callsThatSucceed: calls)
      defer { notes.reset() }
      return thrown {
        try service.put(.init(DrawingFiles.image, images[index]), ofDrawing: "d1", of: "ann")
      }
    }
    // The first image is stored after the second was announced, and neither has metadata.
    #expect(put(1, calls: 2) != nil && put(2, calls: 2) != nil)
    let path = try BlobPath("users/ann/drawings/d1/image.png")
    func store(_ image: [UInt8]) throws {
      try fixture.environment.blobs.put(
        path, contentType: "image/png", image, at: fixture.clock.now)
    }
    try store(images[1])
    #expect(try Verification(fixture.environment).run().findings.isEmpty)
    // If one upload ends, the note still has the other.
    #expect(put(2, calls: nil) == nil)
    try store(images[1])
    #expect(try Verification(fixture.environment).run().interrupted == 1)
    #expect(try Verification(fixture.environment).run(repairs: true).findings.isEmpty)
    #expect(
      try service.drawing("d1", of: "ann").document["imageSHA256"]
        == .text(ContentHash.of(images[1])))
    #expect(try !service.opens("token-of-some-length", "image.png", ofDrawing: "d1", of: "ann"))
    // A deleted drawing with such a note is no interrupted submission.
    #expect(put(2, calls: 2) != nil)
    try service.delete("d1", of: "ann")
    let state = try fixture.environment.documents.state(ofDrawing: DocumentPath("\(path.folder)"))
    #expect(state == .deleted)
  }

  @Test func `a file that a sweep removes before it is described is stored again`() throws {
    let meanwhile = Meanwhile()
    let fixture = ServiceFixture(
      blobs: NotingBlobStore(notes: Notes(), afterPut: { meanwhile.happen() }))
    let environment = fixture.environment
    let swept = ConditionMutex<Sweep.Result?>(nil)
    meanwhile.prepare {
      let result = try? Sweep(environment).run(.init(minimumAge: -10))
      swept.change { $0 = result }
    }
    let image = try Recordings.image(1)
    let info = try fixture.drawings().put(
      .init(DrawingFiles.image, image), ofDrawing: "d1", of: "ann")
    #expect(swept.withLock { $0?.orphans } == 1)
    #expect(try environment.blobs.get(info.path)?.bytes == image)
    #expect(try Sweep(environment).run(.init(minimumAge: -10)) == Sweep.Result())
    // If the file vanishes after every attempt, the caller gets an error.
    let (store, folder) = (InMemoryBlobStore(), info.path.folder)
    let always = ServiceFixture(
      blobs: NotingBlobStore(
        store: store, notes: Notes(), afterPut: { _ = store.delete(folder) }))
    let failed = storageProblem {
      try always.drawings().put(.init(DrawingFiles.image, image), ofDrawing: "d1", of: "ann")
    }
    guard case .unavailable? = failed else {
      Issue.record("\(String(describing: failed))")
      return
    }
  }

  @Test func `a deletion on a full disk uses the reserved space`() throws {
    var service = try LocalService.open(.journal, root)
    let path = "\(root)/.reserve"
    service.reserve?.keep()
    #expect(
      try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int
        == DiskReserve.byteCount)
    var calls = 0
    func delete(failing count: Int) throws {
      try service.makingRoom {
        calls += 1
        // The first attempt does not have the reserved space yet.
        #expect(FileManager.default.fileExists(atPath: path) == (calls == 1))
        if calls <= count { throw StorageError(.full, root) }
      }
    }
    try delete(failing: 0)
    calls = 0
    try delete(failing: 1)
    #expect(calls == 2 && FileManager.default.fileExists(atPath: path))
    calls = 0
    #expect(storageProblem { try delete(failing: 2) } == .full)
    #expect(calls == 2)
    // Without the reserve there is one attempt, and other failures do not use it.
    service.reserve = nil
    calls = 0
    #expect(storageProblem { try delete(failing: 1) } == .full)
    #expect(calls == 1)
    #expect(try Sweep(service).run(.init(minimumAge: -10)) == Sweep.Result())
  }

  @Test func `a crash during a submission leaves no finding`() throws {
    for step in 0..<8 {
      let notes = Notes()
      let fixture = ServiceFixture(
        documents: NotingDocumentStore(notes: notes), blobs: NotingBlobStore(notes: notes))
      notes.reset(callsThatSucceed: step)
      let isDone =
        thrown {
          try fixture.drawings().submit(Recordings.submission(2, id: "d1"), of: "ann")
        } == nil
      notes.reset()
      let hasFiles = try !fixture.allFiles().isEmpty
      var result = try Verification(fixture.environment).run(minimumAge: -10)
      #expect(result.findings.isEmpty && result.interrupted == (hasFiles && !isDone ? 1 : 0))
      #expect(try Verification(fixture.environment).run(repairs: true, minimumAge: -10).isIntact)
      #expect(try fixture.drawings().all(of: "ann").drawings.count == (isDone ? 1 : 0))
      let swept = try Sweep(fixture.environment).run(.init(minimumAge: -10))
      #expect(swept.orphans == (hasFiles && !isDone ? 1 : 0) && swept.problems.isEmpty)
      #expect(try Sweep(fixture.environment).run(.init(minimumAge: -10)) == Sweep.Result())
      result = try Verification(fixture.environment).run(minimumAge: -10)
      #expect(
        result.findings.isEmpty && result.interrupted == 0 && result.drawings == (isDone ? 1 : 0))
      let begun = try UserPaths("ann").begun
      #expect(
        try fixture.environment.documents.read { try $0.names(in: begun, after: nil, limit: 9) }
          == [])
    }
  }

  // MARK: - Pictures and shares

  @Test(arguments: [DrawingFiles.thumbnail, DrawingFiles.image], [false, true])
  func `a picture that is damaged or missing is rendered again when it is read`(
    _ name: String, _ isMissing: Bool
  ) throws {
    let service = try LocalService.open(.journal, root)
    let drawings = DrawingService(service, as: .user("ann"))
    try drawings.submit(try Recordings.submission(1, id: "d1"), of: "ann")
    let bytes = try drawings.file(name, ofDrawing: "d1", of: "ann").bytes
    let path = "\(root)/users/ann/drawings/d1/\(name)"
    if isMissing {
      try FileManager.default.removeItem(atPath: path)
    } else {
      var damaged = bytes
      damaged[damaged.count / 2] ^= 0x55
      try Data(damaged).write(to: URL(fileURLWithPath: path))
    }
    #expect(try drawings.file(name, ofDrawing: "d1", of: "ann").bytes == bytes)
    #expect(try Verification(service).run(minimumAge: 0).findings.isEmpty)
    // An uploaded image and a recording cannot be rendered again.
    let image = try Recordings.image(9)
    try drawings.submit(try Recordings.submission(2, id: "d2", image: image), of: "ann")
    for name in [DrawingFiles.image, DrawingFiles.recording] {
      try Data([1]).write(to: URL(fileURLWithPath: "\(root)/users/ann/drawings/d2/\(name)"))
      #expect(throws: StorageError.self) { try drawings.file(name, ofDrawing: "d2", of: "ann") }
    }
    #expect(throws: StorageError.self) {
      try drawings.file(DrawingFiles.thumbnail, ofDrawing: "none", of: "ann")
    }
  }

  @Test func `a share ends with its drawing, and opens none that has its name later`() throws {
    let fixture = ServiceFixture()
    let shares = ShareService(fixture.environment, as: .user("ann"))
    func share(_ id: String) throws -> String {
      try shares.share(id, of: "ann", showsReplay: true, expires: nil).id
    }
    func isOpen(_ id: String) throws -> Bool {
      try ShareService.share(id, in: fixture.environment) != nil
    }
    for id in ["d1", "d2"] {
      try fixture.drawings().submit(Recordings.submission(1, id: id), of: "ann")
    }
    let (first, other) = (try share("d1"), try share("d2"))
    try fixture.drawings().delete("d1", of: "ann")
    #expect(try !isOpen(first) && isOpen(other))
    #expect(try shares.all(of: "ann").map(\.id) == [other])
    #expect(
      try fixture.environment.documents.read { try $0.count(Query(Collections.shares)) } == 1)
    fixture.clock.now = fixture.clock.now + 1
    try fixture.drawings().submit(Recordings.submission(3, id: "d1"), of: "ann")
    #expect(try !isOpen(first))
    // The same holds if its document was deleted in another way.
    let path = try DocumentPath("users/ann/drawings/d2")
    try fixture.environment.documents.change(at: fixture.clock.now) { _ = try $0.delete(path) }
    #expect(try !isOpen(other) && shares.all(of: "ann").isEmpty)
    try fixture.environment.documents.change(at: fixture.clock.now + 5) {
      _ = try $0.set(path, Samples.drawing)
    }
    #expect(try !isOpen(other))
    fixture.clock.now = fixture.clock.now + 7200
    _ = try Sweep(fixture.environment).run()
    #expect(
      try fixture.environment.documents.read { try $0.count(Query(Collections.shares)) } == 0)
  }

  // MARK: - Names

  @Test func `subjects of other issuers become distinct user names`() throws {
    let subjects = [
      "auth0|5f7c8ec7c33c6c004bbafe82", "us-east-1:1234", "-AbC_9", "_x", "a@b.c", "三",
      String(repeating: "x", count: 255), "a/../b", " ", "..",
    ]
    let names = subjects.map { UserName.of($0) }
    #expect(names.allSatisfy { StorageName.isValid($0) })
    #expect(Set(names).count == subjects.count)
    #expect(UserName.of("user_2ab") == "user_2ab")
    // A subject that equals another user's name gets a different name.
    #expect(UserName.of(names[0]) != names[0])
    #expect(UserName.meant(by: names[0]) == names[0])
    #expect(UserName.meant(by: subjects[0]) == names[0])
    #expect(UserName.of(subjects[0], inRequestBy: .user(names[0])) == names[0])
    #expect(UserName.of(subjects[0], inRequestBy: .user("ann")) == subjects[0])
  }
}
