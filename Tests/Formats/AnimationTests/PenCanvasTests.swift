import Graphics
import Rasterization
import Strokes
import TestSupport
import Testing

@testable import Replay

/// While a pen draws, erases and moves strokes, the picture equals the still picture of the same
/// strokes.
@Suite struct PenCanvasTests {
  private static let options = [
    RenderOptions(),
    RenderOptions(extent: .scale(2), paper: .grid, style: .dark),
    RenderOptions(extent: .scale(0.7), background: .transparent),
    RenderOptions(
      extent: .scale(3), region: Rect(x: 40, y: 30, width: 100, height: 120), paper: .dotted),
  ]

  @Test(arguments: 0..<12)
  func `a pen canvas equals the still picture after every change`(session: Int) throws {
    var random = RandomInk(seed: UInt64(session) + 70)
    let canvas = Recording.Canvas(size: Size(width: 200, height: 160))
    let beginning = session % 3 == 0 ? random.drawing() : PKDrawing()
    var pen = PenPage(
      continuing: Recording(beginning, canvas: canvas), session: random.identifier())
    let options = Self.options[session % Self.options.count]
    let view = try PenCanvas(pen, options: options)
    var before: Pixmap?
    for step in 0..<60 {
      let time = Timestamp(secondsSinceReferenceDate: Double(step))
      pen.act(&random, at: time)
      let changed = try view.show(pen)
      let still = try Renderer(options).picture(of: pen.drawing, on: pen.recording.canvas)
      #expect(view.picture == still, "step \(step)")
      // All changed pixels are inside the reported rectangles.
      if let before {
        let outside = still.firstDifference(from: before) { x, y in
          changed.contains { $0.columns.contains(x) && $0.rows.contains(y) }
        }
        #expect(outside == nil, "step \(step): \(String(describing: outside))")
      }
      before = still
    }
  }

  @Test(arguments: 0..<12)
  func `drawn blocks equal the still picture, while the pen draws and the canvas moves`(
    session: Int
  ) throws {
    var random = RandomInk(seed: UInt64(session) + 170)
    let canvas = Recording.Canvas(size: session % 2 == 0 ? Size(width: 200, height: 160) : nil)
    var pen = PenPage(
      continuing: Recording(random.drawing(), canvas: canvas), session: random.identifier())
    let scale = [1, 2, 0.5][session % 3]
    var options = RenderOptions(extent: .scale(scale))
    let height: Double = session % 4 == 0 ? 250 : 256
    options.region = Rect(x: 16, y: -24, width: 320 / scale, height: height / scale)
    if session % 5 == 0 { options.paper = .dotted }
    if session % 4 == 3 { options.background = .transparent }
    let view = try PenCanvas(pen, options: options, blockSide: 64)
    var before: Pixmap?
    for step in 0..<40 {
      let isMove = random.chance(0.15)
      if isMove {
        let (right, down) = (random.whole(-3...3), random.whole(-3...3))
        view.move(right: right, down: down)
        let side = Double(view.blockSide) / scale
        let way = Point(x: Double(right) * side, y: Double(down) * side)
        options.region = options.region.map { Rect(origin: $0.origin + way, size: $0.size) }
        #expect(view.page.visible == options.region)
      } else {
        pen.act(&random, at: Timestamp(secondsSinceReferenceDate: Double(step)))
      }
      var changed = try view.show(pen, drawsAll: random.chance(0.05))
      for _ in 0..<random.whole(0...6) {
        let (x, y) = (random.whole(-50...400), random.whole(-50...400))
        let isComplete = view.waitingCount == 0
        let area = try view.drawBlock(nearestTo: x, y)
        #expect((area == nil) == isComplete)
        if let area { changed.append(area) }
      }
      let still = try Renderer(options).picture(of: pen.drawing, on: pen.recording.canvas)
      let wrong = still.firstDifference(from: view.picture) { x, y in view.isWaiting(x, y) }
      #expect(wrong == nil, "step \(step): \(String(describing: wrong))")
      // Pixels that are not reported keep their content, as a page of the web shows them.
      if let before, !isMove {
        let outside = view.picture.firstDifference(from: before) { x, y in
          view.isWaiting(x, y) || changed.contains { $0.columns.contains(x) && $0.rows.contains(y) }
        }
        #expect(outside == nil, "step \(step): \(String(describing: outside))")
      }
      before = view.picture.copy
    }
    while let area = try view.drawBlock(nearestTo: 0, 0) { #expect(!area.isEmpty) }
    #expect(
      try view.picture == Renderer(options).picture(of: pen.drawing, on: pen.recording.canvas))
  }

