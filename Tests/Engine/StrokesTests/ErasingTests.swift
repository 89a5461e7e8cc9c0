import Graphics
import TestSupport
import Testing

@testable import Strokes

/// A straight eraser stroke of two points.
private func swipe(_ from: (Double, Double), _ to: (Double, Double)) -> PKStrokePath {
  path([from, to])
}

extension PKStroke {
  /// The area of the visible ink, before the transform.
  fileprivate var visibleArea: Double {
    let ink = outline().union(Path())
    return mask.map { ink.intersection($0).signedArea } ?? ink.signedArea
  }
}

@Suite struct `A vector eraser` {
  private let drawing = PKDrawing(
    strokes: (0..<5).map { stroke(line(y: 20 * Double($0)), id: UInt64($0) + 1) })
  private let eraser = PKEraserTool(.vector)

  @Test func `erasing a copy does not change the original`() {
    var drawing = PKDrawing(strokes: [stroke(line(), id: 1)])
    drawing.append(drawing.transformed(using: AffineTransform(translationX: 0, y: 300)))
    #expect(Set(drawing.strokes.map(\.id)).count == 2)
    let box = drawing.strokes[1].renderBounds
    drawing.erase(Path(box))
    #expect(drawing.strokes == [stroke(line(), id: 1)])
  }

  @Test func `a vector eraser deletes every stroke that it touches, and no other`() {
    var drawing = drawing
    drawing.erase(along: swipe((50, 15), (50, 45)), with: eraser)
    #expect(drawing.strokes == [0, 3, 4].map { self.drawing.strokes[$0] })
  }

  @Test func `a vector eraser changes nothing where there is no ink`() {
    #expect(drawing.changes(erasingAlong: swipe((0, 10), (100, 10)), with: eraser).isEmpty)
    #expect(drawing.changes(erasingAlong: PKStrokePath(), with: eraser).isEmpty)
    #expect(drawing.changes(erasingAlong: swipe((200, 0), (200, 99)), with: eraser).isEmpty)
  }

  @Test func `a vector eraser has its own width, not the sizes along its path`() {
    let way = path([(0, 10), (100, 10)], size: 400)
    #expect(drawing.changes(erasingAlong: way, with: eraser).isEmpty)
    let wide = PKEraserTool(.vector, width: 16)
    #expect(drawing.changes(erasingAlong: way, with: wide).map(\.strokeID) == [name(1), name(2)])
  }

  @Test func `a vector eraser does not touch ink hidden by a mask`() {
    var drawing = drawing
    drawing.strokes[1].mask = Path(Rect(x: 0, y: 0, width: 40, height: 40))
    #expect(drawing.changes(erasingAlong: swipe((50, 15), (50, 25)), with: eraser).isEmpty)
    #expect(drawing.changes(erasingAlong: swipe((30, 15), (30, 25)), with: eraser).count == 1)
  }
}

@Suite struct `A bitmap eraser` {
  private let level = stroke(line())
  private let eraser = PKEraserTool(.bitmap, width: 20)

  private func rest(_ stroke: PKStroke, _ way: PKStrokePath) -> [PKStroke]? {
    var drawing = PKDrawing(strokes: [stroke])
    drawing.erase(along: way, with: eraser)
    return drawing.strokes == [stroke] ? nil : drawing.strokes
  }

  @Test func `a bitmap eraser cuts a line into two masked pieces`() throws {
    let pieces = try #require(rest(level, swipe((50, -40), (50, 40))))
    #expect(pieces.count == 2)
    let left = try #require(pieces.first { $0.contains(.zero) })
    let right = try #require(pieces.first { $0.contains(Point(x: 100, y: 0)) })
    #expect(!left.contains(Point(x: 100, y: 0)))
    let (before, after) = (left.maskedPathRanges, right.maskedPathRanges)
    #expect(before.count == 1 && after.count == 1)
    expectClose(before[0].lowerBound, 0)
    expectClose(before[0].upperBound, 4, within: 0.01)
    expectClose(after[0].lowerBound, 6, within: 0.01)
    expectClose(after[0].upperBound, 10)
    #expect(!left.contains(Point(x: 45, y: 0)) && !right.contains(Point(x: 45, y: 0)))
  }

  @Test func `a piece between two cuts of a long line tells which part of the path it is`() throws {
    var drawing = PKDrawing(strokes: [stroke(path([(0, 0), (1000, 0)]))])
    drawing.erase(along: swipe((300, -40), (300, 40)), with: eraser)
    drawing.erase(along: swipe((400, -40), (400, 40)), with: eraser)
    let middle = try #require(drawing.stroke(at: Point(x: 350, y: 0)))
    let range = try #require(middle.maskedPathRanges.first)
    expectClose(range.lowerBound, 0.31, within: 1e-4)
    expectClose(range.upperBound, 0.39, within: 1e-4)
  }

