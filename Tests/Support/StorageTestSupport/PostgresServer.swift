import Foundation
import SharedStorage
import TestSupport

/// A PostgreSQL server for tests, with data of its own. It ends with the tests.
public final class PostgresServer: Sendable {
  /// The URL of its database.
  public let url: String
  private let folder: String

  /// What a test says when it skips.
  public static let absence =
    "skipped: PostgreSQL is not installed, and neither TEST_POSTGRES nor --services asks for it"

  /// Whether tests have to run on PostgreSQL, whatever is installed here.
  private static let isWanted = ProcessInfo.processInfo.environment["TEST_SERVICES"] != nil

  /// Whether tests can start servers.
  public static let canStart = isWanted || (try? run("postgres-up", ["--check"])) != nil

  /// The database that all tests share, each with a schema of its own: that of `TEST_POSTGRES`, or of a server that was
  /// started for them. Nil if there is no PostgreSQL.
  public static let sharedURL: String? =
    ProcessInfo.processInfo.environment["TEST_POSTGRES"]
    ?? (canStart ? sharedServer?.url : nil)

  private static let sharedServer: PostgresServer? = {
    do {
      return try PostgresServer()
    } catch {
      // The tests then fail because nothing is at this address, and say why.
      print("PostgreSQL could not be started: \(error)")
      return PostgresServer(url: "postgres://127.0.0.1:1/none", folder: "/")
    }
  }()

  private init(url: String, folder: String) { (self.url, self.folder) = (url, folder) }

  /// Starts a server.
  public init() throws {
    // Its own user has to reach it, so it cannot lie in a private folder.
    folder = "/tmp/pkd-postgres-\(UUID().uuidString.prefix(8))"
    url = try Self.run("postgres-up", [folder, "\(ProcessInfo.processInfo.processIdentifier)"])
  }

  deinit { try? stop() }

  /// Ends it as a power cut would.
  public func kill() throws { try Self.run("postgres-down", [folder, "--kill"]) }

  /// Ends it.
  public func stop() throws { try Self.run("postgres-down", [folder]) }

  /// Starts it again, at the same address.
  public func start() throws { try Self.run("postgres-up", [folder]) }

  /// Runs a script beside these tests and returns what it prints.
  @discardableResult
  private static func run(_ script: String, _ arguments: [String]) throws -> String {
    let process = Process()
    process.executableURL = Corpus.project.appendingPathComponent("Tests/Proofs/Services/\(script)")
    process.arguments = arguments
    let output = Pipe()
    process.standardOutput = output
    process.standardInput = FileHandle.nullDevice
    try process.run()
    let bytes = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else { throw Failed(script: script) }
    return String(decoding: bytes, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
  }

  /// A script has failed; it has said why.
  public struct Failed: Error {
    /// Its name.
    public let script: String
  }
}

/// A schema in the shared database, which is deleted with this.
public final class PostgresSchemaOfTest: Sendable {
  /// The URL of the database.
  public let url: String
  /// The name of the schema.
  public let name: String

  /// A name that is not in use.
  public init(in url: String) {
    self.url = url
    name = "test_\(UUID().uuidString.lowercased().prefix(8))"
  }

  deinit { try? PostgresDocumentStore.deleteAll(url, schema: name) }
}
