import DrawingServices
import Foundation
import PNGFormat
import Storage
import StorageTestSupport
import TestSupport
import Testing
import WebClient

@testable import SharedStorage

/// Commands on stores that several machines share, as processes.
@Suite(.enabled(if: TestStores.arePresent, "\(TestStores.absence)"))
struct CommandTests {
  private let stores: TestStores
  private static let mood = Corpus.project.appendingPathComponent("Samples/mood.pkd").path

  init() throws { stores = try TestStores() }

  private func run(_ words: String..., isPlace: Bool = true) throws -> Program.Result {
    let place = [
      "--root", stores.file("a").path, "--documents", stores.documents, "--blobs", stores.blobs,
    ]
    return try Program.run("pkd", words + (isPlace ? place : []))
  }

  private var place: String { "\(stores.file("a").path),\(stores.documents),\(stores.blobs)" }

  @Test func `all verbs of 'pkd store' work on shared stores`()
    throws
  {
    let missing = try run("store", "list", "--uid", "ann")
    #expect(missing.code == 2 && missing.errors.contains("pkd store init"), "\(missing)")
    #expect(!missing.errors.contains("test-only"), "a password is told to nobody")
    #expect(try run("store", "init", "--json").text.contains("\"made\": true"))
    #expect(try run("store", "init", "--json").text.contains("\"made\": false"))
    let submitted = try run("store", "submit", Self.mood, "--uid", "ann", "--id", "d1")
    #expect(submitted.code == 0, "\(submitted)")
    #expect(try run("store", "list", "--uid", "ann").text.contains("d1"))
    // The standard input is passed to the program with the libraries.
    let piped = try Program.run(
      "pkd", ["store", "submit", "-", "--uid", "ann", "--id", "d2", "--root", place],
      input: Data(contentsOf: URL(fileURLWithPath: Self.mood)))
    #expect(piped.code == 0, "\(piped)")
    #expect(try run("store", "stats").text.contains("drawings       2"))
    #expect(try run("store", "verify").text.hasSuffix("ok\n"))
    #expect(try run("store", "rerender", "--all").code == 0)
    #expect(try run("store", "sweep").code == 0)
    #expect(try run("store", "delete", "d2", "--uid", "ann").code == 0)
    #expect(try run("store", "stats").text.contains("drawings       1"))
    let backup = try run("store", "backup", "-o", stores.file("x.tar").path)
    #expect(backup.code == 2 && backup.errors.contains("pkd migrate"))
  }

