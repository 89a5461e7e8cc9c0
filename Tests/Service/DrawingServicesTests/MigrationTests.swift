import Foundation
import TestSupport
import Testing

@testable import DrawingServices
@testable import Journal
@testable import Storage

/// Copying a service to other stores.
struct MigrationTests {
  private static func filled() throws -> ServiceFixture {
    let fixture = ServiceFixture()
    for seed in 0..<5 as Range<UInt64> {
      fixture.clock.now = ServiceFixture.start + Int64(seed) * 60
      var submission = try Recordings.submission(seed)
      submission.id = "d\(seed)"
      try fixture.drawings().submit(submission, of: "ann")
    }
    try fixture.setCheckIn("c1", at: ServiceFixture.start)
    fixture.clock.now = ServiceFixture.start + 3600
    try fixture.drawings().delete("d4", of: "ann")
    return fixture
  }

  private func contents(_ environment: ServiceEnvironment) throws -> [String] {
    let changes = try environment.documents.read {
      try $0.changes(after: 0, in: nil, limit: 1000)
    }
    var lines = changes.map { change in
      "\(change.path) \(change.document?.fields.bytes ?? []) \(change.moment) "
        + "\(change.document.map { "\($0.created)" } ?? "deleted")"
    }
    for info in try environment.blobs.list(below: BlobFolder("users"), limit: 1000) {
      lines.append("\(info.path) \(info.sha256) \(info.contentType) \(info.updated)")
    }
    return lines
  }

  @Test func `a migration copies everything, with its times and in its order`() throws {
    let source = try Self.filled()
    let folder = try TemporaryFolder()
    let target = ServiceFixture(
      documents: try SQLiteDocumentStore(
        folder.file("db").path, indexes: Application.journal.indexes),
      blobs: try FileBlobStore(folder.url.path))
    let result = try Migration(from: source.environment, to: target.environment).run()
    #expect(try contents(target.environment) == contents(source.environment))
    #expect(result.problems == [] && result.known == 0)
    #expect(result.deletions == 1 && result.documents == 5 && result.files > 8)
    #expect(try target.environment.documents.problems() == [])
    let record = try target.drawings().drawing("d1", of: "ann")
    #expect(record.recordingSHA256 == ContentHash.of(try Recordings.submission(1).recording))
  }

  @Test func `a second migration copies only changes`() throws {
    let (source, target) = (try Self.filled(), ServiceFixture())
    let migration = Migration(from: source.environment, to: target.environment)
    let first = try migration.run()
    let again = try migration.run()
    #expect(again.files == 0 && again.documents == 0 && again.deletions == 0)
    #expect(again.known == first.files + first.documents + first.deletions)
    source.clock.now = ServiceFixture.start + 7200
    try source.drawings().delete("d3", of: "ann")
    try source.set("users/ann/moodEntries/m", Samples.moodEntry)
    let third = try migration.run()
    #expect(third.documents == 1 && third.deletions == 1 && third.files == 0)
    #expect(
      try target.environment.documents.document(DocumentPath("users/ann/drawings/d3")) == nil)
  }

  @Test func `a migration keeps and reports later changes of the target`() throws {
    let (source, target) = (try Self.filled(), ServiceFixture())
    let migration = Migration(from: source.environment, to: target.environment)
    _ = try migration.run()
    target.clock.now = ServiceFixture.start + 9000
    try target.setCheckIn("c1", at: ServiceFixture.start, emotion: "calm")
    let again = try migration.run()
    #expect(again.problems.map(\.subject) == ["users/ann/mood_checkins/c1"])
    let fields = try target.environment.documents.document(
      DocumentPath("users/ann/mood_checkins/c1"))
    #expect(fields?["emotion"] == "calm")
  }

  @Test func `a migration keeps drawings that were changed or deleted in the target`() throws {
    let (source, target) = (try Self.filled(), ServiceFixture())
    source.clock.now = ServiceFixture.start + 100
    try source.drawings().delete("d3", of: "ann")
    let migration = Migration(from: source.environment, to: target.environment)
    _ = try migration.run()
    target.clock.now = ServiceFixture.start + 9000
    // One is replaced, one deleted, and one that was deleted before is made again.
    try target.drawings().delete("d1", of: "ann")
    for (number, id) in [(UInt64(2), "d1"), (1, "d3")] {
      try target.drawings().submit(Recordings.submission(number, id: id), of: "ann")
    }
    try target.drawings().delete("d2", of: "ann")
    let before = try contents(target.environment)
    let again = try migration.run()
    #expect(try contents(target.environment) == before)
    #expect(again.files == 0 && again.documents == 0 && again.deletions == 0)
    #expect(
      again.problems.map(\.subject).sorted()
        == ["d1", "d2", "d3"].map { "users/ann/drawings/\($0)" })
    #expect(try Verification(target.environment).run(minimumAge: 0).findings == [])
  }

  @Test func `a migration completes a folder that appears while it is read`() throws {
    let (source, target) = (try Self.filled(), ServiceFixture())
    let blobs = target.environment.blobs
    let store = try #require(source.environment.blobs as? InMemoryBlobStore)
    let notes = Notes()
    let watched = NotingBlobStore(
      store: store, notes: notes,
      afterGet: { path in
        guard path.folder.description.hasSuffix("d1"), notes.calls.isEmpty else { return }
        try? notes.add("somebody else has come")
        _ = try? blobs.put(
          [BlobContent(DrawingFiles.image, contentType: "image/png", [1])], in: path.folder,
          at: ServiceFixture.start)
      })
    let from = ServiceFixture(documents: source.environment.documents, blobs: watched)
    let result = try Migration(from: from.environment, to: target.environment).run()
    #expect(notes.calls.count == 1 && result.problems == [])
    #expect(try contents(target.environment) == contents(source.environment))
  }

  @Test func `a migration reports a damaged file and copies the others`() throws {
    let folder = try TemporaryFolder()
    let blobs = try FileBlobStore(folder.url.path)
    let source = ServiceFixture(blobs: blobs)
    for seed in 0..<3 as Range<UInt64> {
      var submission = try Recordings.submission(seed)
      submission.id = "d\(seed)"
      try source.drawings().submit(submission, of: "ann")
    }
    let file = folder.file("users/ann/drawings/d1/recording.pkd")
    var bytes = try Data(contentsOf: file)
    bytes[bytes.count / 2] ^= 1
    try bytes.write(to: file)
    let target = ServiceFixture()
    let result = try Migration(from: source.environment, to: target.environment).run()
    #expect(result.problems.map(\.subject) == ["users/ann/drawings/d1/recording.pkd"])
    #expect(result.documents == 3)
    // The other files of its drawing were copied.
    #expect(
      try target.environment.blobs.get(BlobPath("users/ann/drawings/d1/thumbnail.png")) != nil)
    #expect(
      try target.environment.blobs.get(BlobPath("users/ann/drawings/d2/recording.pkd")) != nil)
  }
}
