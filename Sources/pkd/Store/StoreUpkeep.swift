import DrawingServices
import Glibc
import Interchange
import Storage

let storeInit = CommandDefinition.storeVerb(
  "init", "Make a service's folder.", examples: [("pkd store init", "In ./pentimento-data.")]
) { session, console in
  let wasThere = LocalHouse.exists(session.root)
  _ = try session.environment(makes: true)
  if session.printsJSON {
    return try console.print { json in
      json.object { json in
        json.field("root", session.root)
        json.key("made")
        json.value(!wasThere)
      }
    }
  }
  console.note("\(session.root.printable): \(wasThere ? "there is a service already" : "made")")
}

let storeSeed = CommandDefinition.storeVerb(
  "seed", "Fill the catalogue of growth methods and things to read.", operands: "[FILE]",
  count: 0...1,
  examples: [
    ("pkd store seed", "With what the program brings along; sowing twice changes nothing."),
    ("pkd store seed ours.json", "With entries of your own."),
  ]
) { session, console in
  let service = CatalogueService(try session.environment(makes: true), as: session.caller)
  let json = try session.arguments.operands.first.map { try readFile($0) }
  let count = try json.map { try service.seed($0) } ?? service.seed()
  if session.printsJSON {
    return try console.print { json in json.object { $0.field("written", count) } }
  }
  console.note("\(count) documents written")
}

let storeAdopt = CommandDefinition.storeVerb(
  "adopt", "Take over users/UID/drawings/ID/recording.pkd below a folder.", operands: "DIR",
  count: 1...1,
  examples: [
    ("pkd store adopt bucket", "Renders what is missing; broken off, it goes on the next time.")
  ]
) { session, console in
  try session.requireOperator(to: "adopt")
  let tree = try DrawingTree(session.arguments.operands[0])
  let adoption = Adoption(try session.environment(makes: true))
  Interruption.watch()
  var (adopted, known, failed) = (0, 0, 0)
  for (index, found) in tree.drawings.enumerated() {
    if Interruption.hasCome {
      console.raise(.interrupted)
      break
    }
    console.showProgress(index, of: tree.drawings.count, found.id)
    do {
      let image = try? readFile(tree.path(found, DrawingFiles.image))
      switch try adoption.adopt(
        found, recording: try readFile(tree.path(found, DrawingFiles.recording)), image: image)
      {
      case .adopted: adopted += 1
      case .alreadyThere: known += 1
      }
    } catch {
      // No room for one is no room for the others.
      if case .full? = (error as? StorageError)?.problem { throw error }
      failed += 1
      console.fail(
        "\(found.uid)/\(found.id): \(error)".printable, storeExitCode(of: error) ?? .failed)
    }
  }
  console.endProgress()
  for name in tree.skipped { console.warn("passed over \(name.printable): no name for a drawing") }
  if session.printsJSON {
    return try console.print { json in
      json.object { json in
        json.field("adopted", adopted)
        json.field("alreadyThere", known)
        json.field("failed", failed)
        json.field("passedOver", tree.skipped.count)
      }
    }
  }
  try console.print("\(adopted) adopted, \(known) were there already, \(failed) failed")
}

/// The drawings below a folder.
private struct DrawingTree {
  private let root: SystemString
  private(set) var drawings: [Adoption.Found] = []
  private(set) var skipped: [String] = []

  init(_ folder: SystemString) throws {
    root = folder
    let users = Self.names(folder + "/users".utf8)
    guard let users else {
      throw SystemError("\(folder)/users", code: ENOENT)
    }
    for uid in users {
      let user = folder + "/users/\(uid)/drawings".utf8
      for id in Self.names(user) ?? [] {
        guard access((user + "/\(id)/\(DrawingFiles.recording)".utf8).cString, F_OK) == 0 else {
          continue
        }
        if (try? StorageName.check(uid)) != nil, (try? StorageName.check(id)) != nil {
          drawings.append(Adoption.Found(uid: uid, id: id))
        } else {
          skipped.append("\(uid)/\(id)")
        }
      }
    }
  }

  func path(_ found: Adoption.Found, _ file: String) -> SystemString {
    root + "/users/\(found.uid)/drawings/\(found.id)/\(file)".utf8
  }

  /// What lies in a folder, sorted; nil where there is none. Names with a dot first are nobody's.
  private static func names(_ folder: SystemString) -> [String]? {
    guard let names = folderNames(folder) else { return nil }
    return names.filter { $0.first != "." }.sorted()
  }
}

