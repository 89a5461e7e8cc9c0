import Foundation
import PNGFormat
import TestSupport
import Testing

@testable import DrawingServices
@testable import Storage

/// A service for an app without a journal: a studio with boards, on which its users pin drawings.
@Suite struct ApplicationTests {
  private static let studio = Application(
    kinds: [
      DocumentKind(
        "boards", of: .user,
        schema: DocumentSchema(.required("title", .text(limit: 40)), .optional("at", .moment)),
        access: [.documents("users/{uid}/boards/*", .read, .create, .update, by: .owner)],
        indexes: [DocumentIndex("boards", "title")],
        defaults: [("colour", .value("white")), ("made", .now)],
        synchronization: DocumentKind.Synchronization(
          localFields: ["isOpen"], sentField: "isSent", sentEvent: "board_sent"),
        countName: "boards"),
      DocumentKind(
        "orders", of: .field("buyer", order: "at"),
        access: [.documents("orders/*", .read, .create, by: .ownerByField("buyer"))],
        indexes: [DocumentIndex("orders", "buyer", "at")]),
    ],
    settings: [
      Setting(
        name: "studio-name", summary: "What the studio is called.", form: "a text",
        get: { $0.ofApplication["studio-name"] ?? "Studio" },
        set: { settings, value in
          guard value.textValue != nil else { return false }
          settings.ofApplication["studio-name"] = value
          return true
        })
    ])

  private func fixture(_ application: Application = studio) -> ServiceFixture {
    ServiceFixture(application: application)
  }

  private func path(_ text: String) throws -> DocumentPath { try DocumentPath(text) }

