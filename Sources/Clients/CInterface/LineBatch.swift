import CPentimento
import Rasterization

/// Drawings in a caller's memory, whose counts and ends were checked.
struct LineBatch {
  let x, y: UnsafePointer<Float>
  let times: UnsafePointer<Float>?
  let step: Int
  let strokeEnds, drawingEnds: UnsafePointer<Int64>
  let drawingCount: Int
  /// The maximum number of points of a drawing.
  private(set) var maximumPointCount = 0

  /// The maximum number of points of a drawing: far more than a hand draws, and few enough that the
  /// rasterizer's integers do not overflow.
  static let pointLimit = 10_000_000
  /// The maximum product of a drawing's points and its picture's tiles.
  static let workLimit = 1 << 26

  /// Nil for a batch without drawings.
  init?(_ lines: pentimento_lines, tiles: Int) throws(InterfaceError) {
    func count(_ value: Int64, _ name: String) throws(InterfaceError) -> Int {
      guard 0...1 << 40 ~= value else {
        throw InterfaceError(.invalid, "\(name) is \(value); it must be from 0 to 2^40")
      }
      return Int(value)
    }
    let points = try count(lines.point_count, "point_count")
    let strokes = try count(lines.stroke_count, "stroke_count")
    drawingCount = try count(lines.drawing_count, "drawing_count")
    guard 1...1024 ~= lines.step else {
      throw InterfaceError(
        .invalid, "step is \(lines.step); it must be 1 for columns or 2 for pairs")
    }
    guard drawingCount > 0 else { return nil }
    guard let drawingEnds = lines.drawing_ends, lines.stroke_ends != nil || strokes == 0,
      lines.x != nil && lines.y != nil || points == 0
    else { throw InterfaceError(.invalid, "x, y, stroke_ends or drawing_ends is null") }
    step = Int(lines.step)
    // Without points or strokes, these pointers are never read.
    let nothing = UnsafeRawPointer(drawingEnds)
    x = lines.x ?? nothing.assumingMemoryBound(to: Float.self)
    y = lines.y ?? nothing.assumingMemoryBound(to: Float.self)
    times = lines.times
    strokeEnds = lines.stroke_ends ?? drawingEnds
    self.drawingEnds = drawingEnds
    try Self.check(strokeEnds, strokes, limit: points, "stroke_ends", "point_count")
    try Self.check(drawingEnds, drawingCount, limit: strokes, "drawing_ends", "stroke_count")
    let limit = min(Self.pointLimit, Self.workLimit / tiles)
    for drawing in 0..<drawingCount {
      let count = self.points(of: self.strokes(ofDrawing: drawing)).count
      guard count <= limit else {
        throw InterfaceError(
          .tooLarge, "drawing \(drawing) has \(count) points; at this size, \(limit) is the limit")
      }
      maximumPointCount = max(maximumPointCount, count)
    }
  }

  /// Throws unless the ends are ascending and the last one equals the count of their elements.
  private static func check(
    _ ends: UnsafePointer<Int64>, _ count: Int, limit: Int, _ name: String, _ limitName: String
  ) throws(InterfaceError) {
    var last: Int64 = 0
    for index in 0..<count {
      guard ends[index] >= last, ends[index] <= limit else {
        throw InterfaceError(
          .invalid,
          "\(name)[\(index)] is \(ends[index]); it must be from \(last) to \(limit), the \(limitName)"
        )
      }
      last = ends[index]
    }
    guard last == limit else {
      throw InterfaceError(
        .invalid, "the last of \(name) is \(last); it must be \(limit), the \(limitName)")
    }
  }

  /// The indices of a drawing's strokes.
  @inline(__always)
  func strokes(ofDrawing index: Int) -> Range<Int> {
    (index > 0 ? Int(drawingEnds[index - 1]) : 0)..<Int(drawingEnds[index])
  }

  /// The indices of the points of some strokes.
  @inline(__always)
  func points(of strokes: Range<Int>) -> Range<Int> {
    guard !strokes.isEmpty else { return 0..<0 }
    return start(ofStroke: strokes.lowerBound)..<Int(strokeEnds[strokes.upperBound - 1])
  }

  @inline(__always)
  func start(ofStroke index: Int) -> Int { index > 0 ? Int(strokeEnds[index - 1]) : 0 }

  /// The position of a point in units of the data.
  @inline(__always)
  func place(_ point: Int) -> (x: Double, y: Double) {
    (Double(x[point * step]), Double(y[point * step]))
  }

  /// The box of some points; nil if a coordinate is not finite.
  func box(of points: Range<Int>) -> Box? {
    var (left, top) = (Float.infinity, Float.infinity)
    var (right, bottom) = (-Float.infinity, -Float.infinity)
    // A sum of zeros; NaN if a number is not finite.
    var zero: Float = 0
    for point in points {
      let (x, y) = (self.x[point * step], self.y[point * step])
      (left, right) = (min(left, x), max(right, x))
      (top, bottom) = (min(top, y), max(bottom, y))
      zero += x * 0 + y * 0
    }
    guard zero == 0 else { return nil }
    guard !points.isEmpty else { return Box(left: 0, top: 0, right: 0, bottom: 0) }
    return Box(
      left: Double(left), top: Double(top), right: Double(right), bottom: Double(bottom))
  }

  struct Box {
    let left, top, right, bottom: Double
  }
}
