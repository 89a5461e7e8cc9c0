import Foundation
import TestSupport
import Testing

@testable import DrawingServices
@testable import Storage

/// Lists of a user's files, and the tokens for downloading them.
struct FileListTests {
  private let folder: TemporaryFolder
  private let fixture: ServiceFixture

  init() throws {
    folder = try TemporaryFolder()
    fixture = ServiceFixture(blobs: try FileBlobStore(folder.url.path))
    try fixture.drawings().submit(Recordings.submission(1, id: "d1"), of: "ann")
  }

  private func names() throws -> [String] {
    try fixture.drawings().fileList(
      of: "ann", inFolder: .user, grouped: false, after: nil, limit: 99
    ).names
  }

  @Test func `a list of files contains exactly the readable ones`() throws {
    let all = DrawingFiles.names.map { "users/ann/drawings/d1/\($0)" }.sorted()
    #expect(try names() == all)
    // One file is lost, and another one was not stored by the service.
    let lost = try #require(all.first)
    try FileManager.default.removeItem(at: folder.file(lost))
    let stray = folder.file("users/ann/drawings/d2")
    try FileManager.default.createDirectory(at: stray, withIntermediateDirectories: true)
    try Data([1]).write(to: stray.appendingPathComponent(DrawingFiles.image))
    #expect(try names() == Array(all.dropFirst()))
  }

  @Test func `revoking a file's tokens needs the permission to delete it`() throws {
    let service = fixture.drawings()
    func tokens() throws -> [String]? {
      let info = try #require(
        try service.fileInfo(DrawingFiles.image, ofDrawing: "d1", of: "ann"))
      return try service.storedMetadata(info, of: "ann")?.tokens
    }
    _ = try service.changeMetadata(DrawingFiles.image, ofDrawing: "d1", of: "ann") {
      $0.tokens = ["secret"]
    }
    for caller in [Caller.user("bob"), .anonymous] {
      #expect(throws: AccessRefusal.self) {
        try fixture.drawings(as: caller).revokeDownloadTokens(of: "ann")
      }
    }
    #expect(try tokens() == ["secret"])
    try service.revokeDownloadTokens(of: "ann")
    #expect(try tokens() == [])
  }
}
