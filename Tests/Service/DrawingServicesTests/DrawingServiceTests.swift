import Foundation
import Graphics
import InkFiles
import PKDFormat
import PNGFormat
import PencilKitArchive
import Rasterization
import Strokes
import TestSupport
import Testing
import Threads

@testable import DrawingServices
@testable import Journal
@testable import Storage

/// Drawings: storing them, the order of writes, and queries.
struct DrawingServiceTests {
  private let fixture = ServiceFixture()
  private var service: DrawingService { fixture.drawings() }

  private static func size(_ bytes: [UInt8]) throws -> [Int] {
    let image = try PNGDecoder().decode(bytes)
    return [image.width, image.height]
  }

  // MARK: - Submitting

  @Test func `recordings of both kinds are stored unchanged, with pictures and a document`() throws
  {
    for (seed, recording) in [(1, Recordings.pencilKit(1)), (2, try Recordings.pkd(2))] {
      for image in [nil, try Recordings.image(9)] {
        var submission = DrawingService.Submission(recording: recording)
        submission.image = image
        submission.timezoneOffsetMinutes = 480
        let record = try service.submit(submission, of: "ann")
        let folder = "users/ann/drawings/\(record.id)"
        let files = try fixture.allFiles().filter { $0.key.hasPrefix("\(folder)/") }
        #expect(
          files.keys.sorted()
            == ["image.png", "recording.pkd", "thumbnail.png"].map { "\(folder)/\($0)" })
        #expect(files["\(folder)/recording.pkd"] == recording)
        if let image { #expect(files["\(folder)/image.png"] == image) }
        let thumbnail = try #require(files["\(folder)/thumbnail.png"])
        #expect(try Self.size(thumbnail).max() == 256)
        let bounds = Recordings.drawing(UInt64(seed)).bounds
        let rendered = try Self.size(try #require(files["\(folder)/image.png"]))
        if image == nil {
          // Two pixels per point, rounded outwards.
          #expect(abs(rendered[0] - Int((bounds.size.width * 2).rounded(.up))) <= 1)
          #expect(abs(rendered[1] - Int((bounds.size.height * 2).rounded(.up))) <= 1)
        }
        let fields = record.document.fields
        #expect(fields["imageURL"] == .text("file:\(folder)/image.png"))
        #expect(fields["recordingURL"] == .text("file:\(folder)/recording.pkd"))
        #expect(fields["thumbnailURL"] == .text("file:\(folder)/thumbnail.png"))
        #expect(fields["timezoneOffsetMinutes"] == 480 && fields["isFromCheckIn"] == false)
        #expect(fields["createdAt"] == Samples.moment && fields["updatedAt"] == Samples.moment)
        #expect(fields["checkinId"] == nil && fields["promptUsed"] == nil)
        for name in DrawingFiles.names {
          let blob = try service.file(name, ofDrawing: record.id, of: "ann")
          #expect(blob.bytes == files["\(folder)/\(name)"])
          #expect(
            blob.info.contentType
              == (name.hasSuffix(".png") ? "image/png" : "application/octet-stream"))
        }
      }
    }
    #expect(try fixture.allDocuments().count == 4 && fixture.allFiles().count == 12)
  }

  @Test func `all fields of a submission are in the drawing's document`() throws {
    var submission = try Recordings.submission(2)
    submission.checkInID = "c1"
    submission.promptUsed = "draw a tree"
    submission.date = .at(ServiceFixture.start + -500)
    let fields = try service.submit(submission, of: "ann").document.fields
    #expect(fields["checkinId"] == "c1" && fields["isFromCheckIn"] == true)
    #expect(fields["promptUsed"] == "draw a tree" && fields["timezoneOffsetMinutes"] == 0)
    #expect(fields["createdAt"] == .moment(ServiceFixture.start + -500))
    submission.isFromCheckIn = false
    #expect(try service.submit(submission, of: "ann").document["isFromCheckIn"] == false)
  }

  @Test func `links of a drawing begin with the base URL of the settings`() throws {
    var settings = ServiceSettings()
    settings.baseURL = "https://example.org/files/"
    settings.thumbnailSide = 64
    let fixture = ServiceFixture(settings: settings)
    let record = try fixture.drawings().submit(try Recordings.submission(2, id: "d1"), of: "ann")
    #expect(record.imageURL == "https://example.org/files/users/ann/drawings/d1/image.png")
    #expect(record.thumbnailURL == "https://example.org/files/users/ann/drawings/d1/thumbnail.png")
    let thumbnail = try fixture.drawings().file("thumbnail.png", ofDrawing: "d1", of: "ann")
    #expect(try Self.size(thumbnail.bytes).max() == 64)
  }

  @Test func `a thumbnail of ink without a page has a margin, an image has none`() throws {
    let record = try service.submit(try Recordings.submission(2), of: "ann")
    func isBlank(_ name: String, columns: Range<Int>) throws -> Bool {
      let file = try service.file(name, ofDrawing: record.id, of: "ann")
      let image = try PNGDecoder().decode(file.bytes)
      return columns.allSatisfy { x in
        (0..<image.height).allSatisfy { image[x, $0] == image[0, 0] }
      }
    }
    #expect(try isBlank(DrawingFiles.thumbnail, columns: 0..<12))
    #expect(try !isBlank(DrawingFiles.image, columns: 0..<12))
  }

