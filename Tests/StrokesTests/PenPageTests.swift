import Graphics
import TestSupport
import Testing

@testable import Strokes

/// A line of samples, a tenth of a second long.
private func line(_ from: Point, _ to: Point, count: Int = 6) -> [PenSample] {
  (0..<count).map { index in
    let share = Double(index) / Double(count - 1)
    return PenSample(location: from + (to - from) * share, time: share / 10)
  }
}

private func moment(_ seconds: Double) -> Timestamp {
  Timestamp(secondsSinceReferenceDate: seconds)
}

private func emptyPage() -> PenPage {
  PenPage(continuing: Recording(), session: Identifier(high: 1, low: 2))
}

extension PenPage {
  fileprivate var strokes: [PKStroke] { shown.map { $0.stroke } }

  fileprivate mutating func addLine(_ from: Point, _ to: Point, at time: Double) {
    beginStroke(with: PKInkingTool(.pen, width: 4), at: moment(time))
    draw(line(from, to))
    end(at: moment(time + 0.1))
  }
}

@Suite struct PenPageTests {
  @Test func `what is shown is always the drawing of the recording`() throws {
    var random = RandomInk(seed: 5)
    for session in 0..<12 {
      var page = PenPage(
        continuing: session % 3 == 0 ? Recording(random.drawing()) : Recording(),
        session: random.identifier())
      for step in 0..<40 {
        page.act(&random, at: moment(Double(step)))
        page.end(at: moment(Double(step) + 0.5))
        #expect(page.strokes == page.recording.drawing.strokes)
        #expect(page.openStroke == nil && !page.isBusy)
      }
      let times = page.recording.events.map { $0.time }
      #expect(times == times.sorted() || session % 3 == 0)
      #expect(Set(page.shown.map { $0.key }).count == page.shown.count)
    }
  }

  @Test func `predicted points are shown and never recorded`() throws {
    var page = emptyPage()
    page.beginStroke(with: PKInkingTool(.pen), at: moment(1))
    page.draw(
      line(Point(x: 0, y: 0), Point(x: 10, y: 0)),
      predicted: line(Point(x: 11, y: 0), Point(x: 20, y: 0)))
    #expect(page.openStroke?.path.count == 12)
    page.draw([], predicted: [])
    #expect(page.openStroke?.path.count == 6)
    page.draw([], predicted: line(Point(x: 11, y: 0), Point(x: 30, y: 0)))
    let open = try #require(page.openStroke)
    page.end(at: moment(2))
    let stroke = try #require(page.strokes.first)
    #expect(stroke.path.count == 6 && stroke.id == open.id && stroke.randomSeed == open.randomSeed)
  }

  @Test func `a cancelled gesture leaves no trace`() {
    var page = emptyPage()
    page.addLine(Point(x: 0, y: 0), Point(x: 50, y: 0), at: 1)
    let (recording, keys) = (page.recording, page.shown.map { $0.key })
    page.beginErasing(with: PKEraserTool(.vector), at: moment(2))
    page.erase(line(Point(x: 25, y: -10), Point(x: 25, y: 10)))
    #expect(page.shown.isEmpty)
    page.cancel()
    #expect(page.recording == recording && page.shown.map { $0.key } == keys)
    page.beginStroke(with: PKInkingTool(.crayon), at: moment(3))
    page.draw(line(Point(x: 0, y: 0), Point(x: 9, y: 9)))
    page.cancel()
    #expect(page.recording == recording && page.openStroke == nil)
  }

  @Test
  func `one erasure is one event, however often the eraser moved, and one undo takes it back`()
    throws
  {
    var page = emptyPage()
    for y in [0.0, 20, 40] { page.addLine(Point(x: 0, y: y), Point(x: 100, y: y), at: y) }
    let before = page.strokes
    page.beginErasing(with: PKEraserTool(.bitmap, width: 10), at: moment(50))
    for y in stride(from: -10.0, to: 50, by: 5) {
      page.erase(line(Point(x: 50, y: y), Point(x: 50, y: y + 5), count: 2))
    }
    let (count, keys) = (page.recording.events.count, page.shown.map { $0.key })
    #expect(keys.count == 6)
    page.end(at: moment(51))
    #expect(page.recording.events.count == count + 1)
    // What was seen while erasing stays as it is.
    #expect(page.shown.map { $0.key } == keys)
    page.undo(at: moment(52))
    #expect(page.strokes == before && page.canRedo)
    page.redo(at: moment(53))
    #expect(page.strokes.count == 6 && !page.canRedo)
  }

  @Test
  func `strokes that an eraser does not touch keep their keys, and pieces keep theirs in the end`()
  {
    var page = emptyPage()
    for row in 0..<4 {
      page.addLine(
        Point(x: 0, y: 20 * Double(row)), Point(x: 100, y: 20 * Double(row)), at: Double(row))
    }
    func keys() -> [Int32] { page.shown.map { $0.key } }
    let before = keys()
    page.beginErasing(with: PKEraserTool(.bitmap, width: 6), at: moment(9))
    page.erase(line(Point(x: 30, y: -10), Point(x: 30, y: 10)))
    #expect(keys().count == 5 && keys().suffix(3) == before.suffix(3))
    let first = keys()
    page.erase(line(Point(x: 30, y: 10), Point(x: 30, y: 30)))
    #expect(keys().count == 6 && keys().prefix(2) == first.prefix(2))
    let second = keys()
    page.end(at: moment(10))
    #expect(keys() == second)
    page.undo(at: moment(11))
    #expect(keys() == before)
  }

