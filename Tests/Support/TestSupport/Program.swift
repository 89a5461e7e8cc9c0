public import Foundation

/// Runs the real programs of the package, which the build has put beside the tests.
public enum Program {
  /// The results of a run.
  public struct Result: Sendable {
    /// The exit code.
    public let code: Int32
    /// The bytes of the standard output.
    public let output: Data
    /// The text of the standard error.
    public let errors: String

    /// The standard output as text.
    public var text: String { String(decoding: output, as: UTF8.self) }
  }

  /// The folder of the programs, which is that of the test bundle.
  private static let folder = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    .deletingLastPathComponent()

  /// Runs a program to its end.
  public static func run(
    _ name: String, _ arguments: [String], input: Data = Data(),
    environment: [String: String] = [:], in directory: URL? = nil
  ) throws -> Result {
    try run(binary(name), arguments, input: input, environment: environment, in: directory)
  }

  /// Runs a shell script, for names of any bytes, pipes and links. The package's programs are found
  /// by name, the words as `$1`….
  public static func shell(_ script: String, _ words: String..., in directory: URL) throws -> Result
  {
    try shell(script, words: words, in: directory)
  }

  /// Like `shell(_:_:in:)`, with the words in a list.
  public static func shell(_ script: String, words: [String], in directory: URL) throws -> Result {
    let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
    let programs = binary("pkd").deletingLastPathComponent().path
    return try run(
      URL(fileURLWithPath: "/bin/sh"), ["-ec", script, "sh"] + words, input: Data(),
      environment: ["PATH": "\(programs):\(path)"], in: directory)
  }

  private static func run(
    _ program: URL, _ arguments: [String], input: Data, environment: [String: String],
    in directory: URL?
  ) throws -> Result {
    let process = Process()
    process.executableURL = program
    process.arguments = arguments
    process.currentDirectoryURL = directory
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    let scratch = try TemporaryFolder()
    // Files instead of pipes, which could fill up while the other end waits.
    let (inFile, outFile, errorFile) = (
      scratch.file("in"), scratch.file("out"), scratch.file("err")
    )
    try input.write(to: inFile)
    for file in [outFile, errorFile] { try Data().write(to: file) }
    process.standardInput = try FileHandle(forReadingFrom: inFile)
    process.standardOutput = try FileHandle(forWritingTo: outFile)
    process.standardError = try FileHandle(forWritingTo: errorFile)
    try process.run()
    process.waitUntilExit()
    return Result(
      code: process.terminationStatus, output: try Data(contentsOf: outFile),
      errors: String(decoding: try Data(contentsOf: errorFile), as: UTF8.self))
  }

  /// Runs a program whose standard output and error are one terminal, and returns the output; lines
  /// end with a line feed alone.
  public static func onTerminal(
    _ name: String, _ arguments: [String], input: Data = Data(),
    environment: [String: String] = ["TERM": "xterm"], in directory: URL
  ) throws -> (code: Int32, screen: String) {
    var (master, end) = (Int32(), Int32())
    guard openpty(&master, &end, nil, nil, nil) == 0 else { throw CocoaError(.fileReadUnknown) }
    // Other programs that tests start at the same time would inherit it.
    for file in [master, end] { _ = fcntl(file, F_SETFD, FD_CLOEXEC) }
    let terminal = FileHandle(fileDescriptor: end, closeOnDealloc: true)
    let scratch = try TemporaryFolder()
    try input.write(to: scratch.file("in"))
    let process = Process()
    process.executableURL = binary(name)
    process.arguments = arguments
    process.currentDirectoryURL = directory
    process.environment = ProcessInfo.processInfo.environment.merging(["NO_COLOR": ""]) { $1 }
      .merging(environment) { $1 }
    process.standardInput = try FileHandle(forReadingFrom: scratch.file("in"))
    process.standardOutput = terminal
    process.standardError = terminal
    try process.run()
    try terminal.close()
    // A terminal buffers little, so it is read while the program runs; its end is reported as an
    // error.
    var screen = Data()
    var piece = [UInt8](repeating: 0, count: 4096)
    while true {
      let count = read(master, &piece, piece.count)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { break }
      screen.append(contentsOf: piece[..<count])
    }
    close(master)
    process.waitUntilExit()
    let text = String(decoding: screen, as: UTF8.self).replacingOccurrences(of: "\r\n", with: "\n")
    return (process.terminationStatus, text)
  }

  /// The path of a program.
  public static func binary(_ name: String) -> URL {
    let beside = folder.appendingPathComponent(name)
    if FileManager.default.isExecutableFile(atPath: beside.path) { return beside }
    // The runner of Swift Testing may be a tool of the toolchain. The tests' own folder is then on
    // its command line.
    let bundle = CommandLine.arguments.compactMap { argument in
      argument.hasSuffix(".xctest") ? URL(fileURLWithPath: argument) : nil
    }.first
    return (bundle?.deletingLastPathComponent() ?? folder).appendingPathComponent(name)
  }
}

/// A folder that is deleted with its last user.
public final class TemporaryFolder: Sendable {
  /// The path of the folder.
  public let url: URL

  /// Creates an empty folder; in memory if this is requested and the system supports it.
  public init(inMemory: Bool = false) throws {
    let memory = URL(fileURLWithPath: "/dev/shm")
    let parent =
      inMemory && FileManager.default.isWritableFile(atPath: memory.path)
      ? memory : FileManager.default.temporaryDirectory
    url = parent.appendingPathComponent("pentimento-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: url) }

  /// The path of a file in the folder.
  public func file(_ name: String) -> URL { url.appendingPathComponent(name) }
}
