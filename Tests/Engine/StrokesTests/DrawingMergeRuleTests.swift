import Graphics
import TestSupport
import Testing

@testable import Strokes

struct DrawingMergeRuleTests {
  private let base = PKDrawing(strokes: [
    plain(line(y: 0), id: 1), plain(line(y: 20), id: 2), plain(line(y: 40), id: 3),
  ])

  private func merged(_ one: PKDrawing, _ two: PKDrawing) -> PKDrawing {
    PKDrawing.merging(base: base, ours: one, theirs: two)
  }

  private func wiped(_ drawing: PKDrawing, x: Double, _ type: PKEraserTool.EraserType = .bitmap)
    -> PKDrawing
  {
    var drawing = drawing
    drawing.erase(along: path([(x, -5), (x, 5)]), with: PKEraserTool(type, width: 10))
    return drawing
  }

  @Test func `an erasure wins over a move`() {
    var moved = base
    moved.strokes[0].transform = AffineTransform(translationX: 5, y: 5)
    let cut = wiped(base, x: 50)
    #expect(cut.strokes.count == 4)
    #expect(merged(moved, cut) == cut)
    #expect(merged(moved, wiped(base, x: 50, .vector)).strokes == Array(base.strokes[1...]))
  }

  @Test func `ink that either side erased is gone from the merged stroke`() {
    let result = merged(wiped(base, x: 20), wiped(base, x: 70))
    #expect(result.strokes.count == 5)
    let pieces = result.strokes.filter { $0.rootID == name(1) }
    #expect(pieces.map { piece in pieces.filter { $0.id == piece.id }.count } == [1, 1, 1])
    #expect(pieces.allSatisfy { $0.parentID == name(1) })
    for x in stride(from: 1.0, to: 100, by: 1) {
      let isErased = abs(x - 20) < 4.5 || abs(x - 70) < 4.5
      let isInk = abs(x - 20) > 5.5 && abs(x - 70) > 5.5
      let isThere = pieces.contains { $0.contains(Point(x: x, y: 0)) }
      #expect(!isErased || !isThere, "\(x)")
      #expect(!isInk || isThere, "\(x)")
    }
  }

  @Test func `the same erasure on both sides is merged once`() {
    let cut = wiped(base, x: 50)
    var one = cut
    one.strokes.append(plain(line(y: 60), id: 4))
    var two = cut
    two.strokes.append(plain(line(y: 80), id: 5))
    #expect(merged(one, two).strokes.prefix(4) == cut.strokes[...])
    #expect(merged(one, two).strokes.map { $0.id }.suffix(2) == [name(4), name(5)])
  }

  @Test func `an erasure applies to the ink, also if the other side has moved it`() {
    var moved = wiped(base, x: 20)
    for index in 0..<2 {
      moved.strokes[index].transform = AffineTransform(translationX: 0, y: 100)
    }
    let pieces = merged(moved, wiped(base, x: 70)).strokes.filter { $0.rootID == name(1) }
    #expect(pieces.count == 3)
    #expect(pieces.allSatisfy { $0.transform.ty == 100 })
  }

  @Test func `merged parts of a path have the range that both sides kept`() {
    func part(_ range: ClosedRange<Double>) -> PKDrawing {
      PKDrawing(strokes: [base.strokes[0].substroke(range: range)] + base.strokes[1...])
    }
    let common = merged(part(0...6), part(4...10)).strokes[0]
    #expect(common.visiblePathRange == 4...6)
    #expect(common.parentID == name(1))
    #expect(merged(part(0...6), part(2...5)) == part(2...5))
    #expect(merged(part(0...4), part(4...10)).strokes.count == 2)
  }

  @Test func `a move and a colour of one stroke both count, and of two moves the later side's`() {
    var (moved, red) = (base, base)
    moved.strokes[1].transform = AffineTransform(translationX: 5, y: 5)
    red.strokes[1].ink.color = Color(red: 1, green: 0, blue: 0)
    let both = merged(moved, red).strokes[1]
    #expect(both.transform == moved.strokes[1].transform)
    #expect(both.ink == red.strokes[1].ink)

    var late = base
    late.strokes[1].transform = AffineTransform(translationX: 9, y: 9)
    late.strokes.append(
      plain(line(y: 60).withCreationDate(Timestamp(secondsSinceReferenceDate: 1000)), id: 9))
    #expect(merged(moved, late).strokes[1].transform == late.strokes[1].transform)
  }

  @Test func `a new stroke on both sides is kept once, in its longer form`() {
    let whole = plain(line(y: 60), id: 7)
    var begun = whole
    begun.path = whole.path.controlPoints(in: 0..<4)
    let (short, long) = (
      PKDrawing(strokes: base.strokes + [begun]), PKDrawing(strokes: base.strokes + [whole])
    )
    #expect(merged(short, long) == long)
  }

