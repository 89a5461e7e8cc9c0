import Glibc
import Graphics
import Interchange
import PKDFormat
import Strokes

/// `pkd record`: a recording from events while they happen.
let recordCommand = CommandDefinition(
  name: "record",
  summary: "Write a recording from lines of JSON on the standard input.",
  operands: "OUT",
  operandCount: 1...1,
  options: [
    Option("demo", help: "Record a small drawing that draws itself for a few seconds."),
    Option("fast", help: "With --demo: do not wait for the hand."),
    Option("force", help: "Replace a file that is there."),
  ],
  examples: [
    ("pkd record --demo demo.pkd", "Four seconds of drawing; the same bytes every time."),
    ("pkd cat page.pkd | pkd record again.pkd", "What 'cat' prints, 'record' takes."),
    ("pen-driver | pkd record page.pkd", "A program that prints events; Ctrl-C ends it well."),
    (
      #"""
      printf '%s\n' '{"format": "pentimento-events", "version": 1}' \
            '{"event": "begin", "time": "2026-11-21T12:00:00Z", "ink": {"type": "marker"}}' \
            '{"event": "points", "points": [[10, 20, 0], [40, 60, 0.1], [90, 40, 0.2]]}' \
            '{"event": "end"}' | pkd record line.pkd
      """#, "By hand. A point is x, y, seconds since its stroke began, width, height, opacity …"
    ),
  ]
) { arguments, console in
  let output = arguments.operands[0]
  if arguments.has("fast"), !arguments.has("demo") {
    throw recordCommand.error("--fast goes with --demo")
  }
  if !arguments.has("force"), isFileWithContent(output) {
    return console.fail("\(output): there is a file already; --force replaces it", .failed)
  }
  if !arguments.has("demo"), isatty(STDIN_FILENO) == 1 {
    console.note("reading events from the terminal; Ctrl-D ends the recording")
  }
  Interruption.watch()
  var recorder = Recorder(output: output)
  if arguments.has("demo") {
    try recordDemo(into: &recorder, isFast: arguments.has("fast"))
  } else {
    try recordInput(into: &recorder, &console)
  }
  guard recorder.hasBegun else {
    // Nothing was said of a page, so there is nothing to keep.
    return console.raise(Interruption.hasCome ? .interrupted : .ok)
  }
  try recorder.finish()
  let (strokes, points) = (recorder.strokeCount, recorder.pointCount)
  console.note("\(output): \(strokes.counting("stroke")), \(points.counting("point"))")
  if Interruption.hasCome { console.raise(.interrupted) }
}

/// Where events become a file: a journal while they come, so that a crash loses a tenth of a second at
/// most, and the whole recording in its place when they have ended.
struct Recorder {
  let output: SystemString
  private(set) var hasBegun = false
  private(set) var strokeCount = 0
  private(set) var pointCount = 0
  private var recording = Recording()
  /// Nil where the output is no file that can be read again.
  private var journal: PKDJournal?

  init(output: SystemString) { self.output = output }

  /// Begins the page.
  mutating func begin(on canvas: Recording.Canvas) throws {
    hasBegun = true
    recording.canvas = canvas
    guard let path = output.journalPath else { return }
    if isFileWithContent(output) || isEmptyFile(output) { unlink(output.cString) }
    journal = try PKDJournal(creating: path, canvas: canvas)
  }

  /// Takes one more event.
  mutating func record(_ event: Recording.Event) throws {
    try note(event)
    recording.events.append(event)
    switch event.action {
    case .strokeBegun(let stroke):
      strokeCount += 1
      pointCount += stroke.path.count
    case .strokeExtended(_, let path): pointCount += path.count
    default: break
    }
  }

  private func note(_ event: Recording.Event) throws {
    guard let journal else { return }
    switch event.action {
    case .strokeBegun(var stroke):
      // A journal has one pen; which strokes overlapped in time, the whole recording tells.
      if journal.liveStrokeID != nil { try journal.endStroke(at: event.time) }
      let points = stroke.path
      stroke.path = points.controlPoints(in: 0..<0)
      try journal.begin(stroke: stroke, at: event.time)
      try journal.append(points: points)
    case .strokeExtended(let id, let path) where id == journal.liveStrokeID:
      try journal.append(points: path)
    case .strokeEnded(let id) where id == journal.liveStrokeID:
      try journal.endStroke(at: event.time)
    default: try journal.record(event.action, at: event.time)
    }
  }

  /// Waits until there is something to read, and makes safe what has waited for long enough.
  func waitForInput() throws {
    guard let journal else { return }
    while !Interruption.hasCome {
      var input = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
      let patience =
        journal.secondsUntilFlush.map { Int32(clamping: ($0 * 1000).rounded(.up)) } ?? -1
      if poll(&input, 1, patience) != 0 { return }
      try journal.flush()
    }
  }

  /// Ends the recording.
  mutating func finish() throws {
    let bytes = try PKDWriter.encode(recording)
    guard let path = journal?.path else { return try writeFile(bytes, to: output) }
    try journal?.finish()
    journal = nil  // which holds the file's lock
    try PKDJournal.replace(path, with: bytes)
  }
}

extension SystemString {
  /// The name of a file that a journal can be kept in: not that of a stream, a device or a link, nor
  /// one that is no text.
  fileprivate var journalPath: String? {
    guard self != .standardStream, Array(description.utf8) == bytes else { return nil }
    var status = stat()
    let isThere = lstat(cString, &status) == 0
    return !isThere || status.st_mode & S_IFMT == S_IFREG ? description : nil
  }
}

private func isEmptyFile(_ path: SystemString) -> Bool {
  var status = stat()
  return lstat(path.cString, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
    && status.st_size == 0
}

/// Records the lines of the standard input. What stands before a line that is no event is kept.
private func recordInput(
  into recorder: inout Recorder, _ console: inout Console
) throws {
  var reader = EventStreamReader()
  var isAtEnd = false
  while !isAtEnd, !Interruption.hasCome {
    try recorder.waitForInput()
    if Interruption.hasCome { break }
    if let piece = try readPiece() {
      reader.append(piece)
    } else {
      isAtEnd = true
      if !Interruption.hasCome { reader.end() }
    }
    while true {
      var event: Recording.Event?
      do throws(EventStreamError) {
        event = try reader.next()
      } catch {
        return console.fail("standard input, \(error)", .badData)
      }
      if let canvas = reader.canvas, !recorder.hasBegun { try recorder.begin(on: canvas) }
      guard let event else { break }
      do {
        try recorder.record(event)
      } catch let error as PKDContentError {
        return console.fail("standard input, line \(reader.lineCount): \(error)", .badData)
      }
    }
  }
}

/// Records the demo at the pace of its hand.
private func recordDemo(into recorder: inout Recorder, isFast: Bool) throws {
  let demo = DemoDrawing.recording
  try recorder.begin(on: demo.canvas)
  var now = demo.events.first?.time
  for event in demo.events where !Interruption.hasCome {
    if !isFast, let last = now { sleep(seconds: event.time - last) }
    now = event.time
    if Interruption.hasCome { break }
    try recorder.record(event)
  }
}

private func sleep(seconds: Double) {
  guard seconds > 0 else { return }
  usleep(UInt32(clamping: min(seconds, 60) * 1e6))
}

/// Whether a name leads to a file that would be lost.
private func isFileWithContent(_ path: SystemString) -> Bool {
  var status = stat()
  return path != .standardStream && stat(path.cString, &status) == 0
    && status.st_mode & S_IFMT == S_IFREG && status.st_size > 0
}
