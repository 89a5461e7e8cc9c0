import Glibc
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

private func shift(_ x: Double, _ y: Double) -> AffineTransform {
  AffineTransform(translationX: x, y: y)
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
  @Test func `the shown page always equals the drawing of its recording`() throws {
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
    #expect(stroke.path.last?.location == Point(x: 10, y: 0))
    #expect(stroke.id == open.id && stroke.randomSeed == open.randomSeed)
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
  func `one erasure is one event, and one undo takes it back`()
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
    // The ink shown while erasing does not change.
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

  @Test func `the erased box covers only ink erased since a given change`()
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

  @Test func `a lasso selects strokes of which more than half of the ink is inside`() {
    var page = emptyPage()
    page.addLine(Point(x: 0, y: 0), Point(x: 100, y: 0), at: 0)
    page.addLine(Point(x: 0, y: 10), Point(x: 40, y: 10), at: 1)
    page.addLine(Point(x: 30, y: 20), Point(x: 30, y: 20), at: 2)
    func count(_ width: Double, _ y: Double = -5, height: Double = 100) -> Int {
      page.select(inside: Rect(x: -5, y: y, width: width + 5, height: height).corners)
      return page.selectionCount
    }
    #expect(count(60) == 3 && count(49) == 2 && count(31) == 2 && count(25) == 1 && count(15) == 0)
    #expect(count(60, 5) == 2 && count(60, 5, height: 10) == 1 && count(60, 60) == 0)
    // A lasso that crosses itself encircles both halves.
    page.select(
      inside: [
        Point(x: -5, y: -5), Point(x: 105, y: 25), Point(x: 105, y: -5), Point(x: -5, y: 25),
      ])
    #expect(page.selectionCount == 1)
    for polygon in [
      [], [Point(x: 0, y: 0), Point(x: 9, y: 9)],
      [Point(x: .nan, y: 0), Point(x: .infinity, y: 3), Point(x: 0, y: 0)],
    ] {
      page.select(inside: polygon)
      #expect(page.selectionCount == 0 && page.selectionBounds.isNull)
    }
  }

  @Test func `a lasso counts only ink that erasers have left`() throws {
    var page = emptyPage()
    page.addLine(Point(x: 0, y: 0), Point(x: 100, y: 0), at: 0)
    page.beginErasing(with: PKEraserTool(.bitmap, width: 10), at: moment(1))
    page.erase(line(Point(x: 30, y: -10), Point(x: 30, y: 10)))
    page.end(at: moment(2))
    #expect(page.strokes.count == 2)
    page.select(inside: Rect(x: -5, y: -5, width: 32, height: 10).corners)
    #expect(page.selectionCount == 1 && page.selectionBounds.maxX < 30)
    page.select(inside: Rect(x: 20, y: -5, width: 90, height: 10).corners)
    #expect(page.selectionCount == 1 && page.selectionBounds.minX > 30)
    // The lasso counts ink where the middle of the line was erased.
    page.beginErasing(with: PKEraserTool(.bitmap, width: 3), at: moment(3))
    page.erase(line(Point(x: -5, y: 0), Point(x: 110, y: 0)))
    page.end(at: moment(4))
    #expect(page.strokes.count > 2)
    page.select(inside: Rect(x: 34, y: -5, width: 90, height: 10).corners)
    #expect(page.selectionCount > 0 && page.selectionCount < page.strokes.count)
  }

  @Test func `a drag is one event, and one undo takes it back`() throws {
    var page = emptyPage()
    for y in [0.0, 20, 40] { page.addLine(Point(x: 0, y: y), Point(x: 100, y: y), at: y) }
    let (before, keys) = (page.strokes, page.shown.map { $0.key })
    let count = page.recording.events.count
    page.select(inside: Rect(x: -5, y: 10, width: 110, height: 40).corners)
    let bounds = page.selectionBounds
    page.beginDrag()
    for step in 1...10 { page.drag(by: shift(Double(step), 2 * Double(step))) }
    #expect(page.isBusy && page.recording.events.count == count)
    #expect(page.strokes[0] == before[0] && page.strokes[1] != before[1])
    let dragged = page.shown
    page.end(at: moment(50))
    #expect(page.recording.events.count == count + 1)
    guard case .moved(let ids, let transform)? = page.recording.events.last?.action else {
      return #expect(Bool(false))
    }
    #expect(ids == before.dropFirst().map { $0.id })
    #expect(transform == AffineTransform(translationX: 10, y: 20))
    #expect(page.shown.map { $0.key } == dragged.map { $0.key })
    #expect(page.strokes == dragged.map { $0.stroke })
    // The strokes stay selected, and can be moved further.
    #expect(page.selectionCount == 2)
    #expect(
      abs(page.selectionBounds.minX - bounds.minX - 10) < 0.1
        && abs(page.selectionBounds.minY - bounds.minY - 20) < 0.1)
    page.transformSelection(by: shift(5, 5), at: moment(51))
    #expect(page.recording.events.count == count + 2 && page.selectionCount == 2)
    page.undo(at: moment(52))
    #expect(page.strokes == dragged.map { $0.stroke } && page.selectionCount == 2)
    page.undo(at: moment(53))
    #expect(page.strokes == before && page.shown.map { $0.key } == keys)
    page.redo(at: moment(54))
    #expect(page.strokes == dragged.map { $0.stroke })
    #expect(page.strokes == page.recording.drawing.strokes)
  }

  @Test func `a drag that is cancelled or returns leaves no trace`() {
    var page = emptyPage()
    for y in [0.0, 20] { page.addLine(Point(x: 0, y: y), Point(x: 100, y: y), at: y) }
    let (recording, keys) = (page.recording, page.shown.map { $0.key })
    page.beginDrag()
    page.drag(by: shift(1, 1))
    #expect(!page.isBusy && page.shown.map { $0.key } == keys)
    page.select(inside: Rect(x: -5, y: 10, width: 110, height: 40).corners)
    page.beginDrag()
    page.drag(by: shift(1, 1))
    #expect(page.shown.map { $0.key } != keys)
    page.cancel()
    #expect(page.shown.map { $0.key } == keys && page.selectionCount == 1)
    page.beginDrag()
    page.drag(by: shift(1, 1))
    page.drag(by: .identity)
    #expect(page.shown.map { $0.key } == keys)
    page.end(at: moment(30))
    #expect(page.recording == recording && page.shown.map { $0.key } == keys)
  }

  @Test func `selected strokes are removed by one event`() {
    var page = emptyPage()
    for y in [0.0, 20, 40] { page.addLine(Point(x: 0, y: y), Point(x: 100, y: y), at: y) }
    let before = page.strokes
    page.deleteSelection(at: moment(41))
    #expect(page.strokes == before)
    page.select(inside: Rect(x: -5, y: 10, width: 110, height: 40).corners)
    let count = page.recording.events.count
    page.deleteSelection(at: moment(42))
    #expect(page.recording.events.count == count + 1)
    #expect(page.strokes == [before[0]] && page.selectionCount == 0)
    page.undo(at: moment(43))
    #expect(page.strokes == before && page.selectionCount == 0)
    page.redo(at: moment(44))
    #expect(page.strokes == [before[0]] && page.strokes == page.recording.drawing.strokes)
  }

  @Test func `strokes with one identifier are moved and removed together`() throws {
    var page = emptyPage()
    page.addLine(Point(x: 0, y: 0), Point(x: 100, y: 0), at: 0)
    var copy = try #require(page.strokes.first)
    copy.transform = AffineTransform(translationX: 0, y: 50)
    page = PenPage(
      continuing: Recording(PKDrawing(strokes: page.strokes + [copy])),
      session: Identifier(high: 5, low: 6))
    page.select(inside: Rect(x: -5, y: 40, width: 110, height: 40).corners)
    #expect(page.selectionCount == 2)
    page.transformSelection(by: shift(3, 3), at: moment(1))
    #expect(page.strokes.map { $0.transform.tx } == [3, 3] && page.selectionCount == 2)
    page.deleteSelection(at: moment(2))
    #expect(page.strokes.isEmpty && page.recording.drawing.strokes.isEmpty)
  }

  @Test func `a figure takes the place of the stroke, and undo gives the hand's back`() throws {
    var page = emptyPage()
    page.addLine(Point(x: 0, y: 0), Point(x: 100, y: 0), at: 0)
    let circle = (0...60).map { index in
      let angle = 6.3 * Double(index) / 60
      let radius = 80 + 2 * (Double(index) / 4).remainder(dividingBy: 1)
      return PenSample(
        location: Point(x: 200 + radius * cos(angle), y: 200 + radius * sin(angle)),
        time: Double(index) / 60)
    }
    page.beginStroke(with: PKInkingTool(.pen, width: 4), at: moment(1))
    #expect(page.tidy(at: moment(1)) == nil && page.isBusy)
    page.draw(circle)
    #expect(page.tidy(at: moment(3)) == .circle && !page.isBusy && page.openStroke == nil)
    let clean = try #require(page.strokes.last)
    for step in 0..<20 {
      let place = clean.path.interpolatedLocation(
        at: Double(clean.path.count - 1) * Double(step) / 20)
      #expect(abs(place.distance(to: Point(x: 200, y: 200)) - 80) < 2)
    }
    page.undo(at: moment(4))
    #expect(page.strokes.count == 2 && page.strokes.last != clean)
    #expect(page.strokes.last?.id == clean.id)
    page.undo(at: moment(5))
    #expect(page.strokes.count == 1)
    page.redo(at: moment(6))
    page.redo(at: moment(7))
    #expect(page.strokes.last == clean && page.strokes == page.recording.drawing.strokes)
    // A stroke that is no figure goes on.
    page.beginStroke(with: PKInkingTool(.pen, width: 4), at: moment(8))
    page.draw(
      (0...200).map { index in
        let turn = Double(index) / 6
        return PenSample(
          location: Point(x: 4 * turn * cos(turn), y: 4 * turn * sin(turn)), time: turn)
      })
    #expect(page.tidy(at: moment(9)) == nil && page.isBusy)
    page.end(at: moment(9))
    #expect(page.strokes.count == 3)
  }

  @Test func `redrawing replaces all samples of the open stroke`() throws {
    var page = emptyPage()
    page.beginStroke(with: PKInkingTool(.pen, width: 4), at: moment(1))
    page.draw(line(Point(x: 0, y: 0), Point(x: 50, y: 80)))
    let first = try #require(page.openStroke)
    page.redraw(line(Point(x: 0, y: 0), Point(x: 90, y: 0)))
    let second = try #require(page.openStroke)
    #expect(first.id != second.id)
    page.draw(line(Point(x: 90, y: 0), Point(x: 90, y: 10)))
    page.end(at: moment(2))
    let path = try #require(page.strokes.first).path
    #expect(page.strokes.count == 1 && path.map { $0.location.x }.max() ?? 0 > 89)
    #expect(path.allSatisfy { $0.location.y < 11 })
  }

  @Test func `a tap selects the front stroke, and adds it to others or takes it away`() {
    var page = emptyPage()
    page.addLine(Point(x: 0, y: 0), Point(x: 100, y: 0), at: 0)
    page.addLine(Point(x: 50, y: -50), Point(x: 50, y: 50), at: 1)
    func ids() -> [Identifier] { page.selectedStrokes.map { $0.id } }
    let both = page.strokes.map { $0.id }
    page.select(at: Point(x: 50, y: 0), within: 4)
    #expect(ids() == [both[1]])
    page.select(at: Point(x: 10, y: 5), within: 4)
    #expect(ids() == [both[0]])
    page.select(at: Point(x: 10, y: 30), within: 4, adding: true)
    #expect(ids() == [both[0]])
    page.select(at: Point(x: 50, y: 40), within: 4, adding: true)
    #expect(ids() == both)
    page.select(at: Point(x: 90, y: 0), within: 4, adding: true)
    #expect(ids() == [both[1]])
    page.select(at: Point(x: 10, y: 30), within: 4)
    #expect(ids() == [])
    page.selectAll()
    #expect(ids() == both)
  }

  @Test func `a lasso can add to the selection`() {
    var page = emptyPage()
    for y in [0.0, 20, 40] { page.addLine(Point(x: 0, y: y), Point(x: 100, y: y), at: y) }
    page.select(inside: Rect(x: -5, y: 35, width: 110, height: 10).corners)
    page.select(inside: Rect(x: -5, y: -5, width: 110, height: 10).corners, adding: true)
    #expect(page.selectedStrokes.map { $0.id } == [page.strokes[0].id, page.strokes[2].id])
  }

  @Test func `each change of a selection is one event, keeps it, and one undo takes it back`()
    throws
  {
    let changes: [(inout PenPage) -> Void] = [
      { $0.restyleSelection(color: Color(red: 1, green: 0, blue: 0), at: moment(9)) },
      { $0.restyleSelection(ink: .crayon, at: moment(9)) },
      { $0.restyleSelection(widthFactor: 2, at: moment(9)) },
      { $0.reorderSelection(toFront: true, at: moment(9)) },
      { $0.duplicateSelection(by: shift(3, 4), at: moment(9)) },
      {
        $0.transformSelection(
          by: AffineTransform(a: -1, b: 0, c: 0, d: 2, tx: 0, ty: 0), at: moment(9))
      },
    ]
    for (number, change) in changes.enumerated() {
      var page = emptyPage()
      for y in [0.0, 20, 40] { page.addLine(Point(x: 0, y: y), Point(x: 100, y: y), at: y / 40) }
      let (before, count) = (page.strokes, page.recording.events.count)
      page.select(inside: Rect(x: -5, y: -5, width: 110, height: 30).corners)
      change(&page)
      let after = page.strokes
      #expect(after != before && page.recording.events.count == count + 1, "change \(number)")
      #expect(page.selectionCount == 2, "change \(number)")
      page.undo(at: moment(10))
      #expect(page.strokes == before, "change \(number)")
      page.redo(at: moment(11))
      #expect(page.strokes == after, "change \(number)")
      #expect(page.recording.drawing.strokes == after, "change \(number)")
    }
  }

  @Test func `a selection gets a colour, an ink and a width, and its points stay where they are`() {
    var page = emptyPage()
    page.addLine(Point(x: 0, y: 0), Point(x: 100, y: 0), at: 0)
    page.addLine(Point(x: 0, y: 20), Point(x: 100, y: 20), at: 1)
    let before = page.strokes
    page.select(at: Point(x: 50, y: 0), within: 4)
    let red = Color(red: 1, green: 0, blue: 0)
    page.restyleSelection(color: red, at: moment(2))
    #expect(page.strokes.map { $0.ink.color } == [red, before[1].ink.color])
    page.restyleSelection(ink: .marker, at: moment(3))
    #expect(page.strokes.map { $0.ink.inkType } == [.marker, .pen])
    page.restyleSelection(widthFactor: 2.5, at: moment(4))
    #expect(page.strokes[0].path.map { $0.location } == before[0].path.map { $0.location })
    for (new, old) in zip(page.strokes[0].path, before[0].path) {
      #expect(abs(new.size.width - 2.5 * old.size.width) < 0.01)
    }
    #expect(page.strokes[0].id == before[0].id && page.strokes[1] == before[1])
    // A width in points is that on the page, whatever the transform.
    page.transformSelection(
      by: AffineTransform(a: 2, b: 0, c: 0, d: 2, tx: 0, ty: 0), at: moment(4))
    page.restyleSelection(width: 6, at: moment(4))
    let widths = page.strokes[0].path.map { 2 * $0.size.width }
    #expect(abs(widths.reduce(0, +) / Double(widths.count) - 6) < 0.01)
    #expect(page.selectedInk?.inkType == .marker)
    // A change to what they are is none.
    let count = page.recording.events.count
    page.restyleSelection(ink: .marker, color: red, at: moment(5))
    #expect(page.recording.events.count == count)
  }

  @Test func `selected strokes come to the front or the back in their order`() {
    var page = emptyPage()
    for y in 0..<5 {
      page.addLine(Point(x: 0, y: 20 * Double(y)), Point(x: 99, y: 20 * Double(y)), at: Double(y))
    }
    let ids = page.strokes.map { $0.id }
    func order() -> [Int] { page.strokes.compactMap { ids.firstIndex(of: $0.id) } }
    page.select(at: Point(x: 50, y: 20), within: 4)
    page.select(at: Point(x: 50, y: 60), within: 4, adding: true)
    page.reorderSelection(toFront: true, at: moment(10))
    #expect(order() == [0, 2, 4, 1, 3])
    page.reorderSelection(toFront: false, at: moment(11))
    #expect(order() == [1, 3, 0, 2, 4])
    // Those that come to the back later are behind those that came before.
    page.select(at: Point(x: 50, y: 80), within: 4)
    page.reorderSelection(toFront: false, at: moment(12))
    #expect(order() == [4, 1, 3, 0, 2])
    let count = page.recording.events.count
    page.reorderSelection(toFront: false, at: moment(13))
    #expect(page.recording.events.count == count)
    page.undo(at: moment(14))
    #expect(order() == [1, 3, 0, 2, 4])
    page.undo(at: moment(15))
    page.undo(at: moment(16))
    #expect(order() == [0, 1, 2, 3, 4])
  }

  @Test func `strokes are inserted with new identifiers, and undo empties an empty page again`() {
    var random = RandomInk(seed: 77)
    let strokes = random.erasedDrawing().strokes
    var page = emptyPage()
    page.insert(strokes, by: shift(10, 20), at: moment(1))
    page.insert(strokes, by: .identity, at: moment(2))
    #expect(page.strokes.count == 2 * strokes.count && page.selectionCount == strokes.count)
    #expect(Set(page.strokes.map { $0.id }).count == page.strokes.count)
    for (new, old) in zip(page.strokes, strokes) {
      #expect(new.path == old.path && new.ink == old.ink && new.randomSeed == old.randomSeed)
      #expect(new.transform == old.transform.concatenating(shift(10, 20)))
      #expect((new.renderGroupID == nil) == (old.renderGroupID == nil))
    }
    // Pieces of one stroke stay together, apart from the others.
    func families(_ strokes: some Sequence<PKStroke>) -> [Int] {
      let roots = strokes.map { $0.rootID }
      return roots.map { roots.firstIndex(of: $0) ?? 0 }
    }
    #expect(families(page.strokes.prefix(strokes.count)) == families(strokes))
    #expect(
      Set(page.strokes.prefix(strokes.count).map { $0.rootID })
        .isDisjoint(with: page.strokes.suffix(strokes.count).map { $0.rootID }))
    page.undo(at: moment(3))
    page.undo(at: moment(4))
    #expect(page.strokes.isEmpty && !page.canUndo)
  }

  @Test func `every other change but undo drops the selection`() {
    let eraser = PKEraserTool(.vector, width: 4)
    let changes: [(inout PenPage) -> Void] = [
      { $0.clear(at: moment(9)) }, { $0.select(inside: []) },
      { $0.addLine(.zero, Point(x: 3, y: 3), at: 9) }, { $0.deleteSelection(at: moment(9)) },
      {
        $0.beginErasing(with: eraser, at: moment(9))
        $0.erase(line(Point(x: 50, y: -5), Point(x: 50, y: 5)))
      },
    ]
    for change in changes {
      var page = emptyPage()
      for y in [0.0, 20, 40] { page.addLine(Point(x: 0, y: y), Point(x: 100, y: y), at: y / 40) }
      page.select(inside: Rect(x: -5, y: 10, width: 110, height: 40).corners)
      page.beginStroke(with: PKInkingTool(.pen), at: moment(8))
      page.cancel()
      page.setText("lined", named: "paper")
      #expect(page.selectionCount == 2)
      change(&page)
      #expect(page.selectionCount == 0)
    }
  }

  @Test func `undo and redo reach the changes of earlier sessions`() throws {
    var page = emptyPage()
    page.addLine(Point(x: 0, y: 0), Point(x: 100, y: 0), at: 0)
    page.addLine(Point(x: 0, y: 20), Point(x: 100, y: 20), at: 1)
    page.select(inside: Rect(x: -5, y: 10, width: 110, height: 40).corners)
    page.transformSelection(by: shift(5, 5), at: moment(2))
    page.undo(at: moment(3))
    var next = PenPage(continuing: page.recording, session: Identifier(high: 7, low: 8))
    #expect(next.canUndo && next.canRedo && next.strokes == page.strokes)
    next.redo(at: moment(4))
    #expect(next.strokes[1].transform.ty == 5)
    for left in [2, 1, 0] {
      next.undo(at: moment(5))
      #expect(next.strokes.count == left)
    }
    #expect(!next.canUndo && next.canRedo)
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
  /// A random gesture or command. A gesture stays open.
  fileprivate mutating func act(_ random: inout RandomInk, at time: Timestamp) {
    func samples(_ random: inout RandomInk) -> [PenSample] {
      let start = Point(x: random.number(0...300), y: random.number(0...300))
      let end = Point(x: random.number(0...300), y: random.number(0...300))
      return line(start, end, count: random.whole(2...12))
    }
    switch random.whole(0...14) {
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
    case 10, 11:
      select(inside: samples(&random).map { $0.location } + samples(&random).map { $0.location })
      beginDrag()
      for _ in 0..<random.whole(0...3) {
        drag(by: shift(random.number(-50...50), random.number(-50...50)))
      }
      if random.chance(0.2) { cancel() }
    case 12:
      select(inside: samples(&random).map { $0.location } + samples(&random).map { $0.location })
      deleteSelection(at: time)
    case 13, 14: random.edit(&self, at: time)
    default:
      beginStroke(with: PKInkingTool(ink: random.ink()), at: time)
      for _ in 0..<random.whole(0...3) {
        draw(samples(&random), predicted: random.chance() ? samples(&random) : [])
      }
      if random.chance(0.1) { cancel() }
    }
  }
}