  @Test func `different strokes with one identifier are both kept in every merge`() {
    func drawing(_ date: Double) -> PKDrawing {
      let path = line(y: date).withCreationDate(Timestamp(secondsSinceReferenceDate: date))
      return PKDrawing(strokes: base.strokes + [plain(path, id: 7)])
    }
    let (one, two) = (drawing(100), drawing(200))
    let both = merged(one, two)
    #expect(both.strokes.count == 5)
    #expect(both.strokes[3] == one.strokes[3])
    #expect(both.strokes[4].path == two.strokes[3].path)
    #expect(merged(both, one) == both)
    #expect(merged(both, two) == both)
  }

  @Test func `added strokes are ordered by date within each side's own order`() {
    func drawing(_ strokes: [(id: UInt64, date: Double)]) -> PKDrawing {
      PKDrawing(
        strokes: base.strokes
          + strokes.map { stroke in
            plain(
              line(y: 60).withCreationDate(Timestamp(secondsSinceReferenceDate: stroke.date)),
              id: stroke.id)
          })
    }
    let result = merged(drawing([(10, 5), (11, 1), (12, 9)]), drawing([(20, 4), (21, 6)]))
    #expect(result.strokes.map { $0.id } == [1, 2, 3, 20, 10, 11, 21, 12].map { name($0) })
  }

  @Test func `a stroke that was restored between others stays there after a merge`() {
    let without = PKDrawing(strokes: [base.strokes[0], base.strokes[2]])
    let added = PKDrawing(strokes: without.strokes + [plain(line(y: 60), id: 4)])
    let result = PKDrawing.merging(base: without, ours: base, theirs: added)
    #expect(result.strokes.map { $0.id } == [1, 2, 3, 4].map { name($0) })
  }

  @Test func `a merge without a base keeps each side's order`() {
    let (a, b, c) = (base.strokes[0], base.strokes[1], base.strokes[2])
    let merged = PKDrawing.merging(
      base: nil, ours: PKDrawing(strokes: [a, b, c]), theirs: PKDrawing(strokes: [a, c]))
    #expect(merged.strokes == [a, b, c])
  }

  @Test func `a stroke in a thousand pieces on both sides is merged piece by piece`() {
    func side(_ shift: Double) -> PKDrawing {
      let whole = plain(line(length: 100, points: 3), id: 1)
      return PKDrawing(
        strokes: (0..<1000).map { index in
          var piece = whole.renamed(name(UInt64(index) + 10))
          piece.parentID = name(1)
          piece.mask = Path(Rect(x: Double(index) / 10 + shift, y: -5, width: 0.06, height: 10))
          return piece
        })
    }
    let whole = PKDrawing(strokes: [plain(line(length: 100, points: 3), id: 1)])
    let merged = PKDrawing.merging(base: whole, ours: side(0), theirs: side(0.03))
    #expect(merged.strokes.count == 1000)
    #expect(Set(merged.strokes.map { $0.id }).count == 1000)
    let widths = merged.strokes.compactMap { $0.mask?.bounds.width }
    #expect(widths.allSatisfy { abs($0 - 0.03) < 0.01 })
  }

  @Test func `erased long strokes are merged well within the limit of work`() {
    let stroke = PKDrawing(strokes: [plain(line(length: 400, points: 100), id: 1)])
    let masks = [20.0, 70].compactMap { wiped(stroke, x: $0).strokes[0].mask }
    #expect(CombiningAllowance.work(combining: masks, upTo: .infinity) < 1e6)
  }

  @Test func `masks too complex for the limit of work are not combined`() {
    var random = RandomInk(seed: 5)
    func scribble() -> Path {
      Path(
        polygon: (0..<20_000).map { _ in Point(x: random.number(0...100), y: random.number(-5...5))
        })
    }
    #expect(CombiningAllowance.work(combining: [scribble()], upTo: 1e6) > 1e6)
    let sides = [scribble(), scribble()].map { mask in
      var stroke = base.strokes[0]
      stroke.mask = mask
      return PKDrawing(strokes: [stroke])
    }
    let merged = PKDrawing.merging(base: base, ours: sides[0], theirs: sides[1])
    #expect(sides.contains(merged))
  }

  @Test func `the sort order of contents distinguishes all values`() {
    let values = [-Double.infinity, -2, -0.0, 0, 1e-300, 3, .infinity]
    #expect(values.map { $0.orderedBits } == values.map { $0.orderedBits }.sorted())
    #expect(Set(values.map { $0.orderedBits }).count == values.count)
    #expect([2, 0, nil, 1, 5, 3, 4].longestRise() == [1, 3, 5, 6])
  }
}