  @Test func `pieces keep the look and have the stroke as their parent`() throws {
    var wet = level
    wet.randomSeed = 77
    wet.renderGroupID = name(9)
    let pieces = try #require(rest(wet, swipe((50, -40), (50, 40))))
    for piece in pieces {
      #expect(piece.ink == wet.ink)
      #expect(piece.path == wet.path)
      #expect(piece.randomSeed == 77)
      #expect(piece.renderGroupID == name(9))
      #expect(piece.parentID == wet.id)
      #expect(piece.mask != nil)
    }
    #expect(Set(pieces.map(\.id) + [wet.id]).count == 3)
    #expect(pieces == rest(wet, swipe((50, -40), (50, 40))))
  }

  @Test func `erasing along a broad stroke leaves slivers on both sides`() throws {
    let broad = plain(line(size: 30))
    let slivers = try #require(rest(broad, swipe((-60, 0), (160, 0))))
    #expect(slivers.count == 2)
    for (y, isThere) in [(-12.0, true), (-8, false), (0, false), (8, false), (12, true)] {
      #expect(slivers.contains { $0.contains(Point(x: 50, y: y)) } == isThere, "\(y)")
    }
    #expect(slivers.allSatisfy { $0.maskedPathRanges.isEmpty })
  }

  @Test func `an eraser that covers everything leaves no strokes`() throws {
    #expect(try #require(rest(level, swipe((-20, 0), (120, 0)))).isEmpty)
    var drawing = PKDrawing(strokes: [stroke(line(), id: 1)])
    drawing.erase(Path(Rect(x: -50, y: -50, width: 500, height: 500)))
    #expect(drawing.strokes.isEmpty)
  }

  @Test func `an eraser does not change untouched strokes and their order`() {
    let others = [stroke(line(y: 60), id: 2), stroke(line(y: 90), id: 3)]
    var drawing = PKDrawing(strokes: [others[0], level, others[1]])
    drawing.erase(along: swipe((50, -40), (50, 40)), with: eraser)
    #expect(drawing.strokes.count == 4)
    #expect(drawing.strokes.first == others[0])
    #expect(drawing.strokes.last == others[1])
    #expect(rest(level, swipe((50, 14), (90, 14))) == nil)
  }

  @Test(arguments: [PKInk.InkType.pen, .marker, .pencil, .watercolor, .fountainPen])
  func `the pieces and the erased parts add up to the whole stroke`(kind: PKInk.InkType) throws {
    let whole = stroke(wandering, kind)
    let way = swipe((80, -60), (140, 60))
    let pieces = try #require(rest(whole, way))
    let sweep = eraser.sweep(along: way)
    let erased = whole.outline().intersection(sweep).signedArea
    let left = pieces.reduce(0) { $0 + $1.visibleArea }
    #expect(erased > 10)
    expectClose(left + erased, whole.visibleArea, within: whole.visibleArea * 0.01)
    for piece in pieces {
      #expect(piece.outline().intersection(piece.mask ?? Path()).intersection(sweep).signedArea < 1)
    }
  }

