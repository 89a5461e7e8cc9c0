import Commands
import DrawingServices
import Glibc
import InkFiles
import JSON
import Journal
import Storage

let storeInit = CommandDefinition.storeVerb(
  "init", "Create the folder of a service.", examples: [("pkd store init", "In ./pentimento-data.")]
) { session, console in
  let existed =
    session.place.isFolder
    ? LocalService.exists(session.root) : (try? session.environment(for: .reading)) != nil
  _ = try session.environment(for: .creating)
  if session.printsJSON {
    return try console.print { json in
      json.object { json in
        json.field("root", session.root)
        json.field("made", !existed)
      }
    }
  }
  console.note("\(session.root): \(existed ? "the service already exists" : "created")")
}

let storeSeed = CommandDefinition.storeVerb(
  "seed", "Fill the catalogue of growth methods and educational resources.", operands: "[FILE]",
  count: 0...1,
  examples: [
    ("pkd store seed", "With the built-in entries; doing it twice changes nothing."),
    ("pkd store seed ours.json", "With entries of your own."),
  ]
) { session, console in
  let json = try session.arguments.operands.first.map { try readFile($0, limit: 64 << 20) }
  let service = CatalogueService(try session.environment(for: .creating), as: session.caller)
  let count = try json.map { try service.seed($0) } ?? service.seed()
  if session.printsJSON {
    return try console.print { json in json.object { $0.field("written", count) } }
  }
  console.note("\(count) documents written")
}

let storeAdopt = CommandDefinition.storeVerb(
  "adopt", "Import users/UID/drawings/ID/recording.pkd below a folder.", operands: "DIR",
  count: 1...1,
  examples: [
    ("pkd store adopt bucket", "Renders missing pictures; after an interruption, run it again.")
  ]
) { session, console in
  try session.requireOperator(to: "adopt")
  let tree = try DrawingTree(session.arguments.operands[0])
  let adoption = Adoption(try session.environment(for: .creating))
  Interruption.watch()
  var (adopted, known, failed) = (0, 0, 0)
  for (index, found) in tree.drawings.enumerated() {
    if Interruption.isRequested {
      console.raise(.interrupted)
      break
    }
    console.showProgress(index, of: tree.drawings.count, found.drawing.id)
    do {
      let limit = DrawingFiles.sizeLimit - 1
      let image = try? readFile(tree.path(found, DrawingFiles.image), limit: limit)
      switch try adoption.adopt(
        found.drawing,
        recording: try readFile(tree.path(found, DrawingFiles.recording), limit: limit),
        image: image)
      {
      case .adopted: adopted += 1
      case .alreadyExists: known += 1
      }
    } catch {
      // On a full disk, all other writes would fail, too.
      if case .full? = (error as? StorageError)?.problem { throw error }
      failed += 1
      console.fail(
        "\(found.drawing.uid)/\(found.drawing.id): \(error)",
        storeExitCode(of: error) ?? (error as? SystemError)?.exitCode ?? .failed)
    }
  }
  console.endProgress()
  for skipped in tree.skipped {
    console.fail("skipped \(skipped.path): \(skipped.reason)", .badData)
  }
  if session.printsJSON {
    return try console.print { json in
      json.object { json in
        json.field("adopted", adopted)
        json.field("alreadyThere", known)
        json.field("failed", failed)
        json.field("passedOver", tree.skipped.count)
        json.list("passedOverPaths", tree.skipped) { json, skipped in json.value(skipped.path) }
      }
    }
  }
  try console.print("\(adopted) adopted, \(known) already stored, \(failed) failed")
}

/// The drawings to import below a folder.
private struct DrawingTree {
  private(set) var drawings: [Found] = []

  /// A drawing to import, and its folder, in which the user may have another name.
  struct Found {
    let drawing: Adoption.Found
    let folder: SystemString
  }

  /// Recordings at paths that are not valid in a service, each with the reason.
  private(set) var skipped: [(path: String, reason: String)] = []

  init(_ folder: SystemString) throws {
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
          let names = try [uid, id].map { (name) throws(StorageError) in
            guard let text = String(validating: name.bytes, as: UTF8.self) else {
              throw StorageError(.badPath("it is not UTF-8"), "\(name)")
            }
            return text
          }
          for name in [UserName.meant(by: names[0]), names[1]] { try StorageName.check(name) }
          drawings.append(
            Found(
              drawing: Adoption.Found(uid: UserName.meant(by: names[0]), id: names[1]),
              folder: user + id.bytes))
        } catch {
          skipped.append((path, "\(error)".printable))
        }
      }
    }
  }

  func path(_ found: Found, _ file: String) -> SystemString {
    found.folder + "/\(file)".utf8
  }
}

