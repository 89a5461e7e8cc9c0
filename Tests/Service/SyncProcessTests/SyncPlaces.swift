import DrawingServices
import Journal
import Foundation
import Storage
import Strokes
import Sync
import TestSupport
import Testing

/// A server in a temporary folder, and devices that synchronize with it. Each command is a separate
/// process.
final class SyncPlaces {
  static let uid = "ann"

  let folder: TemporaryFolder
  let serverRoot: String
  private(set) var token = ""
  private(set) var server: RunningServer
  let url: String

  init() throws {
    folder = try TemporaryFolder(inMemory: true)
    serverRoot = folder.file("server").path
    #expect(try Program.run("pkd", ["store", "init", "--root", serverRoot]).code == 0)
    server = try RunningServer([], root: serverRoot)
    url = server.url
    token = try newToken(of: serverRoot)
  }

  private func newToken(of root: String) throws -> String {
    let result = try Program.run("pkd", ["token", "--uid", Self.uid, "--root", root])
    #expect(result.code == 0, "\(result.errors)")
    return result.text.trimmingCharacters(in: .whitespacesAndNewlines)
  }

  func stopServer() { server.kill() }

  /// Starts the server again at the same address, with another folder if one is given.
  func startServer(root: String? = nil) throws {
    server.kill()
    server = try RunningServer(["--listen", "127.0.0.1:\(server.port)"], root: root ?? serverRoot)
    if let root { token = try newToken(of: root) }
  }

  func device(_ name: String) -> SyncDevice {
    SyncDevice(places: self, root: folder.file(name).path)
  }

  /// The contents of the server.
  var stored: SyncDevice { SyncDevice(places: self, root: serverRoot) }
}

/// The folder of a device, and commands for it.
struct SyncDevice {
  let places: SyncPlaces
  let root: String

  // MARK: - Commands

  func run(_ words: [String]) throws -> Program.Result {
    try Program.run(
      "pkd", words + ["--root", root, "--uid", SyncPlaces.uid],
      environment: ["PENTIMENTO_TOKEN": places.token])
  }

  /// Runs a command that must succeed.
  @discardableResult
  func store(_ words: String...) throws -> Program.Result {
    let result = try run(["store"] + words)
    #expect(result.code == 0, "\(words): \(result.errors)")
    return result
  }

  func add(_ id: String, _ words: String...) throws {
    let result = try run(["store", "mood", "add", "--mood", "happy", "--id", id] + words)
    #expect(result.code == 0, "\(result.errors)")
  }

  func submit(_ id: String, _ sample: String = "mood") throws {
    let path = Corpus.project.appendingPathComponent("Samples/\(sample).pkd").path
    try store("submit", path, "--id", id)
  }

  /// `pkd sync` with the server, or with another target if one is given.
  @discardableResult
  func sync(_ words: String..., with remote: String? = nil) throws -> Program.Result {
    try run(["sync", "--remote", remote ?? places.url] + words)
  }

  /// Synchronizes, which must succeed.
  func synchronize(_ words: String..., with remote: String? = nil) throws {
    let result = try run(["sync", "--remote", remote ?? places.url] + words)
    #expect(result.code == 0, "\(result.errors)")
  }

  /// The output of a command with `--json`: the object in its last line.
  func object(_ words: String..., with remote: String? = nil) throws -> [String: Any] {
    let result = try run(["sync", "--remote", remote ?? places.url, "--json"] + words)
    let last = result.text.split(separator: "\n").last ?? ""
    return try #require(
      try JSONSerialization.jsonObject(with: Data(last.utf8)) as? [String: Any],
      "\(result.errors)")
  }

  func status() throws -> String { try sync("--status").text }

  // MARK: - What is stored

  func environment(for purpose: LocalService.Purpose = .reading) throws -> ServiceEnvironment {
    try LocalService.open(.journal, root, for: purpose)
  }

  /// The stored contents, by name.
  func contents() throws -> [SyncName: Fields] {
    try environment().contents(of: SyncPlaces.uid).compactMapValues { content in
      if case .document(let fields) = content { fields } else { nil }
    }
  }

  /// The names of the stored contents, such as `moodEntries/a`, sorted.
  func names() throws -> [String] { try contents().keys.map { "\($0)" }.sorted() }

  func note(of id: String) throws -> String? {
    try contents()[SyncName(.moodEntries, id)]?["note"]?.textValue
  }

  func recording(of drawing: String) throws -> [UInt8] {
    try #require(try environment().recording(of: drawing, SyncPlaces.uid))
  }

  /// Verifies every byte.
  func verify() throws {
    let result = try Program.run("pkd", ["store", "verify", "--root", root])
    #expect(result.code == 0, "\(result.text) \(result.errors)")
  }

  /// Adds strokes to a drawing, like an app. Returns their identifiers.
  func draw(on drawing: String, strokes count: Int, seed: UInt64) throws -> Set<String> {
    let environment = try environment(for: .writing)
    let bytes = try #require(try environment.recording(of: drawing, SyncPlaces.uid))
    var chance = Chance(seed: seed)
    let strokes = (0..<count).map { _ in SmallInk.stroke(&chance, at: environment.now()) }
    try revise(drawing, bytes, to: SmallInk.strokes(bytes) + strokes, environment)
    return Set(strokes.map { "\($0.id)" })
  }

  /// Erases the first stroke of a drawing. Returns its identifier.
  func erase(from drawing: String) throws -> String {
    let environment = try environment(for: .writing)
    let bytes = try #require(try environment.recording(of: drawing, SyncPlaces.uid))
    var strokes = try SmallInk.strokes(bytes)
    let erased = strokes.removeFirst()
    try revise(drawing, bytes, to: strokes, environment)
    return "\(erased.id)"
  }

  private func revise(
    _ drawing: String, _ bytes: [UInt8], to strokes: [PKStroke], _ environment: ServiceEnvironment
  ) throws {
    _ = try DrawingService(environment, as: .operator).revise(
      SmallInk.bytes(strokes), ofDrawing: drawing, of: SyncPlaces.uid,
      replacing: .named([SyncService.hash(of: bytes)]))
  }
}

extension ServiceEnvironment {
  /// The stored contents of a user, by name, with deletions; without fields that only this device
  /// has.
  func contents(of uid: String) throws -> [SyncName: SyncChange.Content] {
    var found: [SyncName: SyncChange.Content] = [:]
    let replica = try Replica(self, as: .operator, of: uid)
    try documents.read { reader in
      let page = try replica.changes(after: 0, limit: 1_000_000, byteLimit: .max, in: reader)
      for change in page.changes { found[change.name] = change.content }
    }
    return found
  }

  func recording(of drawing: String, _ uid: String) throws -> [UInt8]? {
    try blobs.get(BlobPath("users/\(uid)/drawings/\(drawing)/\(DrawingFiles.recording)"))?.bytes
  }
}
