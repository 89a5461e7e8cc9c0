import CPentimento
import Graphics
import Rasterization

/// Draws the drawings of a batch, one after the other, in the memory of one thread.
final class BatchPainter {
  private let batch: LineBatch
  private let options: BatchOptions
  private let painter: LinePainter
  private var bins: TimeBins
  /// The positions of the drawing's points in pixels.
  private var xs: [Float] = []
  private var ys: [Float] = []
  private var ends: [Int] = []

  init(_ batch: LineBatch, _ options: BatchOptions) {
    self.batch = batch
    self.options = options
    painter = LinePainter(
      width: options.width, height: options.height, ink: options.isInverted ? .black : .white)
    bins = TimeBins(count: options.bins)
  }

  /// The maximum number of bytes that a painter needs for any drawing of a batch.
  static func byteCount(for batch: LineBatch, _ options: BatchOptions) -> Int {
    // The sum of: a tile's samples; each point in pixels, in time bins and as the painter's
    // positions, where growing lists exist twice for a moment; and the parts of lines in tiles.
    // Lines that alternate between one tile and all tiles make half of the possible number of
    // parts.
    let points = batch.maximumPointCount
    return (1 << 21) + options.bins * 256 + points * (options.bins > 1 ? 160 : 80)
      + (options.tiles > 1 ? points * options.tiles * 20 : 0)
  }

  /// Draws a drawing into its pictures; false if a coordinate of its points is not finite.
  func paint(
    _ drawing: Int, number: Int64, into pixels: UnsafeMutablePointer<UInt8>
  ) -> Bool {
    let strokes = batch.strokes(ofDrawing: drawing)
    let points = batch.points(of: strokes)
    let size = options.width * options.height
    pixels.update(repeating: options.isInverted ? 255 : 0, count: options.bins * size)
    guard let box = batch.box(of: points) else { return false }
    guard !points.isEmpty else { return true }
    let (placement, scale) = placement(of: box)
    var radius = options.line / 2 * (options.placement == .fitted ? 1 : scale)
    if options.changes.isNone {
      place(points) { x, y in (x * scale + placement.x, y * scale + placement.y) }
    } else {
      var changes = options.changes.changes(ofDrawing: number)
      radius *= changes.width
      placeChanged(points, placement, scale, &changes)
    }
    ends.removeAll(keepingCapacity: true)
    for stroke in strokes { ends.append(Int(batch.strokeEnds[stroke]) - points.lowerBound) }
    guard options.bins > 1 else {
      paint(xs, ys, ends, radius, into: pixels)
      return true
    }
    bins.divide(xs, ys, ends, times: batch.times.map { $0 + points.lowerBound })
    for (index, lines) in bins.lines.enumerated() {
      paint(lines.xs, lines.ys, lines.ends, radius, into: pixels + index * size)
    }
    return true
  }

  private func paint(
    _ xs: [Float], _ ys: [Float], _ ends: [Int], _ radius: Double,
    into pixels: UnsafeMutablePointer<UInt8>
  ) {
    xs.withUnsafeBufferPointer { xs in
      ys.withUnsafeBufferPointer { ys in
        painter.paint(
          ends: ends, radius: Float(min(radius, 1e5)), into: pixels, pitch: options.width
        ) { (xs[$0], ys[$0]) }
      }
    }
  }

  /// The shift that is added to a drawing's positions after scaling, in pixels, and the scale.
  private func placement(of box: LineBatch.Box) -> (shift: Point, scale: Double) {
    let (width, height) = (Double(options.width), Double(options.height))
    let frame = options.frame
    let around = 2 * options.padding
    let center: Point
    let scale: Double
    switch options.placement {
    case .centered:
      // x becomes x + (side - greatest x) / 2 in the recipe's square, whose centre is the
      // picture's.
      center = Point(x: box.right / 2, y: box.bottom / 2)
      scale = min(
        width / (frame.width + around + options.line),
        height / (frame.height + around + options.line))
    case .fitted:
      center = Point(x: (box.left + box.right) / 2, y: (box.top + box.bottom) / 2)
      let space = around + options.line
      let (x, y) = (box.right - box.left, box.bottom - box.top)
      // A dot has no size.
      scale =
        max(x, y) > 0
        ? min(
          x > 0 ? (width - space) / x : .infinity, y > 0 ? (height - space) / y : .infinity) : 1
    case .frame:
      center = Point(x: frame.minX + frame.width / 2, y: frame.minY + frame.height / 2)
      scale = min(width / (frame.width + around), height / (frame.height + around))
    }
    return (Point(x: width / 2 - center.x * scale, y: height / 2 - center.y * scale), scale)
  }

  /// Sets the positions of all points in pixels.
  @inline(__always)
  private func place(
    _ points: Range<Int>, _ pixel: (_ x: Double, _ y: Double) -> (x: Double, y: Double)
  ) {
    xs.removeAll(keepingCapacity: true)
    ys.removeAll(keepingCapacity: true)
    xs.reserveCapacity(points.count)
    ys.reserveCapacity(points.count)
    for point in points {
      let (x, y) = batch.place(point)
      let place = pixel(x, y)
      xs.append(Float(min(max(place.x, -Self.reach), Self.reach)))
      ys.append(Float(min(max(place.y, -Self.reach), Self.reach)))
    }
  }

  /// The bound in pixels to which positions are clamped: the painter would leave out points further
  /// away.
  private static let reach = 200_000.0

  private func placeChanged(
    _ points: Range<Int>, _ shift: Point, _ scale: Double, _ changes: inout RandomChanges.Drawn
  ) {
    let (width, height) = (Double(options.width), Double(options.height))
    let unit = options.placement == .fitted ? 1 : scale
    let (centerX, centerY) = (width / 2 * (1 + 2 * changes.x), height / 2 * (1 + 2 * changes.y))
    let isJittered = changes.jitter > 0
    var drawn = changes
    place(points) { x, y in
      var (x, y) = (x * scale + shift.x - width / 2, y * scale + shift.y - height / 2)
      if isJittered {
        x += drawn.nextJitter() * unit
        y += drawn.nextJitter() * unit
      }
      return (drawn.a * x + drawn.c * y + centerX, drawn.b * x + drawn.d * y + centerY)
    }
    changes = drawn
  }
}
