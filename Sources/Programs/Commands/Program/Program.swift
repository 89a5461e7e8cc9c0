import Glibc
import Measurement

/// The commands of a program.
package struct CommandTable: Sendable {
  /// In the order of the help.
  package var commands: [CommandDefinition]
  /// The verbs of `store`; none in the program that has no service.
  package var verbs: [CommandDefinition] = []

  /// Those of ink in files.
  package static let ink = CommandTable(commands: [
    infoCommand, renderCommand, replayCommand, convertCommand, verifyCommand, recordCommand,
    webCommand, benchCommand, thumbnailCommand, playCommand, repairCommand, catCommand,
    indexCommand, workerCommand, doctorCommand, installCommand, completionsCommand, manualCommand,
  ])

  /// Those of ink, and those of a service behind them.
  package func adding(_ service: [CommandDefinition], verbs: [CommandDefinition]) -> Self {
    CommandTable(commands: commands + service, verbs: verbs)
  }

  /// Whether this is the program of the service, whose libraries for HTTP, TLS and databases the other one does not have.
  var hasService: Bool { !verbs.isEmpty }

  /// The first words that lead to the program of the service.
  package static let serviceWords = [
    ("store", "Store drawings, check-ins and other documents in a folder."),
    ("serve", "Serve drawings, check-ins and replays over HTTP."),
    ("sync", "Synchronize drawings and check-ins with a server or another folder."),
    ("token", "Make a token with which a user signs in to 'pkd serve'."),
    ("migrate", "Copy a service to other stores: a folder, or a database and a bucket."),
    ("import-bucket", "Draw the pictures of recordings that an app has stored in a bucket."),
  ]
}

/// Runs the command that the words of this process say, and ends the process.
package func runCommand(of table: CommandTable = .ink) -> Never {
  openStandardStreams()
  let words = SystemString.commandLine
  // `pkd bench` starts commands through a small process to measure their memory, and calls in fresh processes.
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
        try command(words.dropFirst()).command?.helpText ?? storeHelp)
    default: break
    }
    let (command, rest) = try command(words)
    guard let command else { return try console.printAlways(storeHelp) }
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

  /// Whether the words are for the program of the service. It also has the completions and the page of all commands.
  private var isOfService: Bool {
    let first = words.first?.description ?? ""
    let service = CommandTable.serviceWords.map(\.0)
    if first == "help" { return service.contains(words.dropFirst().first?.description ?? "") }
    if [completionsCommand.name, manualCommand.name, installCommand.name].contains(first) {
      return SecondProgram.path(of: SystemString(bytes: Array(SecondProgram.service.utf8))) != nil
    }
    return service.contains(first)
  }

  /// The command at the start of the words, and the remaining words; nil for `store` without a verb.
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
        ? names + CommandTable.serviceWords.map(\.0) + ["--help", "--version"] : names)
    throw UsageError(
      message: "unknown command '\(prefix)\(name)'"
        + (near.map { "; did you mean '\(prefix)\($0)'?" } ?? ""),
      command: prefix.isEmpty ? nil : "store")
  }

  private var storeHelp: String {
    """
    Store drawings, check-ins and other documents in a folder.

    Usage: pkd store VERB … [--root DIR] [options]

    Examples:
      pkd store submit page.drawing --uid ann
          Store a drawing with image and thumbnail; prints its id.
      pkd store gallery --uid ann --time-zone Asia/Taipei --lang zh-TW
          The drawings of the last 90 days, one section per day.
      pkd store adopt downloads/bucket
          Import users/UID/drawings/ID/recording.pkd below a folder.
      pkd store verify --repair
          Verify every byte, and repair what can be repaired.

    Verbs:
    \(table.verbs.map { verb in
      listed(verb.name.dropFirst("store ".count).description.padded(to: 9), verb.summary)
    }.joined(separator: "\n"))

    'pkd store VERB --help' has details. The folder is ./pentimento-data unless
    --root names another one: then give --root with every command. --uid names the
    user whose data is meant. --as UID acts as that user, through the access rules;
    without it you are the operator, who may do everything.
    """
  }

  /// The commands that a newcomer looks for.
  private static let firstCommands = [
    "info", "render", "replay", "convert", "verify", "record", "web", "bench",
  ]

  private var helpText: String {
    let ink = CommandTable.ink.commands
    func list(_ commands: [(name: String, summary: String)]) -> String {
      let width = 13
      return commands.map { listed($0.name.padded(to: width), $0.summary) }
        .joined(separator: "\n")
    }
    let isFirst = { (command: CommandDefinition) in Self.firstCommands.contains(command.name) }
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
      \(list(ink.filter(isFirst).map { ($0.name, $0.summary) }))

      More commands:
      \(list(ink.filter { !isFirst($0) }.map { ($0.name, $0.summary) }))

      The drawing service, by the program pkd-service:
      \(list(CommandTable.serviceWords.map { ($0.0, $0.1) }))

      'pkd COMMAND --help' has details, 'pkd help colors' lists colours by name.
      Everywhere '-' stands for standard input or output.
      Exit codes: 0 success, 1 failed, 2 wrong usage, 65 bad input data,
      77 not allowed, 130 interrupted.
      """
  }
}