  @Test func `pieces that are erased again get smaller and keep the first stroke as their parent`()
    throws
  {
    var drawing = PKDrawing(strokes: [stroke(line(), id: 1)])
    var area = level.visibleArea
    for x in [50.0, 20, 80, 50] {
      drawing.erase(along: swipe((x, -40), (x, 40)), with: PKEraserTool(.bitmap, width: 10))
      let left = drawing.strokes.reduce(0) { $0 + $1.visibleArea }
      if x != 50 || area > 600 { #expect(left < area - 50) }
      area = left
    }
    #expect(drawing.strokes.count == 4)
    #expect(Set(drawing.strokes.map(\.id)).count == 4)
    #expect(drawing.strokes.allSatisfy { $0.parentID == level.id })
    expectClose(area, 70 * 6 + 9 * .pi, within: 4)
  }

  @Test func `the ink below the eraser is erased after the stroke's transform`() throws {
    var moved = level
    moved.transform = AffineTransform(a: 0, b: 2, c: -2, d: 0, tx: 500, ty: 0)
    #expect(rest(moved, swipe((50, -40), (50, 40))) == nil)
    let pieces = try #require(rest(moved, swipe((450, 100), (550, 100))))
    #expect(pieces.count == 2)
    #expect(pieces.allSatisfy { $0.transform == moved.transform })
    let front = try #require(pieces.first { $0.contains(Point(x: 500, y: 0)) })
    // Ten points on the canvas are five points of the path.
    expectClose(try #require(front.maskedPathRanges.first).upperBound, 4.5, within: 0.01)
  }

  @Test func `a piece of a part of a stroke shows only that part`() throws {
    let part = level.substroke(range: 0...3)
    #expect(rest(part, swipe((50, -40), (50, 40))) == nil)
    let pieces = try #require(rest(part, swipe((15, -40), (15, 40))))
    #expect(pieces.count == 2)
    #expect(!pieces.contains { $0.contains(Point(x: 40, y: 0)) })
    #expect(pieces.allSatisfy { $0.parentID == level.id })
  }

  @Test func `ink that swells on the spot is kept around the eraser`() throws {
    let tap = plain(PKStrokePath(controlPoints: [4, 30, 60, 30, 4].map { touch(0, 0, size: $0) }))
    var drawing = PKDrawing(strokes: [tap])
    drawing.erase(Path(Rect(x: -1, y: -1, width: 2, height: 2)))
    #expect(drawing.strokes.count == 1)
    #expect(drawing.strokes.contains { $0.contains(Point(x: 20, y: 0)) })
  }

  @Test func `a changed path computes the ranges of its mask again`() {
    var masked = level
    masked.mask = Path(Rect(x: 20, y: -9, width: 30, height: 18))
    masked.archivedMaskRanges = [2...5]
    #expect(masked.maskedPathRanges == [2...5])
    masked.path = line(length: 50)
    #expect(masked.maskedPathRanges.first?.lowerBound != 2)
  }
}

@Suite struct `A random drawing as erasers leave it` {
  @Test func `random erased drawings contain every result of erasers and the lasso`() {
    let drawings = (UInt64(0)..<60).map { seed in
      var random = RandomInk(seed: seed)
      return random.erasedDrawing()
    }
    let strokes = drawings.flatMap(\.strokes)
    let contourCounts = Set(strokes.compactMap { $0.mask?.contours.count })
    #expect(contourCounts.isSuperset(of: 0...3))
    #expect(strokes.contains { $0.path.isEmpty } && strokes.contains { $0.path.count == 1 })
    #expect(strokes.contains { $0.isPartial && $0.mask == nil })
    #expect(strokes.contains { $0.isPartial && $0.mask != nil })
    #expect(strokes.contains { $0.parentID != nil && !$0.isPartial })
    #expect(strokes.contains { $0.renderGroupID != nil })
    #expect(strokes.contains { $0.ink.color.space == .displayP3 && $0.ink.color.red > 1 })
    #expect(strokes.contains { $0.ink.widthLaw == .plain })
    #expect(strokes.contains { if case .other = $0.ink.inkType { true } else { false } })
    #expect(
      drawings.contains { drawing in
        zip(drawing.strokes, drawing.strokes.dropFirst()).contains { a, b in
          a.path == b.path && a.rootID != b.rootID && !a.path.isEmpty
        }
      })
    #expect(
      drawings.contains { drawing in
        zip(drawing.strokes, drawing.strokes.dropFirst()).contains { a, b in
          a.rootID == b.rootID && a.mask != nil && b.mask != nil && a.mask != b.mask
        }
      })
  }

  @Test func `a random erased drawing is the same for the same seed`() {
    var (a, b) = (RandomInk(seed: 9), RandomInk(seed: 9))
    #expect(a.erasedDrawing() == b.erasedDrawing())
  }

  @Test func `the comparison of looks finds every visible change`() {
    let drawing = PKDrawing(strokes: [stroke(line())])
    #expect(drawing.differences(inLookOf: drawing) == [])
    let changes: [(String, (inout PKStroke) -> Void)] = [
      ("name", { $0 = $0.renamed(name(2)) }), ("seed", { $0.randomSeed = 7 }),
      ("group", { $0.renderGroupID = name(3) }), ("transform", { $0.transform.tx = 1e-3 }),
      ("kind of ink", { $0.ink.inkType = .pencil }), ("colour", { $0.ink.color.red = 1e-5 }),
      ("path", { $0.path = line(y: 1e-3) }), ("bounds", { $0.archivedBounds = .zero }),
      ("mask", { $0.mask = Path(Rect(x: -9, y: -9, width: 200, height: 20)) }),
      ("visible area", { $0.mask = Path(Rect(x: -9, y: -9, width: 60, height: 20)) }),
    ]
    for (difference, change) in changes {
      var other = drawing
      change(&other.strokes[0])
      #expect(drawing.differences(inLookOf: other).contains("stroke 0: " + difference))
    }
  }
}
