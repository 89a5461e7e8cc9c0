import Foundation
import SharedStorage
import TestSupport

/// A PostgreSQL server for tests, with its own data. It ends with the tests.
public final class PostgresServer: Sendable {
  /// The URL of its database.
  public let url: String
  private let folder: String

  /// The message of a skipped test.
  public static let absence =
    "skipped: PostgreSQL is not installed, and neither TEST_POSTGRES nor --services asks for it"

  /// Whether tests must run on PostgreSQL, even if it is not installed here.
  private static let isWanted = ProcessInfo.processInfo.environment["TEST_SERVICES"] != nil

  /// Whether tests can start servers.
  public static let canStart = isWanted || (try? run("postgres-up", ["--check"])) != nil

  /// The database that all tests share, each in its own schema: that of `TEST_POSTGRES`, or of a
  /// server started for them. Nil if there is no PostgreSQL.
  public static let sharedURL: String? =
    ProcessInfo.processInfo.environment["TEST_POSTGRES"]
    ?? (canStart ? sharedServer?.url : nil)

  private static let sharedServer: PostgresServer? = {
    do {
      return try PostgresServer()
    } catch {
      // The tests then fail and report that no server is at this address.
      print("PostgreSQL could not be started: \(error)")
      return PostgresServer(url: "postgres://127.0.0.1:1/none", folder: "/")
    }
  }()

  private init(url: String, folder: String) { (self.url, self.folder) = (url, folder) }

  /// Starts a server.
  public init() throws {
    // The server's own user must reach it, so it cannot be in a private folder.
    folder = "/tmp/pkd-postgres-\(UUID().uuidString.prefix(8))"
    url = try Self.run("postgres-up", [folder, "\(ProcessInfo.processInfo.processIdentifier)"])
  }

  deinit { try? stop() }

  /// Ends it like a power failure.
  public func kill() throws { try Self.run("postgres-down", [folder, "--kill"]) }

  /// Ends it.
  public func stop() throws { try Self.run("postgres-down", [folder]) }

  /// Starts it again, at the same address.
  public func start() throws { try Self.run("postgres-up", [folder]) }

  /// Runs a script of this folder and returns its output.
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

  /// A failed script, which has printed its reason.
  public struct Failed: Error {
    /// Its name.
    public let script: String
  }
}

/// A schema in the shared database, which is deleted with this object.
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