  @Test func `the box of what was erased holds the steps since a change, and no other changes`()
    throws
  {
    var page = emptyPage()
    page.addLine(Point(x: 0, y: 0), Point(x: 100, y: 0), at: 0)
    let start = page.changeCount
    #expect(page.erasedBox(since: start) == nil)
    page.beginErasing(with: PKEraserTool(.bitmap, width: 6), at: moment(1))
    #expect(page.erasedBox(since: start)?.isNull == true)
    page.erase(line(Point(x: 20, y: -10), Point(x: 20, y: 10)))
    let first = try #require(page.erasedBox(since: start))
    #expect(first.contains(Point(x: 21, y: 0)) && !first.contains(Point(x: 60, y: 0)))
    page.erase(line(Point(x: 20, y: 10), Point(x: 60, y: 10)))
    #expect(page.erasedBox(since: start) == first, "Nothing lies there.")
    page.erase(line(Point(x: 60, y: 10), Point(x: 60, y: -10)))
    let both = try #require(page.erasedBox(since: start))
    #expect(both.contains(first) && both.contains(Point(x: 61, y: 0)))
    let second = try #require(page.erasedBox(since: start + 1))
    #expect(!second.contains(Point(x: 21, y: 0)) && second.contains(Point(x: 61, y: 0)))
    #expect(page.erasedBox(since: start - 1) == nil)
    page.beginErasing(with: PKEraserTool(.vector), at: moment(2))
    page.erase(line(Point(x: 20, y: 0), Point(x: 22, y: 0)))
    #expect(page.erasedBox(since: page.changeCount) == nil)
  }

  @Test func `samples that are no numbers are left out, and times never run back`() throws {
    var page = emptyPage()
    page.beginStroke(with: PKInkingTool(.pencil), at: moment(1))
    page.draw([
      PenSample(location: Point(x: 1, y: 1), time: 0.2),
      PenSample(location: Point(x: .nan, y: 1), time: 0.3),
      PenSample(location: Point(x: 2, y: 1), time: .infinity),
      PenSample(location: Point(x: 3, y: 1), time: 0.1),
    ])
    page.end(at: moment(0))
    let path = try #require(page.strokes.first).path
    #expect(path.map { $0.location.x } == [1, 3])
    #expect(path.duration == 0)
    let times = page.recording.events.map { $0.time }
    #expect(times == times.sorted())
  }

  @Test func `an average touch leaves a mark of the tool's width`() {
    for type in PKInkingTool.InkType.known where type != .pencil {
      let tool = PKInkingTool(type)
      let point = tool.point(at: PenSample(location: .zero, time: 0))
      let drawn = tool.ink.drawnSize(of: point.size)
      #expect(abs(max(drawn.width, drawn.height) - tool.width) < 0.02, "\(type.name)")
      #expect(point.opacity > 0.8 && point.opacity <= 1.01, "\(type.name)")
    }
  }

  @Test func `more pressure never makes a mark smaller or paler`() {
    for type in PKInkingTool.InkType.known {
      let tool = PKInkingTool(type)
      var last: (width: Double, opacity: Double) = (0, 0)
      for force in [0, 0.1, 0.5, 1, 2, 4, 100] {
        let point = tool.point(at: PenSample(location: .zero, time: 0, force: force))
        let width = tool.ink.drawnSize(of: point.size).width
        #expect(width >= last.width && point.opacity >= last.opacity, "\(type.name) at \(force)")
        last = (width, point.opacity)
      }
    }
  }
}

extension PenPage {
  /// A random gesture or command, whose gesture stays open.
  fileprivate mutating func act(_ random: inout RandomInk, at time: Timestamp) {
    func samples(_ random: inout RandomInk) -> [PenSample] {
      let start = Point(x: random.number(0...300), y: random.number(0...300))
      let end = Point(x: random.number(0...300), y: random.number(0...300))
      return line(start, end, count: random.whole(2...12))
    }
    switch random.whole(0...9) {
    case 0: undo(at: time)
    case 1: redo(at: time)
    case 2 where random.chance(0.2): clear(at: time)
    case 3, 4:
      let kinds = PKEraserTool.EraserType.allCases
      beginErasing(
        with: PKEraserTool(kinds[random.whole(0...kinds.count - 1)], width: random.number(1...30)),
        at: time)
      for _ in 0..<random.whole(1...4) { erase(samples(&random)) }
      if random.chance(0.2) { cancel() }
    default:
      beginStroke(with: PKInkingTool(ink: random.ink()), at: time)
      for _ in 0..<random.whole(0...3) {
        draw(samples(&random), predicted: random.chance() ? samples(&random) : [])
      }
      if random.chance(0.1) { cancel() }
    }
  }
}
