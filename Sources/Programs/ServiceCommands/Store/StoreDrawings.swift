import Commands
import DrawingServices
import Glibc
import InkFiles
import JSON
import Rasterization
import Storage

let storeSubmit = CommandDefinition.storeVerb(
  "submit", "Store drawings, each with image and thumbnail.", operands: "FILE…",
  count: 1...Int.max,
  [
    Option("id", value: "ID", help: "The id of the drawing; a new one unless given."),
    Option("ids-from-names", help: "Name drawings after their files."),
    Option("image", value: "FILE", help: "Its picture as PNG; rendered unless given."),
    Option("checkin", value: "ID", help: "The check-in that it belongs to."),
    Option(
      "from-checkin", choices: ["yes", "no"],
      help: "Whether it was drawn during one; yes with --checkin unless given."),
    Option("prompt", value: "TEXT", help: "The prompt of the drawing."),
    .date("date", "When it was drawn; now unless given."),
    .offset("Minutes east of Greenwich; from --time-zone or the machine unless given."),
    .zone,
  ] + InputFiles.options,
  examples: [
    ("pkd store submit page.drawing --uid ann", "Store one drawing; prints its id."),
    ("pkd store submit --uid ann --ids-from-names pages/*.pkd", "Many, named after their files."),
    ("pkd store submit --uid ann -r pages/", "All recordings and archives in a folder."),
  ]
) { session, console in
  let given = session.arguments.words
  let files = try InputFiles(
    session.arguments, of: "store submit", formats: [.pkd, .pencilKit], &console
  ).paths
  guard files.count == 1 || given["id"] == nil && given["image"] == nil else {
    throw session.error("--id and --image are for one drawing")
  }
  let uid = try session.uid()
  let environment = try session.environment(for: .creating)
  let service = DrawingService(environment, as: session.caller)
  let names = session.arguments.has("ids-from-names") ? try identifiers(of: files, session) : nil
  for (index, file) in files.enumerated() {
    console.showProgress(index, of: files.count, file.description)
    do {
      var submission = DrawingService.Submission(
        recording: try readFile(file, limit: DrawingFiles.sizeLimit - 1))
      submission.id = names?[index] ?? session.arguments.options["id"]
      submission.image = try given["image"].map {
        try readFile($0, limit: DrawingFiles.sizeLimit - 1)
      }
      submission.checkInID = session.arguments.options["checkin"]
      submission.promptUsed = session.arguments.options["prompt"]
      if let moment = try session.moment("date") { submission.date = .at(moment) }
      submission.isFromCheckIn = given["from-checkin"].map { $0 == "yes" }
      submission.timezoneOffsetMinutes = try session.offset(
        at: try session.moment("date") ?? environment.now())
      let record = try service.submit(submission, of: uid)
      if session.printsJSON {
        try console.print { $0.value(record.document) }
      } else {
        try console.print(record.id)
      }
    } catch let error as SystemError {
      try console.fail(error)
    } catch {
      guard files.count > 1, let code = storeExitCode(of: error) else { throw error }
      console.fail("\(file): \(error)", code)
    }
  }
  console.endProgress()
}

/// The ids for drawings: the names of their files without extensions. Two equal ids are an error,
/// so that no id depends on the other drawings.
private func identifiers(
  of files: [SystemString], _ session: StoreSession
) throws(UsageError) -> [String] {
  var owners: [String: SystemString] = [:]
  return try files.map { file throws(UsageError) in
    let last = file.description.split(separator: "/").last.map(String.init) ?? ""
    let name = last.lastIndex(of: ".").map { String(last[..<$0]) } ?? last
    if let other = owners.updateValue(file, forKey: name) {
      throw session.error(
        "'\(other)' and '\(file)' would both be named '\(name)'; submit them one by one with --id")
    }
    return name
  }
}

