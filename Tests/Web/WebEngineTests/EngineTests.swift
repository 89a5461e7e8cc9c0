import Foundation
import Glibc
import Graphics
import PKDFormat
import PencilKitArchive
import Strokes
import TestSupport
import Testing
import VectorExport
import WebEngine

/// Opens bytes like a page.
private func open(_ bytes: [UInt8]) -> Int32 {
  bytes.withUnsafeBytes { documentOpen($0.baseAddress, $0.count) }
}

private func sample(_ name: String) throws -> [UInt8] {
  [UInt8](try Data(contentsOf: Corpus.project.appendingPathComponent("Samples/\(name).pkd")))
}

/// Opens a view of a whole page.
private func openView(_ document: Int32, scale: Double = 1, isLive: Int32 = 0) -> Int32 {
  viewOpen(document, isLive, scale, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
}

private func pixels(_ view: Int32) -> [UInt8] {
  let count = Int(viewBytesPerRow(view)) * Int(viewHeight(view))
  return Array(UnsafeRawBufferPointer(start: viewPixels(view), count: count))
}

@Suite(.serialized) struct EngineTests {
  @Test func `a document is opened, shown at several scales and closed`() throws {
    let handle = open(try sample("mood"))
    #expect(handle > 0 && documentIsDamaged(handle) == 0)
    let view = openView(handle)
    #expect(viewShow(view, .infinity) == 1)
    let first = pixels(view)
    #expect(first.contains { $0 != 255 })
    let second = openView(handle, scale: 2)
    #expect(viewShowSteps(second, documentStepCount(handle)) == 1)
    #expect(abs(viewWidth(second) - 2 * viewWidth(view)) <= 1)
    #expect(documentClose(handle) == 0)
    // Views outlive their document.
    #expect(viewShow(view, 0) > 0 && pixels(view) != first)
    #expect(viewShow(view, .infinity) > 0 && pixels(view) == first)
    #expect(viewClose(view) == 0 && viewClose(second) == 0)
    #expect(viewShow(view, 0) == EngineError.unknownHandle.rawValue)
    #expect(openView(handle) == EngineError.unknownHandle.rawValue)
  }

  @Test(arguments: [nil, Color.white, Color(red: 0.5, green: 0.8, blue: 1)])
  func `a document reports whether its page has a background colour`(_ color: Color?) throws {
    let expected: Int32 = color == nil || color == .white ? 0 : 1
    let recording = Recording(
      canvas: Recording.Canvas(size: Size(width: 9, height: 9), background: color))
    let handle = open(try PKDWriter.encode(recording))
    #expect(documentHasBackground(handle) == expected)
    #expect(documentClose(handle) == 0)
    #expect(documentHasBackground(handle) == EngineError.unknownHandle.rawValue)
  }

  @Test func `the web engine opens PencilKit archives, too`() throws {
    let archive = RandomInk.archive(seed: 4)
    let handle = open(archive)
    #expect(handle > 0 && documentStepCount(handle) > 0)
    let view = viewOpen(handle, 0, 1, 0, 0, 200, 200, 0, 0, 0, 0, 0, 0)
    #expect(viewShow(view, .infinity) == 1 && documentWrite(handle) > 0)
    #expect(viewClose(view) == 0 && documentClose(handle) == 0)
    #expect(open(Array(archive.dropLast(20))) == EngineError.notARecording.rawValue)
  }

  @Test func `ink drawn in the web engine is saved to a file that it opens again`() throws {
    let page = documentCreate(300, 200)
    #expect(penUndo(page, 0) == EngineError.wrongKind.rawValue)
    #expect(openView(page, isLive: 1) == EngineError.wrongKind.rawValue)
    #expect(penTake(page, Array(1...16)) == 0)
    let view = openView(page, isLive: 1)
    #expect(viewUpdate(view) == 1)
    let empty = pixels(view)
    #expect(penBegin(page, 0, 0xFF00_00FF, 5, 1.7e9) == 0)
    let samples = (0..<20).flatMap {
      [10 + 9 * Double($0), 100, Double($0) / 60, 1, 0, 1] as [Double]
    }
    #expect(penDraw(page, samples, 20, 0) == 0)
    #expect(viewUpdate(view) > 0 && pixels(view) != empty)
    #expect(viewShow(view, 0) == EngineError.wrongKind.rawValue)
    #expect(penEnd(page, 1.7e9 + 1) == 0 && viewUpdate(view) >= 0)
    let drawn = pixels(view)
    #expect(penChoices(page) == 1)
    #expect(penUndo(page, 1.7e9 + 2) == 0 && viewUpdate(view) > 0)
    #expect(pixels(view) == empty && penChoices(page) == 2)
    #expect(penRedo(page, 1.7e9 + 3) == 0 && viewUpdate(view) > 0)
    #expect(pixels(view) == drawn)
    let count = documentWrite(page)
    let bytes = Array(UnsafeBufferPointer(start: documentBytes(page), count: Int(count)))
    let copy = open(bytes)
    #expect(documentWidth(copy) == 300 && documentStepCount(copy) == 3)
    let replay = openView(copy)
    #expect(viewShow(replay, .infinity) == 1 && pixels(replay) == drawn)
    for handle in [view, replay] { #expect(viewClose(handle) == 0) }
    for handle in [page, copy] { #expect(documentClose(handle) == 0) }
  }

  /// A loop of a pen: six numbers for each sample, 240 samples per second.
  private static let loop = (0..<400).map { number in
    let turn = Double(number) / 30
    return [
      150 + (20 + 4 * turn) * cos(turn), 100 + 60 * sin(turn), Double(number) / 240,
      1 + 0.5 * sin(turn / 3), 0.2 * turn, 1 + 0.3 * sin(turn),
    ]
  }

  /// The path of a pen that draws the loop.
  private static func drawnPath(tolerance: Double? = nil) throws -> PKStrokePath {
    let page = documentCreate(300, 200)
    #expect(penTake(page, Array(1...16)) == 0)
    if let tolerance { #expect(penSetTolerance(page, tolerance) == 0) }
    #expect(penBegin(page, 0, 0xFF00_00FF, 5, 1.7e9) == 0)
    for start in stride(from: 0, to: loop.count, by: 8) {
      #expect(penDraw(page, loop[start..<start + 8].flatMap { $0 }, 7, 1) == 0)
      #expect(penDraw(page, loop[start + 7], 1, 0) == 0)
    }
    #expect(penEnd(page, 1.7e9 + 2) == 0)
    let count = documentWrite(page)
    let bytes = Array(UnsafeBufferPointer(start: documentBytes(page), count: Int(count)))
    #expect(documentClose(page) == 0)
    return try #require(PKDReader(bytes).readRecording().value.drawing.strokes.first).path
  }

  @Test(arguments: [nil, 0.02, 0.5] as [Double?])
  func `a stroke passes the samples of its pen, with fewer points`(tolerance: Double?) throws {
    let path = try Self.drawnPath(tolerance: tolerance)
    #expect(path.count < (tolerance == 0.02 ? 300 : 120))
    func nearest(_ place: Point, _ range: ClosedRange<Double>, step: Double) -> (Double, Double) {
      stride(from: range.lowerBound, through: range.upperBound, by: step)
        .map { ($0, path.interpolatedLocation(at: $0).distance(to: place)) }
        .min { $0.1 < $1.1 } ?? (0, .infinity)
    }
    // The curve's nearest point to a sample, not before that of the previous sample.
    var parameter = 0.0
    for sample in Self.loop {
      let place = Point(x: sample[0], y: sample[1])
      // A corner takes two spans.
      let (near, _) = nearest(place, parameter...parameter + 4, step: 1 / 16)
      let (nearest, distance) = nearest(
        place, max(near - 1 / 16, parameter)...near + 1 / 16, step: 1 / 1024)
      #expect(distance < (tolerance ?? 0.1) + 0.01, "\(sample)")
      let point = path.interpolatedPoint(at: nearest)
      #expect(abs(point.timeOffset - sample[2]) < 0.03, "\(sample)")
      #expect(abs(point.force - sample[3]) < 0.15 && abs(point.altitude - sample[5]) < 0.15)
      parameter = nearest
    }
    #expect(path.first?.location.distance(to: Point(x: 170, y: 100)) ?? 9 < 0.01)
    #expect(abs(path.duration - 399 / 240) < 0.01)
    let times = path.map(\.timeOffset)
    #expect(times == times.sorted())
  }

  @Test func `a tolerance of 0 keeps the samples as control points, and others are refused`()
    throws
  {
    let path = try Self.drawnPath(tolerance: 0)
    #expect(path.count == Self.loop.count)
    let page = documentCreate(9, 9)
    #expect(penSetTolerance(page, 0.1) == EngineError.wrongKind.rawValue)
    #expect(penTake(page, Array(1...16)) == 0)
    for tolerance in [-1, .nan, .infinity, 1e-9, 1e9] {
      #expect(penSetTolerance(page, tolerance) == EngineError.invalidArgument.rawValue)
    }
    #expect(documentClose(page) == 0)
  }

  /// A new page with a pen and lines, one below the other at multiples of 20 points.
  private func pageWithLines(_ count: Int) -> Int32 {
    let page = documentCreate(300, 200)
    #expect(penTake(page, Array(1...16)) == 0)
    for row in 1...count { drawLine(row, on: page) }
    return page
  }

  private func drawLine(_ row: Int, on page: Int32) {
    #expect(penBegin(page, Int32(row - 1), 0xFF00_00FF, 5, 1.7e9 + Double(row)) == 0)
    let samples = (0..<20).flatMap {
      [10 + 9 * Double($0), 20 * Double(row), Double($0) / 60, 1, 0, 1] as [Double]
    }
    #expect(penDraw(page, samples, 20, 0) == 0 && penEnd(page, 1.7e9 + Double(row) + 0.5) == 0)
  }

  private static let lasso: [Double] = [0, 30, 300, 30, 300, 130, 0, 130]

  @Test func `a lasso selects strokes, which are dragged, put back, moved and removed`() throws {
    let page = pageWithLines(3)
    let view = openView(page, isLive: 1)
    #expect(viewUpdate(view) == 1)
    let first = pixels(view)
    #expect(penSelectionBounds(page) == nil)
    #expect(penSelect(page, Self.lasso, 4, 0) == 2)
    let bounds = try #require(penSelectionBounds(page))
    #expect(bounds[0] < 10 && bounds[1] < 40 && bounds[1] > 30 && bounds[3] > 20 && bounds[3] < 40)
    #expect(
      penBeginDrag(page) == 0 && penDrag(page, 1, 0, 0, 1, 30, 50) == 0 && viewUpdate(view) > 0)
    let dragged = pixels(view)
    #expect(dragged != first && penCancel(page) == 0 && viewUpdate(view) > 0)
    #expect(pixels(view) == first)
    #expect(
      penBeginDrag(page) == 0 && penDrag(page, 1, 0, 0, 1, 3, 5) == 0
        && penDrag(page, 1, 0, 0, 1, 30, 50) == 0)
    #expect(penEnd(page, 1.7e9 + 20) == 0 && viewUpdate(view) > 0 && pixels(view) == dragged)
    #expect(penUndo(page, 1.7e9 + 21) == 0 && viewUpdate(view) > 0 && pixels(view) == first)
    #expect(penSelectionCount(page) == 2)
    #expect(
      penSelect(page, Self.lasso, 4, 0) == 2
        && penTransform(page, 1, 0, 0, 1, 30, 50, 1.7e9 + 22) == 0)
    #expect(viewUpdate(view) > 0 && pixels(view) == dragged)
    #expect(penDeleteSelection(page, 1.7e9 + 23) == 0 && viewUpdate(view) > 0)
    #expect(pixels(view) != dragged && documentStrokeCount(page) == 1)
    #expect(penUndo(page, 1.7e9 + 24) == 0 && viewUpdate(view) > 0 && pixels(view) == dragged)
    #expect(penSelect(page, Self.lasso, 4, 0) > 0 && penSelect(page, nil, 0, 0) == 0)
    for x in [Double.nan, .infinity] {
      #expect(penDrag(page, 1, 0, 0, 1, x, 0) == EngineError.invalidArgument.rawValue)
      #expect(penTransform(page, 1, 0, 0, 1, 0, x, 0) == EngineError.invalidArgument.rawValue)
    }
    #expect(penSelect(page, nil, 3, 0) == EngineError.invalidArgument.rawValue)
    #expect(penSelect(page, Self.lasso, -1, 0) == EngineError.invalidArgument.rawValue)
    #expect(viewClose(view) == 0 && documentClose(page) == 0)
    #expect(penSelect(page, Self.lasso, 4, 0) == EngineError.unknownHandle.rawValue)
    let other = documentCreate(9, 9)
    #expect(penSelect(other, Self.lasso, 4, 0) == EngineError.wrongKind.rawValue)
    #expect(penBeginDrag(other) == EngineError.wrongKind.rawValue)
    #expect(documentClose(other) == 0)
  }

  /// The document as a file, opened again.
  private func reopened(_ page: Int32) -> Int32 {
    let count = documentWrite(page)
    return documentOpen(documentBytes(page), Int(count))
  }

  @Test
  func `a reopened document has its moves, and undo goes back behind them`()
    throws
  {
    let page = pageWithLines(3)
    #expect(
      penSelect(page, Self.lasso, 4, 0) == 2
        && penTransform(page, 1, 0, 0, 1, 30, 50, 1.7e9 + 20) == 0)
    #expect(penSelect(page, Self.lasso, 4, 0) == 2 && penDeleteSelection(page, 1.7e9 + 21) == 0)
    let copy = reopened(page)
    #expect(copy > 0 && documentStepCount(copy) == 5 && documentStrokeCount(copy) == 1)
    #expect(penTake(copy, Array(2...17)) == 0 && penChoices(copy) == 1)
    for left in [3, 3, 2, 1, 0] as [Int32] {
      #expect(penUndo(copy, 1.7e9 + 30) == 0 && documentStrokeCount(copy) == left)
    }
    #expect(penChoices(copy) == 2)
    // Commands undone in the previous session can be redone in the next one.
    let third = reopened(copy)
    #expect(penTake(third, Array(3...18)) == 0 && penChoices(third) == 2)
    for left in [1, 2, 3, 3, 1] as [Int32] {
      #expect(penRedo(third, 1.7e9 + 40) == 0 && documentStrokeCount(third) == left)
    }
    for handle in [page, copy, third] { #expect(documentClose(handle) == 0) }
  }

  @Test func `undo takes back what was drawn on an archive, and never its own strokes`() throws {
    let page = open(RandomInk.archive(seed: 4))
    let count = documentStrokeCount(page)
    #expect(count > 0 && penTake(page, Array(1...16)) == 0 && penChoices(page) == 0)
    _ = penUndo(page, 1.7e9)
    #expect(documentStrokeCount(page) == count)
    drawLine(1, on: page)
    #expect(documentStrokeCount(page) == count + 1 && penChoices(page) == 1)
    for _ in 0..<2 { _ = penUndo(page, 1.7e9 + 9) }
    #expect(documentStrokeCount(page) == count && penChoices(page) == 2)
    #expect(documentClose(page) == 0)
  }

  @Test func `the paper of a page is shown, written and found again`() throws {
    let page = documentCreate(100, 100)
    #expect(documentPaper(page) == 0)
    #expect(documentSetPaper(page, 2) == EngineError.wrongKind.rawValue)
    #expect(penTake(page, Array(1...16)) == 0)
    func openView(_ document: Int32, paper: Int32, isLive: Int32) -> Int32 {
      viewOpen(document, isLive, 1, 0, 0, 0, 0, 0, paper, 0, 0, 0, 0)
    }
    let (own, blank) = (
      openView(page, paper: -1, isLive: 1), openView(page, paper: 0, isLive: 1)
    )
    #expect(viewUpdate(own) == 1 && viewUpdate(blank) == 1 && pixels(own) == pixels(blank))
    #expect(documentSetPaper(page, 2) == 0 && documentPaper(page) == 2)
    #expect(viewUpdate(own) > 0 && viewUpdate(blank) == 0 && pixels(own) != pixels(blank))
    let copy = reopened(page)
    #expect(documentPaper(copy) == 2)
    let (replay, lined) = (
      openView(copy, paper: -1, isLive: 0), openView(copy, paper: 2, isLive: 0)
    )
    #expect(viewShow(replay, 0) == 1 && viewShow(lined, 0) == 1)
    #expect(pixels(replay) == pixels(own) && pixels(lined) == pixels(own))
    #expect(documentSetPaper(page, 0) == 0 && viewUpdate(own) > 0 && pixels(own) == pixels(blank))
    for paper in [-1, 8, .max] as [Int32] {
      #expect(documentSetPaper(page, paper) == EngineError.invalidArgument.rawValue)
    }
    for view in [own, blank, replay, lined] { #expect(viewClose(view) == 0) }
    for handle in [page, copy] { #expect(documentClose(handle) == 0) }
  }

  @Test(arguments: ["mood", "texts"])
  func `vector files of the web engine equal those of the exporters`(_ name: String) throws {
    var recording = try PKDReader(sample("mood")).readRecording().value
    if name == "texts" {
      recording.canvas.metadata = [
        "title": "<Bögen> & (Kreise)", "author": "A\\nn", "description": "d",
      ]
    }
    let document = open(try PKDWriter.encode(recording))
    let metadata = recording.canvas.metadata
    let options = VectorOptions(
      pixelsPerPoint: 1,
      information: DocumentInformation(
        title: metadata["title"], author: metadata["author"], subject: metadata["description"]))
    func written(_ form: Int32) -> [UInt8] {
      let count = documentWriteVectors(document, form, 1)
      return Array(UnsafeBufferPointer(start: documentBytes(document), count: max(Int(count), 0)))
    }
    let drawing = recording.drawing
    let svg = try SVGExporter(options).svg(of: drawing, on: recording.canvas)
    #expect(written(0) == svg && svg.count > 1000)
    let pdf = try PDFExporter(options).pdf(of: [.init(drawing, on: recording.canvas)])
    #expect(written(1) == pdf && pdf.count > 1000)
    // The current state of the pen's page is written.
    #expect(penTake(document, Array(1...16)) == 0 && written(0) == svg)
    #expect(penUndo(document, 1.7e9) == 0)
    let fewer = written(0)
    #expect(fewer != svg && penRedo(document, 1.7e9) == 0 && written(0) == svg)
    for (form, density) in [(2, 1), (-1, 1), (0, 0), (1, 99), (0, .nan)] as [(Int32, Double)] {
      let result = documentWriteVectors(document, form, density)
      #expect(result == EngineError.invalidArgument.rawValue)
    }
    #expect(documentClose(document) == 0)
    #expect(documentWriteVectors(document, 0, 1) == EngineError.unknownHandle.rawValue)
    let empty = documentCreate(0, 0)
    for form: Int32 in 0...1 { #expect(documentWriteVectors(empty, form, 1) > 0) }
    #expect(documentClose(empty) == 0)
  }

  @Test func `counts of strokes and inks cover the strokes visible at the end`() throws {
    let page = pageWithLines(4)
    #expect(documentStrokeCount(page) == 4 && documentInks(page) == 0b1111)
    #expect(penSelect(page, Self.lasso, 4, 0) > 0 && penDeleteSelection(page, 1.7e9 + 20) == 0)
    let (count, inks) = (documentStrokeCount(page), documentInks(page))
    #expect(count < 4 && inks & 1 == 1 && inks.nonzeroBitCount == count)
    let copy = reopened(page)
    #expect(documentStrokeCount(copy) == count && documentInks(copy) == inks)
    #expect(documentStrokeCount(-1) == EngineError.unknownHandle.rawValue)
    for handle in [page, copy] { #expect(documentClose(handle) == 0) }
  }

  @Test(arguments: [1, 2, 3.7])
  func `live views show any part of an unbounded page`(scale: Double) throws {
    let page = documentCreate(0, 0)
    #expect(penTake(page, Array(1...16)) == 0)
    for (x, y) in [(-300.0, -200.0), (40, 30)] {
      #expect(penBegin(page, 0, 0x0000_FFFF, 5, 1.7e9) == 0)
      let samples = (0..<20).flatMap {
        [x + 3 * Double($0), y, Double($0) / 60, 1, 0, 1] as [Double]
      }
      #expect(penDraw(page, samples, 20, 0) == 0 && penEnd(page, 1.7e9 + 1) == 0)
    }
    let copy = reopened(page)
    // With ink, without ink, with negative coordinates, with odd sizes, and smaller than a pixel.
    for region in [
      (0.0, 0.0, 120.0, 70.0), (5000, 5000, 30, 40), (-320.3, -210.7, 90.1, 33.3),
      (-1e6, 1e6, 12.34, 5.67), (41.1, 29.9, 0.01, 0.01),
    ] {
      func view(_ document: Int32, _ isLive: Int32) -> Int32 {
        viewOpen(
          document, isLive, scale, region.0, region.1, region.2, region.3, 0, -1, 0, 0, 0, 0)
      }
      let (live, replay) = (view(page, 1), view(copy, 0))
      #expect(viewUpdate(live) == 1 && viewShow(replay, .infinity) == 1)
      #expect(viewWidth(live) == Int32((region.2 * scale).rounded(.up)))
      #expect(viewHeight(live) == Int32((region.3 * scale).rounded(.up)))
      #expect(abs(viewLeft(live) - region.0) < 1e-6 && abs(viewTop(live) - region.1) < 1e-6)
      #expect(pixels(live) == pixels(replay))
      #expect(viewClose(live) == 0 && viewClose(replay) == 0)
    }
    for handle in [page, copy] { #expect(documentClose(handle) == 0) }
  }

  @Test func `invalid calls of the web engine return errors`() throws {
    #expect(open([]) < 0)
    #expect(open(Array("no recording".utf8)) == EngineError.notARecording.rawValue)
    #expect(documentOpen(nil, 3) == EngineError.invalidArgument.rawValue)
    #expect(documentCreate(-1, 5) == EngineError.invalidArgument.rawValue)
    #expect(documentCreate(.nan, 5) == EngineError.invalidArgument.rawValue)
    #expect(engineAllocate(0) == nil && engineAllocate(-1) == nil)
    for handle in [-1, 0, 1000, .min, .max] as [Int32] {
      #expect(openView(handle) == EngineError.unknownHandle.rawValue)
      #expect(documentClose(handle) == EngineError.unknownHandle.rawValue)
      #expect(viewShow(handle, 0) == EngineError.unknownHandle.rawValue)
      #expect(documentWidth(handle) == 0 && viewPixels(handle) == nil)
    }
    let handle = open(try sample("mood"))
    for scale in [0, -1, .nan, .infinity, 1e9] {
      #expect(openView(handle, scale: scale) < 0, "\(scale)")
    }
    for choice in [-1, 9, .max] as [Int32] {
      let view = viewOpen(handle, 0, 1, 0, 0, 0, 0, choice, 0, 0, 0, 0, 0)
      #expect(view == EngineError.invalidArgument.rawValue)
    }
    let view = openView(handle)
    for time in [-.infinity, -1, .nan, 1e300] { #expect(viewShow(view, time) >= 0, "\(time)") }
    #expect(viewShowSteps(view, .min) >= 0 && viewShowSteps(view, .max) >= 0)
    #expect(viewClose(view) == 0 && documentClose(handle) == 0)
  }

  @Test func `memory allocated by the web engine is writable and can be freed`() throws {
    let memory = try #require(engineAllocate(1000))
    memory.initializeMemory(as: UInt8.self, repeating: 7, count: 1000)
    engineFree(memory, 1000)
  }

  /// The hashes are the same on all processors; `Tests/run` compares those of a page.
  @Test(
    arguments: zip(
      0..<6 as Range<Int32>,
      [
        2_541_495_308_814_040_978, 10_897_264_011_403_856_270, 12_445_103_772_267_324_575,
        84_059_451_566_715_962, 14_183_820_028_202_157_120, 1_053_616_999_922_039_747,
      ] as [UInt64]))
  func `mathematical functions give the same bits everywhere`(_ function: Int32, _ hash: UInt64) {
    #expect(engineMathHash(function) == hash)
  }
}

extension RandomInk {
  fileprivate static func archive(seed: UInt64) -> [UInt8] {
    var random = RandomInk(seed: seed)
    return random.drawing().dataRepresentation()
  }
}
