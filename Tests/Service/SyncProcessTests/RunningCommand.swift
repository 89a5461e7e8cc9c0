import Foundation
import Glibc
import TestSupport

/// A `pkd` command that runs until it is ended.
final class RunningCommand {
  private let process = Process()

  init(_ words: [String], environment: [String: String] = [:]) throws {
    process.executableURL = Program.binary("pkd")
    process.arguments = words
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    try process.run()
  }

  var isRunning: Bool { process.isRunning }

  /// Ends it like a crash.
  func end() {
    if process.isRunning { kill(process.processIdentifier, SIGKILL) }
    process.waitUntilExit()
  }
}