  @Test func `a kind's rules, schema and defaults hold for its documents`() throws {
    let fixture = fixture()
    let service = DocumentService(fixture.environment, as: .user("ann"))
    let board = try path("users/ann/boards/b1")
    try service.set(board, ["title": "Birds"])
    let stored = try service.document(board)
    #expect(stored["colour"] == "white" && stored["made"] == .moment(fixture.clock.now))
    #expect(stored["updatedAt"] == .moment(fixture.clock.now))
    #expect(throws: FieldError.self) { try service.set(path("users/ann/boards/b2"), [:]) }
    #expect(throws: AccessRefusal.self) { try service.delete(board) }
    #expect(throws: AccessRefusal.self) {
      try DocumentService(fixture.environment, as: .user("bob")).document(board)
    }
    // Fields that are set on creation stay in a replacement, and other defaults are set again.
    let made = stored["made"]
    fixture.clock.now = fixture.clock.now + 60
    let replaced = try service.set(board, ["title": "Trees"]).value
    #expect(replaced["made"] == made && replaced["colour"] == "white")
    #expect(replaced["updatedAt"] == .moment(fixture.clock.now))
  }

  @Test func `JSON texts become moments where an app's schema has a moment`() throws {
    let json = Array(#"{"title": "2026-11-18T12:00:00Z", "at": "2026-11-18T12:00:00Z"}"#.utf8)
    let fields = try Self.studio.fields(json, for: path("users/ann/boards/b"))
    #expect(fields["title"]?.textValue != nil && fields["at"]?.momentValue != nil)
    let others = try Application.drawingsAlone.fields(json, for: path("users/ann/boards/b"))
    #expect(others["at"]?.momentValue == nil)
  }

  @Test func `an app without kinds of its own takes drawings and no journal`() throws {
    let fixture = fixture(.drawingsAlone)
    try fixture.drawings().submit(try Recordings.submission(2), of: "ann")
    #expect(try Statistics(fixture.environment).drawings == 1)
    let service = DocumentService(fixture.environment, as: .user("ann"))
    for name in ["mood_checkins", "moodEntries", "boards", "milestones"] {
      let path = try path("users/ann/\(name)/x")
      #expect(throws: AccessRefusal.self) { try service.set(path, Samples.checkIn) }
      #expect(SyncName("\(name)/x", in: .drawingsAlone) == nil)
    }
    #expect(SyncName("drawings/x", in: .drawingsAlone) != nil)
  }

  @Test func `devices get the app's documents without local fields`() throws {
    let environment = fixture().environment
    let name = try #require(SyncName("boards/b1", in: Self.studio))
    var request = SyncRequest()
    request.cursor = 0
    request.changes = [
      SyncChange(
        name,
        .document([
          "title": "Birds", "isOpen": true, "isSent": false,
          "updatedAt": .moment(ServiceFixture.start),
        ]))
    ]
    let service = SyncService(environment, as: .user("ann"))
    let again = try SyncRequest(Fields(bytes: request.fields().bytes), in: Self.studio)
    #expect(again == request)
    #expect(try service.answer(again, of: "ann").results[0] == nil)
    let stored = try #require(try environment.documents.document(path("users/ann/boards/b1")))
    #expect(stored["title"] == "Birds" && stored["isOpen"] == nil && stored["isSent"] == nil)
    // Another app does not have this kind.
    #expect(throws: ServiceError.self) {
      try SyncRequest(Fields(bytes: request.fields().bytes), in: .drawingsAlone)
    }
    let page = try ChangeService(environment, as: .user("ann")).page(of: "ann", after: 0, limit: 9)
    #expect(page.changes.map { "\($0.path)" } == ["users/ann/boards/b1"])
  }

  @Test func `documents that name their owner are counted, exported and erased with the user`()
    throws
  {
    let fixture = fixture()
    for (index, buyer) in ["ann", "bob", "ann"].enumerated() {
      try fixture.set(
        "orders/o\(index)",
        ["buyer": .text(buyer), "at": .moment(ServiceFixture.start + -Int64(index))])
    }
    try fixture.set("users/ann/boards/b", ["title": "Birds"])
    let users = UserService(fixture.environment, as: .operator)
    #expect(try users.users() == ["ann", "bob"])
    #expect(
      try users.documents(of: "ann").map { "\($0.path)" }.sorted() == [
        "orders/o0", "orders/o2", "users/ann/boards/b",
      ])
    #expect(try Statistics(fixture.environment).counts == ["boards": 1])
    #expect(try users.deleteEverything(of: "ann") == 3)
    #expect(try Array(fixture.allDocuments().keys) == ["orders/o1"])
  }

  @Test func `settings of an app are stored with those of the service and kept by other apps`()
    throws
  {
    let folder = try TemporaryFolder()
    let root = folder.file("a").path
    _ = try LocalService.open(Self.studio, root)
    _ = try LocalService.changeSettings(Self.studio, root) { settings in
      let setting = try #require(Self.studio.settings.first { $0.name == "studio-name" })
      try setting.put("Attic", into: &settings)
      #expect(throws: ServiceError.self) { try setting.put(3, into: &settings) }
    }
    _ = try LocalService.changeSettings(.drawingsAlone, root) { $0.trashDays = 3 }
    let settings = try LocalService.open(Self.studio, root, for: .reading).settings
    #expect(settings.ofApplication["studio-name"] == "Attic" && settings.trashDays == 3)
  }

  @Test func `a folder takes the settings of another one unless it has settings of its own`() throws
  {
    let folder = try TemporaryFolder()
    let (old, new) = (folder.file("old").path, folder.file("new").path)
    for root in [old, new] { _ = try LocalService.open(Self.studio, root) }
    let identity = try LocalService.open(Self.studio, new).documents.identity
    _ = try LocalService.changeSettings(Self.studio, old) { settings in
      settings.trashDays = 3
      settings.ofApplication["studio-name"] = "Attic"
    }
    // An app that does not know a setting takes it along.
    try LocalService.copySettings(.drawingsAlone, from: old, to: new)
    let taken = try LocalService.open(Self.studio, new, for: .writing)
    #expect(taken.settings.trashDays == 3)
    #expect(taken.settings.ofApplication["studio-name"] == "Attic")
    #expect(try taken.documents.identity == identity)
    _ = try LocalService.changeSettings(Self.studio, old) { $0.trashDays = 5 }
    try LocalService.copySettings(Self.studio, from: old, to: new)
    #expect(try LocalService.settings(Self.studio, new).trashDays == 3)
  }

  @Test func `an image shrinks until it has at most as many pixels as the setting allows`() throws {
    var settings = ServiceSettings()
    settings.maximumPixels = 5_000
    let fixture = ServiceFixture(settings: settings)
    let id = try fixture.drawings().submit(try Recordings.submission(2), of: "ann").id
    let image = try fixture.drawings().file("image.png", ofDrawing: id, of: "ann")
    let picture = try PNGDecoder().decode(image.bytes)
    #expect(picture.width * picture.height <= 5_000 && picture.width * picture.height > 200)
  }
}
