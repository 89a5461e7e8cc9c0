import Graphics
import Strokes
import System
import TestSupport
import Testing

@testable import InkFiles
@testable import PKDFormat

/// A session of drawing, step by step, and the minimum content of the file after each step.
struct JournalSession {
  enum Step {
    case begin(PKStroke)
    case points([PKStrokePoint])
    case end
    case record(Recording.Action)
    case flush
    case finish
  }

  private(set) var steps: [(step: Step, time: Timestamp)] = []
  /// The recording after the last step.
  private(set) var recording: Recording
  /// The minimum content of the file after each step.
  private(set) var progress: [Progress] = []

  struct Progress: Equatable {
    var records = 0
    /// Points of the unfinished stroke.
    var livePoints = 0
    var events = 0
    var isFinished = false
  }

  /// Whether strokes have masks and groups, which the file stores only when strokes end.
  private var isMasked = true
  private var now = Timestamp(secondsSinceReferenceDate: 8e8)
  private var live: (stroke: PKStroke, points: [PKStrokePoint], start: Timestamp)?
  private var heldEvents: [Recording.Event] = []
  private var list = RecordList()

  /// A session that continues a recording.
  init(after recording: Recording = Recording()) {
    self.recording = recording
    for event in recording.events { list.add(event.action) }
    if let last = recording.events.last { now = last.time + 1 }
  }

  /// Random strokes and other events, with flushes in between.
  init(_ random: inout RandomInk, stepCount: Int, isMasked: Bool = true) {
    self.init()
    self.isMasked = isMasked
    for _ in 0..<stepCount {
      if random.chance(0.6) {
        draw(&random)
      } else {
        addEvent(&random)
      }
      if random.chance(0.3) { add(.flush) }
    }
  }

  mutating func draw(_ random: inout RandomInk, pointCount: ClosedRange<Int> = 0...12) {
    let stroke = random.stroke(pointCount: pointCount)
    let points = Array(stroke.path)
    var empty = stroke
    if !isMasked {
      empty.mask = nil
      empty.renderGroupID = nil
    }
    empty.path = PKStrokePath(controlPoints: [], creationDate: now)
    add(.begin(empty))
    var index = 0
    while index < points.count {
      let end = min(points.count, index + random.whole(1...5))
      add(.points(Array(points[index..<end])))
      index = end
      if random.chance(0.4) { add(.flush) }
      if random.chance(0.1) { add(.record(.toolChanged(.lasso))) }
      if random.chance(0.1) { addEvent(&random) }
    }
    add(.end)
  }

  /// Adds a random event other than drawing a stroke.
  mutating func addEvent(_ random: inout RandomInk) {
    let drawing = recording.drawing
    switch random.whole(0...6) {
    case 0: add(.record(.undone))
    case 1: add(.record(.redone))
    case 2: add(.record(.toolChanged(.inking(PKInkingTool(.marker, color: random.color())))))
    case 3:
      guard let stroke = drawing.strokes.last else { return }
      add(.record(.moved([stroke.id], by: random.transform())))
    case 4: add(.record(.strokeBegun(random.stroke(pointCount: 0...6))))
    case 5:
      guard var stroke = drawing.strokes.first else { return }
      stroke.ink.color = random.color()
      let change = StrokeChange(strokeID: stroke.id, replacements: [stroke])
      let (above, below) = (random.stroke(pointCount: 0...6), random.stroke(pointCount: 0...6))
      add(.record(.edited([change], above: [above], below: [below])))
    default:
      guard let stroke = drawing.strokes.last else { return }
      let pieces = (0..<random.whole(0...2)).map { _ in random.part(of: stroke) }
      let change = StrokeChange(strokeID: stroke.id, replacements: pieces)
      add(
        .record(
          .erased(PKEraserTool(.bitmap), along: random.path(pointCount: 1...3), changes: [change])))
    }
  }

