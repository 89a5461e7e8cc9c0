import Commands
import DrawingServices
import Graphics
import InkFiles
import ForeignInk
import JSON
import Storage
import Strokes

// Words in drawings: recognizing them, and searching for them.

let storeSearch = CommandDefinition.storeVerb(
  "search", "List drawings by the words in them, newest first.", operands: "TEXT…",
  count: 1...Int.max, [.zone, .limit, .after],
  examples: [
    ("pkd store search shopping --uid ann", "Drawings with a word that contains 'shopping'."),
    ("pkd store search blue sky --uid ann --json", "Both words, with the boxes of what was found."),
  ]
) { session, console in
  let uid = try session.uid()
  let service = DrawingService(try session.environment(for: .reading), as: session.caller)
  let text = session.arguments.operands.map(\.description).joined(separator: " ")
  let page = try service.search(
    text, of: uid, limit: session.arguments.whole("limit") ?? DrawingService.galleryPageSize,
    after: session.cursor())
  if session.printsJSON {
    return try console.print { json in
      json.object { json in
        json.list("drawings", page.results) { $0.value($1) }
        json.field("cursor", page.cursor?.description)
      }
    }
  }
  let zone = try session.zone()
  for found in page.results {
    let words = found.words.map { "\($0.text) (\($0.box.line))" }.joined(separator: ", ")
    try console.print(
      "\(found.drawing.line(zone))  \(words.isEmpty ? "in the prompt" : words.printable)")
  }
  if let cursor = page.cursor { console.note("more: --after \(cursor)") }
}

extension Rect {
  /// x, y, width and height in whole points.
  fileprivate var line: String {
    [minX, minY, width, height].map { "\(Int(clamping: $0.rounded()))" }.joined(separator: " ")
  }
}

extension JSONWriter {
  fileprivate mutating func value(_ found: DrawingService.Found) {
    object { json in
      json.field("id", found.drawing.id)
      json.field("createdAt", found.drawing.createdAt?.iso8601)
      json.list("words", found.words) { json, word in json.found(word) }
    }
  }
}

let storeIndex = CommandDefinition.storeVerb(
  "index", "Store the words in drawings that another program recognizes.",
  Recognizer.options + [
    Option(
      "limit", value: "N", form: .whole(0...), help: "Recognize the words of at most N drawings.")
  ],
  examples: [
    (
      "pkd store index --recognizer 'tesseract - - tsv'",
      "All drawings of all users that have no words yet."
    ),
    (
      "pkd store index --recognizer ./mine --give inkml --uid ann --again",
      "All of ann's, after the program has changed."
    ),
  ]
) { session, console in
  let recognizer = try Recognizer(session.arguments, of: "store index")
  let environment = try session.environment(for: .writing)
  let users =
    session.arguments.has("uid") || session.arguments.has("as")
    ? [try session.uid()] : try UserService(environment, as: session.caller).users()
  var job = StoreIndexJob(
    service: DrawingService(environment, as: session.caller), recognizer: recognizer,
    isAgain: session.arguments.has("again"), left: session.arguments.whole("limit") ?? .max,
    printsJSON: session.printsJSON)
  Interruption.watch()
  for uid in users where job.left > 0 && !Interruption.isRequested {
    try job.index(uid, &console)
  }
  console.endProgress()
  if Interruption.isRequested { console.raise(.interrupted) }
  try job.printSum(console)
}

/// The recognition of words in the drawings of a service.
private struct StoreIndexJob {
  let service: DrawingService
  let recognizer: Recognizer
  let isAgain: Bool
  /// The number of drawings that may still be recognized.
  var left: Int
  let printsJSON: Bool
  private var indexed = 0
  private var changed = 0
  private var failures: [(drawing: String, problem: String)] = []

  init(
    service: DrawingService, recognizer: Recognizer, isAgain: Bool, left: Int, printsJSON: Bool
  ) {
    (self.service, self.recognizer) = (service, recognizer)
    (self.isAgain, self.left, self.printsJSON) = (isAgain, left, printsJSON)
  }

  /// Recognizes the words in the drawings of a user, newest first. Reports failures.
  mutating func index(_ uid: String, _ console: inout Console) throws {
    var cursor: Query.Cursor?
    repeat {
      let page = try service.all(of: uid, limit: 100, after: cursor)
      let drawings = page.drawings.filter { isAgain || !$0.hasRecognizedText }
      for (number, drawing) in drawings.enumerated() {
        guard left > 0, !Interruption.isRequested else { return }
        left -= 1
        let name = "\(uid)/\(drawing.id)"
        console.showProgress(number, of: drawings.count, name)
        do {
          try index(drawing, of: uid, name, console)
        } catch {
          // The drawing may have been deleted since the list was read.
          if (error as? StorageError)?.problem == .notFound {
            changed += 1
            continue
          }
          // On a full disk, all other writes would fail, too.
          if case .full? = (error as? StorageError)?.problem { throw error }
          if Interruption.isRequested { return }
          failures.append((name, "\(error)"))
          console.fail(
            "\(name): \(error)",
            storeExitCode(of: error) ?? (error as? SystemError)?.exitCode ?? .failed)
        }
      }
      cursor = page.cursor
    } while cursor != nil
  }

  private mutating func index(
    _ drawing: DrawingRecord, of uid: String, _ name: String, _ console: Console
  ) throws {
    let recording = try service.file(DrawingFiles.recording, ofDrawing: drawing.id, of: uid)
    let file = try DrawingFile(own: recording.bytes)
    let contents = file.contents()
    if let damage = contents.damage.first { throw damage }
    let words = try recognizer.words(in: contents)
    guard
      try service.setRecognizedText(words, of: drawing, fromRecording: recording.info.sha256)
    else {
      changed += 1
      return
    }
    indexed += 1
    if !printsJSON {
      try console.print("\(name): \(words.words.count.counting("word"))".printable)
    }
  }

  func printSum(_ console: Console) throws {
    guard printsJSON else {
      let rest = changed == 0 ? "" : ", \(changed) changed meanwhile and left alone"
      return console.note(
        "\(indexed.counting("drawing")) indexed, \(failures.count) failed\(rest)")
    }
    try console.print { json in
      json.object { json in
        json.field("indexed", indexed)
        json.field("changed", changed)
        json.list("failures", failures) { json, failure in
          json.object { json in
            json.field("drawing", failure.drawing)
            json.field("problem", failure.problem)
          }
        }
      }
    }
  }
}
