import Graphics
import Strokes
import TestSupport
import Testing

@testable import PKDFormat

struct RecordingTests {
  @Test(arguments: 0..<12)
  func `a random recording of all events round-trips`(_ group: UInt64) {
    for seed in 0..<20 {
      var random = RandomInk(seed: 1000 * group + UInt64(seed))
      let violation = RecordingProperties.roundTripViolation(random.recording())
      #expect(violation == nil, "seed \(1000 * group + UInt64(seed))")
    }
  }

  @Test func `random recordings contain every kind of event`() {
    var kinds: Set<String> = []
    for seed in 0..<100 {
      var random = RandomInk(seed: UInt64(seed))
      for event in random.recording().events {
        kinds.insert(String("\(event.action)".prefix { $0 != "(" }))
      }
    }
    #expect(
      kinds == [
        "strokeBegun", "strokeExtended", "strokeEnded", "erased", "undone", "redone", "moved",
        "cleared", "toolChanged", "edited",
      ])
  }

  private func roundTrip(_ recording: Recording) throws -> Recording {
    let reader = try PKDReader(try PKDWriter.encode(recording))
    let copy = reader.readRecording().value
    #expect(reader.wholeDamage == nil)
    return copy
  }

  @Test func `an empty recording round-trips`() throws {
    #expect(try roundTrip(Recording()) == Recording())
  }

  @Test func `a page with all its fields round-trips`() throws {
    let canvas = Recording.Canvas(
      size: Size(width: 1e6, height: 0.5),
      background: Color(red: 1, green: 0.2, blue: 0, alpha: 0.1),
      metadata: ["title": "Notes", "": "no name", "author": ""])
    #expect(try roundTrip(Recording(canvas: canvas)).canvas == canvas)
  }

  @Test func `an identifier of all zeros is stored like others`() throws {
    var random = RandomInk(seed: 4)
    var piece = random.stroke(pointCount: 2...2)
    piece.parentID = .zero
    let eraser = random.path(pointCount: 2...2)
    let change = StrokeChange(strokeID: .zero, replacements: [piece])
    let recording = Recording(events: [
      Recording.Event(
        time: .referenceDate,
        action: .erased(PKEraserTool(.vector), along: eraser, changes: [change]))
    ])
    #expect(RecordingProperties.roundTripViolation(recording) == nil)
  }

  @Test func `a damaged event loses no stroke`() throws {
    var random = RandomInk(seed: 4)
    let drawing = random.drawing(strokeCount: 3...3, pointCount: 2...4)
    var recording = Recording(drawing)
    recording.events.append(Recording.Event(time: .referenceDate, action: .undone))
    let file = try #require(ChunkedFile(try PKDWriter.encode(recording, options: .inChunks)))
    // A stroke begins and ends; an unknown event replaces the beginning of the second one.
    let damaged = file.replacing(.events) { $0 = [3, 0, 2, 1, 99] }
    let reader = try PKDReader(damaged.bytes)
    #expect(reader.readRecording().value.drawing == drawing)
    #expect(reader.wholeDamage?.reason == .unknownValue("event", 99))
  }

  @Test func `recorded tools keep widths beyond their ranges`() throws {
    var (pen, eraser) = (PKInkingTool(.pen), PKEraserTool(.bitmap))
    (pen.width, eraser.width) = (1000, 0.001)
    let recording = Recording(
      events: [.toolChanged(.inking(pen)), .toolChanged(.eraser(eraser)), .toolChanged(.lasso)]
        .map { Recording.Event(time: .referenceDate, action: $0) })
    #expect(try roundTrip(recording) == recording)
  }

  @Test func `paths of erasers are not strokes if the events are lost`()
    throws
  {
    var random = RandomInk(seed: 4)
    var recording = Recording(PKDrawing(strokes: [random.stroke(pointCount: 3...3)]))
    recording.events.append(
      Recording.Event(
        time: .referenceDate,
        action: .erased(PKEraserTool(.bitmap), along: random.path(pointCount: 4...4), changes: [])))
    var file = try #require(ChunkedFile(try PKDWriter.encode(recording, options: .inChunks)))
    file.parts.removeAll { $0.type == .events }
    #expect(try PKDReader(file.bytes).readRecording().value.drawing.strokes.count == 1)
  }

  @Test(arguments: 0..<10)
  func `overviews from stroke heads agree with the strokes`(_ seed: UInt64) throws {
    var random = RandomInk(seed: seed)
    let drawing = random.erasedDrawing(strokeCount: 2...20)
    let reader = try PKDReader(try PKDWriter.encode(drawing))
    #expect(reader.strokeCount == drawing.strokeCount)
    for (index, stroke) in drawing.strokes.enumerated() {
      #expect(reader.bounds(ofStroke: index) == stroke.renderBounds)
      #expect(reader.pointCount(ofStroke: index) == stroke.path.count)
      #expect(reader.id(ofStroke: index) == stroke.id)
      #expect(reader.ink(ofStroke: index) == stroke.ink)
      let (stored, exact) = (reader.timeRange(ofStroke: index), drawing.timeRange(ofStroke: index))
      #expect(stored.lowerBound == exact.lowerBound)
      let difference = stored.upperBound - exact.upperBound
      #expect(difference > -1e-6 && difference < 0.001_001)
    }
    // Backwards, because a reader keeps the blocks that it read.
    for index in drawing.strokes.indices.reversed() {
      #expect(try reader.stroke(at: index) == drawing.strokes[index])
    }
  }

  @Test func `a negative zero in a box or a transform keeps its sign`() throws {
    var random = RandomInk(seed: 3)
    var stroke = random.stroke(pointCount: 4...4)
    stroke.transform = AffineTransform(a: 1, b: -0.0, c: 0, d: 1, tx: 0, ty: -0.0)
    stroke.mask = nil
    for box in [
      Rect(from: Point(x: -0.0, y: 1), to: Point(x: 9, y: 9)),
      Rect(from: Point(x: -5, y: -7), to: Point(x: -0.0, y: 0)),
      Rect(from: Point(x: 0, y: 0), to: Point(x: 9, y: 9)),
    ] {
      stroke.archivedBounds = box
      let again = try PKDReader(try PKDWriter.encode(PKDrawing(strokes: [stroke]))).readStrokes()
        .value[0]
      let stored = try #require(again.archivedBounds)
      #expect(stored == box)
      for side in [\Rect.minX, \.minY, \.maxX, \.maxY] {
        #expect(stored[keyPath: side].sign == box[keyPath: side].sign)
      }
      #expect(again.transform == stroke.transform)
      #expect(again.transform.b.sign == .minus && again.transform.ty.sign == .minus)
      #expect(again.transform.tx.sign == .plus)
    }
  }

  @Test(arguments: 0..<20)
  func `the script of a file has the exact times of its recording`(_ seed: UInt64) throws {
    var random = RandomInk(seed: seed)
    // Strokes that begin before the previous one ended, whose exact end only its points give.
    var drawing = random.erasedDrawing(strokeCount: 3...9)
    for index in drawing.strokes.indices where random.chance(0.7) {
      let date = drawing.strokes[0].path.creationDate + random.number(0...0.3)
      drawing.strokes[index].path = drawing.strokes[index].path.withCreationDate(date)
    }
    var recording = Recording(drawing)
    if random.chance() {
      let last = recording.events.last?.time ?? .referenceDate
      recording.events.append(Recording.Event(time: last, action: .cleared))
      let stroke = random.stroke(pointCount: 2...9)
      recording.events.append(
        Recording.Event(
          time: max(last, stroke.path.creationDate), action: .strokeBegun(stroke)))
    }
    let script = try PKDReader(try PKDWriter.encode(recording)).readScript().value.events
    #expect(script.count == recording.events.count)
    for (event, decoded) in zip(recording.events, script) {
      if case .strokeEnded = event.action {
        #expect((0..<0.001_001).contains(decoded.time - event.time))
      } else {
        #expect(decoded.time == event.time)
      }
    }
  }

  @Test(arguments: 0..<10)
  func `pieces of pieces keep their identifiers and parents`(_ seed: UInt64) throws {
    var random = RandomInk(seed: seed)
    // A parent whose own identifier is that of a piece.
    let root = random.identifier()
    let first = root.derived("piece", 0)
    var strokes = [random.stroke(pointCount: 2...2).renamed(first)]
    strokes[0].parentID = root
    for parent in [first, root, first] {
      var piece = random.stroke(pointCount: 2...2)
      if random.chance() { piece = piece.renamed(parent.derived("piece", random.whole(0...2))) }
      piece.parentID = parent
      strokes.append(piece)
    }
    let drawing = PKDrawing(strokes: strokes)
    #expect(try PKDReader(try PKDWriter.encode(drawing)).readDrawing().value == drawing)
  }

  @Test func `the index has the offset and a summary of each block`() throws {
    var random = RandomInk(seed: 9)
    let drawing = random.drawing(strokeCount: 50...50, pointCount: 0...3)
    let bytes = try PKDWriter.encode(drawing)
    let reader = try PKDReader(bytes)
    let chunk = try #require(reader.chunks.first { $0.type == .index })
    let index = try FileIndex(bytes, in: chunk.payload, limits: PKDLimits())
    let blocks = reader.chunks.filter { $0.type == .strokes }
    #expect(index.entries.map(\.offset) == blocks.map(\.offset))
    #expect(index.entries.reduce(0) { $0 + $1.strokeCount } == 50)
    #expect(
      index.entries.reduce(0) { $0 + $1.pointCount }
        == drawing.strokes.reduce(0) { $0 + $1.path.count })
    var next = 0
    for entry in index.entries {
      let strokes = drawing.strokes[next..<next + entry.strokeCount]
      next += entry.strokeCount
      #expect((entry.box ?? .null) == strokes.reduce(Rect.null) { $0.union($1.renderBounds) })
      let base = drawing.strokes[0].path.creationDate
      for stroke in strokes {
        let start = Int64(((stroke.path.creationDate - base) * 1000).rounded())
        #expect(entry.time.lowerBound <= start + 1)
        #expect(entry.time.upperBound >= start - 1)
      }
    }
    let tail = try #require(reader.chunks.last)
    #expect(tail.type == .tail)
    var tailReader = ByteReader(bytes, in: tail.payload)
    #expect(try tailReader.littleEndian(8) == UInt64(chunk.offset))
  }

  @Test(arguments: PKDProfile.allCases)
  func `equal recordings are written as equal bytes, also after reading`(
    _ profile: PKDProfile
  ) throws {
    for seed in 0..<15 {
      var random = RandomInk(seed: UInt64(seed))
      let recording = random.recording()
      let options = PKDWriter.Options(profile: profile)
      let bytes = try PKDWriter.encode(recording, options: options)
      #expect(try PKDWriter.encode(recording, options: options) == bytes)
      let copy = try PKDReader(bytes).readRecording().value
      // Rounding changes times, so only recordings that were rounded once are stable.
      let settled = try PKDWriter.encode(copy, options: options)
      if profile == .exact { #expect(settled == bytes) }
      #expect(
        try PKDWriter.encode(try PKDReader(settled).readRecording().value, options: options)
          == settled)
    }
  }
}