  mutating func add(_ step: Step) {
    now = now + 0.25
    steps.append((step, now))
    switch step {
    case .begin(let stroke): live = (stroke, [], now)
    case .points(let points): live?.points += points
    case .end: end(at: now)
    case .record(let action):
      let event = Recording.Event(time: now, action: action)
      if live == nil { append(event) } else { heldEvents.append(event) }
    case .flush: break
    case .finish:
      if let live {
        let path = PKStrokePath(
          controlPoints: live.points, creationDate: live.stroke.path.creationDate)
        end(at: max(live.start, path.lastMoment))
      }
    }
    var reached = Progress(
      records: list.records.count, livePoints: live?.points.count ?? 0,
      events: recording.events.count)
    if case .finish = step { reached.isFinished = true }
    progress.append(reached)
  }

  private mutating func end(at time: Timestamp) {
    guard let live else { return }
    var stroke = live.stroke
    stroke.path = PKStrokePath(
      controlPoints: live.points, creationDate: stroke.path.creationDate)
    append(Recording.Event(time: live.start, action: .strokeBegun(stroke)))
    for event in heldEvents { append(event) }
    append(Recording.Event(time: time, action: .strokeEnded(stroke.id)))
    self.live = nil
    heldEvents = []
  }

  private mutating func append(_ event: Recording.Event) {
    recording.events.append(event)
    list.add(event.action)
  }

  /// The strokes and paths of the file after the last step.
  var records: [PKStroke] { list.records.map(\.stroke) }
}

extension JournalSession {
  /// Performs the steps, and calls `safe` after each step that promises that its content is safe.
  /// The next flush repeats failed operations. Returns the error if the last attempt failed.
  @discardableResult
  func perform(
    on journal: PKDJournal, from start: Int = 0, safe: (Int) -> Void = { _ in }
  ) -> PKDFileError? {
    var failure: PKDFileError?
    for (number, (step, time)) in steps.enumerated().dropFirst(start) {
      do {
        switch step {
        case .begin(let stroke): try journal.begin(stroke: stroke, at: time)
        case .points(let points): try journal.append(points: points)
        case .end: try journal.endStroke(at: time)
        case .record(let action): try journal.record(action, at: time)
        case .flush:
          try journal.flush()
          safe(number)
          failure = nil
        case .finish:
          try journal.finish()
          safe(number)
          failure = nil
        }
      } catch {
        failure = error as? PKDFileError
        if failure == nil { Issue.record(error) }
        // There is no later attempt.
        if number == steps.count - 1 { return failure }
      }
    }
    return failure
  }

  /// The fault of a file, which must have at least the content after a step, and no content outside
  /// of the session; nil if there is none.
  func fault(in bytes: [UInt8], after step: Int?) -> String? {
    fault(in: bytes, minimum: step.map { progress[$0] } ?? Progress())
  }

  func fault(in bytes: [UInt8], minimum: Progress) -> String? {
    let reader: PKDReader
    do throws(PKDError) { reader = try PKDReader(bytes) } catch { return "\(error)" }
    let all = records
    let found = reader.readStrokes().value
    if found.count > all.count { return "\(found.count) strokes instead of \(all.count)" }
    if reader.recordCount < minimum.records {
      return "only \(reader.recordCount) of \(minimum.records) strokes"
    }
    for (number, (a, b)) in zip(found, all).enumerated() {
      if number < minimum.records {
        guard a == b else { return "stroke \(number) differs" }
      } else {
        guard a.path.creationDate == b.path.creationDate, a.ink == b.ink,
          a.path.elementsEqual(b.path.prefix(a.path.count)),
          number >= reader.recordCount || a.path.count == b.path.count
        else { return "the new stroke \(number) differs" }
        if number == reader.recordCount, a.id != b.id { return "the live stroke has no name" }
      }
    }
    if minimum.livePoints > 0 || reader.recordCount < found.count {
      let count = found.count > minimum.records ? found[minimum.records].path.count : 0
      if count < minimum.livePoints { return "only \(count) of \(minimum.livePoints) live points" }
    }
    let events = reader.readRecording().value.events
    guard events.prefix(minimum.events).elementsEqual(recording.events.prefix(minimum.events))
    else {
      return "the first \(minimum.events) events differ"
    }
    if minimum.isFinished, !reader.isFinished || reader.isRecovered { return "not finished" }
    return reader.isRecovered == !reader.isFinished || reader.damage != nil
      ? nil : "isRecovered is wrong"
  }
}
