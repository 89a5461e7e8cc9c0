import Glibc
import Graphics
package import Strokes

/// A small deterministic drawing: a spiral, a wave and a line; a part of the line is erased and
/// restored by an undo.
package enum DemoDrawing {
  package static let recording: Recording = {
    var demo = DemoHand()
    demo.take(PKInkingTool(.pen, color: Color(red: 0.1, green: 0.25, blue: 0.6), width: 4))
    demo.draw(seconds: 1.4) { part in
      let (angle, radius) = (part * 7 * .pi, 8 + 52 * part)
      return Point(x: 90 + radius * cos(angle), y: 100 + radius * sin(angle))
    }
    demo.take(PKInkingTool(.pencil, color: Color(red: 0.35, green: 0.35, blue: 0.4), width: 3))
    demo.draw(seconds: 0.9) { part in
      Point(x: 170 + 120 * part, y: 90 - 30 * sin(part * 5 * .pi))
    }
    demo.take(PKInkingTool(.marker, color: Color(red: 1, green: 0.75, blue: 0.2), width: 18))
    demo.draw(seconds: 0.6) { part in Point(x: 30 + 260 * part, y: 200 - 6 * part) }
    demo.erase(from: Point(x: 150, y: 185), to: Point(x: 170, y: 215))
    demo.undo()
    return demo.recording
  }()
}

/// A simulated hand that draws at a constant speed.
private struct DemoHand {
  private(set) var recording = Recording(
    canvas: Recording.Canvas(
      size: Size(width: 320, height: 240), background: .white, metadata: ["title": "Demo"]))
  private var now = Timestamp(iso8601: "2026-11-21T12:00:00Z") ?? .referenceDate
  private var tool = PKInkingTool(.pen)
  private var strokeCount = 0

  /// The interval between points of a tablet, and the number of points per event.
  private static let pointsPerSecond = 120.0
  private static let pointsAtOnce = 4

  private mutating func add(_ action: Recording.Action) {
    recording.events.append(Recording.Event(time: now, action: action))
  }

  mutating func take(_ tool: PKInkingTool) {
    self.tool = tool
    now = now + 0.1
    add(.toolChanged(.inking(tool)))
  }

  mutating func draw(seconds: Double, _ position: (_ part: Double) -> Point) {
    now = now + 0.15
    strokeCount += 1
    let (start, id) = (now, Identifier.zero.derived("demo stroke", strokeCount))
    let points = points(seconds: seconds, position)
    func path(_ points: some Sequence<PKStrokePoint>) -> PKStrokePath {
      PKStrokePath(controlPoints: points, creationDate: start)
    }
    add(
      .strokeBegun(
        PKStroke(ink: tool.ink, path: path([]), randomSeed: UInt32(strokeCount), id: id)))
    for first in stride(from: 0, to: points.count, by: Self.pointsAtOnce) {
      let some = points[first..<min(first + Self.pointsAtOnce, points.count)]
      now = start + (some.last?.timeOffset ?? 0)
      add(.strokeExtended(id, by: path(some)))
    }
    add(.strokeEnded(id))
  }

  /// Points with rising and falling pressure.
  private func points(seconds: Double, _ position: (_ part: Double) -> Point) -> [PKStrokePoint] {
    let count = Int(clamping: seconds * Self.pointsPerSecond)
    return (0..<count).map { index in
      let part = Double(index) / Double(count - 1)
      let force = 0.4 + 0.8 * sin(part * .pi)
      let width = tool.width * (0.8 + 0.3 * force)
      return PKStrokePoint(
        location: position(part), timeOffset: Double(index) / Self.pointsPerSecond,
        size: Size(width: width, height: width), opacity: 1, force: force, azimuth: 0.6,
        altitude: 1)
    }
  }

  mutating func erase(from start: Point, to end: Point) {
    now = now + 0.3
    let eraser = PKEraserTool(.bitmap, width: 24)
    add(.toolChanged(.eraser(eraser)))
    let points = [start, end].enumerated().map { index, position in
      PKStrokePoint(
        location: position, timeOffset: 0.2 * Double(index), size: Size(width: 24, height: 24),
        opacity: 1, force: 1, azimuth: 0, altitude: .pi / 2)
    }
    let path = PKStrokePath(controlPoints: points, creationDate: now)
    now = now + 0.2
    recording.erase(along: path, with: eraser, at: now)
  }

  mutating func undo() {
    now = now + 0.3
    add(.undone)
  }
}
