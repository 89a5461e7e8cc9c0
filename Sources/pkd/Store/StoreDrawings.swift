import DrawingServices
import Glibc
import Interchange
import Storage

let storeSubmit = CommandDefinition.storeVerb(
  "submit", "Keep drawings, each with a picture and a thumbnail.", operands: "FILE…",
  count: 1...Int.max,
  [
    Option("id", value: "ID", help: "The drawing's name; a new one unless given."),
    Option("ids-from-names", help: "Name drawings after their files."),
    Option("image", value: "FILE", help: "Its picture as PNG; rendered unless given."),
    Option("checkin", value: "ID", help: "The check-in that it belongs to."),
    Option("prompt", value: "TEXT", help: "What was to be drawn."),
    Option("date", value: "DATE", help: "When it was drawn; now unless given."),
    Option("offset", value: "MINUTES", help: "How far east of Greenwich that was."),
    Option("base-url", value: "URL", help: "What links to files begin with; file: unless given."),
    .zone,
  ],
  examples: [
    ("pkd store submit page.drawing --uid ann", "Keep one drawing; prints its name."),
    ("pkd store submit --uid ann --ids-from-names pages/*.pkd", "Many, named after their files."),
  ]
) { session, console in
  let files = session.arguments.operands
  let given = session.arguments.words
  guard files.count == 1 || given["id"] == nil && given["image"] == nil else {
    throw session.error("--id and --image are for one drawing")
  }
  let environment = try session.environment(makes: true)
  let service = DrawingService(environment, as: session.caller)
  let uid = try session.uid()
  let names = session.arguments.has("ids-from-names") ? try identifiers(of: files, session) : nil
  for (index, file) in files.enumerated() {
    console.showProgress(index, of: files.count, file.description)
    do {
      var submission = DrawingService.Submission(recording: try readFile(file))
      submission.id = names?[index] ?? session.arguments.options["id"]
      submission.image = try given["image"].map { try readFile($0) }
      submission.checkInID = session.arguments.options["checkin"]
      submission.promptUsed = session.arguments.options["prompt"]
      if let moment = try session.moment("date") { submission.date = .at(moment) }
      submission.timezoneOffsetMinutes = try session.integer("offset")
      let record = try service.submit(submission, of: uid)
      if session.printsJSON {
        try console.print { $0.value(record.document) }
      } else {
        try console.print(record.id)
      }
    } catch let error as SystemError {
      guard error.code != EPIPE else { throw error }
      console.fail("\(error)", .failed)
    } catch {
      guard files.count > 1, let code = storeExitCode(of: error) else { throw error }
      console.fail("\(file.description.printable): \(error)", code)
    }
  }
  console.endProgress()
}

/// Names for drawings, of their files' names without endings. Where two would be equal, their folders'
/// names are put in front; where that does not help, nothing is kept.
private func identifiers(
  of files: [SystemString], _ session: StoreSession
) throws(UsageError) -> [String] {
  func name(_ file: SystemString, folders: Int) -> String {
    let parts = file.description.split(separator: "/").map(String.init)
    let last = parts.last ?? ""
    let stem = last.lastIndex(of: ".").map { String(last[..<$0]) } ?? last
    return (parts.dropLast().suffix(folders) + [stem]).joined(separator: "-")
  }
  for folders in 0...16 {
    let names = files.map { name($0, folders: folders) }
    if Set(names).count == names.count { return names }
  }
  throw session.error("two files would get the same name; submit them one by one with --id")
}

let storeList = CommandDefinition.storeVerb(
  "list", "List drawings, newest first.",
  [
    Option("checkin", value: "ID", help: "Those of a check-in alone, oldest first."), .from, .to,
    .zone, .limit, .after,
  ],
  examples: [
    ("pkd store list --uid ann", "All drawings."),
    ("pkd store list --uid ann --from 2026-11-01 --to 2026-12-01 --json", "Those of a month."),
  ]
) { session, console in
  let service = DrawingService(try session.environment(), as: session.caller)
  let uid = try session.uid()
  let (limit, cursor) = (try session.count("limit"), try session.cursor())
  let drawings: [DrawingRecord]
  var next: Query.Cursor?
  if let checkIn = session.arguments.options["checkin"] {
    drawings = try service.drawings(ofCheckIn: checkIn, of: uid)
  } else {
    let (from, to) = (try session.moment("from"), try session.moment("to"))
    let page =
      from == nil && to == nil
      ? try service.all(of: uid, limit: limit, after: cursor)
      : try service.range(
        from: from ?? Moment.supported.lowerBound, to: to, of: uid, limit: limit, after: cursor)
    (drawings, next) = (page.drawings, page.cursor)
  }
  if session.printsJSON {
    try console.print { json in
      json.object { json in
        json.key("drawings")
        json.list { json in for drawing in drawings { json.value(drawing.document) } }
        json.field("cursor", next?.description)
      }
    }
    return
  }
  let zone = try session.zone()
  for drawing in drawings { try console.print(drawing.line(zone)) }
  if let next { console.note("more: --after \(next)") }
}

