import Foundation
import TestSupport
import Testing
import Threads

@testable import DrawingServices
@testable import Journal
@testable import Storage

/// Deferred images, which are rendered when they are first read.
struct LaterImageTests {
  private let fixture = ServiceFixture()
  private var service: DrawingService { fixture.drawings() }

  private static func submission(_ seed: UInt64, id: String = "d1") throws
    -> DrawingService.Submission
  {
    var submission = try Recordings.submission(seed, id: id)
    submission.rendersImageLater = true
    return submission
  }

  private static func image(_ fixture: ServiceFixture, of id: String = "d1") throws -> [UInt8] {
    try fixture.drawings().file(DrawingFiles.image, ofDrawing: id, of: "ann").bytes
  }

  private func names(_ id: String = "d1") throws -> Set<String> {
    try fixture.environment.blobs.fileNames(in: BlobFolder("users/ann/drawings/\(id)"))
  }

  @Test func `a deferred image is rendered and stored by its first reader`() throws {
    try service.submit(try Recordings.submission(2, id: "d2"), of: "ann")
    let record = try service.submit(try Self.submission(2), of: "ann")
    #expect(record.imageURL.hasSuffix("/d1/image.png") && record.thumbnailURL != record.imageURL)
    #expect(try names() == [DrawingFiles.recording, DrawingFiles.thumbnail])
    // Other files, and files of drawings that never had an image, are not rendered.
    for (name, id) in [("other.png", "d1"), (DrawingFiles.image, "d9")] {
      #expect(storageProblem { try service.file(name, ofDrawing: id, of: "ann") } == .notFound)
    }
    #expect(
      refusal {
        try fixture.drawings(as: .user("bob")).file(DrawingFiles.image, ofDrawing: "d1", of: "ann")
      } == .notOwner)
    #expect(try names().count == 2)
    fixture.clock.now = ServiceFixture.start + 5
    let image = try service.file(DrawingFiles.image, ofDrawing: "d1", of: "ann")
    #expect(try image.bytes == Self.image(fixture, of: "d2"))
    #expect(image.info.contentType == "image/png" && image.info.updated == fixture.clock.now)
    #expect(try names() == Set(DrawingFiles.names))
    // From now on it is an ordinary file.
    fixture.clock.now = ServiceFixture.start + 9
    #expect(try service.file(DrawingFiles.image, ofDrawing: "d1", of: "ann").info == image.info)
    #expect(try service.drawing("d1", of: "ann") == record)
    #expect(try Verification(fixture.environment).run(isDeep: true).findings.isEmpty)
  }

  @Test func `a drawing whose deferred image was not read yet is complete`() throws {
    let submission = try Self.submission(2)
    let record = try service.submit(submission, of: "ann")
    let (files, documents) = (try fixture.allFiles(), try fixture.allDocuments())
    #expect(try service.submit(submission, of: "ann") == record)
    for repairs in [false, true] {
      let result = try Verification(fixture.environment).run(repairs: repairs, isDeep: true)
      #expect(result.findings.isEmpty && result.drawings == 1)
    }
    fixture.clock.now = ServiceFixture.start + 99_999
    #expect(try Sweep(fixture.environment).run() == Sweep.Result())
    let result = try service.rerender("d1", of: "ann")
    #expect(result.changed == 0 && result.same == 1)
    #expect(
      try Adoption(fixture.environment).adopt(
        .init(uid: "ann", id: "d1"), recording: submission.recording, image: nil) == .alreadyExists)
    #expect(try fixture.allFiles() == files && fixture.allDocuments() == documents)
    // Without its thumbnail the drawing is not complete.
    let thumbnail = try BlobPath("users/ann/drawings/d1/\(DrawingFiles.thumbnail)")
    try fixture.environment.blobs.delete(thumbnail)
    #expect(try Verification(fixture.environment).run().findings.map(\.path) == ["\(thumbnail)"])
    #expect(try Sweep(fixture.environment).run().thumbnails == 1)
    #expect(try fixture.allFiles() == files)
    // An image that was read is rendered again; an unread one only on request.
    try service.rerender("d1", of: "ann", replacesImage: true)
    #expect(try names() == Set(DrawingFiles.names))
    #expect(try service.rerender("d1", of: "ann").same == 2)
    #expect(try service.drawing("d1", of: "ann").rendersImageLater)
  }

  @Test func `an uploaded image is stored at once, and not rendered if it is lost`() throws {
    var submission = try Self.submission(2)
    submission.image = try Recordings.image(7)
    try service.submit(submission, of: "ann")
    #expect(try Self.image(fixture) == submission.image)
    #expect(try !service.drawing("d1", of: "ann").rendersImageLater)
    try service.submit(try Recordings.submission(2, id: "d2"), of: "ann")
    let rendered = try Self.image(fixture, of: "d2")
    for id in ["d1", "d2"] {
      let path = try BlobPath("users/ann/drawings/\(id)/\(DrawingFiles.image)")
      try fixture.environment.blobs.delete(path)
    }
    #expect(try Verification(fixture.environment).run().findings.count == 2)
    #expect(storageProblem { try Self.image(fixture) } == .notFound)
    // An image that the service has rendered is rendered again.
    #expect(try Self.image(fixture, of: "d2") == rendered)
    #expect(try Verification(fixture.environment).run().findings.count == 1)
    // Clients cannot declare an image as deferred.
    #expect(throws: ServiceError.self) {
      try service.update("d1", of: "ann", ["rendersImageLater": true])
    }
  }

  @Test func `an earlier reader does not store the image of a deleted drawing`() throws {
    let meanwhile = Meanwhile()
    let blobs = NotingBlobStore(notes: Notes()) { path in
      if path.name == DrawingFiles.recording { meanwhile.happen() }
    }
    let fixture = ServiceFixture(blobs: blobs)
    let service = fixture.drawings()
    try service.submit(try Self.submission(2), of: "ann")
    meanwhile.prepare { _ = try? service.delete("d1", of: "ann") }
    #expect(storageProblem { try Self.image(fixture) } == .notFound)
    #expect(try fixture.allFiles().isEmpty && fixture.allDocuments().isEmpty)
    // A later drawing of the same name does not get the image either.
    for seed in [4, 6] as [UInt64] {
      try service.submit(try Self.submission(2), of: "ann")
      let other = try Self.submission(seed)
      meanwhile.prepare {
        _ = try? service.delete("d1", of: "ann")
        // A revised drawing has the time at which it was first stored; a new one does not.
        fixture.clock.now = fixture.clock.now + 1
        _ = try? service.submit(other, of: "ann")
      }
      #expect(storageProblem { try Self.image(fixture) } == .notFound)
      #expect(try fixture.allFiles().count == 2)
      try service.submit(try Recordings.submission(seed, id: "d2"), of: "ann")
      #expect(try Self.image(fixture) == Self.image(fixture, of: "d2"))
      for id in ["d1", "d2"] { try service.delete(id, of: "ann") }
    }
  }

  @Test func `reading and deleting a deferred image leave no orphaned files`() throws {
    let folder = try TemporaryFolder()
    let local = try LocalService.open(.journal, folder.file("local").path)
    let service = DrawingService(local, as: .operator)
    try service.submit(try Recordings.submission(2, id: "d2"), of: "ann")
    let image = try service.file(DrawingFiles.image, ofDrawing: "d2", of: "ann").bytes
    for round in 0..<RunLength.count(30, long: 500) {
      let submission = try Self.submission(2)
      try service.submit(submission, of: "ann")
      let isIntact = ConditionMutex(true)
      DispatchQueue.concurrentPerform(iterations: 4) { index in
        if index == 3 {
          usleep(UInt32(round * 100))
          _ = try? service.delete("d1", of: "ann")
          return
        }
        let found = try? service.file(DrawingFiles.image, ofDrawing: "d1", of: "ann").bytes
        if found ?? image != image { isIntact.withLock { $0 = false } }
      }
      #expect(isIntact.withLock { $0 })
      #expect(try local.blobs.fileNames(in: BlobFolder("users/ann/drawings/d1")) == [])
    }
    #expect(try Verification(local).run(minimumAge: 0).findings.isEmpty)
  }

  @Test func `a reader gets a deferred image that cannot be stored`() throws {
    let notes = Notes()
    let fixture = ServiceFixture(blobs: NotingBlobStore(notes: notes))
    try fixture.drawings().submit(try Self.submission(2), of: "ann")
    notes.reset(callsThatSucceed: 0)
    let image = try Self.image(fixture)
    #expect(try fixture.allFiles().count == 2)
    notes.reset()
    #expect(try Self.image(fixture) == image && notes.calls == ["add image.png"])
    #expect(try fixture.allFiles().count == 3)
  }

  @Test func `a submission reuses only equal files of an earlier attempt`() throws {
    let notes = Notes()
    let fixture = ServiceFixture(
      documents: NotingDocumentStore(notes: notes), blobs: NotingBlobStore(notes: notes))
    let service = fixture.drawings()
    /// Stores files without a document, as after a crash.
    func leave(_ submission: DrawingService.Submission) throws {
      notes.reset(callsThatSucceed: 3)
      #expect(storageProblem { try service.submit(submission, of: "ann") } == .full)
      notes.reset()
    }
    let (whole, later) = (try Recordings.submission(2, id: "d1"), try Self.submission(2))
    try leave(later)
    try service.submit(later, of: "ann")
    #expect(
      notes.calls == ["begin", "commit", "create thumbnail.png recording.pkd", "begin", "commit"],
      "nothing is written within the transaction")
    #expect(try fixture.allFiles().count == 2)
    try service.delete("d1", of: "ann")
    // An image that was sent without request might not belong to this drawing.
    try leave(whole)
    try service.submit(later, of: "ann")
    #expect(notes.calls.contains("delete image.png"))
    #expect(try fixture.allFiles().count == 2)
    try service.delete("d1", of: "ann")
    try leave(try Recordings.submission(4, id: "d1"))
    try service.submit(whole, of: "ann")
    #expect(
      try service.file(DrawingFiles.recording, ofDrawing: "d1", of: "ann").bytes == whole.recording)
    #expect(try Verification(fixture.environment).run().findings.isEmpty)
  }

  @Test func `a deferred image survives backup and restore, read or not`() throws {
    let folder = try TemporaryFolder()
    let local = try LocalService.open(.journal, folder.file("a").path)
    let service = DrawingService(local, as: .operator)
    for id in ["d1", "d2"] { try service.submit(try Self.submission(2, id: id), of: "ann") }
    let image = try service.file(DrawingFiles.image, ofDrawing: "d2", of: "ann").bytes
    var archive: [UInt8] = []
    let written = try Backup.write(.journal, folder.file("a").path) { archive += $0 }
    #expect(written.problems.isEmpty && written.drawings == 2)
    var rest = archive[...]
    let restored = try Backup.restore(.journal, folder.file("b").path) { count in
      defer { rest = rest.dropFirst(count) }
      return Array(rest.prefix(count))
    }
    #expect(restored.drawings == 2 && restored.bytes == written.bytes)
    let other = try LocalService.open(.journal, folder.file("b").path)
    #expect(try files(in: other.blobs, below: "users").count == 5)
    #expect(try Verification(other).run(isDeep: true).findings.isEmpty)
    for id in ["d1", "d2"] {
      let again = DrawingService(other, as: .user("ann"))
      #expect(try again.file(DrawingFiles.image, ofDrawing: id, of: "ann").bytes == image)
    }
    #expect(try files(in: other.blobs, below: "users").count == 6)
    #expect(try Verification(other).run(isDeep: true).findings.isEmpty)
  }

  @Test func `a read-only service renders a deferred image`() throws {
    let folder = try TemporaryFolder()
    let path = folder.file("local").path
    do {
      let service = DrawingService(try LocalService.open(.journal, path), as: .operator)
      try service.submit(try Self.submission(2), of: "ann")
    }
    let service = DrawingService(
      try LocalService.open(.journal, path, for: .reading), as: .operator)
    let image = try service.file(DrawingFiles.image, ofDrawing: "d1", of: "ann").bytes
    try PictureMaker.check(image: image)
  }
}