  @Test func `a canvas that is not drawn yet costs nothing until blocks are drawn`() throws {
    var random = RandomInk(seed: 5)
    let pen = PenPage(
      continuing: Recording(random.drawing(), canvas: Recording.Canvas()),
      session: random.identifier())
    let view = try PenCanvas(
      pen, options: RenderOptions(region: Rect(x: 0, y: 0, width: 512, height: 256)),
      blockSide: 128)
    #expect(try view.show(pen, drawsAll: false).isEmpty && view.waitingCount == 8)
    let first = try #require(try view.drawBlock(nearestTo: 500, 10))
    #expect(first == PixelRect(columns: 384..<512, rows: 0..<128) && view.waitingCount == 7)
    #expect(try view.show(pen).reduce(PixelRect(width: 0, height: 0)) { $0.union($1) }.width == 512)
    #expect(try view.waitingCount == 0 && view.drawBlock(nearestTo: 0, 0) == nil)
  }

  @Test func `a stroke that replaces a cancelled one is drawn`() throws {
    let canvas = Recording.Canvas(size: Size(width: 60, height: 60))
    var pen = PenPage(
      continuing: Recording(canvas: canvas), session: Identifier(high: 3, low: 4))
    let view = try PenCanvas(pen)
    for (red, y) in [(1.0, 20.0), (0, 20), (0, 40)] {
      let color = Color(red: red, green: 0, blue: 1, alpha: 1)
      pen.cancel()
      pen.beginStroke(with: PKInkingTool(.pen, color: color, width: 8), at: .referenceDate)
      pen.draw([10, 30, 50].map { PenSample(location: Point(x: $0, y: y), time: $0 / 100) })
      _ = try view.show(pen)
      let drawing = PKDrawing(strokes: [try #require(pen.openStroke)])
      #expect(try view.picture == Renderer().picture(of: drawing, on: canvas))
    }
  }

  @Test func `a step of an eraser changes only pixels near it, however long strokes are`() throws {
    let canvas = Recording.Canvas(size: Size(width: 1000, height: 1000))
    var pen = PenPage(
      continuing: Recording(canvas: canvas), session: Identifier(high: 3, low: 4))
    for (row, ink) in PKInkingTool.InkType.known.enumerated() {
      pen.beginStroke(with: PKInkingTool(ink), at: .referenceDate)
      pen.draw(
        (0..<50).map { step in
          PenSample(
            location: Point(x: 10 + 19 * Double(step), y: 100 * Double(row) + 50),
            time: Double(step) / 100)
        })
      pen.end(at: .referenceDate)
    }
    let view = try PenCanvas(pen)
    _ = try view.show(pen)
    pen.beginErasing(with: PKEraserTool(.bitmap, width: 10), at: .referenceDate)
    for step in 0..<40 {
      let sample = PenSample(
        location: Point(x: 200 + 3 * Double(step), y: 20 * Double(step)), time: Double(step))
      pen.erase([sample])
      let area = try view.show(pen).reduce(0) { $0 + $1.columns.count * $1.rows.count }
      #expect(area < 3 * 40 * 50, "step \(step)")
    }
    #expect(pen.shown.count > PKInkingTool.InkType.known.count)
    let drawing = PKDrawing(strokes: pen.shown.map { $0.stroke })
    #expect(try view.picture == Renderer().picture(of: drawing, on: canvas))
  }

  @Test func `a drag changes only pixels where strokes are and were`() throws {
    let canvas = Recording.Canvas(size: Size(width: 1000, height: 1000))
    var pen = PenPage(
      continuing: Recording(canvas: canvas), session: Identifier(high: 3, low: 4))
    for (row, ink) in PKInkingTool.InkType.known.enumerated() {
      for column in 0..<4 {
        let start = Point(x: 100 + 200 * Double(column), y: 100 * Double(row) + 50)
        pen.beginStroke(with: PKInkingTool(ink), at: .referenceDate)
        pen.draw(
          (0..<10).map {
            PenSample(location: start + Point(x: 5 * Double($0), y: 0), time: Double($0) / 100)
          })
        pen.end(at: .referenceDate)
      }
    }
    let view = try PenCanvas(pen)
    _ = try view.show(pen)
    pen.select(inside: Rect(x: 280, y: 0, width: 120, height: 1000).corners)
    #expect(pen.selectionCount == PKInkingTool.InkType.known.count)
    pen.beginDrag()
    #expect(try view.show(pen).isEmpty)
    for step in 1...20 {
      pen.drag(by: AffineTransform(translationX: 11 * Double(step), y: 3 * Double(step)))
      let area = try view.show(pen).reduce(0) { $0 + $1.columns.count * $1.rows.count }
      #expect(area < 2 * 8 * 120 * 60, "step \(step)")
      #expect(try view.picture == Renderer().picture(of: pen.drawing, on: canvas))
    }
    // Visible ink is not drawn again at the end.
    pen.end(at: .referenceDate)
    #expect(try view.show(pen).isEmpty)
    pen.undo(at: .referenceDate)
    _ = try view.show(pen)
    #expect(try view.picture == Renderer().picture(of: pen.drawing, on: canvas))
  }

  @Test func `a pen canvas shows a changed paper, unless its options name one`() throws {
    var random = RandomInk(seed: 8)
    let recording = Recording(
      random.drawing(), canvas: Recording.Canvas(size: Size(width: 200, height: 160)))
    var pen = PenPage(continuing: recording, session: Identifier(high: 3, low: 4))
    let (own, grid) = (
      try PenCanvas(pen), try PenCanvas(pen, options: RenderOptions(paper: .grid))
    )
    _ = (try own.show(pen), try grid.show(pen))
    for paper in RenderOptions.Paper.allCases.reversed() {
      pen.setText(paper.text, named: "paper")
      #expect(try !own.show(pen).isEmpty && grid.show(pen).isEmpty)
      let canvas = pen.recording.canvas
      #expect(canvas.paper == paper)
      #expect(try own.picture == Renderer().picture(of: pen.drawing, on: canvas))
      #expect(
        try own.picture
          == Renderer(RenderOptions(paper: paper)).picture(of: pen.drawing, on: recording.canvas))
    }
    #expect(pen.recording.canvas == recording.canvas, "Blank paper has no text.")
  }

  @Test func `points that are added to a stroke change only pixels near them`() throws {
    let canvas = Recording.Canvas(size: Size(width: 1000, height: 1000))
    var pen = PenPage(
      continuing: Recording(canvas: canvas), session: Identifier(high: 3, low: 4))
    let view = try PenCanvas(pen)
    _ = try view.show(pen)
    pen.beginStroke(with: PKInkingTool(.pen), at: .referenceDate)
    for step in 0..<100 {
      let sample = PenSample(
        location: Point(x: 10 + 9 * Double(step), y: 500), time: Double(step) / 100)
      pen.draw([sample])
      let area = try view.show(pen).reduce(0) { $0 + $1.columns.count * $1.rows.count }
      #expect(area < 6000, "step \(step)")
    }
  }
}

extension PenPage {
  /// The visible strokes.
  fileprivate var drawing: PKDrawing {
    PKDrawing(strokes: shown.map { $0.stroke } + (openStroke.map { [$0] } ?? []))
  }

