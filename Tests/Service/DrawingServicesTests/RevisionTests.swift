import Foundation
import TestSupport
import Testing
import Threads

@testable import DrawingServices
@testable import Journal
@testable import Storage

/// Replacing the recording of a drawing by a newer one.
struct RevisionTests {
  private let fixture = ServiceFixture()
  private var service: DrawingService { fixture.drawings() }

  private static let path = "users/ann/drawings/d1"

  private static func recording(_ seed: UInt64) throws -> [UInt8] {
    try Recordings.submission(seed).recording
  }

  private static func sha256(_ seed: UInt64) throws -> String {
    ContentHash.of(try recording(seed))
  }

  /// The first half of the hash, in the form of a server's tags.
  private static func named(_ seeds: UInt64...) throws -> DrawingService.FormerRecording {
    .named(try seeds.map { String(try sha256($0).prefix(32)) })
  }

  @discardableResult
  private static func revise(
    _ service: DrawingService, to seed: UInt64, from former: DrawingService.FormerRecording,
    id: String = "d1"
  ) throws -> DrawingRecord {
    try service.revise(recording(seed), ofDrawing: id, of: "ann", replacing: former)
  }

  private static func isChangedSince<Result>(_ body: () throws -> Result) -> Bool {
    if case .changedSince? = thrown(body) as? ServiceError { true } else { false }
  }

  /// The pictures of a recording, as rendered by a submission.
  private struct Pictures {
    let image: [UInt8]
    let thumbnail: [UInt8]

    init(_ seed: UInt64) throws {
      let service = ServiceFixture().drawings()
      try service.submit(try Recordings.submission(seed, id: "d1"), of: "ann")
      image = try service.file(DrawingFiles.image, ofDrawing: "d1", of: "ann").bytes
      thumbnail = try service.file(DrawingFiles.thumbnail, ofDrawing: "d1", of: "ann").bytes
    }
  }

  /// The recording that a drawing has now, out of several; nil unless all its files and its
  /// document belong to the same one.
  private static func version(
    of service: DrawingService, among seeds: [UInt64], image: [UInt8]? = nil
  ) throws -> UInt64? {
    let record = try service.drawing("d1", of: "ann")
    let recording = try service.file(DrawingFiles.recording, ofDrawing: "d1", of: "ann").bytes
    guard let seed = try seeds.first(where: { try Self.recording($0) == recording }),
      try record.recordingSHA256 == sha256(seed), record.nextRecordingSHA256 == nil
    else { return nil }
    let pictures = try Pictures(seed)
    let isUploaded = record.document["imageSHA256"]?.textValue != nil
    guard isUploaded == !record.hasRenderedImage,
      try service.file(DrawingFiles.thumbnail, ofDrawing: "d1", of: "ann").bytes
        == pictures.thumbnail,
      try service.file(DrawingFiles.image, ofDrawing: "d1", of: "ann").bytes
        == (isUploaded ? image : pictures.image)
    else { return nil }
    return seed
  }

  // MARK: - One after the other

