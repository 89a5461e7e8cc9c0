import Graphics
import Rasterization
import Strokes
import TestSupport
import Testing
import Threads

@testable import VectorExport

@Suite struct `Vector files in parts` {
  /// Counts the strokes that are read.
  private final class CountingStrokes: StrokeSource {
    private let drawing: PKDrawing
    private(set) var readCount = 0

    init(_ strokes: [PKStroke]) { drawing = PKDrawing(strokes: strokes) }

    var strokeCount: Int { drawing.strokeCount }
    func bounds(ofStroke index: Int) -> Rect { drawing.bounds(ofStroke: index) }
    func ink(ofStroke index: Int) -> PKInk { drawing.ink(ofStroke: index) }
    func renderGroupID(ofStroke index: Int) -> Identifier? {
      drawing.renderGroupID(ofStroke: index)
    }
    func isMasked(stroke index: Int) -> Bool { drawing.isMasked(stroke: index) }
    func timeRange(ofStroke index: Int) -> ClosedRange<Timestamp> {
      drawing.timeRange(ofStroke: index)
    }
    func stroke(at index: Int) throws(Never) -> PKStroke {
      readCount += 1
      return drawing.stroke(at: index)
    }
  }

  /// Lines of different widths, which need an element each.
  private func lines(_ count: Int, _ type: PKInk.InkType = .monoline) -> [PKStroke] {
    (0..<count).map { number in
      let (x, y) = (Double(number % 190), Double(number / 190 % 140))
      let width = 1 + Double(number % 2)
      return Samples.stroke(
        type, Samples.path([(x, y, width), (x + 9, y + 3, width), (x + 18, y, width)]))
    }
  }

  private func options(threads: Int, isFlat: Bool = false) -> VectorOptions {
    VectorOptions(picture: RenderOptions(threads: threads), isFlat: isFlat)
  }

  @Test(arguments: [1, 2, 5])
  func `the parts of an SVG are the whole, whatever the number of threads`(threads: Int) throws {
    // Wet neighbours, pictures, and highlighters that move below other strokes.
    let mixed = Samples.inks.flatMap { type in
      Samples.drawing(of: type).strokes + lines(700, type == .pencil ? .pen : .monoline)
    }
    for strokes in [mixed, lines(3_000), []] {
      for isFlat in [false, true] {
        let whole = try SVGExporter(options(threads: 1, isFlat: isFlat))
          .svg(of: PKDrawing(strokes: strokes), on: Samples.canvas)
        var parts: [UInt8] = []
        try SVGExporter(options(threads: threads, isFlat: isFlat)).write(
          CountingStrokes(strokes), on: Samples.canvas
        ) { (part) throws(Never) in parts += part }
        #expect(parts == whole)
      }
    }
  }

  @Test(arguments: [1, 3])
  func `the memory of an SVG does not grow with the number of strokes`(threads: Int) throws {
    for count in [2_000, 16_000] {
      let source = CountingStrokes(lines(count))
      var (largest, written, ahead) = (0, 0, 0)
      try SVGExporter(options(threads: threads)).write(source, on: Samples.canvas) {
        (part) throws(Never) in
        largest = max(largest, part.count)
        written += part.split(separator: UInt8(ascii: "\n")).count
        ahead = max(ahead, source.readCount - written)
      }
      #expect(largest < 1 << 17)
      // A batch has 256 strokes.
      #expect(ahead < 256 * (5 * threads + 2), "\(count) strokes")
    }
  }

  @Test func `an error of its sink ends an SVG`() throws {
    struct Full: Error {}
    var calls = 0
    do throws(VectorFailure<Full>) {
      try SVGExporter(options(threads: 3)).write(
        PKDrawing(strokes: lines(9_000)), on: Samples.canvas
      ) { (_) throws(Full) in
        calls += 1
        if calls == 2 { throw Full() }
      }
      Issue.record("the error is lost")
    } catch {
      guard case .sink = error else { throw error }
    }
    #expect(calls == 2)
  }

  @Test(arguments: 1...5)
  func `lanes take results in the order of their batches`(lanes: Int) {
    for end in [0, 1, 40, 500] {
      for last in [end, 30] {
        var (next, taken) = (0, [Int]())
        Lanes.inOrder(
          lanes,
          next: { () -> Int? in
            guard next < end else { return nil }
            defer { next += 1 }
            return next
          },
          work: { (number: Int) -> Int in
            // Some take far longer.
            (0..<(number % 17 == 0 ? 20_000 : 10)).reduce(number) { $0 ^ ($1 & 1) ^ ($1 & 1) }
          },
          take: { (number: Int) -> Bool in
            taken.append(number)
            return number < last
          })
        #expect(taken == Array(0..<min(end, last + 1)))
      }
    }
  }

  @Test func `work that was counted alone is included only where it would be allowed`() {
    var (alone, work) = (ShapeWork(), ShapeWork())
    let isAllowed = alone.allows(edges: 20_000)
    let areIncluded = (0..<3).map { _ in work.include(alone) }
    #expect(isAllowed && areIncluded == [true, true, false])
    #expect(work.pairs == 2 * alone.pairs)
    // The points of strokes allow more.
    work.allow(Samples.stroke(.pen, Samples.wave(y: 50, width: 2, count: 30_000)))
    let isIncluded = work.include(alone)
    let isRefused = !alone.allows(edges: 40_000)
    let isIncludedAgain = work.include(alone)
    #expect(isIncluded && isRefused && !isIncludedAgain)
  }

  @Test func `an opacity that was measured alone is included only while enough work is left`() {
    var options = RenderOptions()
    options.colorSpace = .sRGB
    let stroke = Samples.stroke(.pencil, Samples.path([(20, 20, 6), (60, 20, 6)]))
    let paint = InkPaint(stroke, options)
    var (alone, after) = (OpacityMeter(options), OpacityMeter(options))
    let opacity = alone.opacity(of: [stroke], paint)
    let isIncluded = after.include(alone)
    #expect(isIncluded && after.visits == alone.visits)
    let again = after.opacity(of: [stroke], paint)
    #expect(again == opacity)
    var full = OpacityMeter(options, maximumVisits: 0x1p28)
    let isFull = !full.include(alone)
    #expect(isFull && full.visits == 0)
  }
}
