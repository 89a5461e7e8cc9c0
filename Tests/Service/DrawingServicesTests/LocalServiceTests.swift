import Foundation
import TestSupport
import Testing
import Threads

@testable import DrawingServices
@testable import Journal
@testable import Storage

/// A service's folder: its settings, its permissions, and reading without changes.
struct LocalServiceTests {
  private let folder: TemporaryFolder
  private var root: String { folder.file("service").path }

  init() throws { folder = try TemporaryFolder() }

  private func problem(_ purpose: LocalService.Purpose) -> String? {
    thrown { try LocalService.open(.journal, root, for: purpose) }.map { "\($0)" }
  }

  @Test func `opening a missing service creates nothing`() throws {
    for purpose in [LocalService.Purpose.reading, .writing, .repairing] {
      #expect(problem(purpose)?.contains("there is no service in") == true)
      #expect(!FileManager.default.fileExists(atPath: root))
    }
  }

  @Test func `nested service folders are detected by any name`() throws {
    let manager = FileManager.default
    let (ink, other) = (folder.file("ink").path, folder.file("inks").path)
    try manager.createDirectory(atPath: ink + "/users/ann", withIntermediateDirectories: true)
    try manager.createDirectory(atPath: other, withIntermediateDirectories: true)
    try manager.createSymbolicLink(atPath: folder.file("link").path, withDestinationPath: ink)
    let link = folder.file("link").path
    for inner in [
      ink, ink + "/.", ink + "/users/ann", link, link + "/missing/deep", other + "/../ink/x",
    ] {
      #expect(LocalService.areNested(ink, inner) && LocalService.areNested(inner, ink), "\(inner)")
    }
    for beside in [other, folder.file("missing").path, ink + "/../inks/new"] {
      #expect(!LocalService.areNested(ink, beside) && !LocalService.areNested(beside, ink))
    }
  }

