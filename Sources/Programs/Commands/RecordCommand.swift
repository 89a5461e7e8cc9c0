import InkFiles
import Glibc
import Graphics
import ForeignInk
import PKDFormat
import Strokes

/// `pkd record`: writes a recording from events as they happen.
let recordCommand = CommandDefinition(
  name: "record",
  summary: "Write a recording from lines of JSON on the standard input.",
  operands: "OUT",
  operandCount: 1...1,
  options: [
    Option("demo", help: "Record a small built-in drawing, in real time."),
    Option("fast", help: "With --demo: do not wait between events."),
    Option(
      "fit",
      help: "Take points as places of the pen, and find the curve that passes them."),
    .force("Replace an existing file, unless another process writes to it."),
  ],
  examples: [
    ("pkd record --demo demo.pkd", "Four seconds of drawing; the same bytes every time."),
    ("pkd cat page.pkd | pkd record again.pkd", "'record' reads what 'cat' prints."),
    (
      "pen-driver | pkd record page.pkd",
      "From a program that prints events; Ctrl-C ends the recording."
    ),
    (
      #"""
      printf '%s\n' '{"format": "pentimento-events", "version": 1}' \
          '{"event": "begin", "time": 0, "ink": {"type": "marker"}}' \
          '{"event": "points", "points": [[10, 20, 0], [40, 60, 0.1]]}' \
          '{"event": "end"}' | pkd record line.pkd
      """#, "By hand. A point is x, y, seconds since its stroke began, width, height, opacity …"
    ),
  ]
) { arguments, console in
  let output = arguments.operands[0]
  if arguments.has("fast"), !arguments.has("demo") {
    throw recordCommand.error("--fast needs --demo")
  }
  guard !output.isTerminal else {
    throw recordCommand.error(
      "a terminal cannot show recordings; name a file, or redirect the output")
  }
  let mayReplace = arguments.has("force")
  // Checked now, before a page is drawn.
  try Recorder.check(output, mayReplace: mayReplace)
  if !arguments.has("demo"), isatty(STDIN_FILENO) == 1 {
    console.note("reading events from the terminal; Ctrl-D ends the recording")
  }
  Interruption.watch()
  var recorder = Recorder(output: output, mayReplace: mayReplace)
  recorder.fitsCurves = arguments.has("fit")
  if arguments.has("demo") {
    try recordDemo(into: &recorder, isFast: arguments.has("fast"))
  } else {
    try recordInput(into: &recorder, &console)
  }
  guard recorder.hasBegun else {
    // No page was begun, so there is nothing to write.
    return console.raise(Interruption.isRequested ? .interrupted : .ok)
  }
  try recorder.finish()
  let (strokes, points) = (recorder.strokeCount, recorder.pointCount)
  console.note("\(output): \(strokes.counting("stroke")), \(points.counting("point"))")
  if Interruption.isRequested { console.raise(.interrupted) }
}

/// Writes events to a file: first as a journal, so that a crash loses at most a tenth of a second.
/// At the end, the complete recording replaces the journal.
struct Recorder {
  let output: SystemString
  let mayReplace: Bool
  /// Whether the complete recording contains curves fitted through the points. The journal stores
  /// the original points, because a curve's points depend on later ones.
  var fitsCurves = false
  private(set) var hasBegun = false
  private(set) var strokeCount = 0
  private(set) var pointCount = 0
  private var recording = Recording()
  /// Nil if the output is a stream or a device.
  private var journal: PKDJournal?

  init(output: SystemString, mayReplace: Bool) {
    (self.output, self.mayReplace) = (output, mayReplace)
  }

  /// Throws if a recording could not begin: the file exists, or another process writes to it.
  static func check(_ output: SystemString, mayReplace: Bool) throws(SystemError) {
    guard case .file(let target, .some) = try OutputTarget(output) else { return }
    guard mayReplace else { throw SystemError(alreadyExists: output) }
    _ = try FileLock(target, path: output)
  }

  /// Begins the page.
  mutating func begin(on canvas: Recording.Canvas) throws {
    hasBegun = true
    recording.canvas = canvas
    guard case .file(let target, _) = try OutputTarget(output) else { return }
    let path = target.description
    // The path of a journal must be valid UTF-8.
    guard Array(path.utf8) == target.bytes else { return }
    guard let former = try FileLock(target, path: output) else {
      journal = try PKDJournal(creating: path, canvas: canvas)
      return
    }
    guard mayReplace else { throw SystemError(alreadyExists: output) }
    // The former file is locked, and kept until the journal exists.
    try withExtendedLifetime(former) {
      let aside = target.folder + ".pkd-\(UInt64.random(in: 0...UInt64.max)).tmp".utf8
      guard rename(target.cString, aside.cString) == 0 else {
        throw SystemError(output.description)
      }
      do {
        journal = try PKDJournal(creating: path, canvas: canvas)
      } catch {
        // Restores the former file, unless another recorder has created one with its name.
        if link(aside.cString, target.cString) == 0 || exists(target) {
          unlink(aside.cString)
        } else {
          _ = rename(aside.cString, target.cString)
        }
        throw error
      }
      unlink(aside.cString)
    }
  }

  /// Records one event.
  mutating func record(_ event: Recording.Event) throws {
    try addToJournal(event)
    recording.events.append(event)
    switch event.action {
    case .strokeBegun(let stroke):
      strokeCount += 1
      pointCount += stroke.path.count
    case .strokeExtended(_, let path): pointCount += path.count
    default: break
    }
  }

  private func addToJournal(_ event: Recording.Event) throws {
    guard let journal else { return }
    switch event.action {
    case .strokeBegun(var stroke):
      // A journal has one live stroke at a time; the whole recording keeps overlapping strokes.
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

  /// Waits for input, and flushes the journal when its oldest events are due.
  func waitForInput() throws {
    guard let journal else { return }
    while !Interruption.isRequested {
      var input = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
      let timeout =
        journal.secondsUntilFlush.map { Int32(clamping: ($0 * 1000).rounded(.up)) } ?? -1
      if poll(&input, 1, timeout) != 0 { return }
      try journal.flush()
    }
  }

  /// Ends the recording.
  mutating func finish() throws {
    let bytes = try PKDWriter.encode(fitsCurves ? recording.fitted() : recording)
    guard let journal else { return try writeFile(bytes, to: output, mayReplace: mayReplace) }
    try journal.finish(as: bytes)
    self.journal = nil  // releases the file's lock
  }
}

/// Records the lines of the standard input. Events before an invalid line are kept.
private func recordInput(
  into recorder: inout Recorder, _ console: inout Console
) throws {
  var reader = EventStreamReader()
  var (isAtEnd, isAtStart) = (false, true)
  while !isAtEnd, !Interruption.isRequested {
    try recorder.waitForInput()
    if Interruption.isRequested { break }
    if let piece = try readPiece() {
      if isAtStart, let picture = PictureFormat(recognizing: piece) {
        return console.fail("standard input: \(DrawingFileError.picture(picture))", .badData)
      }
      isAtStart = false
      reader.append(piece)
    } else {
      isAtEnd = true
      if !Interruption.isRequested { reader.end() }
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

/// Records the demo, in real time unless `isFast`.
private func recordDemo(into recorder: inout Recorder, isFast: Bool) throws {
  let demo = DemoDrawing.recording
  try recorder.begin(on: demo.canvas)
  var now = demo.events.first?.time
  for event in demo.events where !Interruption.isRequested {
    if !isFast, let last = now { sleep(seconds: event.time - last) }
    now = event.time
    if Interruption.isRequested { break }
    try recorder.record(event)
  }
}

private func sleep(seconds: Double) {
  guard seconds > 0 else { return }
  usleep(UInt32(clamping: min(seconds, 60) * 1e6))
}