  @Test func `a revision replaces the files, and keeps the rest of the document`() throws {
    for (image, isLater) in [(nil, false), (nil, true), (try Recordings.image(9), false)] {
      var submission = try Recordings.submission(2, id: "d1", image: image)
      (submission.checkInID, submission.promptUsed) = ("c1", "a tree")
      submission.rendersImageLater = isLater
      let before = try service.submit(submission, of: "ann").document
      fixture.clock.now = fixture.clock.now + 60
      let record = try Self.revise(service, to: 3, from: Self.named(2))
      #expect(try service.drawing("d1", of: "ann") == record)
      #expect(try record.recordingSHA256 == Self.sha256(3))
      #expect(record.document["updatedAt"] == .moment(fixture.clock.now))
      #expect(record.document.sequence > before.sequence)
      #expect(record.document.created == before.created)
      let changed = [
        "recordingSHA256", "updatedAt", "imageIsRendered", "rendersImageLater", "imageSHA256",
      ]
      for (name, value) in before.fields.all where !changed.contains(name) {
        #expect(record.document[name] == value, "\(name)")
      }
      #expect(record.hasRenderedImage && record.rendersImageLater)
      #expect(record.document["imageSHA256"] == nil)
      #expect(record.document["nextRecordingSHA256"] == nil)
      // The image of the former recording is gone, and the first reader gets a new one.
      #expect(
        try fixture.environment.blobs.fileNames(in: BlobFolder(Self.path))
          == [DrawingFiles.recording, DrawingFiles.thumbnail])
      #expect(try Verification(fixture.environment).run(isDeep: true).findings.isEmpty)
      #expect(try Self.version(of: service, among: [2, 3]) == 3)
      #expect(try fixture.allFiles().count == 3)
      #expect(try Verification(fixture.environment).run(isDeep: true).findings.isEmpty)
      #expect(try Sweep(fixture.environment).run(.init(minimumAge: -10)) == Sweep.Result())
      try service.delete("d1", of: "ann")
      #expect(try fixture.allFiles().isEmpty)
    }
  }

  @Test func `a drawing is revised again and again, under any of its names`() throws {
    try service.submit(try Recordings.submission(0, id: "d1"), of: "ann")
    for seed in 1...6 as ClosedRange<UInt64> {
      let former = try Self.sha256(seed - 1)
      let names: DrawingService.FormerRecording =
        switch seed % 3 {
        case 0: .any
        case 1: .named([former])
        default: .named(["", "0123", String(former.prefix(33))])
        }
      try Self.revise(service, to: seed, from: names)
      #expect(try Self.version(of: service, among: [seed]) == seed)
    }
  }

  @Test func `repeating a revision is no error, and changes nothing`() throws {
    try service.submit(try Recordings.submission(2, id: "d1"), of: "ann")
    let record = try Self.revise(service, to: 3, from: Self.named(2))
    fixture.clock.now = fixture.clock.now + 60
    let (files, documents) = (try fixture.allFiles(), try fixture.allDocuments())
    for former in [try Self.named(2), try Self.named(3), .any, .named([])] {
      #expect(try Self.revise(service, to: 3, from: former) == record)
    }
    #expect(try fixture.allFiles() == files && fixture.allDocuments() == documents)
  }

  @Test func `a revision of a version that is not stored is refused`() throws {
    #expect(Self.isChangedSince { try Self.revise(service, to: 3, from: .any) })
    #expect(try fixture.allFiles().isEmpty && fixture.allDocuments().isEmpty)
    // A recording without a document is no drawing.
    try service.put(
      .init(DrawingFiles.recording, try Self.recording(2)), ofDrawing: "d1", of: "ann")
    #expect(Self.isChangedSince { try Self.revise(service, to: 3, from: .any) })
    try service.submit(try Recordings.submission(2, id: "d1"), of: "ann")
    try Self.revise(service, to: 3, from: .any)
    let (files, documents) = (try fixture.allFiles(), try fixture.allDocuments())
    let (old, new) = (try Self.sha256(2), try Self.sha256(3))
    for names in [
      [], [old], [String(old.prefix(32))], [String(new.prefix(31))], [new + "0"], [""],
      [new.uppercased()], [old, String(new.dropFirst())],
    ] {
      #expect(Self.isChangedSince { try Self.revise(service, to: 4, from: .named(names)) })
    }
    #expect(try fixture.allFiles() == files && fixture.allDocuments() == documents)
    try service.delete("d1", of: "ann")
    #expect(Self.isChangedSince { try Self.revise(service, to: 4, from: .any) })
    #expect(Self.isChangedSince { try Self.revise(service, to: 3, from: .any) })
    #expect(try fixture.allFiles().isEmpty)
  }

  @Test func `nobody else may revise a drawing`() throws {
    try service.submit(try Recordings.submission(2, id: "d1"), of: "ann")
    let (files, documents) = (try fixture.allFiles(), try fixture.allDocuments())
    for seed in [2, 3] as [UInt64] {
      #expect(
        refusal { try Self.revise(fixture.drawings(as: .user("bob")), to: seed, from: .any) }
          == .notOwner)
      #expect(
        refusal { try Self.revise(fixture.drawings(as: .anonymous), to: seed, from: .any) }
          == .unauthenticated)
    }
    #expect(try fixture.allFiles() == files && fixture.allDocuments() == documents)
    try Self.revise(fixture.drawings(as: .operator), to: 3, from: Self.named(2))
    #expect(try Self.version(of: service, among: [3]) == 3)
  }

  @Test func `damaged and too large recordings are refused as revisions`() throws {
    try service.submit(try Recordings.submission(2, id: "d1"), of: "ann")
    let (files, documents) = (try fixture.allFiles(), try fixture.allDocuments())
    let pkd = try Recordings.pkd(4)
    let wrong: [[UInt8]] = [
      [], Array("hello".utf8), try Recordings.image(3), pkd.dropLast(), Array(pkd.prefix(99)),
      Array(Recordings.pencilKit(3).prefix(200)),
    ]
    for bytes in wrong {
      #expect(throws: ServiceError.self) {
        try service.revise(bytes, ofDrawing: "d1", of: "ann", replacing: .any)
      }
    }
    let large = [UInt8](repeating: 0, count: DrawingFiles.sizeLimit)
    #expect(
      refusal { try service.revise(large, ofDrawing: "d1", of: "ann", replacing: .any) }
        == .tooLarge(limit: DrawingFiles.sizeLimit))
    #expect(try fixture.allFiles() == files && fixture.allDocuments() == documents)
  }

  @Test func `a caller who expects another version of the document changes nothing`() throws {
    let record = try service.submit(try Recordings.submission(2, id: "d1"), of: "ann")
    let sequence = record.document.sequence
    let late = DrawingService(fixture.environment, as: .user("ann"), expecting: sequence - 1)
    let documents = try fixture.allDocuments()
    #expect(Self.isChangedSince { try Self.revise(late, to: 3, from: .any) })
    #expect(try fixture.allDocuments() == documents)
    let right = DrawingService(fixture.environment, as: .user("ann"), expecting: sequence)
    try Self.revise(right, to: 3, from: .any)
    #expect(try Self.version(of: service, among: [3]) == 3)
  }

  // MARK: - What depends on it

  @Test func `renditions after a revision show the new ink`() throws {
    let cache = try #require(fixture.environment.cache)
    var style = RenditionStyle()
    style.side = 64
    try service.submit(try Recordings.submission(2, id: "d1"), of: "ann")
    let first = try service.rendition(style, ofDrawing: "d1", of: "ann")
    try Self.revise(service, to: 3, from: .any)
    #expect(try files(in: cache, below: "renditions").filter { $0.key.hasSuffix(".png") }.isEmpty)
    let second = try service.rendition(style, ofDrawing: "d1", of: "ann")
    try service.submit(try Recordings.submission(3, id: "d2"), of: "ann")
    #expect(try second != first && service.rendition(style, ofDrawing: "d2", of: "ann") == second)
  }

  @Test func `a rendition that was begun before a revision is not kept`() throws {
    let meanwhile = Meanwhile()
    let blobs = NotingBlobStore(notes: Notes()) { path in
      if path.name == DrawingFiles.recording { meanwhile.happen() }
    }
    let fixture = ServiceFixture(blobs: blobs)
    let service = fixture.drawings()
    let cache = try #require(fixture.environment.cache)
    var submission = try Recordings.submission(2, id: "d1")
    submission.rendersImageLater = true
    try service.submit(submission, of: "ann")
    meanwhile.prepare { _ = try? Self.revise(service, to: 3, from: .any) }
    var style = RenditionStyle()
    style.side = 64
    _ = try service.rendition(style, ofDrawing: "d1", of: "ann")
    #expect(try files(in: cache, below: "renditions").filter { $0.key.hasSuffix(".png") }.isEmpty)
    // A reader that requested the image before the revision gets the image of that time, which is
    // not stored.
    for seed in [4, 5] as [UInt64] {
      let before = try Pictures(seed - 1).image
      meanwhile.prepare { _ = try? Self.revise(service, to: seed, from: .any) }
      #expect(try service.file(DrawingFiles.image, ofDrawing: "d1", of: "ann").bytes == before)
      #expect(try fixture.allFiles().count == 2)
    }
    #expect(try Self.version(of: service, among: [5]) == 5)
  }

  @Test func `a revision ends the metadata and tokens of the former files`() throws {
    try service.submit(
      try Recordings.submission(2, id: "d1", image: Recordings.image(9)), of: "ann")
    for name in DrawingFiles.names {
      _ = try service.changeMetadata(name, ofDrawing: "d1", of: "ann") {
        $0.tokens = ["token of \(name)"]
      }
      #expect(try service.opens("token of \(name)", name, ofDrawing: "d1", of: "ann"))
    }
    try Self.revise(service, to: 3, from: .any)
    for name in DrawingFiles.names {
      #expect(try !service.opens("token of \(name)", name, ofDrawing: "d1", of: "ann"))
    }
    #expect(try fixture.allDocuments().count == 1)
  }

  @Test func `a revision is a change of the drawing, for everybody who watches`() throws {
    try service.submit(try Recordings.submission(2, id: "d1"), of: "ann")
    let changes = ChangeService(fixture.environment, as: .user("ann"))
    let before = try changes.page(of: "ann", after: 0, limit: 9)
    try Self.revise(service, to: 3, from: .any)
    let after = try changes.page(of: "ann", after: before.cursor, limit: 9)
    #expect(after.changes.map(\.path.description) == [Self.path])
    #expect(try after.changes.first?.document?["recordingSHA256"] == .text(Self.sha256(3)))
  }

  @Test func `an image that is uploaded after a revision stays`() throws {
    try service.submit(try Recordings.submission(2, id: "d1"), of: "ann")
    try Self.revise(service, to: 3, from: .any)
    let image = try Recordings.image(9)
    try service.put(.init(DrawingFiles.image, image), ofDrawing: "d1", of: "ann")
    #expect(try Self.version(of: service, among: [3], image: image) == 3)
    #expect(try !service.drawing("d1", of: "ann").hasRenderedImage)
    try service.rerender("d1", of: "ann")
    #expect(try Self.version(of: service, among: [3], image: image) == 3)
    try Self.revise(service, to: 4, from: .any)
    #expect(try Self.version(of: service, among: [4]) == 4)
  }

  @Test func `an original submission is refused after a revision, as another drawing is`() throws {
    let submission = try Recordings.submission(2, id: "d1")
    try service.submit(submission, of: "ann")
    try Self.revise(service, to: 3, from: .any)
    #expect(storageProblem { try service.submit(submission, of: "ann") } == .alreadyExists)
    #expect(
      storageProblem {
        try service.put(
          .init(DrawingFiles.recording, submission.recording), ofDrawing: "d1", of: "ann")
      } == .alreadyExists)
    #expect(try Self.version(of: service, among: [3]) == 3)
  }

  // MARK: - Interruptions

  @Test func `no transaction of a revision waits for files`() throws {
    let notes = Notes()
    let fixture = ServiceFixture(
      documents: NotingDocumentStore(notes: notes), blobs: NotingBlobStore(notes: notes))
    try fixture.drawings().submit(try Recordings.submission(2, id: "d1"), of: "ann")
    notes.reset()
    try Self.revise(fixture.drawings(), to: 3, from: .any)
    #expect(
      notes.calls == [
        "begin", "commit", "replace recording.pkd thumbnail.png", "begin", "commit",
      ])
    notes.reset()
    try Self.revise(fixture.drawings(), to: 3, from: .any)
    #expect(notes.calls == [])
  }

  /// Operations that can repair a drawing after a crash.
  enum Remedy: CaseIterable {
    case verification, sweep, sameAgain, another
  }

  @Test(arguments: Remedy.allCases)
  func `a crash during a revision leaves the old or the new drawing`(_ remedy: Remedy) throws {
    let image = try Recordings.image(9)
    for uploaded in [nil, image] {
      for step in 0...5 {
        let notes = Notes()
        let documents = NotingDocumentStore(notes: notes)
        let fixture = ServiceFixture(
          documents: documents, blobs: NotingBlobStore(notes: notes))
        let service = fixture.drawings()
        try service.submit(try Recordings.submission(2, id: "d1", image: uploaded), of: "ann")
        notes.reset(callsThatSucceed: step)
        let isDone = thrown { try Self.revise(service, to: 3, from: Self.named(2)) } == nil
        notes.reset()
        #expect(isDone == (step == 5))
        let seed: UInt64 = step < 3 ? 2 : 3
        // The drawing can be read at once.
        #expect(
          try service.file(DrawingFiles.recording, ofDrawing: "d1", of: "ann").bytes
            == Self.recording(seed))
        let picture = try Pictures(seed).image
        #expect(
          try service.file(DrawingFiles.image, ofDrawing: "d1", of: "ann").bytes
            == (seed == 2 ? uploaded ?? picture : picture))
        let isInterrupted = (2...4).contains(step)
        let found = try Verification(fixture.environment).run(isDeep: true)
        #expect(
          found.findings.isEmpty && found.interrupted == (isInterrupted ? 1 : 0), "step \(step)")
        switch remedy {
        case .verification:
          #expect(try Verification(fixture.environment).run(repairs: true).isIntact)
        case .sweep:
          var result = Sweep.Result()
          result.revisions = isInterrupted ? 1 : 0
          #expect(try Sweep(fixture.environment).run(.init(minimumAge: -10)) == result)
        case .sameAgain:
          try Self.revise(service, to: 3, from: Self.named(2))
          #expect(try Self.version(of: service, among: [3]) == 3)
        case .another:
          try Self.revise(service, to: 4, from: Self.named(seed))
          #expect(try Self.version(of: service, among: [4]) == 4)
        }
        let wanted: UInt64 = remedy == .sameAgain ? 3 : remedy == .another ? 4 : seed
        #expect(
          try Self.version(of: service, among: [2, 3, 4], image: uploaded) == wanted,
          "step \(step)")
        #expect(try Verification(fixture.environment).run(isDeep: true).findings.isEmpty)
        #expect(try Sweep(fixture.environment).run(.init(minimumAge: -10)) == Sweep.Result())
      }
    }
  }

  @Test func `files half replaced at a power cut become those of one recording`() throws {
    let image = try Recordings.image(9)
    let (old, new) = (try Pictures(2), try Pictures(3))
    for uploaded in [nil, image] {
      for (recording, thumbnail, hasImage) in [
        (2, old, true), (2, new, true), (3, old, true), (3, new, true), (3, new, false),
      ] as [(UInt64, Pictures, Bool)] {
        for repairs in [true, false] {
          let fixture = ServiceFixture()
          let (service, blobs) = (fixture.drawings(), fixture.environment.blobs)
          let record = try service.submit(
            try Recordings.submission(2, id: "d1", image: uploaded), of: "ann")
          try fixture.set(
            Self.path,
            record.document.fields.merging(["nextRecordingSHA256": .text(Self.sha256(3))]))
          for (name, bytes) in [
            (DrawingFiles.recording, try Self.recording(recording)),
            (DrawingFiles.thumbnail, thumbnail.thumbnail),
          ] {
            try blobs.put(
              BlobPath("\(Self.path)/\(name)"), contentType: "image/png", bytes,
              at: fixture.clock.now)
          }
          if !hasImage { try blobs.delete(BlobPath("\(Self.path)/image.png")) }
          if repairs {
            #expect(try Verification(fixture.environment).run(repairs: true).isIntact)
          } else {
            #expect(try Sweep(fixture.environment).run(.init(minimumAge: -10)).revisions == 1)
          }
          #expect(
            try Self.version(of: service, among: [2, 3], image: uploaded) == recording,
            "\(recording) \(hasImage) \(repairs)")
          #expect(try Verification(fixture.environment).run(isDeep: true).findings.isEmpty)
        }
      }
    }
  }

  @Test func `a recording with a hash that its document lacks is reported as damage`() throws {
    let record = try service.submit(try Recordings.submission(2, id: "d1"), of: "ann")
    try fixture.set(
      Self.path, record.document.fields.merging(["nextRecordingSHA256": .text(Self.sha256(3))]))
    try fixture.environment.blobs.put(
      BlobPath("\(Self.path)/recording.pkd"), contentType: "application/octet-stream",
      Self.recording(5), at: fixture.clock.now)
    for repairs in [false, true] {
      let result = try Verification(fixture.environment).run(repairs: repairs)
      #expect(!result.isIntact)
      #expect(result.findings.map(\.problem).contains("it is not the recording of this drawing"))
    }
    #expect(try Sweep(fixture.environment).run(.init(minimumAge: -10)).revisions == 0)
    // The owner may replace it.
    try Self.revise(service, to: 4, from: Self.named(5))
    #expect(try Self.version(of: service, among: [4]) == 4)
  }

  @Test func `a damaged document of an interrupted revision is recreated for its recording`() throws
  {
    for recording in [2, 3] as [UInt64] {
      let folder = try TemporaryFolder()
      let root = folder.file("local").path
      do {
        let environment = try LocalService.open(.journal, root)
        let service = DrawingService(environment, as: .operator)
        let record = try service.submit(
          try Recordings.submission(2, id: "d1", image: Recordings.image(9)), of: "ann")
        try environment.documents.change(at: environment.now()) { transaction in
          try transaction.set(
            record.document.path,
            record.document.fields.merging([
              "nextRecordingSHA256": .text(Self.sha256(3)), "promptUsed": "a tree",
            ]))
        }
        try environment.blobs.put(
          BlobPath("\(Self.path)/recording.pkd"), contentType: "application/octet-stream",
          Self.recording(recording), at: environment.now())
      }
      do {
        let connection = try SQLiteConnection(root + "/pentimento.db", for: .writing)
        try connection.run("UPDATE documents SET checksum = 7 WHERE id = 'd1'")
      }
      let environment = try LocalService.open(.journal, root)
      #expect(try Verification(environment).run(repairs: true, minimumAge: -10).isIntact)
      let service = DrawingService(environment, as: .user("ann"))
      #expect(
        try Self.version(of: service, among: [2, 3], image: Recordings.image(9)) == recording)
      #expect(try service.drawing("d1", of: "ann").document["promptUsed"] == "a tree")
      #expect(try Verification(environment).run(isDeep: true, minimumAge: -10).findings.isEmpty)
    }
  }

  @Test func `an upload of an image completes an interrupted revision first`() throws {
    let notes = Notes()
    let fixture = ServiceFixture(
      documents: NotingDocumentStore(notes: notes), blobs: NotingBlobStore(notes: notes))
    let service = fixture.drawings()
    try service.submit(try Recordings.submission(2, id: "d1"), of: "ann")
    notes.reset(callsThatSucceed: 3)
    #expect(thrown { try Self.revise(service, to: 3, from: .any) } != nil)
    notes.reset()
    let image = try Recordings.image(9)
    try service.put(.init(DrawingFiles.image, image), ofDrawing: "d1", of: "ann")
    #expect(try Self.version(of: service, among: [3], image: image) == 3)
    #expect(try !service.drawing("d1", of: "ann").hasRenderedImage)
    #expect(try Verification(fixture.environment).run().findings.isEmpty)
  }

  @Test func `a full disk refuses a revision, and the drawing is as before`() throws {
    let notes = Notes()
    // Only files fail, not documents.
    let fixture = ServiceFixture(blobs: NotingBlobStore(notes: notes))
    let service = fixture.drawings()
    try service.submit(try Recordings.submission(2, id: "d1"), of: "ann")
    let (files, documents) = (try fixture.allFiles(), try fixture.allDocuments())
    notes.reset(callsThatSucceed: 0)
    #expect(storageProblem { try Self.revise(service, to: 3, from: .any) } == .full)
    notes.reset()
    #expect(try fixture.allFiles() == files && fixture.allDocuments() == documents)
    #expect(try Verification(fixture.environment).run().findings.isEmpty)
    try Self.revise(service, to: 3, from: Self.named(2))
  }

  // MARK: - At the same time

  /// A service in memory or in a folder.
  private static func environments() throws -> [(ServiceEnvironment, TemporaryFolder?)] {
    let folder = try TemporaryFolder()
    return [
      (ServiceFixture().environment, nil),
      (try LocalService.open(.journal, folder.file("local").path), folder),
    ]
  }

  @Test func `one of several revisions of one version is stored`() throws {
    for (environment, folder) in try Self.environments() {
      defer { withExtendedLifetime(folder) {} }
      let service = DrawingService(environment, as: .user("ann"))
      // Like two servers on one folder.
      let other = try folder.map {
        DrawingService(try LocalService.open(.journal, $0.file("local").path), as: .user("ann"))
      }
      for round in 0..<RunLength.count(20, long: 300) {
        try service.submit(try Recordings.submission(0, id: "d1"), of: "ann")
        let winners = ConditionMutex<[UInt64]>([])
        let others = ConditionMutex(0)
        Lanes.run(4) { lane in
          let seed = UInt64(lane + 1)
          let own = lane % 2 == 0 ? service : other ?? service
          let error = thrown { try Self.revise(own, to: seed, from: Self.named(0)) }
          if error == nil {
            winners.withLock { $0.append(seed) }
          } else if case .changedSince? = error as? ServiceError {
            others.withLock { $0 += 1 }
          }
        }
        let won = winners.withLock { $0 }
        #expect(won.count == 1 && others.withLock { $0 } == 3, "round \(round)")
        #expect(try Self.version(of: service, among: won) == won.first, "round \(round)")
        try service.delete("d1", of: "ann")
        #expect(try environment.blobs.fileNames(in: BlobFolder(Self.path)).isEmpty)
      }
    }
  }

  @Test func `revisions of any version follow each other, and readers see one of them`() throws {
    for (environment, folder) in try Self.environments() {
      defer { withExtendedLifetime(folder) {} }
      let service = DrawingService(environment, as: .user("ann"))
      let seeds = Array(0...4) as [UInt64]
      let recordings = Set(try seeds.map(Self.recording))
      let images = Set(try seeds.map { try Pictures($0).image })
      let problems = ConditionMutex<[String]>([])
      try service.submit(try Recordings.submission(0, id: "d1"), of: "ann")
      Lanes.run(6) { lane in
        for round in 0..<RunLength.count(15, long: 300) {
          do {
            switch lane {
            case 0, 1:
              try Self.revise(service, to: UInt64(1 + (round + lane) % 4), from: .any)
            case 2:
              let file = try service.file(DrawingFiles.recording, ofDrawing: "d1", of: "ann")
              if !recordings.contains(file.bytes) { throw ServiceError.changedSince }
            case 3:
              let image = try service.file(DrawingFiles.image, ofDrawing: "d1", of: "ann").bytes
              if !images.contains(image) { throw ServiceError.changedSince }
            case 4:
              let found = try Verification(environment).run(minimumAge: -10).findings
              problems.withLock { $0 += found.map { "\($0)" } }
            default:
              try service.rerender("d1", of: "ann")
              let result = try Sweep(environment).run()
              problems.withLock { $0 += result.problems }
              if result.revisions != 0 { throw ServiceError.changedSince }
            }
          } catch {
            problems.withLock { $0.append("\(lane): \(error)") }
          }
        }
      }
      #expect(problems.withLock { $0 } == [])
      #expect(try Self.version(of: service, among: seeds) != nil)
      #expect(try Verification(environment).run(isDeep: true, minimumAge: -10).findings.isEmpty)
    }
  }

  @Test func `deletions, submissions, uploads and revisions at once leave whole drawings`() throws {
    for (environment, folder) in try Self.environments() {
      defer { withExtendedLifetime(folder) {} }
      let service = DrawingService(environment, as: .user("ann"))
      let image = try Recordings.image(9)
      for round in 0..<RunLength.count(20, long: 300) {
        try service.submit(try Recordings.submission(0, id: "d1"), of: "ann")
        Lanes.run(5) { lane in
          usleep(UInt32(lane * round * 20))
          switch lane {
          case 0, 1: _ = try? Self.revise(service, to: UInt64(lane + 1), from: .any)
          case _ where round % 2 == 0:
            _ = try? service.put(.init(DrawingFiles.image, image), ofDrawing: "d1", of: "ann")
          case 2: _ = try? service.delete("d1", of: "ann")
          default: _ = try? service.submit(Recordings.submission(0, id: "d1"), of: "ann")
          }
        }
        if (try? service.drawing("d1", of: "ann")) == nil {
          #expect(try environment.blobs.fileNames(in: BlobFolder(Self.path)).isEmpty)
          continue
        }
        let result = try Verification(environment).run(isDeep: true, minimumAge: -10)
        #expect(result.findings.isEmpty, "round \(round): \(result.findings)")
        #expect(
          try Self.version(of: service, among: [0, 1, 2], image: image) != nil, "round \(round)")
        try service.delete("d1", of: "ann")
      }
    }
  }

  /// A revision of which only the first calls succeed, as if its program had died.
  private static func beginRevision(
    _ fixture: ServiceFixture, _ store: InMemoryDocumentStore, to seed: UInt64, calls: Int
  ) {
    let notes = Notes()
    notes.reset(callsThatSucceed: calls)
    let environment = ServiceEnvironment(
      .journal, documents: NotingDocumentStore(store: store, notes: notes),
      blobs: fixture.environment.blobs,
      now: fixture.environment.now, newID: fixture.environment.newID)
    _ = try? revise(DrawingService(environment, as: .user("ann")), to: seed, from: .any)
  }

  @Test func `a revision that begins during a verification is no finding`() throws {
    let (meanwhile, documents) = (Meanwhile(), InMemoryDocumentStore())
    let blobs = NotingBlobStore(
      notes: Notes(), afterGet: { if $0.name == DrawingFiles.image { meanwhile.happen() } })
    let fixture = ServiceFixture(documents: documents, blobs: blobs)
    try fixture.drawings().submit(try Recordings.submission(2, id: "d1"), of: "ann")
    meanwhile.prepare { Self.beginRevision(fixture, documents, to: 3, calls: 2) }
    #expect(try Verification(fixture.environment).run().findings.isEmpty)
    #expect(meanwhile.hasHappened)
    #expect(try Verification(fixture.environment).run().interrupted == 1)
    #expect(try Verification(fixture.environment).run(repairs: true).interrupted == 0)
    #expect(try Self.version(of: fixture.drawings(), among: [3]) == 3)
  }

  @Test func `a thumbnail that is rendered again is not put beside a newer recording`() throws {
    let (meanwhile, documents) = (Meanwhile(), InMemoryDocumentStore())
    let blobs = NotingBlobStore(
      notes: Notes(), afterGet: { if $0.name == DrawingFiles.recording { meanwhile.happen() } })
    let fixture = ServiceFixture(documents: documents, blobs: blobs)
    let service = fixture.drawings()
    let record = try service.submit(try Recordings.submission(2, id: "d1"), of: "ann")
    // During a revision: its files are replaced after the old recording was read.
    try fixture.set(
      Self.path, record.document.fields.merging(["nextRecordingSHA256": .text(Self.sha256(3))]))
    let contents = [
      BlobContent(
        DrawingFiles.recording, contentType: "application/octet-stream", try Self.recording(3)),
      BlobContent(DrawingFiles.thumbnail, contentType: "image/png", try Pictures(3).thumbnail),
    ]
    meanwhile.prepare {
      _ = try? fixture.environment.blobs.put(
        contents, in: BlobFolder(Self.path), at: fixture.clock.now + 1)
    }
    #expect(try service.rerender("d1", of: "ann") == DrawingService.Rerendering())
    #expect(meanwhile.hasHappened)
    #expect(
      try service.file(DrawingFiles.thumbnail, ofDrawing: "d1", of: "ann").bytes
        == contents[1].bytes)
  }

  @Test func `an image uploaded during a revision stays or is deleted, whole`() throws {
    let image = try Recordings.image(9)
    // Before the revision replaces the files, after it, and whole revisions during an upload.
    for moment in ["before", "after", "revision"] {
      let meanwhile = Meanwhile()
      var blobs = NotingBlobStore(notes: Notes())
      if moment == "before" {
        blobs.beforePut = { meanwhile.happen() }
      } else {
        blobs.afterPut = { meanwhile.happen() }
      }
      let fixture = ServiceFixture(blobs: blobs)
      let service = fixture.drawings()
      let record = try service.submit(try Recordings.submission(2, id: "d1"), of: "ann")
      if moment == "revision" {
        meanwhile.prepare { _ = try? Self.revise(service, to: 3, from: .any) }
        try service.put(.init(DrawingFiles.image, image), ofDrawing: "d1", of: "ann")
      } else {
        // Like a program that has read the document before the revision began.
        meanwhile.prepare {
          _ = try? fixture.environment.blobs.put(
            BlobPath("\(Self.path)/image.png"), contentType: "image/png", image,
            at: fixture.clock.now)
          _ = try? fixture.environment.documents.change(at: fixture.clock.now) { transaction in
            try transaction.update(
              record.document.path,
              ["imageIsRendered": false, "imageSHA256": .text(ContentHash.of(image))])
          }
        }
        try Self.revise(service, to: 3, from: .any)
      }
      #expect(meanwhile.hasHappened)
      #expect(try service.drawing("d1", of: "ann").hasRenderedImage == (moment != "after"))
      #expect(try Self.version(of: service, among: [3], image: image) == 3, "\(moment)")
      #expect(try Verification(fixture.environment).run(isDeep: true).findings.isEmpty)
    }
  }

  @Test func `a drawing with the name and the bytes of a deleted one is not revised by mistake`()
    throws
  {
    let (meanwhile, documents) = (Meanwhile(), InMemoryDocumentStore())
    let blobs = NotingBlobStore(notes: Notes(), beforePut: { meanwhile.happen() })
    let fixture = ServiceFixture(documents: documents, blobs: blobs)
    let service = fixture.drawings()
    let submission = try Recordings.submission(2, id: "d1")
    try service.submit(submission, of: "ann")
    let isSubmitted = ConditionMutex(false)
    meanwhile.prepare {
      // The revision was announced; then the drawing is deleted, but its files are still there, and
      // submitted again.
      _ = try? fixture.environment.documents.change(at: fixture.clock.now) { transaction in
        try transaction.delete(DocumentPath(Self.path))
      }
      Lanes.begin {
        _ = try? service.submit(submission, of: "ann")
        isSubmitted.change { $0 = true }
      }
      for _ in 0..<100 where !isSubmitted.withLock({ $0 }) { usleep(1000) }
    }
    Self.beginRevision(fixture, documents, to: 3, calls: 2)
    isSubmitted.wait { $0 ? () : nil }
    #expect(meanwhile.hasHappened)
    #expect(try Self.version(of: service, among: [2, 3]) == 2)
    #expect(try Verification(fixture.environment).run(isDeep: true).findings.isEmpty)
  }

  @Test func `a backup during revisions has every drawing, whole`() throws {
    let folder = try TemporaryFolder()
    let root = folder.file("local").path
    let environment = try LocalService.open(.journal, root)
    let service = DrawingService(environment, as: .user("ann"))
    for id in ["d0", "d1", "d2"] {
      try service.submit(try Recordings.submission(0, id: id), of: "ann")
    }
    let (revisions, isDone) = (ConditionMutex(0), ConditionMutex(false))
    let archives = ConditionMutex<[[UInt8]]>([])
    Lanes.run(2) { lane in
      if lane == 0 {
        for number in 1...RunLength.count(5, long: 50) {
          // Some revisions before each backup, and more while it is written.
          revisions.wait { $0 > number ? () : nil }
          var archive: [UInt8] = []
          let result = try? Backup.write(.journal, root) { piece in
            archive += piece
            let before = revisions.withLock { $0 }
            revisions.wait { $0 > before ? () : nil }
          }
          if result?.problems.isEmpty == true { archives.withLock { $0.append(archive) } }
        }
        isDone.withLock { $0 = true }
      }
      var round = 0 as UInt64
      while lane == 1, !isDone.withLock({ $0 }) {
        round += 1
        _ = try? Self.revise(service, to: 1 + round % 4, from: .any)
        revisions.change { $0 += 1 }
      }
    }
    let written = archives.withLock { $0 }
    #expect(written.count == RunLength.count(5, long: 50))
    for (number, archive) in written.enumerated() {
      var rest = archive[...]
      let restored = try Backup.restore(.journal, folder.file("r\(number)").path) { count in
        defer { rest = rest.dropFirst(count) }
        return Array(rest.prefix(count))
      }
      #expect(restored.drawings == 3)
      let copy = try LocalService.open(.journal, folder.file("r\(number)").path)
      #expect(try Verification(copy).run(repairs: true, minimumAge: -10).isIntact)
      let again = DrawingService(copy, as: .user("ann"))
      #expect(try Self.version(of: again, among: [0, 1, 2, 3, 4]) != nil)
    }
  }
}
