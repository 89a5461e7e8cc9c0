import Foundation
import PencilKit
import Testing

/// Strokes that apps take apart and put together again.
struct EditingTests {
  private static func points(_ count: Int) -> [PKStrokePoint] {
    (0..<count).map { index in
      PKStrokePoint(
        location: CGPoint(x: 7 * Double(index), y: 30 * sin(Double(index))),
        timeOffset: Double(index) / 100, size: CGSize(width: 5, height: 5), opacity: 1, force: 1,
        azimuth: 0, altitude: 1)
    }
  }

  private static func stroke(_ count: Int = 9) -> PKStroke {
    PKStroke(
      ink: PKInk(.pen, color: .blue),
      path: PKStrokePath(
        controlPoints: points(count), creationDate: Date(timeIntervalSinceReferenceDate: 9)))
  }

  @Test(arguments: [2, 5, 50, 1000])
  func `a path becomes its curve and the same path again`(count: Int) {
    let path = Self.stroke(count).path
    let again = PKStrokePath(
      bezierPath: path.bezierRepresentation, creationDate: path.creationDate
    ) { control in
      PKStrokePoint(
        location: control.location, timeOffset: 0, size: CGSize(width: 5, height: 5), opacity: 1,
        force: 1, azimuth: 0, altitude: 1)
    }
    #expect(again.count == count)
    #expect(
      zip(path, again).allSatisfy {
        hypot($0.location.x - $1.location.x, $0.location.y - $1.location.y) < 0.01
      })
  }

  @Test func `a part that gets its own values again is the same part`() {
    let part = Self.stroke().substroke(range: 1.5...6)
    var copy = part
    copy.renderState = part.renderState
    copy.path = part.path
    #expect(PKDrawing(strokes: [copy]) == PKDrawing(strokes: [part]))
    let rebuilt = PKStroke(
      ink: part.ink, path: part.path, transform: part.transform, mask: part.mask,
      randomSeed: part.randomSeed, id: part.id, renderGroupID: part.renderGroupID,
      renderState: part.renderState)
    #expect(PKDrawing(strokes: [rebuilt]) == PKDrawing(strokes: [part]))
  }

  @Test func `a part takes a path with other points, also under the same identifier`() {
    var part = Self.stroke().substroke(range: 1...3)
    let moved = part.path.map { point in
      PKStrokePoint(
        location: CGPoint(x: point.location.x + 100, y: 0), timeOffset: point.timeOffset,
        size: point.size, opacity: 1, force: 1, azimuth: 0, altitude: 1)
    }
    part.path = PKStrokePath(
      controlPoints: moved, creationDate: part.path.creationDate, id: part.path.id)
    #expect(abs(part.path[0].location.x - moved[0].location.x) < 0.01)
  }

  @Test func `removing strokes keeps the identifiers of the others`() {
    let strokes = (0..<40).map { _ in Self.stroke(2) }
    var drawing = PKDrawing(strokes: strokes)
    drawing.strokes.removeLast()
    drawing.strokes.remove(at: 7)
    drawing.strokes.removeAll { $0.id == strokes[20].id }
    let left = strokes.indices.filter { ![7, 20, 39].contains($0) }.map { strokes[$0].id }
    #expect(drawing.strokes.map(\.id) == left)
    // A stroke that comes back twice gets a new identifier.
    drawing.strokes += [strokes[7], strokes[7]]
    #expect(Set(drawing.strokes.map(\.id)).count == 39)
    drawing.strokes.swapAt(0, 1)
    drawing.strokes.removeFirst()
    #expect(drawing.strokes[0].id == left[0])
  }

  @Test(arguments: UInt64(0)..<8)
  func `the first of several strokes with one identifier keeps it, after any edit`(seed: UInt64) {
    var random = Randomness(seed: seed)
    let spare = (0..<5).map { _ in Self.stroke(2) }
    var drawing = PKDrawing(strokes: (0..<20).map { _ in Self.stroke(2) })
    for _ in 0..<300 {
      var expected = drawing.strokes
      let kind = random.below(10)
      let index = expected.isEmpty ? 0 : random.below(expected.count)
      let other = expected.isEmpty ? 0 : random.below(expected.count)
      let new = (0..<3).map { _ in spare[other % 5].substroke(range: 0...1) }
      func change(_ strokes: inout [PKStroke]) {
        switch kind {
        case 0: strokes.append(spare[index % 5])
        case 1: strokes.insert(spare[other % 5], at: index)
        case 2: strokes += new
        case _ where strokes.isEmpty: break
        case 3: strokes[index].id = strokes[other].id
        case 4: strokes[index] = strokes[other]
        case 5: strokes.swapAt(index, other)
        case 6: strokes.remove(at: index)
        case 7: strokes[index].randomSeed += 1
        case 8: strokes.removeAll { $0.randomSeed % 7 == UInt32(other) % 7 }
        default:
          strokes[0] = strokes[index]
          strokes.append(spare[other % 5])
        }
      }
      change(&expected)
      let spared = drawing
      change(&drawing.strokes)
      #expect(drawing.strokes.count == expected.count)
      var names: Set<UUID> = []
      for (stroke, wanted) in zip(drawing.strokes, expected) {
        if !names.contains(wanted.id) { #expect(stroke.id == wanted.id) }
        #expect(names.insert(stroke.id).inserted && stroke.randomSeed == wanted.randomSeed)
      }
      // Changes do not affect copies.
      #expect(Set(spared.strokes.map(\.id)).count == spared.strokes.count)
      if random.oneIn(9) { drawing = spared }
    }
  }

  @Test func `a long winding eraser hides only the ink that it passes`() {
    let turn = CGAffineTransform(rotationAngle: 0.1)
    let strokes = (0..<20).map { row in
      PKStroke(
        ink: PKInk(.monoline),
        path: PKStrokePath(
          controlPoints: (0..<60).map {
            penPoint(5 * Double($0), 15 * Double(row) + 9 * sin(Double($0)))
          }, creationDate: Date()), transform: turn)
    }
    let track = (0..<400).map { index -> CGPoint in
      let angle = Double(index) / 400 * 2 * .pi
      return CGPoint(x: 150 + 170 * sin(17 * angle), y: 150 + 170 * sin(13 * angle + 1))
    }
    let eraser = PKStrokePath(
      controlPoints: track.map { penPoint($0.x, $0.y, width: 6) }, creationDate: Date())
    let middle = eraser.interpolatedPoints(by: .distance(0.5)).map(\.location)
    let pieces = Dictionary(
      grouping: PKDrawing(strokes: strokes).erasingPath(eraser).strokes, by: \.path.id)
    var counts = [0, 0]
    for stroke in strokes {
      let shown = pieces[stroke.path.id, default: []].flatMap(\.maskedPathRanges)
      for parameter in Swift.stride(from: 0, through: 59, by: 0.5) as StrideThrough<CGFloat> {
        let location = stroke.path.interpolatedLocation(at: parameter).applying(turn)
        let distance = middle.map { hypot($0.x - location.x, $0.y - location.y) }.min() ?? 0
        // At the edge of the eraser, both results are right.
        guard abs(distance - 3) > 0.3 else { continue }
        #expect(shown.contains { $0.contains(parameter) } == (distance > 3))
        counts[distance > 3 ? 0 : 1] += 1
      }
    }
    #expect(counts[0] > 500 && counts[1] > 500)
  }

  @Test func `an arc of a whole turn or more is a circle in both directions`() {
    for (end, isClockwise) in [
      (2.0, true), (2, false), (-2, true), (-2, false), (4, true), (2.001, true),
    ] {
      let circle = UIBezierPath(
        arcCenter: .zero, radius: 50, startAngle: 0, endAngle: end * .pi, clockwise: isClockwise)
      #expect(circle.bounds.width > 99.9 && circle.bounds.height > 99.9, "\(end) \(isClockwise)")
      var stroke = Self.stroke(3)
      stroke.mask = circle
      #expect(!stroke.renderBounds.isNull)
    }
  }

  @Test func `the shorter initializers have names of their own`() {
    let point:
      (CGPoint, TimeInterval, CGSize, CGFloat, CGFloat, CGFloat, CGFloat) -> PKStrokePoint =
        PKStrokePoint.init(location:timeOffset:size:opacity:force:azimuth:altitude:)
    let path: ([PKStrokePoint], Date) -> PKStrokePath = PKStrokePath.init(
      controlPoints:creationDate:)
    let stroke: (PKInk, PKStrokePath, CGAffineTransform, UIBezierPath?) -> PKStroke = PKStroke.init(
      ink:path:transform:mask:)
    let points = [point(.zero, 0, CGSize(width: 5, height: 5), 1, 1, 0, 1)]
    let made = stroke(PKInk(.pen), path(points, Date()), .identity, nil)
    #expect(made.path.count == 1 && made.mask == nil)
  }
}
