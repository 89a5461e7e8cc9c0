import Graphics
import Strokes
import TestSupport
import Testing

@testable import Replay

@Suite struct EarlierTests {
  private static let first = stroke(0)
  private static let second = stroke(1)

  private static func stroke(_ number: Int) -> PKStroke {
    let points = [10.0, 60].map {
      PKStrokePoint(
        location: Point(x: $0, y: 20), timeOffset: 0, size: Size(width: 6, height: 6), opacity: 1,
        force: 1, azimuth: 0, altitude: 1)
    }
    return PKStroke(
      ink: PKInk(.pen), path: PKStrokePath(controlPoints: points, creationDate: .referenceDate),
      id: Identifier.zero.derived("stroke", number))
  }

  /// The ink that shows through after the last of some actions.
  private func earlier(_ actions: [Recording.Action]) throws -> [EarlierStroke] {
    let source = RecordedStrokes(
      Recording(events: actions.map { .init(time: .referenceDate, action: $0) }))
    let history = try PageHistory(of: source)
    return try history.earlierStrokes(afterSteps: history.steps.count, in: source)
  }

  private func move(_ stroke: PKStroke, by x: Double) -> Recording.Action {
    .moved([stroke.id], by: AffineTransform(translationX: x, y: 0))
  }

  private func erase(_ stroke: PKStroke, leaving pieces: [PKStroke]) -> Recording.Action {
    .erased(
      PKEraserTool(.bitmap), along: PKStrokePath(),
      changes: [StrokeChange(strokeID: stroke.id, replacements: pieces)])
  }

  @Test func `strokes that were only drawn do not show through`() throws {
    #expect(try earlier([.strokeBegun(Self.first), .strokeBegun(Self.second)]).isEmpty)
  }

  @Test func `an undone stroke shows through until it is redone`() throws {
    let undone = try earlier([.strokeBegun(Self.first), .strokeBegun(Self.second), .undone])
    #expect(undone.map(\.stroke) == [Self.second])
    #expect(undone.map(\.remains) == [[]])
    #expect(
      try earlier([.strokeBegun(Self.first), .strokeBegun(Self.second), .undone, .redone]).isEmpty)
  }

  @Test func `a cleared page shows through, from back to front`() throws {
    let cleared = try earlier([.strokeBegun(Self.first), .strokeBegun(Self.second), .cleared])
    #expect(cleared.map(\.stroke) == [Self.first, Self.second])
  }

  @Test func `a moved stroke shows through at its previous position only`()
    throws
  {
    let drawn = Recording.Action.strokeBegun(Self.first)
    let once = try earlier([drawn, move(Self.first, by: 100)])
    #expect(once.map(\.stroke.transform.tx) == [0])
    let twice = try earlier([drawn, move(Self.first, by: 100), move(Self.first, by: 10)])
    #expect(twice.map(\.stroke.transform.tx) == [100])
    let undone = try earlier([drawn, move(Self.first, by: 100), .undone])
    #expect(undone.map(\.stroke.transform.tx) == [100])
    let cleared = try earlier([drawn, move(Self.first, by: 100), .cleared])
    #expect(cleared.map(\.stroke.transform.tx) == [100])
  }

  @Test func `an erased stroke shows through beside its pieces that are still there`() throws {
    let pieces = (0..<3).map { Self.stroke(2 + $0) }
    let drawn = Recording.Action.strokeBegun(Self.first)
    let cut = erase(Self.first, leaving: Array(pieces[..<2]))
    let once = try earlier([drawn, cut])
    #expect(once.map(\.stroke) == [Self.first])
    #expect(once.map(\.remains) == [Array(pieces[..<2])])
    // The part that a second eraser took shows through with that of the first.
    let twice = try earlier([drawn, cut, erase(pieces[1], leaving: [pieces[2]])])
    #expect(twice.map(\.stroke) == [Self.first])
    #expect(twice.map(\.remains) == [[pieces[0], pieces[2]]])
    #expect(try earlier([drawn, cut, .undone]).isEmpty)
  }

  @Test func `a piece that was moved away and erased there shows through there alone`() throws {
    let pieces = (0..<2).map { Self.stroke(2 + $0) }
    let drawn = Recording.Action.strokeBegun(Self.first)
    let cut = erase(Self.first, leaving: pieces)
    let moved = try earlier([drawn, cut, move(pieces[1], by: 50)])
    #expect(moved.map(\.remains) == [[pieces[0]]])
    let gone = try earlier([drawn, cut, move(pieces[1], by: 50), erase(pieces[1], leaving: [])])
    #expect(gone.map(\.stroke.transform.tx) == [0, 50])
    #expect(gone.map(\.remains) == [pieces, []])
  }

  @Test
  func
    `in random recordings nothing on the page is an earlier stroke, and all else was once there`()
    throws
  {
    var random = RandomInk(seed: 17)
    for _ in 0..<300 {
      let source = RecordedStrokes(random.recording(eventCount: 0...24))
      let history = try PageHistory(of: source)
      for count in 0...history.steps.count {
        let page = Set(history.page(afterSteps: count))
        let before = Set((0...count).flatMap { history.page(afterSteps: $0) })
        for earlier in history.earlier(afterSteps: count) {
          #expect(!page.contains(earlier.showing))
          #expect(before.contains(earlier.showing))
          #expect(!earlier.remains.contains(earlier.showing))
        }
      }
    }
  }
}