  @Test func `reading a service waits for no writer, and changes nothing`() throws {
    let service = try LocalService.open(.journal, root)
    try CollectionService(.checkIns, in: service, as: .operator).create(
      Samples.checkIn, of: "ann", id: "c1")
    let connection = try SQLiteConnection(root + "/pentimento.db", for: .writing)
    try connection.run("BEGIN IMMEDIATE")
    let reading = try LocalService.open(.journal, root, for: .reading)
    #expect(
      try CollectionService(.checkIns, in: reading, as: .operator).page(of: "ann").documents.count
        == 1)
    #expect(
      storageProblem {
        try CollectionService(.checkIns, in: reading, as: .operator).delete("c1", of: "ann")
      }
        == .readOnly)
    // Opening for writing does not wait before the first write.
    _ = try LocalService.open(.journal, root, for: .writing)
    try connection.run("ROLLBACK")
  }

  @Test func `a database of an older program is migrated by the first command`() throws {
    for purpose in [LocalService.Purpose.reading, .writing] {
      let service = try LocalService.open(.journal, root)
      try CollectionService(.checkIns, in: service, as: .operator).create(
        Samples.checkIn, of: "ann", id: "c\(purpose)")
      do {
        let connection = try SQLiteConnection(root + "/pentimento.db", for: .writing)
        try connection.run(
          """
          ALTER TABLE collections DROP COLUMN count; DELETE FROM facts WHERE name = 'identity';
          PRAGMA user_version = 1
          """)
      }
      try FileManager.default.removeItem(atPath: root + "/settings.json")
      let opened = try LocalService.open(.journal, root, for: purpose)
      #expect(try Statistics(opened).counts["checkIns"] == (purpose == .reading ? 1 : 2))
      #expect(try opened.documents.problems().isEmpty)
    }
  }

  @Test func `settings are stored in the service's folder`() throws {
    _ = try LocalService.open(.journal, root)
    _ = try LocalService.changeSettings(.journal, root) { settings in
      settings.baseURL = "https://example.org/"
      settings.milestones = [1]
      settings.language = .traditionalChinese
    }
    let environment = try LocalService.open(.journal, root, for: .writing)
    #expect(environment.settings.baseURL == "https://example.org/")
    #expect(environment.settings.milestones == [1])
    let service = DrawingService(environment, as: .user("ann"))
    try service.submit(try Recordings.submission(2, id: "d1"), of: "ann")
    _ = try LocalService.changeSettings(.journal, root) { $0.baseURL = "https://example.com/" }
    let moved = DrawingService(try LocalService.open(.journal, root, for: .writing), as: .operator)
    try moved.rerender("d1", of: "ann", replacesImage: true)
    let record = try moved.drawing("d1", of: "ann")
    for name in ["imageURL", "recordingURL", "thumbnailURL"] {
      #expect(
        record.document[name]?.textValue?.hasPrefix("https://example.com/users/ann/") == true)
    }
  }

  @Test func `unknown settings are preserved, and invalid ones are refused`() throws {
    _ = try LocalService.open(.journal, root)
    let path = root + "/settings.json"
    var text = try String(contentsOfFile: path, encoding: .utf8)
    text = text.replacingOccurrences(of: "{", with: "{\"ours\": [1], \"gallery-days\": 7, ")
    try text.write(toFile: path, atomically: true, encoding: .utf8)
    #expect(try LocalService.open(.journal, root, for: .writing).settings.galleryDays == 7)
    _ = try LocalService.changeSettings(.journal, root) { $0.trashDays = 3 }
    let kept = try String(contentsOfFile: path, encoding: .utf8)
    #expect(kept.contains("\"ours\"") && kept.contains("\"trash-days\""))
    for bad in [
      "", "7", "{\"gallery-days\": -1}", "{\"language\": \"fr\"}", "{\"milestones\": [0]}",
    ] {
      try bad.write(toFile: path, atomically: true, encoding: .utf8)
      #expect(problem(.reading)?.contains("settings.json") == true, "\(bad)")
    }
  }

  @Test func `every service setting accepts its own value and refuses a wrong one`() throws {
    for setting in Application.journal.settings {
      var settings = ServiceSettings()
      try setting.put(setting.value(in: settings), into: &settings)
      #expect(settings == ServiceSettings(), "\(setting.name)")
      for wrong in [FieldValue.null, .bool(true), .bytes([1]), .map([:])] {
        #expect(throws: ServiceError.self, "\(setting.name)") {
          try setting.put(wrong, into: &settings)
        }
      }
    }
    #expect(
      Set(Application.journal.settings.map(\.name)).count == Application.journal.settings.count)
  }

  @Test func `files of a service are accessible to their owner only`() throws {
    let old = umask(0)
    defer { umask(old) }
    let service = try LocalService.open(.journal, root)
    try DrawingService(service, as: .operator).submit(
      try Recordings.submission(2, id: "d1"), of: "ann")
    var style = RenditionStyle()
    style.side = 10
    _ = try DrawingService(service, as: .operator).rendition(style, ofDrawing: "d1", of: "ann")
    let all = try FileManager.default.subpathsOfDirectory(atPath: root).map { "\(root)/\($0)" }
    #expect(all.count > 10)
    func mode(_ path: String) -> mode_t {
      var status = stat()
      return lstat(path, &status) == 0 ? status.st_mode & 0o777 : 0
    }
    for path in all + [root] { #expect(mode(path) & 0o077 == 0, "\(path)") }
    #expect(try LocalService.makePrivate(root, changes: true) == 0)

    // With the permissions that older programs set.
    for path in all { chmod(path, mode(path) == 0o700 ? 0o755 : 0o644) }
    // The root is still private.
    #expect(try LocalService.makePrivate(root, changes: false) == 0)
    chmod(root, 0o755)
    #expect(try LocalService.makePrivate(root, changes: false) == all.count + 1)
    #expect(try LocalService.makePrivate(root, changes: true) == all.count + 1)
    for path in all + [root] { #expect(mode(path) & 0o077 == 0, "\(path)") }
  }

  @Test func `a drawing that is deleted or replaced during verification is no finding`() throws {
    let notes = Notes()
    for act in ["delete", "replace"] {
      let store = NotingBlobStore(notes: notes)
      let fixture = ServiceFixture(blobs: store)
      try fixture.drawings().submit(try Recordings.submission(2, id: "d1"), of: "ann")
      let meanwhile = ConditionMutex(false)
      var watched = store
      watched.afterGet = { path in
        guard path.name == DrawingFiles.image,
          meanwhile.withLock({ done in
            defer { done = true }
            return !done
          })
        else { return }
        _ = try? fixture.drawings().delete("d1", of: "ann")
        guard act == "replace" else { return }
        fixture.clock.now = fixture.clock.now + 1
        _ = try? fixture.drawings().submit(Recordings.submission(4, id: "d1"), of: "ann")
      }
      let environment = ServiceEnvironment(
        .journal, documents: fixture.environment.documents, blobs: watched,
        now: fixture.environment.now, newID: fixture.environment.newID)
      let result = try Verification(environment).run()
      #expect(meanwhile.withLock { $0 } && result.findings.isEmpty, "\(act)")
    }
  }
}