  @Test func `a drawing that would take too much work is refused`() throws {
    let points = (0..<20_000).map { number in
      let side = number % 2 == 0 ? 3 : 1e5
      return PKStrokePoint(
        location: Point(x: Double(number % 200), y: Double(number % 170)), timeOffset: 0,
        size: Size(width: side, height: side), opacity: 1, force: 1, azimuth: 0, altitude: 1)
    }
    let stroke = PKStroke(ink: PKInk(.pencil), path: PKStrokePath(controlPoints: points))
    let opened = OpenedDrawing(
      strokes: InkContents(PKDrawing(strokes: [stroke])).strokes, canvas: Recording.Canvas(),
      words: nil)
    let error = #expect(throws: ServiceError.self) {
      try PictureMaker(settings: ServiceSettings()).thumbnail(of: opened)
    }
    guard case .notRenderable(let reason) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(reason.contains("the limit here"), "\(reason)")
  }

  @Test func `a drawing without ink can be submitted`() throws {
    for recording in [PKDrawing().dataRepresentation(), try Recordings.empty()] {
      let record = try service.submit(
        DrawingService.Submission(recording: recording), of: "ann")
      for name in [DrawingFiles.image, DrawingFiles.thumbnail] {
        let picture = try service.file(name, ofDrawing: record.id, of: "ann")
        #expect(try Self.size(picture.bytes).min() ?? 0 >= 1)
      }
    }
  }

  @Test func `invalid recordings are refused, and nothing is written`() throws {
    let (pkd, archive) = (try Recordings.pkd(2), Recordings.pencilKit(1))
    let png = try Recordings.image(3)
    let wrong: [(String, [UInt8])] = [
      ("nothing", []), ("a picture", png), ("JSON", Array(#"{"strokes": []}"#.utf8)),
      ("garbage", (0..<999).map { UInt8(truncatingIfNeeded: $0 &* 31) }), ("zero", [0]),
      ("text", Array("hello".utf8)), ("half a file", Array(pkd.prefix(pkd.count / 2))),
      ("a file without its last byte", pkd.dropLast()), ("a magic", Array(pkd.prefix(4))),
      ("half an archive", Array(archive.prefix(archive.count / 2))),
      ("an archive's magic", Array(archive.prefix(4))),
    ]
    for (what, recording) in wrong {
      for id in [nil, "d1"] {
        for image in [nil, png] {
          var submission = DrawingService.Submission(recording: recording)
          (submission.id, submission.image) = (id, image)
          let error = thrown { try service.submit(submission, of: "ann") }
          #expect(error is ServiceError, "\(what): \(String(describing: error))")
          if case .notARecording? = error as? ServiceError {
            #expect(!["half a file", "half an archive"].contains(what))
          }
        }
      }
    }
    for index in stride(from: 0, to: pkd.count, by: 7) {
      var flipped = pkd
      flipped[index] ^= 0x10
      #expect(throws: ServiceError.self, "byte \(index)") {
        try service.submit(DrawingService.Submission(recording: flipped), of: "ann")
      }
    }
    for image in [[], pkd, Array(png.dropLast(20)), Array(png.prefix(8)), Array("GIF89a".utf8)] {
      let error = thrown {
        try service.submit(try Recordings.submission(2, image: image), of: "ann")
      }
      guard case .notAnImage? = error as? ServiceError else {
        Issue.record("an image of \(image.count) bytes: \(String(describing: error))")
        continue
      }
    }
    #expect(try fixture.allDocuments().isEmpty && fixture.allFiles().isEmpty)
  }

  @Test func `a recording of ten megabytes is refused, for operators too`() throws {
    let pkd = try Recordings.pkd(2)
    let large = pkd + [UInt8](repeating: 0, count: DrawingFiles.sizeLimit - pkd.count)
    let png = try Recordings.image(3)
    let wide = png + [UInt8](repeating: 0, count: DrawingFiles.sizeLimit - png.count)
    for (recording, image) in [(large, nil), (pkd, wide), (large + [0], nil)] {
      var submission = DrawingService.Submission(recording: recording)
      submission.image = image
      #expect(
        refusal { try service.submit(submission, of: "ann") }
          == .tooLarge(limit: 10 * 1024 * 1024))
      let error = thrown { try fixture.drawings(as: .operator).submit(submission, of: "ann") }
      guard case .tooLarge(_, 10_485_760)? = error as? ServiceError else {
        Issue.record("\(String(describing: error))")
        continue
      }
    }
    // One byte less is within the limit.
    let just = thrown {
      try service.submit(DrawingService.Submission(recording: large.dropLast()), of: "ann")
    }
    #expect(just is ServiceError)
    if case .tooLarge? = just as? ServiceError { Issue.record("it is small enough") }
    #expect(try fixture.allDocuments().isEmpty && fixture.allFiles().isEmpty)
  }

  @Test func `bad names, other users and bad fields are refused before anything is written`() throws
  {
    for id in ["", "..", "a/b", "-d", "d\0", "ü", String(repeating: "d", count: 129)] {
      #expect(throws: StorageError.self) {
        try service.submit(try Recordings.submission(2, id: id), of: "ann")
      }
      #expect(throws: StorageError.self) {
        try service.submit(try Recordings.submission(2), of: id)
      }
    }
    #expect(refusal { try service.submit(try Recordings.submission(2), of: "bob") } == .notOwner)
    let nobody = fixture.drawings(as: .anonymous)
    #expect(
      refusal { try nobody.submit(try Recordings.submission(2), of: "ann") } == .unauthenticated)
    var submission = try Recordings.submission(2)
    submission.checkInID = "a/b"
    #expect(throws: FieldError.self) { try service.submit(submission, of: "ann") }
    submission.checkInID = nil
    submission.timezoneOffsetMinutes = 100_000
    #expect(throws: FieldError.self) { try service.submit(submission, of: "ann") }
    submission.timezoneOffsetMinutes = 0
    // Users must give a date; only operators may store drawings without one.
    submission.date = .unknown
    #expect(
      refusal { try service.submit(submission, of: "ann") } == .missingField("createdAt"))
    #expect(try fixture.allDocuments().isEmpty && fixture.allFiles().isEmpty)
    #expect(try fixture.drawings(as: .operator).submit(submission, of: "ann").createdAt == nil)
  }

  @Test func `repeating a submission returns the same drawing, a different one is refused`() throws
  {
    let submission = try Recordings.submission(2, id: "d1")
    let first = try service.submit(submission, of: "ann")
    let files = try fixture.allFiles()
    fixture.clock.now = ServiceFixture.start + 100
    #expect(try service.submit(submission, of: "ann") == first)
    for (seed, image) in [(4, nil), (3, nil), (6, try Recordings.image(1))] {
      #expect(
        storageProblem {
          try service.submit(
            try Recordings.submission(UInt64(seed), id: "d1", image: image), of: "ann")
        } == .alreadyExists)
    }
    #expect(try fixture.allDocuments().count == 1 && fixture.allFiles() == files)
    #expect(try fixture.drawings(as: .user("bob")).submit(submission, of: "bob").id == "d1")
  }

  @Test func `one of several concurrent submissions is stored, completely`() throws {
    let submissions = try (0..<8).map { try Recordings.submission(UInt64($0 / 2), id: "d1") }
    let service = service
    for _ in 0..<RunLength.count(25, long: 500) {
      let kept = ConditionMutex(Set<Int>())
      DispatchQueue.concurrentPerform(iterations: submissions.count) { index in
        if (try? service.submit(submissions[index], of: "ann")) != nil {
          kept.withLock { _ = $0.insert(index / 2) }
        }
      }
      // Equal submissions all succeed; all others are refused.
      let winner = try #require(kept.withLock { $0.count == 1 ? $0.first : nil })
      let recording = try service.file(DrawingFiles.recording, ofDrawing: "d1", of: "ann")
      #expect(recording.bytes == submissions[winner * 2].recording)
      #expect(
        try service.drawing("d1", of: "ann").document["recordingSHA256"]
          == .text(ContentHash.of(recording.bytes)))
      try service.delete("d1", of: "ann")
    }
  }

  @Test func `deleting during submissions leaves no document without files`() throws {
    let submission = try Recordings.submission(2, id: "d1")
    let (service, environment) = (service, fixture.environment)
    for round in 0..<RunLength.count(100, long: 2000) {
      DispatchQueue.concurrentPerform(iterations: 4) { index in
        switch (index, round % 3) {
        case (0..<2, _): _ = try? service.submit(submission, of: "ann")
        case (_, 0): _ = try? Sweep(environment).run(.init(minimumAge: -10))
        case (_, 1): _ = try? service.delete("d1", of: "ann")
        default:
          _ = try? UserService(environment, as: .user("ann")).deleteEverything(of: "ann")
        }
      }
      let isThere = try fixture.allDocuments()["users/ann/drawings/d1"] != nil
      let count = try fixture.allFiles().count
      try #require(!isThere || count == 3, "round \(round): \(count) files")
    }
  }

  @Test func `deleting everything during submissions leaves only whole drawings`()
    throws
  {
    let submission = try Recordings.submission(2)
    let (service, environment) = (service, fixture.environment)
    for round in 0..<RunLength.count(100, long: 2000) {
      DispatchQueue.concurrentPerform(iterations: 4) { index in
        if index < 2 {
          _ = try? service.submit(submission, of: "ann")
        } else {
          _ = try? UserService(environment, as: .user("ann")).deleteEverything(of: "ann")
        }
      }
      let files = try fixture.allFiles().keys
      for path in try fixture.allDocuments().keys where path.contains("/drawings/") {
        let count = files.count { $0.hasPrefix(path + "/") }
        try #require(count == 3, "round \(round): \(count) files")
      }
    }
  }

  @Test func `pictures of a deleted drawing do not replace those of a new one with its name`()
    throws
  {
    let meanwhile = Meanwhile()
    let blobs = NotingBlobStore(notes: Notes()) { path in
      if path.name == DrawingFiles.recording { meanwhile.happen() }
    }
    let fixture = ServiceFixture(blobs: blobs)
    let service = fixture.drawings()
    try service.submit(try Recordings.submission(1, id: "d1"), of: "ann")
    let other = try Recordings.submission(2, id: "d1", image: try Recordings.image(7))
    meanwhile.prepare {
      _ = try? service.delete("d1", of: "ann")
      _ = try? service.submit(other, of: "ann")
    }
    let result = try service.rerender("d1", of: "ann", replacesImage: true)
    #expect(result == DrawingService.Rerendering())
    #expect(try fixture.allFiles()["users/ann/drawings/d1/image.png"] == other.image)
    #expect(try !service.drawing("d1", of: "ann").hasRenderedImage)
    #expect(try Verification(fixture.environment).run().findings.isEmpty)
  }

  @Test func `a submission of the same name with other fields is refused`() throws {
    let first = try Recordings.submission(2, id: "d1", image: try Recordings.image(1))
    let kept = try service.submit(first, of: "ann")
    #expect(try service.submit(first, of: "ann") == kept)
    var others = [first, first, first, first]
    others[0].promptUsed = "Draw!"
    others[1].checkInID = "c1"
    others[2].image = nil
    others[3].image = try Recordings.image(3)
    for other in others {
      #expect(storageProblem { try service.submit(other, of: "ann") } == .alreadyExists)
    }
    #expect(try service.drawing("d1", of: "ann") == kept)
  }

  @Test func `a submission without a valid document leaves no files`() throws {
    var late = try Recordings.submission(2)
    late.date = .at(Moment(microseconds: Moment.supported.upperBound.microseconds + 1))
    #expect(thrown { try service.submit(late, of: "ann") } is StorageError)
    // Users must give a date.
    var undated = DrawingService.Submission(recording: try Recordings.empty())
    undated.date = .ofFirstStroke
    #expect(thrown { try service.submit(undated, of: "ann") } is AccessRefusal)
    #expect(try fixture.allFiles().isEmpty && fixture.allDocuments().isEmpty)
  }

  // MARK: - One file

  @Test
  func `a new recording reads its document before the work, under the lock and in the transaction`()
    throws
  {
    let notes = Notes(withReads: true)
    let documents = NotingDocumentStore(notes: notes)
    let service = DrawingService(
      ServiceFixture(documents: documents).environment, as: .user("ann"))
    let upload = DrawingService.Upload(try Recordings.submission(2))
    for (isNew, calls) in [
      (true, ["read", "read", "begin", "commit", "begin", "commit"]), (false, ["read"]),
    ] {
      notes.reset()
      #expect(try service.put(upload, ofDrawing: "d1", of: "ann").isNew == isNew)
      #expect(notes.calls == calls)
    }
  }

  @Test func `an upload replaces only the file that its condition names`() throws {
    let (first, second) = (try Recordings.pkd(1), try Recordings.pkd(2))
    func put(
      _ bytes: [UInt8], _ condition: DrawingService.Upload.Condition, makesDrawing: Bool = true
    ) throws -> Bool {
      var upload = DrawingService.Upload(DrawingFiles.recording, bytes)
      if makesDrawing { upload.drawing = DrawingService.Submission(recording: bytes) }
      upload.condition = condition
      return try service.put(upload, ofDrawing: "d1", of: "ann").isNew
    }
    func problem(_ bytes: [UInt8], _ condition: DrawingService.Upload.Condition) -> String {
      thrown { try put(bytes, condition) }.map { "\($0)" } ?? ""
    }
    let (changed, exists) = ("\(ServiceError.changedSince)", "\(ServiceError.existsAlready)")
    let hash = ContentHash.of(first)
    #expect(problem(first, .former(.any)) == changed)
    #expect(try put(first, .new))
    #expect(try !put(first, .new))
    #expect(problem(second, .new) == exists)
    #expect(storageProblem { try put(second, .any) } == .alreadyExists)
    #expect(problem(second, .former(.named(["0"]))) == changed)
    #expect(try !put(second, .former(.named([hash]))))
    // The response was lost, and the same request comes again.
    #expect(try !put(second, .former(.named([hash])), makesDrawing: false))
    #expect(try service.file(DrawingFiles.recording, ofDrawing: "d1", of: "ann").bytes == second)
  }

  @Test func `of images with one condition that are sent at once, one is stored`() throws {
    try service.submit(Recordings.submission(2, id: "d1"), of: "ann")
    let images = try (1...8).map { try Recordings.image($0) }
    for condition: DrawingService.Upload.Condition in [.new, .former(.any), .any] {
      try service.deleteFile(DrawingFiles.image, ofDrawing: "d1", of: "ann")
      var former = condition
      if case .former = condition {
        let first = try service.put(
          .init(DrawingFiles.image, images[7]), ofDrawing: "d1", of: "ann")
        former = .former(.named([first.sha256]))
      }
      let stored = ConditionMutex(0)
      Lanes.run(6) { lane in
        var upload = DrawingService.Upload(DrawingFiles.image, images[lane])
        upload.condition = former
        guard (try? service.put(upload, ofDrawing: "d1", of: "ann")) != nil else { return }
        stored.withLock { $0 += 1 }
      }
      #expect(stored.withLock { $0 } == (condition == .any ? 6 : 1))
      #expect(try Verification(fixture.environment).run().findings.isEmpty)
    }
  }

  @Test func `an upload beside the making of its drawing loses neither`() throws {
    let (first, second) = (try Recordings.pkd(1), try Recordings.pkd(2))
    let image = try Recordings.image(1)
    for round in 0..<40 {
      let id = "d\(round)"
      let results = ConditionMutex<[Bool]>([false, false])
      Lanes.run(2) { lane in
        var upload = DrawingService.Upload(DrawingFiles.recording, lane == 0 ? first : second)
        if lane == 0 { upload.drawing = DrawingService.Submission(recording: first) }
        if lane == 1, round % 2 == 0 { upload = .init(DrawingFiles.image, image) }
        let isStored = (try? service.put(upload, ofDrawing: id, of: "ann")) != nil
        results.withLock { $0[lane] = isStored }
      }
      #expect(results.withLock { $0[0] })
      let recording = try service.file(DrawingFiles.recording, ofDrawing: id, of: "ann")
      #expect(recording.bytes == first)
      if round % 2 == 0 {
        #expect(try service.file(DrawingFiles.image, ofDrawing: id, of: "ann").bytes == image)
      }
    }
    #expect(try Verification(fixture.environment).run().findings.isEmpty)
  }

  @Test(arguments: [0, 16, 20, 24])
  func `an image with sides of any length in its header is refused without a crash`(_ length: Int)
    throws
  {
    var image = try Recordings.image(1)
    for index in 16..<24 { image[index] = 0xFF }
    if length > 0 { image.removeSubrange(length...) }
    let error = thrown {
      try service.put(.init(DrawingFiles.image, image), ofDrawing: "d1", of: "ann")
    }
    let isRefused = if case .notAnImage? = error as? ServiceError { true } else { false }
    #expect(isRefused, "\(error.map { "\($0)" } ?? "it was stored")")
  }

  @Test func `a deleted image is rendered when it is read again`() throws {
    try service.submit(
      Recordings.submission(2, id: "d1", image: Recordings.image(1)), of: "ann")
    #expect(try service.deleteFile(DrawingFiles.image, ofDrawing: "d1", of: "ann"))
    #expect(try Verification(fixture.environment).run().findings.isEmpty)
    let image = try service.file(DrawingFiles.image, ofDrawing: "d1", of: "ann").bytes
    #expect(try image != Recordings.image(1) && service.drawing("d1", of: "ann").hasRenderedImage)
  }

  // MARK: - The order of writes

  /// Checks that every drawing has its files, and that a second sweep finds nothing.
  private static func expectRest(
    _ fixture: ServiceFixture, _ notes: Notes, _ what: String
  ) throws {
    notes.reset()
    for path in try fixture.allDocuments().keys where path.contains("/drawings/") {
      for name in [DrawingFiles.image, DrawingFiles.recording] {
        #expect(
          try fixture.environment.blobs.get(try BlobPath("\(path)/\(name)")) != nil,
          "\(what): \(path)/\(name)")
      }
    }
    fixture.clock.now = fixture.clock.now + 7200
    let sweep = Sweep(fixture.environment)
    #expect(try sweep.run().problems.isEmpty, "\(what)")
    #expect(try sweep.run() == Sweep.Result(), "\(what)")
    let drawings = try fixture.allDocuments().keys.filter { $0.contains("/drawings/") }
    let folders = Set(
      try fixture.allFiles().keys.map { $0.split(separator: "/").dropLast().joined(separator: "/") }
    )
    #expect(folders == Set(drawings), "\(what)")
    #expect(try Verification(fixture.environment).run().findings.isEmpty, "\(what)")
  }

  @Test func `files are written before the document and deleted after it`() throws {
    let notes = Notes()
    let fixture = ServiceFixture(
      documents: NotingDocumentStore(notes: notes), blobs: NotingBlobStore(notes: notes))
    let service = fixture.drawings()
    for id in [nil, "d1"] {
      notes.reset()
      try service.submit(try Recordings.submission(2, id: id), of: "ann")
      // With and without an id: no file is written within a transaction, and none before its note.
      #expect(
        notes.calls == [
          "begin", "commit", "create image.png thumbnail.png recording.pkd", "begin", "commit",
        ])
    }
    notes.reset()
    try service.delete("d1", of: "ann")
    #expect(notes.calls.filter { $0 != "begin" } == ["commit", "delete files", "commit"])
    notes.reset()
    #expect(try service.delete("d1", of: "ann") == false)
    #expect(!notes.calls.contains("delete files"))
    try Self.expectRest(fixture, notes, "afterwards")
  }

  @Test func `a metadata ledger without its files does not count as a stored drawing`() throws {
    let root = FileManager.default.temporaryDirectory.path + "/" + UUID().uuidString
    try FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: root) }
    let blobs = try FileBlobStore(root)
    let folder = try BlobFolder("users/ann/drawings/d1")
    let names = [DrawingFiles.image, DrawingFiles.thumbnail, DrawingFiles.recording]
    let contents = names.map { BlobContent($0, contentType: "image/png", Array($0.utf8)) }
    let stored = try blobs.create(contents, in: folder, at: Moment(seconds: 1))
    let infos = try #require(stored)
    #expect(try blobs.holds(infos, in: folder))
    // The state after a deletion that was interrupted before it removed the ledger.
    try FileManager.default.removeItem(
      atPath: "\(root)/\(folder)/\(DrawingFiles.recording)")
    #expect(try !blobs.holds(infos, in: folder))
  }

  @Test func `an interrupted erasure is finished by a sweep and not undone by a repair`() throws {
    let fixture = ServiceFixture()
    let service = fixture.drawings()
    for id in ["d1", "d2"] { try service.submit(try Recordings.submission(2, id: id), of: "ann") }
    // As if the program had died after its transaction.
    try fixture.environment.documents.change(at: fixture.environment.now()) { transaction in
      try transaction.erase(UserPaths("ann").drawings)
      try transaction.set(
        Collections.erasures.document("ann"), ["begunAt": .moment(transaction.moment)])
    }
    fixture.clock.now = fixture.clock.now + 7200
    #expect(try Verification(fixture.environment).run(repairs: true).findings.isEmpty)
    #expect(try service.all(of: "ann").drawings.isEmpty)
    _ = try Sweep(fixture.environment).run()
    #expect(try fixture.allFiles().isEmpty)
  }

  @Test func `a submission replaces the files of a program that died`() throws {
    let notes = Notes()
    let fixture = ServiceFixture(
      documents: NotingDocumentStore(notes: notes), blobs: NotingBlobStore(notes: notes))
    notes.reset(callsThatSucceed: 4)
    let submission = try Recordings.submission(2, id: "d1")
    #expect(thrown { try fixture.drawings().submit(submission, of: "ann") } is StorageError)
    #expect(try fixture.allFiles().count == 3)
    notes.reset()
    let other = try Recordings.submission(3, id: "d1")
    try fixture.drawings().submit(other, of: "ann")
    let names = "image.png thumbnail.png recording.pkd"
    #expect(
      notes.calls == ["begin", "commit", "create \(names)", "begin", "put \(names)", "commit"])
    #expect(
      try fixture.allFiles()["users/ann/drawings/d1/recording.pkd"] == other.recording)
    #expect(try Verification(fixture.environment).run().findings.isEmpty)
  }

  @Test func `a crash at any write of a submission leaves no document without files`() throws {
    typealias Act = (ServiceFixture) throws -> Void
    let image = try Recordings.image(5)
    let acts: [(String, Act)] = [
      ("submit", { try $0.drawings().submit(try Recordings.submission(4), of: "ann") }),
      (
        "submit by name",
        { try $0.drawings().submit(try Recordings.submission(4, id: "d4"), of: "ann") }
      ),
      ("delete", { try $0.drawings().delete("d1", of: "ann") }),
      ("rerender", { try $0.drawings().rerender("d2", of: "ann", replacesImage: true) }),
      (
        "everything", { try UserService($0.environment, as: .operator).deleteEverything(of: "ann") }
      ),
      ("sweep", { _ = try Sweep($0.environment).run(.init(minimumAge: -10)) }),
    ]
    for (what, act) in acts {
      var count = 0
      while true {
        let notes = Notes()
        let fixture = ServiceFixture(
          documents: NotingDocumentStore(notes: notes), blobs: NotingBlobStore(notes: notes))
        for (seed, id) in [(1, "d1"), (2, "d2")] {
          try fixture.drawings().submit(
            try Recordings.submission(UInt64(seed), id: id, image: image), of: "ann")
        }
        // Files that a crash has left.
        try fixture.begin("d9", of: "ann")
        try fixture.environment.blobs.put(
          try BlobPath("users/ann/drawings/d9/image.png"), contentType: "image/png", image,
          at: fixture.clock.now)
        notes.reset(callsThatSucceed: count)
        let error = thrown { try act(fixture) }
        let isWhole = notes.calls.count < count || error == nil && notes.calls.count == count
        try Self.expectRest(fixture, notes, "\(what), after \(count) writes")
        // A second attempt completes the operation.
        if error != nil { try act(fixture) }
        try Self.expectRest(fixture, notes, "\(what), again after \(count) writes")
        if isWhole { break }
        count += 1
        try #require(count < 50)
      }
      #expect(count >= 2, "\(what)")
    }
  }

  // MARK: - Finding

  @Test func `a range of drawings includes its start, not its end, newest first`() throws {
    let start = ServiceFixture.start
    for index in 0..<6 { try fixture.setDrawing("d\(index)", at: start + Int64(index)) }
    try fixture.setDrawing("x", at: nil)
    func ids(_ from: Int64, _ to: Int64?) throws -> [String] {
      try service.range(from: start + from, to: to.map { start + $0 }, of: "ann").drawings.map(\.id)
    }
    #expect(try ids(1, 4) == ["d3", "d2", "d1"])
    #expect(try ids(4, nil) == ["d5", "d4"])
    #expect(try ids(2, 2).isEmpty && ids(6, nil).isEmpty && ids(3, 1).isEmpty)
    let first = try service.range(from: start, of: "ann", limit: 4)
    let second = try service.range(from: start, of: "ann", limit: 4, after: first.cursor)
    #expect((first.drawings + second.drawings).map(\.id) == ["d5", "d4", "d3", "d2", "d1", "d0"])
    #expect(first.cursor != nil && second.cursor == nil)
    #expect(
      try service.all(of: "ann").drawings.map(\.id) == ["d5", "d4", "d3", "d2", "d1", "d0", "x"])
  }

  @Test func `the drawings of a check-in come oldest first`() throws {
    let start = ServiceFixture.start
    try fixture.setDrawing("d1", at: start + 5, checkIn: "c1")
    try fixture.setDrawing("d2", at: start, checkIn: "c1")
    try fixture.setDrawing("d3", at: start + 2, checkIn: "c2")
    try fixture.setDrawing("d4", at: start + 1)
    #expect(try service.drawings(ofCheckIn: "c1", of: "ann").map(\.id) == ["d2", "d1"])
    #expect(try service.drawings(ofCheckIn: "c9", of: "ann").isEmpty)
    #expect(refusal { try service.drawings(ofCheckIn: "c1", of: "bob") } == .notOwner)
  }

  @Test func `missing drawings and files are reported as not found`() throws {
    #expect(storageProblem { try service.drawing("d1", of: "ann") } == .notFound)
    #expect(
      storageProblem { try service.file("image.png", ofDrawing: "d1", of: "ann") } == .notFound)
    #expect(storageProblem { try service.rerender("d1", of: "ann") } == .notFound)
  }

  @Test func `deleting a drawing removes existing files and ignores missing ones`() throws {
    for missing in [[], [DrawingFiles.image], DrawingFiles.names] {
      let record = try service.submit(try Recordings.submission(2), of: "ann")
      for name in missing {
        try fixture.environment.blobs.delete(
          try BlobPath("users/ann/drawings/\(record.id)/\(name)"))
      }
      #expect(try service.delete(record.id, of: "ann"))
      #expect(try !service.delete(record.id, of: "ann"))
      #expect(try fixture.allFiles().isEmpty && fixture.allDocuments().isEmpty)
    }
    let record = try service.submit(try Recordings.submission(2), of: "ann")
    #expect(
      refusal { try fixture.drawings(as: .user("bob")).delete(record.id, of: "ann") } == .notOwner)
    #expect(try fixture.allFiles().count == 3)
  }

  // MARK: - Pictures

  @Test func `renditions are rendered once for each style and recording`() throws {
    let record = try service.submit(try Recordings.submission(2), of: "ann")
    let cache = try #require(fixture.environment.cache)
    var styles = [RenditionStyle](repeating: RenditionStyle(), count: 5)
    styles[1].side = 100
    styles[2].side = 50
    styles[3].isDark = true
    styles[4].background = .transparent
    for (index, style) in styles.enumerated() {
      let picture = try service.rendition(style, ofDrawing: record.id, of: "ann")
      #expect(try Self.size(picture).max() == style.side ?? Self.size(picture).max())
      #expect(try files(in: cache, below: "renditions").count == index + 1)
      #expect(try service.rendition(style, ofDrawing: record.id, of: "ann") == picture)
      #expect(try files(in: cache, below: "renditions").count == index + 1)
    }
    // The cached bytes are returned, so the second call did not render.
    let marked: [UInt8] = [1, 2, 3]
    for path in try files(in: cache, below: "renditions").keys {
      try cache.put(try BlobPath(path), contentType: "image/png", marked, at: fixture.clock.now)
    }
    for style in styles {
      #expect(try service.rendition(style, ofDrawing: record.id, of: "ann") == marked)
    }
    var other = RenditionStyle()
    other.side = 51
    #expect(try service.rendition(other, ofDrawing: record.id, of: "ann") != marked)
    // Another drawing with the same recording has the same picture.
    let twin = try service.submit(try Recordings.submission(2), of: "ann")
    #expect(try service.rendition(styles[1], ofDrawing: twin.id, of: "ann") == marked)
    let stranger = try service.submit(try Recordings.submission(4), of: "ann")
    #expect(try service.rendition(styles[1], ofDrawing: stranger.id, of: "ann") != marked)
    #expect(
      refusal {
        try fixture.drawings(as: .user("bob")).rendition(styles[1], ofDrawing: record.id, of: "ann")
      } == .notOwner)
  }

  @Test func `pictures show a drawing on its own paper unless another one is asked for`() throws {
    var canvas = Recording.Canvas(size: Size(width: 60, height: 40))
    let blank = Recording(Recordings.drawing(2), canvas: canvas)
    canvas.paper = .grid
    let own = Recording(Recordings.drawing(2), canvas: canvas)
    let records = try [blank, own].map { recording in
      try service.submit(
        DrawingService.Submission(recording: try PKDWriter.encode(recording)), of: "ann")
    }
    func rendition(_ index: Int, _ paper: RenderOptions.Paper?) throws -> [UInt8] {
      var style = RenditionStyle()
      style.paper = paper
      return try service.rendition(style, ofDrawing: records[index].id, of: "ann")
    }
    #expect(try rendition(1, nil) == rendition(0, .grid))
    #expect(try rendition(1, .grid) == rendition(1, nil))
    #expect(try rendition(1, .blank) == rendition(0, nil))
    #expect(try rendition(1, .blank) != rendition(1, nil))
    for name in [DrawingFiles.image, DrawingFiles.thumbnail] {
      let files = try records.map { try service.file(name, ofDrawing: $0.id, of: "ann").bytes }
      #expect(files[0] != files[1], "\(name)")
    }
  }

  @Test func `a service without a cache, or with a damaged one, still renders`() throws {
    let fixture = ServiceFixture(cache: nil)
    let record = try fixture.drawings().submit(try Recordings.submission(2), of: "ann")
    var style = RenditionStyle()
    style.side = 30
    let picture = try fixture.drawings().rendition(style, ofDrawing: record.id, of: "ann")
    #expect(try Self.size(picture).max() == 30)
    for side in [0, -1, 8193] {
      style.side = side
      #expect(throws: ServiceError.self) {
        try fixture.drawings().rendition(style, ofDrawing: record.id, of: "ann")
      }
    }
    let folder = try TemporaryFolder()
    let local = try LocalService.open(.journal, folder.file("local").path)
    let service = DrawingService(local, as: .operator)
    let kept = try service.submit(try Recordings.submission(2), of: "ann")
    style.side = 30
    #expect(try service.rendition(style, ofDrawing: kept.id, of: "ann") == picture)
    let cached = folder.file("local/cache")
    for path in try FileManager.default.subpathsOfDirectory(atPath: cached.path)
    where path.hasSuffix(".png") {
      try Data([1, 2, 3]).write(to: cached.appendingPathComponent(path))
    }
    #expect(try service.rendition(style, ofDrawing: kept.id, of: "ann") == picture)
  }

  @Test func `the cached pictures of a deleted drawing are deleted`() throws {
    let cache = try #require(fixture.environment.cache)
    var style = RenditionStyle()
    style.side = 20
    func cached() throws -> Int { try files(in: cache, below: "renditions").count }
    for seed in [2, 4] {
      let id = "d\(seed)"
      try service.submit(try Recordings.submission(UInt64(seed), id: id), of: "ann")
      _ = try service.rendition(style, ofDrawing: id, of: "ann")
    }
    #expect(try cached() == 2)
    try service.delete("d2", of: "ann")
    #expect(try cached() == 1)
    try UserService(fixture.environment, as: .user("ann")).deleteEverything(of: "ann")
    #expect(try cached() == 0)
  }

  @Test func `rendering pictures again writes nothing if nothing has changed`() throws {
    let record = try service.submit(try Recordings.submission(2, id: "d1"), of: "ann")
    let (files, documents) = (try fixture.allFiles(), try fixture.allDocuments())
    fixture.clock.now = ServiceFixture.start + 100
    var result = try service.rerender("d1", of: "ann")
    #expect(result.changed == 0 && result.same == 2)
    #expect(try fixture.allFiles() == files && fixture.allDocuments() == documents)
    #expect(
      try fixture.environment.blobs.list(below: try BlobFolder("users"), limit: 9).allSatisfy {
        $0.updated == ServiceFixture.start
      })
    // A missing thumbnail is rendered again, and so is an image that the service has rendered.
    for name in [DrawingFiles.thumbnail, DrawingFiles.image] {
      try fixture.environment.blobs.delete(try BlobPath("users/ann/drawings/d1/\(name)"))
      result = try service.rerender("d1", of: "ann")
      #expect(result.changed == 1 && result.same == 1)
      #expect(try fixture.allFiles() == files)
    }
    #expect(try service.drawing("d1", of: "ann") == record)
    try fixture.set(
      "users/ann/drawings/d1", record.document.fields.merging(["thumbnailURL": .null]))
    try service.rerender("d1", of: "ann")
    let again = try service.drawing("d1", of: "ann")
    #expect(again.thumbnailURL == record.thumbnailURL && again.hasRenderedImage)
  }

  @Test func `an uploaded image is replaced only on request`() throws {
    let image = try Recordings.image(7)
    try service.submit(try Recordings.submission(2, id: "d1", image: image), of: "ann")
    func stored() throws -> [UInt8] {
      try service.file(DrawingFiles.image, ofDrawing: "d1", of: "ann").bytes
    }
    var result = try service.rerender("d1", of: "ann")
    #expect(result.changed == 0 && result.same == 1)
    #expect(try stored() == image)
    result = try service.rerender("d1", of: "ann", replacesImage: true)
    #expect(result.changed == 1 && result.same == 1)
    let rendered = try stored()
    #expect(rendered != image)
    #expect(try service.drawing("d1", of: "ann").hasRenderedImage)
    result = try service.rerender("d1", of: "ann")
    #expect(result.changed == 0 && result.same == 2)
    #expect(try stored() == rendered)
  }

  @Test(arguments: [false, true])
  func `an image that is uploaded while pictures are rendered again stays`(
    wasRendered: Bool
  ) throws {
    let meanwhile = Meanwhile()
    let blobs = NotingBlobStore(notes: Notes()) { path in
      if path.name == DrawingFiles.recording { meanwhile.happen() }
    }
    let fixture = ServiceFixture(blobs: blobs)
    let service = fixture.drawings()
    let later = try Recordings.image(6)
    try service.submit(
      try Recordings.submission(2, id: "d1", image: wasRendered ? nil : try Recordings.image(5)),
      of: "ann")
    meanwhile.prepare {
      _ = try? service.put(.init(DrawingFiles.image, later), ofDrawing: "d1", of: "ann")
    }
    let result = try service.rerender("d1", of: "ann", replacesImage: !wasRendered)
    #expect(result == DrawingService.Rerendering())
    #expect(try fixture.allFiles()["users/ann/drawings/d1/image.png"] == later)
    #expect(try !service.drawing("d1", of: "ann").hasRenderedImage)
    #expect(try Verification(fixture.environment).run().findings.isEmpty)
  }

  @Test func `an image that is uploaded while the former one is replaced stays`() throws {
    let (documents, blobs) = (InMemoryDocumentStore(), InMemoryBlobStore())
    let plain = ServiceFixture(documents: documents, blobs: blobs)
    let (former, later) = (try Recordings.image(5), try Recordings.image(6))
    try plain.drawings().submit(
      try Recordings.submission(2, id: "d1", image: former), of: "ann")
    let meanwhile = Meanwhile()
    let uploading = NotingDocumentStore(store: documents, notes: Notes()) { meanwhile.happen() }
    meanwhile.prepare {
      _ = try? plain.drawings().put(.init(DrawingFiles.image, later), ofDrawing: "d1", of: "ann")
    }
    let service = ServiceFixture(documents: uploading, blobs: blobs).drawings()
    let result = try service.rerender("d1", of: "ann", replacesImage: true)
    #expect(result == DrawingService.Rerendering())
    let stored = try service.file(DrawingFiles.image, ofDrawing: "d1", of: "ann").bytes
    #expect(stored == later)
    #expect(try !service.drawing("d1", of: "ann").hasRenderedImage)
    #expect(try Verification(plain.environment).run().findings.isEmpty)
  }
}
