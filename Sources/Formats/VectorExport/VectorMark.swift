package import Graphics
package import Rasterization
package import Strokes

/// A visible part of a vector page: strokes that are drawn as one, or a picture of strokes.
package struct VectorMark {
  enum Shape {
    /// A filled area.
    case area(Path)
    /// A line of one width with round caps and joins.
    case line(Path, width: Double)
    /// The pixels of inks with texture.
    case picture(TexturePicture)
  }

  /// The strokes, which are one unless they are wet together or share a picture.
  var strokes: [PKStroke]
  var shape: Shape
  /// The colour as sRGB, opaque.
  var color: Color
  var opacity: Double
  package var mix: InkPaint.Mix
  /// The bounding box on the canvas.
  var bounds: Rect
}

extension VectorMark {
  /// The path of an area or a line.
  package var path: Path? {
    switch shape {
    case .area(let path), .line(let path, _): path
    case .picture: nil
    }
  }

  /// The mark without its path and its strokes.
  var withoutContent: VectorMark {
    var mark = self
    mark.strokes = []
    switch shape {
    case .area: mark.shape = .area(Path())
    case .line(_, let width): mark.shape = .line(Path(), width: width)
    case .picture: break
    }
    return mark
  }

  /// Whether the path is stroked in place of filled.
  package var isLine: Bool { if case .line = shape { true } else { false } }
}

/// Makes marks of one colour and opacity, also for inks with texture.
package struct FlatMarks {
  private let visible: Rect
  private let picture: RenderOptions
  private let tolerance: Double
  private var meter: OpacityMeter
  private var work = ShapeWork()

  /// Marks in a part of the canvas, for pictures with some options.
  package init(in visible: Rect, _ picture: RenderOptions, tolerance: Double) {
    (self.visible, self.picture, self.tolerance) = (visible, picture, tolerance)
    meter = OpacityMeter(picture)
  }

  /// A mark that was made regardless of the work of marks before it.
  package struct Draft {
    fileprivate let strokes: [PKStroke]
    fileprivate let paint: InkPaint
    fileprivate let bounds: Rect
    /// The mark; nil if nothing of it is visible, or if it took too much work.
    package fileprivate(set) var mark: VectorMark?
    fileprivate var isMade = false
    fileprivate var work = ShapeWork()
    fileprivate var meter: OpacityMeter?
  }

  /// Makes the mark of strokes that are drawn as one. Any number of threads may do that; then
  /// `mark(of:)` checks the work in the order of the marks.
  package func draft(of strokes: [PKStroke]) -> Draft? {
    guard let first = strokes.first else { return nil }
    let boxes = strokes.map { $0.renderBounds }
    guard boxes.contains(where: { $0.intersects(visible) }) else { return nil }
    let bounds = boxes.reduce(Rect.null) { $0.union($1) }
    return draft(of: strokes, InkPaint(first, picture), in: bounds)
  }

  /// The same for visible strokes.
  func draft(of strokes: [PKStroke], _ paint: InkPaint, in bounds: Rect) -> Draft {
    var draft = Draft(strokes: strokes, paint: paint, bounds: bounds)
    var alone = FlatMarks(in: visible, picture, tolerance: tolerance)
    do throws(RenderError) {
      draft.mark = try alone.mark(of: strokes, paint, in: bounds)
      draft.isMade = true
    } catch {
      // Made again in its order, where the same error counts.
    }
    draft.work = alone.work
    if paint.texture != .flat { draft.meter = alone.meter }
    return draft
  }

  /// The mark of a draft, nil if nothing of it is visible, and whether it is as in the draft.
  package mutating func mark(
    of draft: Draft
  ) throws(RenderError) -> (mark: VectorMark?, isSame: Bool) {
    var (work, meter) = (work, meter)
    if draft.isMade, work.include(draft.work), draft.meter.map({ meter.include($0) }) ?? true {
      (self.work, self.meter) = (work, meter)
      return (draft.mark, true)
    }
    return (try mark(of: draft.strokes, draft.paint, in: draft.bounds), false)
  }

  private mutating func mark(
    of strokes: [PKStroke], _ paint: InkPaint, in bounds: Rect
  ) throws(RenderError) -> VectorMark? {
    guard paint.opacity > 0,
      let form = try StrokeShape(strokes, tolerance: tolerance, work: &work)?.form
    else { return nil }
    let shape: VectorMark.Shape =
      switch form {
      case .area(let path): .area(path)
      case .line(let path, let width): .line(path, width: width)
      }
    let opacity = paint.texture == .flat ? paint.opacity : meter.opacity(of: strokes, paint)
    guard opacity > 0 else { return nil }
    return VectorMark(
      strokes: strokes, shape: shape, color: paint.color, opacity: opacity, mix: paint.mix,
      bounds: bounds)
  }
}

/// The pixels of some strokes alone, over nothing.
struct TexturePicture {
  /// The part of the canvas that it shows.
  let box: Rect
  let pixels: Pixmap

  /// The maximum number of pixels on a side. Larger pictures have fewer pixels per point.
  private static let maximumSide = 6_000.0

  /// A picture of strokes; nil if they are invisible. `check` is called with the work of drawing
  /// them before they are drawn.
  init?(
    _ strokes: [PKStroke], in visible: Rect, pixelsPerPoint: Double, _ options: RenderOptions,
    check: (DrawingWork) throws(RenderError) -> Void
  ) throws(RenderError) {
    let ink = strokes.reduce(Rect.null) { $0.union($1.renderBounds) }
    let box = ink.intersection(visible.roundedOutwards).roundedOutwards
    guard !box.isEmpty, box.width.isFinite, box.height.isFinite else { return nil }
    let scale = min(pixelsPerPoint, Self.maximumSide / max(box.width, box.height))
    var options = options
    options.region = box
    options.margin = .points(0)
    options.extent = .scale(scale)
    options.background = .transparent
    options.showsPattern = false
    options.earlier = nil
    (options.depth, options.colorSpace) = (.eight, .sRGB)
    let rendering = try Renderer(options).rendering(of: PKDrawing(strokes: strokes))
    try check(rendering.work)
    let pixels = rendering.pixmap
    self.pixels = pixels
    // The last pixels may reach beyond the box.
    self.box = Rect(
      x: box.minX, y: box.minY, width: Double(pixels.width) / scale,
      height: Double(pixels.height) / scale)
  }

  /// The amount of ink: the area that it would cover with full opacity, in square points.
  var inkArea: Double {
    var sum: Int64 = 0
    for y in 0..<pixels.height {
      pixels.withRow(y) { row in
        for index in stride(from: 3, to: row.count, by: 4) { sum += Int64(row[index]) }
      }
    }
    let pixel = box.width * box.height / Double(pixels.width * pixels.height)
    return Double(sum) / 255 * pixel
  }

  /// The alpha of each pixel, row by row, and the mean colour of the ink.
  var opacities: (alpha: [UInt8], color: Color) {
    var alpha: [UInt8] = []
    alpha.reserveCapacity(pixels.width * pixels.height)
    var sums = SIMD4<Int64>()
    for y in 0..<pixels.height {
      pixels.withRow(y) { row in
        for index in stride(from: 0, to: row.count, by: 4) {
          alpha.append(row[index + 3])
          sums &+= SIMD4(
            Int64(row[index]), Int64(row[index + 1]), Int64(row[index + 2]), Int64(row[index + 3]))
        }
      }
    }
    let total = Double(max(sums.w, 1))
    return (
      alpha,
      Color(
        red: Double(sums.x) / total, green: Double(sums.y) / total, blue: Double(sums.z) / total
      ).clamped
    )
  }
}