let storeSweep = CommandDefinition.storeVerb(
  "sweep", "Take away what crashes have left, and make thumbnails that are missing.",
  [
    Option(
      "older-than", value: "SECONDS", help: "Leave alone what is younger; 3600 unless given.")
  ],
  examples: [("pkd store sweep", "Safe while others write.")]
) { session, console in
  try session.requireOperator(to: "sweep")
  let age = try session.count("older-than").map { Int64($0) }
  let environment = try session.environment()
  var result = try Sweep(environment).run(olderThan: age)
  result.leftovers += try LocalHouse.removeLeftovers(
    session.root, before: environment.now() - (age ?? environment.settings.orphanAge))
  if session.printsJSON {
    try console.print { json in
      json.object { json in
        json.field("orphans", result.orphans)
        json.field("leftovers", result.leftovers)
        json.field("thumbnails", result.thumbnails)
        json.key("problems")
        json.list { json in for problem in result.problems { json.value(problem) } }
      }
    }
  } else {
    try console.print(
      "\(result.orphans) orphans and \(result.leftovers) leftovers taken away, "
        + "\(result.thumbnails) thumbnails made")
    for problem in result.problems { try console.printAlways("  \(problem.printable)") }
  }
  if !result.problems.isEmpty { console.raise(.badData) }
}

let storeVerify = CommandDefinition.storeVerb(
  "verify", "Check every document and every file, byte for byte.",
  [Option("repair", help: "Render damaged and missing pictures again.")],
  examples: [
    ("pkd store verify", "Exit code 65 where something is wrong."),
    ("pkd store verify --repair", "Mend what can be mended."),
  ]
) { session, console in
  try session.requireOperator(to: "verify")
  let result = try Verification(try session.environment()).run(
    repairs: session.arguments.has("repair"))
  if session.printsJSON {
    try console.print { json in
      json.object { json in
        json.key("ok")
        json.value(result.isSound)
        json.field("drawings", result.drawings)
        json.field("bytes", result.bytes)
        json.key("findings")
        json.list { json in
          for finding in result.findings {
            json.object { json in
              json.field("path", finding.path)
              json.field("problem", finding.problem)
              json.key("repaired")
              json.value(finding.isRepaired)
            }
          }
        }
      }
    }
  } else {
    for finding in result.findings {
      let text = "\(finding.path.printable): \(finding.problem.printable)"
      if finding.isRepaired {
        try console.print(text + " (repaired)")
      } else {
        try console.printAlways(text)
      }
    }
    try console.print(
      "\(result.drawings.counting("drawing")), \(result.bytes.counting("byte")): "
        + (result.findings.isEmpty ? "ok" : result.findings.count.counting("finding")))
  }
  if !result.isSound { console.raise(.badData) }
}

let storeExport = CommandDefinition.storeVerb(
  "export", "Write the documents of a user, or of everybody, as JSON or as a table.",
  [
    Option("csv", help: "A table (CSV) instead of JSON."),
    Option("collection", value: "NAME", help: "Only this kind: drawings, mood_checkins …"),
    Option("output", letter: "o", value: "FILE", help: "Where it goes; - for standard output."),
  ],
  examples: [
    ("pkd store export --uid ann -o ann.json", "All that is known of ann."),
    ("pkd store export --csv --collection mood_checkins -o moods.csv", "Everybody's check-ins."),
  ]
) { session, console in
  let service = UserService(try session.environment(), as: session.caller)
  let hasUser = session.arguments.has("uid") || session.arguments.has("as")
  var documents: [Document] = []
  for uid in hasUser ? [try session.uid()] : try service.users() {
    documents += try service.documents(of: uid)
  }
  if let name = session.arguments.options["collection"] {
    documents = documents.filter { $0.path.collection.name == name }
  }
  let bytes =
    session.arguments.has("csv") ? Export.csv(documents) : Export.json(documents)
  try writeFile(bytes, to: session.arguments.words["output"] ?? .standardStream)
}

let storeDeliver = CommandDefinition.storeVerb(
  "deliver", "Make weekly summaries that are due, and tell events to others.",
  [
    Option("command", value: "CMD", help: "Run this for each event, which it reads as JSON."),
    Option("webhook", value: "URL", help: "Post each event to this address, through curl."),
  ],
  examples: [
    ("pkd store deliver --webhook https://example.org/events", "From a timer, each minute."),
    ("pkd store deliver --command 'cat >> events.json'", "Events that fail are tried again."),
  ]
) { session, console in
  try session.requireOperator(to: "deliver")
  let options = session.arguments.options
  guard (options["command"] == nil) != (options["webhook"] == nil) else {
    throw session.error("give --command CMD or --webhook URL")
  }
  let command = options["command"] ?? post(to: options["webhook"] ?? "")
  let environment = try session.environment()
  // A listener that hangs would have more and more of these wait for it.
  guard let turn = try LocalHouse.Turn(session.root, "deliver") else {
    return console.note("another 'pkd store deliver' is at work")
  }
  defer { withExtendedLifetime(turn) {} }
  let summaries = try WeeklySummaries(environment).makeDue { uid, error in
    console.fail("the week of \(uid): \(error)".printable, storeExitCode(of: error) ?? .failed)
  }
  let result = try Outbox(environment).deliver { event in
    isHeard(event.json + [10], by: command)
  }
  if session.printsJSON {
    try console.print { json in
      json.object { json in
        json.field("summaries", summaries)
        json.field("delivered", result.delivered)
        json.field("failed", result.failed)
      }
    }
  } else {
    try console.print(
      "\(summaries) summaries made, \(result.delivered) events delivered, \(result.failed) failed")
  }
  if result.failed > 0 {
    console.fail("\(result.failed.counting("event")) could not be delivered", .failed)
  }
}