extension DrawingRecord {
  /// A line about it for people.
  func line(_ zone: ZoneRules) -> String {
    let date = createdAt.map { zone.clock($0) } ?? "no date         "
    return "\(date)  \(id.padded(to: 20))"
      + (checkInID.map { "  of check-in \($0)" } ?? "")
  }
}

extension ZoneRules {
  /// Day and time of a moment: `2026-11-22 08:30`.
  func clock(_ moment: Moment) -> String {
    let seconds = moment.microseconds / 1_000_000 + Int64(offset(at: moment))
    let minutes = Int((seconds % 86_400 + 86_400) % 86_400 / 60)
    func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    return "\(day(of: moment)) \(two(minutes / 60)):\(two(minutes % 60))"
  }
}

let storeGet = CommandDefinition.storeVerb(
  "get", "Get a drawing: what is known of it, a file, or a picture of any size.", operands: "ID",
  count: 1...1,
  [
    Option("file", choices: ["image", "thumbnail", "recording"], help: "This file, as it is."),
    Option("size", value: "N", help: "A picture with so many pixels on the longer side."),
    Option("style", choices: ["light", "dark"], help: "A picture in light or dark surroundings."),
    Option("background", choices: ["page", "transparent"], help: "What lies below the ink."),
    Option("output", letter: "o", value: "FILE", help: "Where bytes go; - for standard output."),
  ],
  examples: [
    ("pkd store get ID --uid ann --json", "What is known of it."),
    ("pkd store get ID --uid ann --file recording -o page.pkd", "The recording, as it came."),
    ("pkd store get ID --uid ann --size 512 --style dark -o dark.png", "Rendered for this."),
  ]
) { session, console in
  let service = DrawingService(try session.environment(), as: session.caller)
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
      throw session.error("--file gives a file as it is; leave out size, style and background")
    }
    var style = RenditionStyle()
    style.side = try session.count("size")
    style.isDark = options["style"] == "dark"
    style.isTransparent = options["background"] == "transparent"
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
    throw session.error("a terminal shows no files; give -o NAME, or pipe it on")
  }
  try writeFile(bytes, to: output)
}

let storeDelete = CommandDefinition.storeVerb(
  "delete", "Delete drawings, or everything of a user.", operands: "[ID…]",
  count: 0...Int.max,
  [Option("everything", help: "All that is kept of the user; it cannot be taken back.")],
  examples: [
    ("pkd store delete ID --uid ann", "Take a drawing away, with its files."),
    ("pkd store delete --everything --uid ann", "Take all of ann's things away."),
  ]
) { session, console in
  let environment = try session.environment()
  let (uid, ids) = (try session.uid(), session.arguments.operands.map(\.description))
  guard ids.isEmpty == session.arguments.has("everything") else {
    throw session.error("name drawings, or give --everything alone")
  }
  if ids.isEmpty {
    let count = try UserService(environment, as: session.caller).deleteEverything(of: uid)
    if session.printsJSON {
      return try console.print { json in json.object { $0.field("documents", count) } }
    }
    return console.note("\(count) documents of \(uid) are deleted, with all files")
  }
  let service = DrawingService(environment, as: session.caller)
  for id in ids {
    let wasThere = try service.delete(id, of: uid)
    if session.printsJSON {
      try console.print { json in
        json.object { json in
          json.field("id", id)
          json.key("deleted")
          json.value(wasThere)
        }
      }
    } else if wasThere {
      try console.print("deleted \(id.printable)")
    }
    if !wasThere { console.fail("\(id.printable): there is none", .failed) }
  }
}

let storeRerender = CommandDefinition.storeVerb(
  "rerender", "Render thumbnails and images again from their recordings.", operands: "[ID…]",
  count: 0...Int.max,
  [
    Option("all", help: "Those of all drawings: of a user with --uid, else of everybody."),
    Option("image", help: "Images too that were uploaded as they are."),
  ],
  examples: [
    ("pkd store rerender ID --uid ann", "One drawing's pictures."),
    ("pkd store rerender --all", "All, after inks have changed; what is the same is not touched."),
  ]
) { session, console in
  let environment = try session.environment()
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
    if Interruption.hasCome { return console.raise(.interrupted) }
    console.showProgress(index, of: jobs.count, job.id)
    do {
      let done = try service.rerender(
        job.id, of: job.uid, replacesImage: session.arguments.has("image"))
      sum.changed += done.changed
      sum.same += done.same
    } catch {
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
    try console.print("\(sum.changed) pictures changed, \(sum.same) are as they were")
  }
}