  /// A random part of a gesture, or a command.
  fileprivate mutating func act(_ random: inout RandomInk, at time: Timestamp) {
    func point(_ random: inout RandomInk) -> Point {
      Point(x: random.number(0...200), y: random.number(0...160))
    }
    func samples(_ random: inout RandomInk) -> [PenSample] {
      let (start, end) = (point(&random), point(&random))
      return (0...6).map { index in
        let share = Double(index) / 6
        return PenSample(
          location: start + (end - start) * share, time: share,
          force: random.number(0...3), azimuth: random.number(-3...3),
          altitude: random.number(0.2...1.5))
      }
    }
    switch random.whole(0...22) {
    case 0: undo(at: time)
    case 1: redo(at: time)
    case 2 where random.chance(0.2): clear(at: time)
    case 14, 15:
      select(inside: Rect(around: [point(&random), point(&random)]).corners)
      if random.chance(0.8) { beginDrag() }
    case 16, 17:
      let (shift, turn) = ((point(&random) - point(&random)) * 0.5, random.transform())
      drag(
        by: random.chance(0.7) ? AffineTransform(translationX: shift.x, y: shift.y) : turn)
    case 18: random.edit(&self, at: time)
    case 19 where random.chance(0.5): deleteSelection(at: time)
    case 20 where random.chance(0.3):
      setText(RenderOptions.Paper.allCases[random.whole(0...7)].text, named: "paper")
    case 3: cancel()
    case 4:
      let kinds = PKEraserTool.EraserType.allCases
      beginErasing(
        with: PKEraserTool(kinds[random.whole(0...kinds.count - 1)], width: random.number(1...30)),
        at: time)
    case 5, 6: end(at: time)
    case 7, 8:
      let inks = PKInkingTool.InkType.known
      beginStroke(
        with: PKInkingTool(inks[random.whole(0...inks.count - 1)], color: random.color()), at: time)
    default:
      erase(samples(&random))
      draw(samples(&random), predicted: random.chance() ? samples(&random) : [])
    }
  }
}
