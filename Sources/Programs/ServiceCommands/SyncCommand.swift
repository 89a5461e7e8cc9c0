import Commands
import DrawingServices
import Glibc
import JSON
import Journal
import Storage
import Sync
import WebClient

/// `pkd sync`: synchronizes the service in a folder with a server or another folder.
let syncCommand = CommandDefinition(
  name: ServiceWord.sync.rawValue,
  summary: ServiceWord.sync.summary,
  operands: "",
  operandCount: 0...0,
  options: [
    .root,
    Option("remote", value: "URL|DIR", help: "The other place: a server, or a service's folder."),
    Option("uid", value: "U", help: "The user; whom the token stands for unless given."),
    Option("token", value: "T", help: "The token to sign in with; better in PENTIMENTO_TOKEN."),
    Option(
      "token-file", value: "FILE", help: "A file with the token; read again when it has ended."),
    Option(
      "certificates", value: "FILE", help: "Trust these authorities (PEM) instead of the system's."),
    Option("watch", help: "Go on: send and take every change as it is made."),
    Option("events", help: "Print a line of JSON for each change."),
    Option("status", help: "Show what waits, and send nothing."),
    Option(
      "conflicts", choices: ["last-write", "keep-both", "ask"],
      help: "If an entry was changed in two places; last-write unless given."),
    Option("decide", value: "NAME", help: "Decide about an entry that waits, with --keep."),
    Option("keep", choices: ["local", "remote", "both"], help: "Which version of it to keep."),
    Option(
      "page-size", value: "N", form: .whole(1...500),
      help: "Changes in the first page; 50 unless given."),
    Option(
      "interval", value: "SECONDS", form: .number(1...1e7),
      help: "How often --watch asks anyway; 14400 unless given."),
    Option("metered", help: "The connection is expensive: drawings wait."),
    Option("retry", help: "Try again what was refused."),
    Option("pause", help: "Send and take nothing until --resume."),
    Option("resume", help: "End a pause."),
    Option("delete-everywhere", help: "Delete all entries here, there and on all devices."),
    Option("yes", help: "Delete without asking."), .json,
  ],
  examples: [
    ("pkd sync --root ink --remote https://ink.example --token-file token", "Send and take once."),
    ("pkd sync --root ink --remote https://ink.example --token-file token --watch", "And go on."),
    ("pkd sync --root ink --remote /media/stick/ink --uid ann", "With a USB stick."),
    ("pkd sync --root ink --remote https://ink.example --uid ann --status", "What waits?"),
  ]
) { arguments, console in
  let task = try SyncTask(arguments)
  do {
    if arguments.has("status") { return try showStatus(task, arguments, console) }
    if let name = arguments.options["decide"] { return try decide(name, task, arguments) }
    if arguments.has("pause") || arguments.has("resume") {
      return try client(task).setPaused(arguments.has("pause"))
    }
    if arguments.has("delete-everywhere") {
      try confirmDeletion(task, arguments, console)
    }
    if task.isServer {
      try synchronizeServer(task, &console)
    } else {
      try synchronizeFolder(task, &console)
    }
  } catch let problem as SyncProblem {
    // A server's message may contain anything.
    let text = String(problem.description.filter { !$0.isNewline }.prefix(500))
    console.fail(text, problem.kind == .signIn ? .notAllowed : .failed)
  } catch {
    guard let code = storeExitCode(of: error) else { throw error }
    console.fail("\(error)", code)
  }
}

extension SyncTask {
  fileprivate init(_ arguments: Arguments) throws {
    self.init(.journal)
    func error(_ text: String) -> UsageError { syncCommand.error(text) }
    root = arguments.options["root"] ?? root
    guard let remote = arguments.options["remote"], !remote.isEmpty else {
      throw error("sync needs --remote with a server's address or a folder")
    }
    self.remote = remote
    if remote.hasPrefix("http:") || remote.hasPrefix("https:") {
      guard remote.contains("://"), !remote.hasSuffix("://") else {
        throw error("--remote must be like https://ink.example, or a folder")
      }
    }
    while self.remote.hasSuffix("/"), self.remote.utf8.count > 1 { self.remote.removeLast() }
    token = arguments.options["token"] ?? Console.variable("PENTIMENTO_TOKEN")
    tokenFile = arguments.options["token-file"] ?? ""
    certificates = arguments.options["certificates"] ?? ""
    let named = arguments.options["uid"]
    if named == nil, !tokenFile.isEmpty { token = try Self.token(inFile: tokenFile) }
    guard let given = named ?? Self.subject(ofToken: token) else {
      throw error("sync needs --uid, or a token that names the user")
    }
    uid = UserName.meant(by: given)
    do throws(StorageError) { try StorageName.check(uid) } catch let problem {
      throw error("\(problem)")
    }
    // The file is read when the token is used.
    if !tokenFile.isEmpty { token = "" }
    if let rule = arguments.options["conflicts"].flatMap(SyncSettings.ConflictRule.init) {
      settings.conflicts = rule
    }
    settings.pageSize = arguments.whole("page-size") ?? settings.pageSize
    settings.interval = arguments.number("interval") ?? settings.interval
    settings.isMetered = arguments.has("metered")
    deletesEverything = arguments.has("delete-everywhere")
    watches = arguments.has("watch")
    retries = arguments.has("retry")
    printsJSON = arguments.has(Option.json.name)
    tellsEvents = arguments.has("events")
    isQuiet = arguments.has(Option.quiet.name)
    guard !arguments.has("pause") || !arguments.has("resume") else {
      throw error("--pause and --resume exclude each other")
    }
    guard (arguments.options["decide"] == nil) == (arguments.options["keep"] == nil) else {
      throw error("--decide and --keep belong together")
    }
  }
}