let storeList = CommandDefinition.storeVerb(
  "list", "List drawings, newest first.",
  [
    Option("checkin", value: "ID", help: "Only those of a check-in, oldest first."), .from, .to,
    .zone, .limit, .after,
  ],
  examples: [
    ("pkd store list --uid ann", "All drawings."),
    ("pkd store list --uid ann --from 2026-11-01 --to 2026-12-01 --json", "Those of a month."),
  ]
) { session, console in
  let uid = try session.uid()
  let environment = try session.environment(for: .reading)
  let service = DrawingService(environment, as: session.caller)
  let (from, to) = (try session.moment("from"), try session.moment("to"))
  func page(_ limit: Int, after cursor: Query.Cursor?) throws -> DrawingService.Page {
    if let checkIn = session.arguments.options["checkin"] {
      return try service.page(
        ofCheckIn: checkIn, from: from, to: to, of: uid, limit: limit, after: cursor)
    }
    if from == nil && to == nil { return try service.all(of: uid, limit: limit, after: cursor) }
    return try service.range(
      from: from ?? Moment.supported.lowerBound, to: to, of: uid, limit: limit, after: cursor)
  }
  if session.printsJSON {
    try console.printInParts { json, printPart in
      try json.object { json in
        json.key("drawings")
        var next: Query.Cursor?
        try json.list { json in
          next = try session.forEachPage(page) { drawings in
            for drawing in drawings { json.value(drawing.document) }
            try printPart(&json)
          }
        }
        json.field("cursor", next?.description)
      }
    }
    return
  }
  let zone = try session.zone()
  let next = try session.forEachPage(page) { drawings in
    for drawing in drawings { try console.print(drawing.line(zone)) }
  }
  if let next { console.note("more: --after \(next)") }
}

extension StoreSession {
  /// The number of drawings that a list has in memory.
  private static let drawingsInMemory = 256

  /// Calls a body with the drawings of each page, up to `--limit`, and returns the cursor behind
  /// them. Every page is read by itself: while a slow reader of the output lets the program wait,
  /// the store must not keep an old state, with documents that are to be forgotten.
  fileprivate func forEachPage(
    _ page: (_ limit: Int, _ after: Query.Cursor?) throws -> DrawingService.Page,
    _ body: ([DrawingRecord]) throws -> Void
  ) throws -> Query.Cursor? {
    var (left, next) = (arguments.whole("limit") ?? .max, cursor())
    repeat {
      let found = try page(min(left, Self.drawingsInMemory), next)
      left -= found.drawings.count
      next = found.cursor
      try body(found.drawings)
    } while next != nil && left > 0
    return next
  }
}

extension DrawingRecord {
  /// One line for people.
  func line(_ zone: ZoneRules) -> String {
    let date = createdAt.map { zone.clock($0) } ?? "no date         "
    return "\(date)  \(id.padded(to: 20))"
      + (checkInID.map { "  of check-in \($0)" } ?? "")
  }
}

extension ZoneRules {
  /// Local date and time: `2026-11-22 08:30`.
  func clock(_ moment: Moment) -> String {
    let seconds = moment.microseconds / 1_000_000 + Int64(offset(at: moment))
    let minutes = Int((seconds % 86_400 + 86_400) % 86_400 / 60)
    func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    return "\(day(of: moment)) \(two(minutes / 60)):\(two(minutes % 60))"
  }
}

let storeGet = CommandDefinition.storeVerb(
  "get", "Get a drawing: its document, a file, or a picture of any size.", operands: "ID",
  count: 1...1,
  [
    Option("file", choices: ["image", "thumbnail", "recording"], help: "This file, unchanged."),
    Option(
      "size", value: "N", form: .whole(1...RenditionStyle.maximumSide),
      help: "A picture with N pixels on the longer side."),
    Option("style", choices: ["light", "dark"], help: "A picture for a light or dark background."),
    Option("background", choices: ["page", "transparent"], help: "The background below the ink."),
    Option("output", letter: "o", value: "FILE", help: "The output file; - for standard output."),
  ],
  examples: [
    ("pkd store get ID --uid ann --json", "Its document."),
    (
      "pkd store get ID --uid ann --file recording -o page.pkd",
      "The recording as it was submitted."
    ),
    ("pkd store get ID --uid ann --size 512 --style dark -o dark.png", "Rendered on request."),
  ]
) { session, console in
  let service = DrawingService(try session.environment(for: .reading), as: session.caller)
  let (uid, id) = (try session.uid(), session.arguments.operands[0].description)
  let options = session.arguments.options
  let isRendition = ["size", "style", "background"].contains(where: session.arguments.has)
  guard isRendition || options["file"] != nil else {
    let record = try service.drawing(id, of: uid)
    if session.printsJSON { return try console.print { $0.value(record.document) } }
    for (name, value) in record.document.fields.all {
      var json = JSONWriter()
      value.write(to: &json)
      try console.print("\(name.padded(to: 22)) \(String(decoding: json.bytes, as: UTF8.self))")
    }
    return
  }
  let bytes: [UInt8]
  if isRendition {
    guard options["file"] == nil else {
      throw session.error("--file gives a file unchanged; leave out size, style and background")
    }
    var style = RenditionStyle()
    style.side = session.arguments.whole("size")
    style.isDark = options["style"] == "dark"
    if options["background"] == "transparent" { style.background = .transparent }
    bytes = try service.rendition(style, ofDrawing: id, of: uid)
  } else {
    let names = [
      "image": DrawingFiles.image, "thumbnail": DrawingFiles.thumbnail,
      "recording": DrawingFiles.recording,
    ]
    bytes = try service.file(names[options["file"] ?? ""] ?? "", ofDrawing: id, of: uid).bytes
  }
  let output = session.arguments.words["output"] ?? .standardStream
  if output.isTerminal {
    throw session.error("a terminal cannot show files; give -o NAME, or redirect the output")
  }
  try writeFile(bytes, to: output)
}