let storeSettings = CommandDefinition.storeVerb(
  "settings", "Show the settings of the service, or change them.", operands: "[NAME [VALUE]]",
  count: 0...2,
  examples: [
    ("pkd store settings", "All of them."),
    (
      "pkd store settings base-url https://example.org/files/", "The prefix of links from now on."
    ),
  ]
) { session, console in
  try session.requireOperator(to: "change settings")
  let words = session.arguments.operands.map(\.description)
  let wanted =
    words.first.map { name in Application.journal.settings.filter { $0.name == name } }
    ?? Application.journal.settings
  guard !wanted.isEmpty else {
    let near = words.first.flatMap {
      nearest(to: $0, among: Application.journal.settings.map(\.name))
    }
    throw session.error(
      "there is no setting '\(words[0].printable)'" + (near.map { "; did you mean '\($0)'?" } ?? "")
    )
  }
  var settings = try session.environment(for: words.count == 2 ? .writing : .reading).settings
  if words.count == 2 {
    settings = try LocalService.changeSettings(.journal, session.root) { settings in
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
  /// The value for a typed text: comma-separated numbers for a list.
  func value(fromText text: String) -> FieldValue {
    switch value(in: ServiceSettings()) {
    case .text: .text(text)
    case .list: (try? Fields(json: Array("{\"v\":[\(text)]}".utf8)))?["v"] ?? .null
    default: (try? Fields(json: Array("{\"v\":\(text)}".utf8)))?["v"] ?? .null
    }
  }
}

let storeSweep = CommandDefinition.storeVerb(
  "sweep", "Clean up after crashes, and render missing thumbnails.",
  [
    Option(
      "older-than", value: "SECONDS", form: .whole(0...),
      help: "Ignore younger files; 3600 unless given."),
    Option("yes", help: "Also move files to the trash that the database knows nothing of."),
    Option("dry-run", help: "Only count what would be removed."),
  ],
  examples: [
    ("pkd store sweep", "Other programs may write. Orphans go to trash/DAY for 30 days."),
    ("pkd store sweep --dry-run", "Show what would be removed."),
  ]
) { session, console in
  try session.requireOperator(to: "sweep")
  var options = Sweep.Options()
  options.minimumAge = session.arguments.whole("older-than").map { Int64(min($0, 1 << 40)) }
  options.takesUnknown = session.arguments.has("yes")
  options.isDryRun = session.arguments.has("dry-run")
  let environment = try session.environment(for: options.isDryRun ? .reading : .writing)
  var result = try Sweep(environment).run(options)
  if !options.isDryRun {
    let age = options.minimumAge ?? environment.settings.orphanAge
    result.leftovers += try LocalService.removeLeftovers(
      session.root, before: environment.now() - age)
  }
  if session.printsJSON {
    try console.print { json in
      json.object { json in
        json.field("orphans", result.orphans)
        json.field("deleted", result.deleted)
        json.field("unknown", result.unknown)
        json.field("leftovers", result.leftovers)
        json.field("emptied", result.emptied)
        json.field("thumbnails", result.thumbnails)
        json.field("revisions", result.revisions)
        json.list("problems", result.problems) { $0.value($1) }
      }
    }
  } else {
    let orphans = result.orphans.counting("orphan")
    try console.print(
      options.isDryRun
        ? "\(orphans) would go to the trash, the files of"
          + " \(result.deleted.counting("deleted drawing")) would be deleted"
        : "\(orphans) moved to the trash, the files of"
          + " \(result.deleted.counting("deleted drawing")) and"
          + " \(result.leftovers.counting("leftover")) deleted, \(result.emptied) deleted from the"
          + " trash, \(result.thumbnails.counting("thumbnail")) rendered")
    if result.revisions > 0 {
      try console.print("\(result.revisions.counting("interrupted replacement")) finished")
    }
    for problem in result.problems { try console.printAlways("  \(problem.printable)") }
  }
  if !result.problems.isEmpty { console.raise(.badData) }
}

let storeVerify = CommandDefinition.storeVerb(
  "verify", "Check every document and every file, byte for byte.",
  [
    Option("repair", help: "Recreate pictures, documents and indexes."),
    Option("deep", help: "Also decode all pictures and recordings, which takes long."),
  ],
  examples: [
    ("pkd store verify", "Exit code 65 if anything is damaged."),
    ("pkd store verify --repair", "Repair what can be repaired, also a lost database."),
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
      ? try session.environment(for: .repairing)
      : try LocalService.openWithoutDocuments(.journal, session.root)
  }
  var result = try Verification(environment).run(
    repairs: repairs, isDeep: session.arguments.has("deep"),
    // Without the database, no drawing can be in the middle of a submit.
    minimumAge: lost == nil ? Verification.maximumSubmissionSeconds : 0
  ) { seconds in
    console.note("files without a document are checked again in \(seconds) seconds")
    sleep(UInt32(seconds))
  }
  if case .lostDatabase(_, let reason)? = lost {
    result.findings.insert(.init(path: session.root, problem: reason, isRepaired: repairs), at: 0)
  }
  result.findings += try Upkeep.unreachableFolders(in: environment).map {
    .init(path: $0, problem: Upkeep.unreachableProblem($0), isRepaired: false)
  }
  let hasFiles = session.place.blobs.isEmpty
  let open = try hasFiles ? LocalService.makePrivate(session.root, changes: repairs) : 0
  if open > 0 {
    let problem = "\(open.counting("file or folder", "files and folders")) can be read by others"
    result.findings.append(.init(path: session.root, problem: problem, isRepaired: repairs))
  }
  try console.report(result, asJSON: session.printsJSON)
  if !result.isIntact { console.raise(.badData) }
}

extension Console {
  fileprivate func report(_ result: Verification.Result, asJSON: Bool) throws {
    guard !asJSON else {
      return try print { json in
        json.object { json in
          json.field("ok", result.isIntact)
          json.field("drawings", result.drawings)
          json.field("bytes", result.bytes)
          json.field("interrupted", result.interrupted)
          json.list("findings", result.findings) { json, finding in
            json.object { json in
              json.field("path", finding.path)
              json.field("problem", finding.problem)
              json.field("repaired", finding.isRepaired)
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
    if result.interrupted > 0 {
      try print(
        "\(result.interrupted.counting("interrupted change")) that nobody was told to be done; 'pkd store sweep'"
          + " ends them")
    }
  }
}

let storeExport = CommandDefinition.storeVerb(
  "export", "Write the documents of a user, or of all users, as JSON or as a table.",
  [
    Option("csv", help: "A table (CSV) instead of JSON."),
    Option("collection", value: "NAME", help: "Only this kind: drawings, mood_checkins …"),
    Option("catalogue", help: "Growth methods and educational resources too."),
    Option("output", letter: "o", value: "FILE", help: "The output file; - for standard output."),
  ],
  examples: [
    ("pkd store export --uid ann -o ann.json", "All data of ann."),
    (
      "pkd store export --csv --collection mood_checkins -o moods.csv",
      "The check-ins of all users."
    ),
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
    // A misspelt name would look like a kind without documents.
    let kinds = environment.application.kinds.map(\.name)
    guard !documents.isEmpty || kinds.contains(name) else {
      throw session.error(
        "there are no documents of the kind '\(name)'; kinds are \(kinds.joined(separator: ", "))")
    }
  }
  let bytes =
    session.arguments.has("csv") ? Export.csv(documents) : Export.json(documents)
  try writeFile(bytes, to: session.arguments.words["output"] ?? .standardStream)
}

let storeStats = CommandDefinition.storeVerb(
  "stats", "Count the stored data.", examples: [("pkd store stats --json", "For programs.")]
) { session, console in
  try session.requireOperator(to: "count")
  let environment = try session.environment(for: .reading)
  let stats = try Statistics(environment)
  let rows =
    [
      ("users", stats.users), ("drawings", stats.drawings),
    ] + environment.application.countedKinds.map { ($0.name, stats.counts[$0.name] ?? 0) } + [
      ("fileBytes", stats.fileBytes), ("waitingEvents", stats.waitingEvents),
    ]
  if session.printsJSON {
    return try console.print { json in
      json.object { json in for (name, value) in rows { json.field(name, value) } }
    }
  }
  for (name, value) in rows { try console.print("\(name.padded(to: 14)) \(value)") }
}

let storeBackup = CommandDefinition.storeVerb(
  "backup", "Write all data as one archive.",
  [
    Option("output", letter: "o", value: "FILE", help: "The archive; - for standard output."),
    .force("Replace an existing archive."),
  ],
  examples: [("pkd store backup -o monday.tar", "Other commands may write at the same time.")]
) { session, console in
  try session.requireOperator(to: "back up")
  try session.requireFolder(to: "backed up")
  guard let output = session.arguments.words["output"] else {
    throw session.error("give -o FILE.tar")
  }
  let mayReplace = session.arguments.has("force")
  guard try mayReplace || !OutputTarget(output).fileExists else {
    throw SystemError(alreadyExists: output)
  }
  guard !output.isTerminal else {
    throw session.error("a terminal cannot show archives; give -o FILE.tar, or redirect the output")
  }
  // If the service is read-only, for example on a snapshot, the copy is put into the folder of the
  // archive.
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
        written = try Backup.write(.journal, session.root, copyingTo: scratch) {
          try file.write($0)
        }
      } catch {
        failure = error
        // Throws, so that the unfinished archive is deleted.
        throw error as? SystemError ?? SystemError("the archive", code: EIO)
      }
    }
  } catch {
    throw failure ?? error
  }
  guard let result = written else { return }
  for problem in result.problems { console.fail(problem, .badData) }
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
  "restore", "Restore an archive into a folder.", operands: "FILE", count: 1...1,
  examples: [
    ("pkd store restore monday.tar --root restored", "The folder must not hold a service.")
  ]
) { session, console in
  try session.requireOperator(to: "restore")
  try session.requireFolder(to: "restored")
  let result = try withReader(session.arguments.operands[0]) { source in
    try Backup.restore(.journal, session.root, from: source)
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