/// A peer that is never contacted.
private final class NoPeer: SyncPeer {
  func exchange(_ request: SyncRequest) throws(SyncProblem) -> SyncResponse {
    throw SyncProblem(.offline, "nothing is sent")
  }

  func upload(_ bytes: [UInt8], of sha256: String, at offset: Int) throws(SyncProblem) -> Int { 0 }
}

/// The device's side of a sync, for showing or changing its state.
private func client(_ task: SyncTask) throws -> SyncClient {
  guard LocalService.exists(task.root) else { throw ServiceError.noService(root: task.root) }
  return try SyncClient(
    LocalService.open(task.application, task.root, for: .writing), of: task.uid, with: NoPeer(),
    at: task.address,
    task.settings
  ) { _, ours, _ in ours }
}

private func showStatus(
  _ task: SyncTask, _ arguments: Arguments, _ console: Console
) throws {
  let status = try client(task).status()
  if task.printsJSON {
    try console.print { status.write(to: &$0) }
    return
  }
  let zone = try ZoneRules(named: "UTC")
  try console.print(status.line { zone.clock($0) }.printable)
  for change in status.held {
    let decision =
      change.code == HeldChange.conflict
      ? "; decide with --decide \(change.name) --keep local|remote|both" : ""
    try console.print("  \(change.name): \(change.text)\(decision)".printable)
  }
}

private func decide(_ text: String, _ task: SyncTask, _ arguments: Arguments) throws {
  guard let name = SyncName(text, in: task.application) else {
    throw syncCommand.error("--decide needs a name such as moodEntries/ID; --status lists them")
  }
  guard let choice = arguments.options["keep"].flatMap(SyncClient.ConflictChoice.init) else {
    throw syncCommand.error("--keep must be local, remote or both")
  }
  try client(task).decide(name, keeping: choice)
}

private func confirmDeletion(
  _ task: SyncTask, _ arguments: Arguments, _ console: Console
) throws {
  guard !arguments.has("yes") else { return }
  let what = "all entries of \(task.uid), here, at \(task.remote) and on all devices,"
  guard isatty(STDIN_FILENO) == 1 else {
    throw syncCommand.error("\(what) would be deleted permanently; give --yes")
  }
  console.warn("\(what) will be deleted permanently. Type yes to continue:")
  guard readLine() == "yes" else {
    throw SystemError("nothing was deleted", code: ECANCELED, exitCode: .failed)
  }
}

private func synchronizeServer(_ task: SyncTask, _ console: inout Console) throws {
  var options = WebConnection.Options(silenceSeconds: 120)
  options.certificates = task.certificates.isEmpty ? nil : task.certificates
  if !task.tokenFile.isEmpty { _ = try SyncTask.token(inFile: task.tokenFile) }
  let peer = try ServerPeer(
    task.application, task.remote, of: task.uid, options
  ) { task.currentToken }
  try synchronize(task, with: peer, &console) { [options] tell in
    let stream = try ServerPeer(
      task.application, task.remote, of: task.uid, options
    ) { task.currentToken }
    try stream.listen { hasChanged in
      tell(hasChanged)
      return true
    }
  }
}

private func synchronizeFolder(_ task: SyncTask, _ console: inout Console) throws {
  // A missing folder may be on a USB stick that is not mounted.
  guard LocalService.exists(task.remote) else { throw ServiceError.noService(root: task.remote) }
  guard LocalService.identity(of: task.root) != LocalService.identity(of: task.remote) else {
    throw syncCommand.error("--root and --remote are the same folder")
  }
  let other = try LocalService.open(task.application, task.remote, for: .writing)
  let peer = FolderPeer(other, as: .operator, of: task.uid)
  try synchronize(task, with: peer, &console, listeningBy: nil)
}

private func synchronize(
  _ task: SyncTask, with peer: any SyncPeer, _ console: inout Console,
  listeningBy listen: SyncRun.Listen?
) throws {
  let output = console
  let run = try SyncRun(task, with: peer) { line, isResult in
    if isResult { try? output.printAlways(line) } else { output.note(line) }
  }
  if task.watches { try run.watch(listeningBy: listen) }
  if try run.carryOutOnce() != 0 {
    console.fail("some entries cannot be sent; --status lists them", .badData)
  }
}
