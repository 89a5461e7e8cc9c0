import Foundation
import Glibc
import TestSupport

/// `pkd serve` as a process of its own.
final class RunningServer: @unchecked Sendable {
  let port: UInt16
  let url: String
  private let process: Process

  struct NotStarted: Error {
    let output: String
  }

  /// Starts a server with options, at any free port unless they name one.
  init(_ options: [String], root: String, environment: [String: String] = [:]) throws {
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
    // Messages, such as that an issuer does not answer, may come before the line with the address.
    var text = ""
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
  }

  deinit { kill() }

  var identifier: pid_t { process.processIdentifier }

  /// Ends the process as a crash does.
  func kill() {
    if process.isRunning { Glibc.kill(process.processIdentifier, SIGKILL) }
    process.waitUntilExit()
  }

  /// Asks the process to end, and returns its exit code.
  func terminate() -> Int32 {
    process.terminate()
    process.waitUntilExit()
    return process.terminationStatus
  }

  func send(
    _ method: String, _ target: String, token: String? = nil, _ fields: [(String, String)] = [],
    body: [UInt8] = []
  ) throws -> Reply? {
    var text = "\(method) \(target) HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n"
    if let token { text += "Authorization: Bearer \(token)\r\n" }
    for (name, value) in fields { text += "\(name): \(value)\r\n" }
    if method != "GET" { text += "Content-Length: \(body.count)\r\n" }
    let client = try Client(port: port)
    client.write(Array("\(text)\r\n".utf8) + body)
    return Reply.all(in: client.readAll(seconds: 30)).first
  }
}