let storeDelete = CommandDefinition.storeVerb(
  "delete", "Delete drawings, or everything of a user.", operands: "[ID…]",
  count: 0...Int.max,
  [
    Option("everything", help: "All data of the user; this cannot be undone."),
    Option("yes", help: "Do not ask; required for --everything without a terminal."),
    Option("dry-run", help: "Show what would be deleted, and delete nothing."),
  ],
  examples: [
    ("pkd store delete ID --uid ann", "Delete a drawing with its files."),
    ("pkd store delete --everything --uid ann --dry-run", "Show what would be deleted."),
    ("pkd store delete --everything --uid ann --yes", "Delete all data of ann."),
  ]
) { session, console in
  let environment = try session.environment(
    for: session.arguments.has("dry-run") ? .reading : .writing)
  let (uid, ids) = (try session.uid(), session.arguments.operands.map(\.description))
  guard ids.isEmpty == session.arguments.has("everything") else {
    throw session.error("name drawings, or give --everything alone")
  }
  if ids.isEmpty { return try session.deleteEverything(of: uid, environment, &console) }
  let service = DrawingService(environment, as: session.caller)
  if session.arguments.has("dry-run") {
    for id in ids {
      do {
        let record = try service.drawing(id, of: uid)
        try console.print("would delete \(record.id)")
      } catch let error as StorageError where error.problem == .notFound {
        console.fail("\(id): not found", .failed)
      }
    }
    return
  }
  for id in ids {
    let existed = try environment.makingRoom { try service.delete(id, of: uid) }
    try session.print(deleted: id, existed, &console)
  }
}

let storeRerender = CommandDefinition.storeVerb(
  "rerender", "Render thumbnails and images again from their recordings.", operands: "[ID…]",
  count: 0...Int.max,
  [
    Option("all", help: "All drawings: of the user of --uid, else of all users."),
    Option("image", help: "Also replace images that were uploaded."),
  ],
  examples: [
    ("pkd store rerender ID --uid ann", "One drawing's pictures."),
    (
      "pkd store rerender --all",
      "All, after inks have changed; unchanged pictures are not written."
    ),
  ]
) { session, console in
  let environment = try session.environment(for: .writing)
  let service = DrawingService(environment, as: session.caller)
  let ids = session.arguments.operands.map(\.description)
  guard ids.isEmpty == session.arguments.has("all") else {
    throw session.error("name drawings, or give --all alone")
  }
  var jobs: [(uid: String, id: String)] = []
  if ids.isEmpty {
    let users =
      session.arguments.has("uid") || session.arguments.has("as")
      ? [try session.uid()] : try UserService(environment, as: session.caller).users()
    for uid in users { jobs += try service.all(of: uid).drawings.map { (uid, $0.id) } }
  } else {
    let uid = try session.uid()
    jobs = ids.map { (uid, $0) }
  }
  var sum = DrawingService.Rerendering()
  Interruption.watch()
  for (index, job) in jobs.enumerated() {
    if Interruption.isRequested { return console.raise(.interrupted) }
    console.showProgress(index, of: jobs.count, job.id)
    do {
      let done = try service.rerender(
        job.id, of: job.uid, replacesImage: session.arguments.has("image"))
      sum.changed += done.changed
      sum.same += done.same
    } catch {
      // The drawing may have been deleted since the list was read.
      if ids.isEmpty, (error as? StorageError)?.problem == .notFound { continue }
      guard jobs.count > 1, let code = storeExitCode(of: error) else { throw error }
      console.fail("\(job.uid)/\(job.id): \(error)", code)
    }
  }
  console.endProgress()
  if session.printsJSON {
    try console.print { json in
      json.object { json in
        json.field("changed", sum.changed)
        json.field("same", sum.same)
      }
    }
  } else {
    try console.print("\(sum.changed) pictures changed, \(sum.same) unchanged")
  }
}
