import Foundation
import Glibc

/// `pkd serve` as a separate process.
public final class RunningServer: @unchecked Sendable {
  /// Its port.
  public let port: UInt16
  /// Its address.
  public let url: String
  private let process: Process
  private let printed = NSLock()
  private var text = ""

  /// The server ended before it was listening.
  public struct NotStarted: Error {
    /// Its output.
    public let output: String
  }

  /// Starts a server with options, by default at any free port.
  public init(_ options: [String], root: String, environment: [String: String] = [:]) throws {
    process = Process()
    process.executableURL = Program.binary("pkd")
    let address = options.contains("--listen") ? [] : ["--listen", "127.0.0.1:0"]
    process.arguments = ["serve", "--root", root] + address + options
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    let output = Pipe()
    process.standardOutput = output
    process.standardError = output
    process.standardInput = FileHandle.nullDevice
    try process.run()
    // Messages, for example about an issuer that does not answer, may precede the line with the
    // address.
    var line: Substring?
    while line == nil {
      let piece = output.fileHandleForReading.availableData
      guard !piece.isEmpty else { throw NotStarted(output: text) }
      text += String(decoding: piece, as: UTF8.self)
      let complete = text.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
      line = complete.first { $0.hasPrefix("http") }
    }
    url = String(line ?? "")
    guard let port = url.split(separator: ":").last.flatMap({ UInt16($0) }) else {
      process.terminate()
      throw NotStarted(output: text)
    }
    self.port = port
    // An unread pipe would become full at some time. A readability handler would outlive the file
    // of an ended server, which makes libdispatch crash after some thousands of them.
    let reading = output.fileHandleForReading
    Thread { [weak self] in
      while case let piece = reading.availableData, !piece.isEmpty { self?.note(piece) }
    }.start()
  }

  deinit { kill() }

  private func note(_ piece: Data) {
    printed.withLock { text += String(decoding: piece, as: UTF8.self) }
  }

  /// Its output so far, including problems.
  public var output: String { printed.withLock { text } }

  /// The process id.
  public var identifier: Int32 { process.processIdentifier }

  /// Whether the process is running.
  public var isRunning: Bool { process.isRunning }

  /// Ends the process like a crash.
  public func kill() {
    if process.isRunning { Glibc.kill(process.processIdentifier, SIGKILL) }
    process.waitUntilExit()
  }

  /// Asks the process to end, and returns its exit code.
  public func terminate() -> Int32 {
    process.terminate()
    process.waitUntilExit()
    return process.terminationStatus
  }
}
