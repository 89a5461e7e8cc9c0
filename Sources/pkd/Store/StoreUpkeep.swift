import JSON
import DrawingServices
import Glibc
import Interchange
import Storage

let storeInit = CommandDefinition.storeVerb(
  "init", "Make a service's folder.", examples: [("pkd store init", "In ./pentimento-data.")]
) { session, console in
  let wasThere = LocalHouse.exists(session.root)
  _ = try session.environment(for: .making)
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
  let json = try session.arguments.operands.first.map { try readFile($0, limit: 64 << 20) }
  let service = CatalogueService(try session.environment(for: .making), as: session.caller)
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
  let adoption = Adoption(try session.environment(for: .making))
  Interruption.watch()
  var (adopted, known, failed) = (0, 0, 0)
  for (index, found) in tree.drawings.enumerated() {
    if Interruption.hasCome {
      console.raise(.interrupted)
      break
    }
    console.showProgress(index, of: tree.drawings.count, found.id)
    do {
      let limit = DrawingFiles.sizeLimit - 1
      let image = try? readFile(tree.path(found, DrawingFiles.image), limit: limit)
      switch try adoption.adopt(
        found,
        recording: try readFile(tree.path(found, DrawingFiles.recording), limit: limit),
        image: image)
      {
      case .adopted: adopted += 1
      case .alreadyThere: known += 1
      }
    } catch {
      // No room for one is no room for the others.
      if case .full? = (error as? StorageError)?.problem { throw error }
      failed += 1
      console.fail(
        "\(found.uid)/\(found.id): \(error)".printable,
        storeExitCode(of: error) ?? (error as? SystemError)?.exitCode ?? .failed)
    }
  }
  console.endProgress()
  for skipped in tree.skipped {
    console.fail("passed over \(skipped.path.printable): \(skipped.reason)", .badData)
  }
  if session.printsJSON {
    return try console.print { json in
      json.object { json in
        json.field("adopted", adopted)
        json.field("alreadyThere", known)
        json.field("failed", failed)
        json.field("passedOver", tree.skipped.count)
        json.key("passedOverPaths")
        json.list { json in for skipped in tree.skipped { json.value(skipped.path) } }
      }
    }
  }
  try console.print("\(adopted) adopted, \(known) were there already, \(failed) failed")
}

/// The drawings below a folder.
private struct DrawingTree {
  private let root: SystemString
  private(set) var drawings: [Adoption.Found] = []
  /// Recordings at paths that no file of the service's can have, and why.
  private(set) var skipped: [(path: String, reason: String)] = []

  init(_ folder: SystemString) throws {
    root = folder
    guard let users = folderEntries(folder + "/users".utf8) else {
      throw SystemError("\(folder)/users", code: ENOENT)
    }
    for uid in users {
      let user = folder + "/users/".utf8 + uid.bytes + "/drawings/".utf8
      for id in folderEntries(user) ?? [] {
        let recording = user + id.bytes + "/\(DrawingFiles.recording)".utf8
        guard access(recording.cString, F_OK) == 0 else { continue }
        let path = "\(uid)/\(id)"
        do throws(StorageError) {
          for name in [uid, id] {
            guard let text = String(validating: name.bytes, as: UTF8.self) else {
              throw StorageError(.badPath("it is no UTF-8"), "\(name)")
            }
            try StorageName.check(text)
          }
          drawings.append(Adoption.Found(uid: "\(uid)", id: "\(id)"))
        } catch {
          skipped.append((path, "\(error)".printable))
        }
      }
    }
  }

  func path(_ found: Adoption.Found, _ file: String) -> SystemString {
    root + "/users/\(found.uid)/drawings/\(found.id)/\(file)".utf8
  }
}

