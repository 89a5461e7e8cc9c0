import Glibc
import Measurement

/// The commands of a program.
package struct CommandTable: Sendable {
  /// In the order of the help.
  package var commands: [CommandDefinition]
  /// The verbs of `store`, and its overview text; empty in the program without the service.
  package var verbs: [CommandDefinition] = []
  package var storeHelp = ""

  package init(
    commands: [CommandDefinition], verbs: [CommandDefinition] = [], storeHelp: String = ""
  ) {
    (self.commands, self.verbs, self.storeHelp) = (commands, verbs, storeHelp)
  }

  /// The commands for ink in files.
  package static let ink = CommandTable(commands: [
    infoCommand, renderCommand, replayCommand, convertCommand, verifyCommand, recordCommand,
    webCommand, benchCommand, thumbnailCommand, playCommand, repairCommand, catCommand,
    indexCommand, workerCommand, doctorCommand, installCommand, completionsCommand, manualCommand,
  ])

  /// Whether this is the program of the service, which contains the libraries for HTTP, TLS and
  /// databases.
  var hasService: Bool { !verbs.isEmpty }
}

/// The first words that select the program of the service.
package enum ServiceWord: String, CaseIterable {
  case store, serve, sync, token, user, migrate
  case importBucket = "import-bucket"

  package var summary: String {
    switch self {
    case .store: "Store drawings, check-ins and other documents in a folder."
    case .serve: "Serve drawings, check-ins and replays over HTTP."
    case .sync: "Synchronize drawings and check-ins with a server or another folder."
    case .token: "Make a token with which a user signs in to 'pkd serve'."
    case .user: "Invite users of 'pkd serve', list them, and end their sessions."
    case .migrate: "Copy a service to other stores: a folder, or a database and a bucket."
    case .importBucket: "Draw the pictures of recordings that an app has stored in a bucket."
    }
  }

  static let all = allCases.map { (name: $0.rawValue, summary: $0.summary) }
}

/// Runs the command in this process's arguments, and ends the process.
package func runCommand(of table: CommandTable = .ink) -> Never {
  openStandardStreams()
  let words = SystemString.commandLine
  // `pkd bench` starts commands through a small process to measure their memory, and makes its
  // calls in new processes.
  if words.first?.description == PeakMemory.word {
    exit(PeakMemory.report(of: words.dropFirst().map(\.bytes)))
  }
  if words.first?.description == CallProcess.word {
    exit(CallProcess.report(of: Array(words.dropFirst())))
  }
  exit(ProgramRun(words: words, table: table).carryOut().rawValue)
}

/// One run of the program.
struct ProgramRun {
  let words: [SystemString]
  let table: CommandTable

  func carryOut() -> ExitCode {
    // A closed pipe fails the write instead of ending the program.
    signal(SIGPIPE, SIG_IGN)
    // The file size limit fails the write, too.
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
    if !table.hasService, isOfService { throw SecondProgram.become(SecondProgram.service, words) }
    guard let name = words.first?.description else {
      try console.printAlways(helpText)
      return
    }
    switch name {
    case "--version": return try console.printAlways(Version.text)
    case "--help", "-h": return try console.printAlways(helpText)
    case "help":
      guard let topic = words.dropFirst().first?.description else {
        return try console.printAlways(helpText)
      }
      if topic == "colors" { return try console.printAlways(colorHelp) }
      return try console.printAlways(
        try command(words.dropFirst()).command?.helpText ?? table.storeHelp)
    default: break
    }
    let (command, rest) = try command(words)
    guard let command else { return try console.printAlways(table.storeHelp) }
    var arguments = try command.parse(rest)
    if arguments.has(Option.version.name) { return try console.printAlways(Version.text) }
    if arguments.has(Option.help.name) { return try console.printAlways(command.helpText) }
    console.isQuiet = arguments.has(Option.quiet.name)
    console.isVerbose = arguments.has(Option.verbose.name)
    if !table.hasService, try command.needsService(arguments) {
      throw SecondProgram.become(SecondProgram.service, words)
    }
    arguments.table = table
    try command.run(arguments, &console)
  }

  /// Whether the words select the program of the service. It also prints the completions and the
  /// manual page of all commands.
  private var isOfService: Bool {
    let first = words.first?.description ?? ""
    func isServiceWord(_ word: String) -> Bool { ServiceWord(rawValue: word) != nil }
    if first == "help" { return isServiceWord(words.dropFirst().first?.description ?? "") }
    if [completionsCommand.name, manualCommand.name, installCommand.name].contains(first) {
      return SecondProgram.path(of: SystemString(bytes: Array(SecondProgram.service.utf8))) != nil
    }
    return isServiceWord(first)
  }

  /// The command at the start of the words, and the remaining words; nil for `store` without a
  /// verb.
  private func command(
    _ words: some Collection<SystemString>
  ) throws -> (command: CommandDefinition?, rest: [SystemString]) {
    let (name, rest) = (words.first?.description ?? "", Array(words.dropFirst()))
    guard name == "store" else {
      return (try Self.find(name, among: table.commands, prefix: ""), rest)
    }
    guard let verb = rest.first?.description, !["--help", "-h"].contains(verb) else {
      return (nil, [])
    }
    return (try Self.find(verb, among: table.verbs, prefix: "store "), Array(rest.dropFirst()))
  }

  private static func find(
    _ name: String, among commands: [CommandDefinition], prefix: String
  ) throws -> CommandDefinition {
    if let command = commands.first(where: { $0.name == prefix + name }) { return command }
    let names = commands.map { String($0.name.dropFirst(prefix.count)) }
    let near = nearest(
      to: name,
      among: prefix.isEmpty
        ? names + ServiceWord.all.map(\.name) + ["--help", "--version"] : names)
    throw UsageError(
      message: "unknown command '\(prefix)\(name)'"
        + (near.map { "; did you mean '\(prefix)\($0)'?" } ?? ""),
      command: prefix.isEmpty ? nil : "store")
  }

  /// The most useful commands for a new user.
  private static let firstCommands = [
    "info", "render", "replay", "convert", "verify", "record", "web", "bench",
  ]

  private var helpText: String {
    func list(_ commands: [(name: String, summary: String)]) -> String {
      commands.map { listed($0.name.padded(to: 13), $0.summary) }.joined(separator: "\n")
    }
    func commands(areFirst: Bool) -> [(name: String, summary: String)] {
      CommandTable.ink.commands.filter { Self.firstCommands.contains($0.name) == areFirst }
        .map { ($0.name, $0.summary) }
    }
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
      \(list(commands(areFirst: true)))

      More commands:
      \(list(commands(areFirst: false)))

      The drawing service, by the program pkd-service:
      \(list(ServiceWord.all))

      'pkd COMMAND --help' has details, 'pkd help colors' lists colours by name.
      Everywhere '-' stands for standard input or output.
      Exit codes: 0 success, 1 failed, 2 wrong usage, 65 bad input data,
      77 not allowed, 130 interrupted.
      """
  }
}