/// A command of the shell's that posts what it reads, and ends well where the answer is 2xx.
private func post(to address: String) -> String {
  let curl =
    "curl -sS -m 20 -o /dev/null -w '%{http_code}' -H 'Content-Type: application/json' "
    + "--data-binary @- -- \(quoted(address))"
  return "case \"$(\(curl))\" in 2??) ;; *) exit 1 ;; esac"
}

/// A word that a shell takes as it is.
private func quoted(_ word: String) -> String {
  "'" + word.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''")
    + "'"
}

/// Whether a command of the shell's took bytes and ended well.
private func isHeard(_ bytes: [UInt8], by command: String) -> Bool {
  guard let pipe = popen(command, "w") else { return false }
  let isWritten = fwrite(bytes, 1, bytes.count, pipe) == bytes.count && fflush(pipe) == 0
  return pclose(pipe) == 0 && isWritten
}

let storeStats = CommandDefinition.storeVerb(
  "stats", "Count what is kept.", examples: [("pkd store stats --json", "For programs.")]
) { session, console in
  try session.requireOperator(to: "count")
  let environment = try session.environment()
  let stats = try Statistics(environment)
  let rows = [
    ("users", stats.users), ("drawings", stats.drawings), ("checkIns", stats.checkIns),
    ("moodEntries", stats.moodEntries), ("fileBytes", stats.fileBytes),
    ("waitingEvents", stats.waitingEvents),
  ]
  if session.printsJSON {
    return try console.print { json in
      json.object { json in for (name, value) in rows { json.field(name, value) } }
    }
  }
  for (name, value) in rows { try console.print("\(name.padded(to: 14)) \(value)") }
}

let storeBackup = CommandDefinition.storeVerb(
  "backup", "Write everything as one archive.",
  [
    Option("output", letter: "o", value: "FILE", help: "The archive; - for standard output."),
    .force("Replace an archive that is there already."),
  ],
  examples: [("pkd store backup -o monday.tar", "Others may write meanwhile.")]
) { session, console in
  try session.requireOperator(to: "back up")
  guard let output = session.arguments.words["output"] else {
    throw session.error("give -o FILE.tar")
  }
  guard LocalHouse.exists(session.root) else { throw session.error("there is no service there") }
  let mayReplace = session.arguments.has("force")
  guard try mayReplace || !OutputPlace(output).isFileThere else {
    throw SystemError(alreadyThere: output)
  }
  guard !output.isTerminal else {
    throw session.error("a terminal shows no archives; give -o FILE.tar, or pipe it on")
  }
  Interruption.endProgram()
  var written: Backup.Result?
  var failure: (any Error)?
  do {
    try writeFile(to: output, mayReplace: mayReplace) { file throws(SystemError) in
      do {
        written = try Backup.write(session.root) { try file.write($0) }
      } catch {
        failure = error
        // So that nothing is put where the archive should be.
        throw error as? SystemError ?? SystemError("the archive", code: EIO)
      }
    }
  } catch {
    throw failure ?? error
  }
  guard let result = written else { return }
  for problem in result.problems { console.fail(problem.printable, .badData) }
  if session.printsJSON {
    return try console.print { json in
      json.object { json in
        json.field("drawings", result.drawings)
        json.field("bytes", result.bytes)
      }
    }
  }
  console.note("\(result.drawings.counting("drawing")), \(result.bytes.counting("byte"))")
}

let storeRestore = CommandDefinition.storeVerb(
  "restore", "Make a folder of an archive.", operands: "FILE", count: 1...1,
  examples: [("pkd store restore monday.tar --root restored", "There must be no service there.")]
) { session, console in
  try session.requireOperator(to: "restore")
  let result = try withReader(session.arguments.operands[0]) { source in
    try Backup.restore(session.root, from: source)
  }
  if session.printsJSON {
    return try console.print { json in
      json.object { json in
        json.field("drawings", result.drawings)
        json.field("bytes", result.bytes)
      }
    }
  }
  console.note("\(result.drawings.counting("drawing")), \(result.bytes.counting("byte"))")
}