let storeSettings = CommandDefinition.storeVerb(
  "settings", "Show what the service goes by, or change it.", operands: "[NAME [VALUE]]",
  count: 0...2,
  examples: [
    ("pkd store settings", "All of them."),
    (
      "pkd store settings base-url https://example.org/files/", "What links begin with from now on."
    ),
  ]
) { session, console in
  try session.requireOperator(to: "change settings")
  let words = session.arguments.operands.map(\.description)
  let wanted = words.first.map { name in Setting.all.filter { $0.name == name } } ?? Setting.all
  guard !wanted.isEmpty else {
    let near = words.first.flatMap { nearest(to: $0, among: Setting.all.map(\.name)) }
    throw session.error(
      "there is no setting '\(words[0].printable)'" + (near.map { "; did you mean '\($0)'?" } ?? "")
    )
  }
  var settings = try session.environment(for: words.count == 2 ? .writing : .reading).settings
  if words.count == 2 {
    settings = try LocalHouse.change(session.root) { settings in
      try wanted[0].put(wanted[0].value(fromText: words[1]), into: &settings)
    }
  }
  if session.printsJSON {
    return try console.print { json in
      json.object { json in
        for setting in wanted {
          json.key(setting.name)
          setting.value(in: settings).write(to: &json)
        }
      }
    }
  }
  for setting in wanted {
    var json = JSONWriter()
    setting.value(in: settings).write(to: &json)
    try console.print(
      "\(setting.name.padded(to: 14)) \(String(decoding: json.bytes, as: UTF8.self).padded(to: 24))"
        + " \(setting.summary)")
  }
}

extension Setting {
  /// A value as it is typed: a text as it is, numbers with commas between them as a list.
  fileprivate func value(fromText text: String) -> FieldValue {
    switch value(in: ServiceSettings()) {
    case .text: .text(text)
    case .list: (try? Fields(json: Array("{\"v\":[\(text)]}".utf8)))?["v"] ?? .null
    default: (try? Fields(json: Array("{\"v\":\(text)}".utf8)))?["v"] ?? .null
    }
  }
}

let storeSweep = CommandDefinition.storeVerb(
  "sweep", "Put away what crashes have left, and make thumbnails that are missing.",
  [
    Option(
      "older-than", value: "SECONDS", help: "Leave alone what is younger; an hour unless given."),
    Option("yes", help: "Go on where many files have no document."),
    Option("dry-run", help: "Only count what would be put away."),
  ],
  examples: [
    ("pkd store sweep", "Safe while others write. Orphans go to trash/DAY for 30 days."),
    ("pkd store sweep --dry-run", "See what would go."),
  ]
) { session, console in
  try session.requireOperator(to: "sweep")
  var options = Sweep.Options()
  options.minimumAge = try session.count("older-than").map { Int64(min($0, 1 << 40)) }
  options.takesMany = session.arguments.has("yes")
  options.isDry = session.arguments.has("dry-run")
  let environment = try session.environment(for: options.isDry ? .reading : .writing)
  var result = try Sweep(environment).run(options)
  if !options.isDry {
    let age = options.minimumAge ?? environment.settings.orphanAge
    result.leftovers += try LocalHouse.removeLeftovers(
      session.root, before: environment.now() - age)
  }
  if session.printsJSON {
    try console.print { json in
      json.object { json in
        json.field("orphans", result.orphans)
        json.field("deleted", result.deleted)
        json.field("leftovers", result.leftovers)
        json.field("emptied", result.emptied)
        json.field("thumbnails", result.thumbnails)
        json.key("problems")
        json.list { json in for problem in result.problems { json.value(problem) } }
      }
    }
  } else {
    let orphans = result.orphans.counting("orphan")
    try console.print(
      options.isDry
        ? "\(orphans) would go to the trash, the files of"
          + " \(result.deleted.counting("deleted drawing")) would be deleted"
        : "\(orphans) moved to the trash, the files of"
          + " \(result.deleted.counting("deleted drawing")) and"
          + " \(result.leftovers.counting("leftover")) deleted, \(result.emptied) emptied from the"
          + " trash, \(result.thumbnails.counting("thumbnail")) made")
    for problem in result.problems { try console.printAlways("  \(problem.printable)") }
  }
  if !result.problems.isEmpty { console.raise(.badData) }
}