  @Test func `a service can be migrated to shared stores and back unchanged`() throws {
    let (first, back) = (stores.file("first").path, stores.file("back").path)
    for id in ["d1", "d2", "d3"] {
      let result = try Program.run(
        "pkd", ["store", "submit", Self.mood, "--uid", "ann", "--id", id, "--root", first])
      #expect(result.code == 0)
    }
    func migrate(_ from: String, _ to: String) throws -> [String: Any] {
      let result = try Program.run("pkd", ["migrate", "--from", from, "--to", to, "--json"])
      #expect(result.code == 0, "\(result)")
      return try #require(
        try JSONSerialization.jsonObject(with: result.output) as? [String: Any])
    }
    #expect(try migrate(first, place)["documents"] as? Int == 3)
    #expect(try migrate(first, place)["files"] as? Int == 0)
    #expect(try migrate(place, back)["documents"] as? Int == 3)
    for words in [["list", "--uid", "ann"], ["stats"], ["verify"], ["export"]] {
      let (one, other) = (
        try Program.run("pkd", ["store"] + words + ["--root", first]),
        try Program.run("pkd", ["store"] + words + ["--root", back])
      )
      #expect(one.code == 0 && one.text == other.text, "\(words): \(one) \(other)")
    }
  }

  @Test func `an app's bucket can be adopted in place`() throws {
    let client = try stores.client()
    let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: Self.mood)))
    for key in ["users/ann/drawings/d1", "users/bob/drawings/d2"] {
      let request = ObjectClient.Request(
        method: .put, key: "\(client.address.prefix)\(key)/recording.pkd", body: bytes)
      #expect(try client.answer(request).status == 200)
    }
    let imported = try Program.run(
      "pkd",
      [
        "import-bucket", stores.blobs, "--documents", stores.documents, "--root",
        stores.file("a").path,
      ])
    #expect(
      imported.text == "2 drawings: 4 pictures drawn, 2 documents written, 0 had all, 0 failed\n",
      "\(imported)")
    #expect(try run("store", "list", "--uid", "bob").text.contains("d2"))
    #expect(try run("store", "verify").text.hasSuffix("ok\n"))
    // Alone, the command needs no database.
    let again = try Program.run("pkd", ["import-bucket", stores.blobs, "--force"])
    #expect(again.text.contains("4 pictures drawn"), "\(again)")
  }

  @Test func `a worker reads and writes objects`() throws {
    #expect(try run("store", "init").code == 0)
    #expect(try run("store", "submit", Self.mood, "--uid", "ann", "--id", "d1").code == 0)
    let record = #"{"path": "users/ann/drawings/d1/recording.pkd", "output": "sheets/a.png"}"#
    func work(_ options: String...) throws -> String {
      try Program.run(
        "pkd", ["worker", "--blobs", stores.blobs, "--skip-done"] + options,
        input: Data("\(record)\n".utf8)
      ).text
    }
    #expect(try work("--size", "64").contains("\"height\": 64"))
    #expect(try work("--size", "64").contains("\"known\": true"))
    #expect(try work("--size", "32").contains("\"height\": 32"))
    let client = try stores.client()
    let png = try #require(try client.get("\(client.address.prefix)sheets/a.png")?.bytes)
    #expect(try PNGDecoder().decode(png).height == 32)
  }

  @Test func `documents can link to the bucket itself`() throws {
    let server = try stores.server("a", ["--store-links"])
    let client = UserClient(uid: "u", token: try stores.token("u"))
    let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: Self.mood)))
    #expect(
      client.send(.put, "/v1/users/u/drawings/d/recording.pkd", to: server.url, body: bytes)?
        .answer.status == 201)
    let answer = try #require(client.send(.get, "/v1/users/u/drawings/d", to: server.url)?.answer)
    let fields = try #require(
      try JSONSerialization.jsonObject(with: Data(answer.body)) as? [String: Any])
    for (name, type) in [
      ("thumbnailURL", "image/png"), ("recordingURL", "application/octet-stream"),
    ] {
      let link = try #require(fields[name] as? String)
      #expect(link.hasPrefix("http://127.0.0.1:\(TestStores.objectsPort)/"), "\(link)")
      let file = try WebClient.get(link, limit: 1 << 20, seconds: 5)
      #expect(file.status == 200 && file.field("content-type") == type, "\(name)")
    }
    #expect(server.terminate() == 0)
  }

  @Test func `a server streams changes of another one at once`() throws {
    let servers = try [stores.server("a"), stores.server("b")]
    let token = try stores.token("u")
    let client = UserClient(uid: "u", token: token)
    let events = Process()
    events.executableURL = URL(fileURLWithPath: "/usr/bin/curl")
    events.arguments = [
      "-sN", "--max-time", "10", "-H", "Authorization: Bearer \(token)",
      "\(servers[1].url)/v1/users/u/events",
    ]
    let file = stores.file("events")
    try Data().write(to: file)
    events.standardOutput = try FileHandle(forWritingTo: file)
    try events.run()
    defer { events.terminate() }
    func seen(_ text: String) -> Bool {
      happens { (try? String(contentsOf: file, encoding: .utf8))?.contains(text) ?? false }
    }
    #expect(seen("retry"))
    for id in ["d1", "d2"] {
      #expect(
        client.send(
          .put, "/v1/users/u/drawings/\(id)/recording.pkd", to: servers[0].url,
          body: try Ink.small(1))?.answer.status == 201)
      #expect(seen("drawings/\(id)"))
    }
    for server in servers { #expect(server.terminate() == 0) }
  }
}
