import Graphics
import Strokes
import TestSupport

extension RandomInk {
  /// A number that files may contain: an ordinary one, or an extreme one.
  mutating func anyNumber() -> Double {
    let extremes: [Double] = [
      0, -0.0, 1, -1, 1e-300, 1e30, -1e30, 1e76, 1e100, -1e100, 1e154, 1e155, 1e300, 1e307, -1e307,
      .greatestFiniteMagnitude, -.greatestFiniteMagnitude, .leastNonzeroMagnitude, 0x1p31, 0x1p32,
      0x1p53, 0x1p63, -0x1p63, 0x1p64, 262_144, -262_144, 100_000, 1e9, 1e15,
      Double(Float.greatestFiniteMagnitude),
    ]
    return chance() ? number(-300...300) : extremes[whole(0...extremes.count - 1)]
  }

  private mutating func anyPoint() -> Point { Point(x: anyNumber(), y: anyNumber()) }

  /// A path of lines and curves between any points.
  mutating func anyMask() -> Path {
    var path = Path(fillRule: chance() ? .nonZero : .evenOdd)
    for _ in 0..<whole(0...6) {
      switch whole(0...9) {
      case 0: path.move(to: anyPoint())
      case 1: if !path.isEmpty { path.close() }
      case 2...3: path.addQuadratic(to: anyPoint(), control: anyPoint())
      case 4...5: path.addCubic(to: anyPoint(), control1: anyPoint(), control2: anyPoint())
      default: path.addLine(to: anyPoint())
      }
    }
    return path
  }

  private mutating func anyTransform() -> AffineTransform {
    func part(_ usual: Double) -> Double { chance(0.7) ? usual : anyNumber() }
    return AffineTransform(a: part(1), b: part(0), c: part(0), d: part(1), tx: part(0), ty: part(0))
  }

  private mutating func anyRange() -> ClosedRange<Double> {
    let (a, b) = (anyNumber(), anyNumber())
    return min(a, b)...max(a, b)
  }

  /// A drawing in which every number is allowed in files, but none is realistic.
  mutating func hostileDrawing() -> PKDrawing {
    let strokes = (0..<whole(1...3)).map { _ in
      let path = chance(0.3) ? hostilePath(pointCount: 0...9) : path(pointCount: 0...9)
      let date = Timestamp(
        secondsSinceReferenceDate: chance(0.7) ? number(0...9e8) : anyNumber())
      var ink = ink()
      if chance(0.2) {
        ink.color = Color(
          red: anyNumber(), green: anyNumber(), blue: anyNumber(), alpha: anyNumber(),
          space: chance() ? .displayP3 : .sRGB)
      }
      var stroke = PKStroke(
        ink: ink, path: path.withCreationDate(date), transform: anyTransform(),
        mask: chance(0.4) ? anyMask() : nil, randomSeed: UInt32(whole(0...9)), id: identifier(),
        renderGroupID: chance(0.1) ? .zero : nil)
      if chance(0.2) { stroke.pathRange = anyRange() }
      if chance(0.2) { stroke.archivedMaskRanges = [anyRange()] }
      if chance(0.2) { stroke.archivedBounds = Rect(from: anyPoint(), to: anyPoint()) }
      return stroke
    }
    return PKDrawing(strokes: strokes)
  }

  /// A recording in which hostile strokes are drawn, erased and moved.
  mutating func hostileRecording() -> Recording {
    var recording = Recording(hostileDrawing(), canvas: canvas())
    if chance(0.3) {
      recording.canvas.background = Color(
        red: anyNumber(), green: anyNumber(), blue: anyNumber(), alpha: anyNumber())
    }
    for _ in 0..<whole(0...3) {
      let last = recording.events.last?.time ?? .referenceDate
      let time = chance() ? last : Timestamp(secondsSinceReferenceDate: anyNumber())
      let ids = recording.drawing.strokes.map(\.id)
      switch whole(0...5) {
      case 0: recording.events.append(.init(time: time, action: .cleared))
      case 1: recording.events.append(.init(time: time, action: .undone))
      case 2: recording.erase(along: path(pointCount: 1...5), with: eraser(), at: time)
      case 3:
        if let id = ids.last {
          let action = Recording.Action.strokeExtended(id, by: path(pointCount: 0...4))
          recording.events.append(.init(time: time, action: action))
        }
      default:
        recording.events.append(.init(time: time, action: .moved(ids, by: anyTransform())))
      }
    }
    return recording
  }
}