let storeVerify = CommandDefinition.storeVerb(
  "verify", "Check every document and every file, byte for byte.",
  [
    Option("repair", help: "Make again what can be made: pictures, documents, indexes."),
    Option("deep", help: "Decode all pictures and recordings, too, which takes long."),
  ],
  examples: [
    ("pkd store verify", "Exit code 65 where something is wrong."),
    ("pkd store verify --repair", "Mend what can be mended, also a database that was lost."),
  ]
) { session, console in
  try session.requireOperator(to: "verify")
  let repairs = session.arguments.has("repair")
  var lost: ServiceError?
  let environment: ServiceEnvironment
  do {
    environment = try session.environment(for: repairs ? .writing : .reading)
  } catch let error as ServiceError {
    guard case .lostDatabase = error else { throw error }
    lost = error
    environment =
      repairs
      ? try session.environment(for: .repairing) : try LocalHouse.openWithoutDocuments(session.root)
  }
  var result = try Verification(environment).run(
    repairs: repairs, isDeep: session.arguments.has("deep"),
    // Nobody can be submitting anything where the database is lost.
    minimumAge: lost == nil ? Verification.longestSubmission : 0
  ) { seconds in
    console.note("files without a document are looked at again in \(seconds) seconds")
    sleep(UInt32(seconds))
  }
  if case .lostDatabase(_, let reason)? = lost {
    result.findings.insert(.init(path: session.root, problem: reason, isRepaired: repairs), at: 0)
  }
  result.findings += try LocalHouse.unreachableFolders(session.root).map {
    .init(path: $0, problem: "no user or drawing can have this name", isRepaired: false)
  }
  let open = try LocalHouse.makePrivate(session.root, changes: repairs)
  if open > 0 {
    let problem = "\(open.counting("file or folder", "files and folders")) can be read by others"
    result.findings.append(.init(path: session.root, problem: problem, isRepaired: repairs))
  }
  try console.report(result, asJSON: session.printsJSON)
  if !result.isSound { console.raise(.badData) }
}

extension Console {
  fileprivate func report(_ result: Verification.Result, asJSON: Bool) throws {
    guard !asJSON else {
      return try print { json in
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
    }
    for finding in result.findings {
      let text = "\(finding.path.printable): \(finding.problem.printable)"
      if finding.isRepaired { try print(text + " (repaired)") } else { try printAlways(text) }
    }
    try print(
      "\(result.drawings.counting("drawing")), \(result.bytes.counting("byte")): "
        + (result.findings.isEmpty ? "ok" : result.findings.count.counting("finding")))
  }
}

let storeExport = CommandDefinition.storeVerb(
  "export", "Write the documents of a user, or of everybody, as JSON or as a table.",
  [
    Option("csv", help: "A table (CSV) instead of JSON."),
    Option("collection", value: "NAME", help: "Only this kind: drawings, mood_checkins …"),
    Option("catalogue", help: "Growth methods and educational resources too."),
    Option("output", letter: "o", value: "FILE", help: "Where it goes; - for standard output."),
  ],
  examples: [
    ("pkd store export --uid ann -o ann.json", "All that is known of ann."),
    ("pkd store export --csv --collection mood_checkins -o moods.csv", "Everybody's check-ins."),
  ]
) { session, console in
  let environment = try session.environment(for: .reading)
  let service = UserService(environment, as: session.caller)
  let hasUser = session.arguments.has("uid") || session.arguments.has("as")
  var documents: [Document] = []
  for uid in hasUser ? [try session.uid()] : try service.users() {
    documents += try service.documents(of: uid)
  }
  documents += try session.catalogue(environment)
  if let name = session.arguments.options["collection"] {
    documents = documents.filter { $0.path.collection.name == name }
  }
  let bytes =
    session.arguments.has("csv") ? Export.csv(documents) : Export.json(documents)
  try writeFile(bytes, to: session.arguments.words["output"] ?? .standardStream)
}

let storeStats = CommandDefinition.storeVerb(
  "stats", "Count what is kept.", examples: [("pkd store stats --json", "For programs.")]
) { session, console in
  try session.requireOperator(to: "count")
  let environment = try session.environment(for: .reading)
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
  let mayReplace = session.arguments.has("force")
  guard try mayReplace || !OutputPlace(output).isFileThere else {
    throw SystemError(alreadyThere: output)
  }
  guard !output.isTerminal else {
    throw session.error("a terminal shows no archives; give -o FILE.tar, or pipe it on")
  }
  // Where nothing can be written to the service, as on a snapshot, there is space where the archive goes.
  var scratch: String?
  if access(session.root, W_OK) != 0, errno == EROFS {
    scratch = output == .standardStream ? "/tmp" : "\(output.folder)."
  }
  Interruption.endProgram()
  var written: Backup.Result?
  var failure: (any Error)?
  do {
    try writeFile(to: output, mayReplace: mayReplace) { file throws(SystemError) in
      do {
        written = try Backup.write(session.root, copyingTo: scratch) { try file.write($0) }
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
