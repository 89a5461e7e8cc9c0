import Glibc
import Measurement

/// All commands, in the order of the help.
let commands = [
  infoCommand, convertCommand, renderCommand, thumbnailCommand, replayCommand, playCommand,
  verifyCommand, repairCommand, catCommand, recordCommand, indexCommand, webCommand, serveCommand,
  migrateCommand,
  importBucketCommand, tokenCommand, syncCommand, workerCommand, benchCommand, doctorCommand,
  installCommand, completionsCommand, manualCommand,
]

/// Runs the command that the words of this process say, and ends the process.
package func runCommand(_ opener: ServiceOpener = .folders) -> Never {
  openStandardStreams()
  let words = SystemString.commandLine
  // `pkd bench` starts commands through a small process to measure their memory, and calls in fresh processes.
  if words.first?.description == PeakMemory.word {
    exit(PeakMemory.report(of: words.dropFirst().map(\.bytes)))
  }
  if words.first?.description == CallProcess.word {
    exit(CallProcess.report(of: Array(words.dropFirst())))
  }
  exit(ProgramRun(words: words, opener: opener).carryOut().rawValue)
}

/// One run of the program.
struct ProgramRun {
  let words: [SystemString]
  let opener: ServiceOpener

  func carryOut() -> ExitCode {
    // A closed pipe fails the write instead of ending the program.
    signal(SIGPIPE, SIG_IGN)
    // The same for the limit on file sizes.
    signal(SIGXFSZ, SIG_IGN)
    var console = Console()
    do {
      try run(&console)
    } catch let error as UsageError {
      let help = error.command.map { "pkd \($0) --help" } ?? "pkd --help"
      console.fail(error.message, .usage, advice: "Try '\(help)'.")
    } catch let error as SystemError where error.code == EPIPE {
      // The reader has closed the pipe.
    } catch {
      console.fail("\(error)", (error as? SystemError)?.exitCode ?? .failed)
    }
    console.listFailures()
    return console.exitCode
  }

  private func run(_ console: inout Console) throws {
    guard let name = words.first?.description else {
      try console.printAlways(Self.helpText)
      return
    }
    switch name {
    case "--version": return try console.printAlways(Version.text)
    case "--help", "-h": return try console.printAlways(Self.helpText)
    case "help":
      guard words.count > 1 else { return try console.printAlways(Self.helpText) }
      if words[1] == "colors" { return try console.printAlways(colorHelp) }
      return try console.printAlways(
        try Self.command(words.dropFirst()).command?.helpText ?? storeHelp)
    default: break
    }
    let (command, rest) = try Self.command(words)
    guard let command else { return try console.printAlways(storeHelp) }
    var arguments = try command.parse(rest)
    if arguments.has(Option.version.name) { return try console.printAlways(Version.text) }
    if arguments.has(Option.help.name) { return try console.printAlways(command.helpText) }
    console.isQuiet = arguments.has(Option.quiet.name)
    console.isVerbose = arguments.has(Option.verbose.name)
    if opener.opensFoldersOnly, try command.needsSharedStores(arguments) {
      throw SecondProgram.become("pkd-shared", words)
    }
    arguments.opener = opener
    try command.run(arguments, &console)
  }

  /// The command at the start of the words, and the remaining words; nil for `store` without a verb.
  private static func command(
    _ words: some Collection<SystemString>
  ) throws -> (command: CommandDefinition?, rest: [SystemString]) {
    let (name, rest) = (words.first?.description ?? "", Array(words.dropFirst()))
    guard name == "store" else { return (try find(name, among: commands, prefix: ""), rest) }
    guard let verb = rest.first?.description, !["--help", "-h"].contains(verb) else {
      return (nil, [])
    }
    return (try find(verb, among: storeVerbs, prefix: "store "), Array(rest.dropFirst()))
  }

  private static func find(
    _ name: String, among commands: [CommandDefinition], prefix: String
  ) throws -> CommandDefinition {
    if let command = commands.first(where: { $0.name == prefix + name }) { return command }
    let names = commands.map { String($0.name.dropFirst(prefix.count)) }
    let near = nearest(
      to: name, among: prefix.isEmpty ? names + ["store", "--help", "--version"] : names)
    throw UsageError(
      message: "unknown command '\(prefix)\(name)'"
        + (near.map { "; did you mean '\(prefix)\($0)'?" } ?? ""),
      command: prefix.isEmpty ? nil : "store")
  }

  private static var helpText: String {
    let width = commands.map(\.name.count).max() ?? 0
    return """
      pkd: drawn ink, from real PencilKit archives to pictures.

      Usage: pkd COMMAND …

      Examples:
        pkd info page.drawing
            Show what a file contains.
        pkd convert page.drawing page.pkd
            Write a PencilKit archive as a recording, and 'page.json' as JSON.
        pkd render page.drawing
            Draw it as page.png, and 'pkd thumbnail' as a small picture.
        pkd store submit page.drawing --uid ann
            Store it with a thumbnail in ./pentimento-data.
        pkd record --demo demo.pkd
            Write a demo recording; 'pkd cat demo.pkd' prints its events.

      Commands:
      \(commands.map { listed($0.name.padded(to: width), $0.summary) }.joined(separator: "\n"))
      \(listed("store".padded(to: width), "Store drawings, check-ins and other documents in a folder."))

      'pkd COMMAND --help' has details, 'pkd help colors' lists colours by name.
      Everywhere '-' stands for standard input or output.
      Exit codes: 0 success, 1 failed, 2 wrong usage, 65 bad input data,
      77 not allowed, 130 interrupted.
      """
  }
}
