import Graphics
import Rasterization
import Strokes

/// A drawing as outlines, lines and pictures, from back to front: the common content of SVG and
/// PDF.
struct VectorPage {
  let ground: PictureGround
  private(set) var marks: [VectorMark] = []

  /// Whether some ink depends on the ink below it, so that all ink must be composited before the
  /// paper.
  var mixes: Bool { marks.contains { $0.mix != .over } }

  init<Source: StrokeSource>(
    of source: Source, on canvas: Recording.Canvas, _ options: VectorOptions
  ) throws(RenderError) {
    var picture = options.picture.adapted(
      to: (0..<source.strokeCount).lazy.map { source.ink(ofStroke: $0) }, on: canvas)
    picture.colorSpace = .sRGB
    guard options.tolerance > 0, options.tolerance.isFinite else {
      throw RenderError(.notANumber("tolerance"))
    }
    guard options.pixelsPerPoint > 0, options.pixelsPerPoint.isFinite else {
      throw RenderError(.notANumber("resolution"))
    }
    ground = try PictureGround(picture, on: canvas) {
      (0..<source.strokeCount).reduce(Rect.null) { $0.union(source.bounds(ofStroke: $1)) }
    }
    var builder = MarkBuilder(visible: ground.visible, picture, options)
    for index in 0..<source.strokeCount {
      let isWet = index > 0 && source.isWet(index, on: index - 1)
      if !isWet { try builder.endMark() }
      guard source.mayDraw(stroke: index, in: ground.visible) else { continue }
      do {
        builder.add(try source.stroke(at: index))
      } catch {
        throw RenderError(.unreadable(stroke: index, reason: "\(error)"))
      }
    }
    try builder.endMark()
    try builder.endPicture()
    marks = builder.marks
    lowerHighlighters()
  }

  /// Moves highlighters below pens if that does not change the picture. A program without blend
  /// modes would paint the highlighter over these pens.
  private mutating func lowerHighlighters() {
    for index in marks.indices where marks[index].mix == .darken || marks[index].mix == .lighten {
      var (place, next) = (index, index)
      while next > 0, marks[index].commutes(with: marks[next - 1]) {
        next -= 1
        if marks[index].bounds.intersects(marks[next].bounds) { place = next }
      }
      guard place < index else { continue }
      let mark = marks.remove(at: index)
      marks.insert(mark, at: place)
    }
  }
}

extension VectorMark {
  /// Whether a highlighter looks the same below another mark as above it.
  fileprivate func commutes(with other: VectorMark) -> Bool {
    if !bounds.intersects(other.bounds) { return true }
    if case .picture = other.shape { return false }
    guard other.mix == .over, other.opacity >= 1 else { return false }
    let (mine, theirs) = (color, other.color)
    return mix == .darken
      ? theirs.red <= mine.red && theirs.green <= mine.green && theirs.blue <= mine.blue
      : theirs.red >= mine.red && theirs.green >= mine.green && theirs.blue >= mine.blue
  }
}

/// Makes marks of strokes, and pictures of consecutive strokes with texture.
private struct MarkBuilder {
  /// Pictures of consecutive strokes become one if it is at most this many times as large as they
  /// are together.
  private static let mergedGrowth = 1.6

  private(set) var marks: [VectorMark] = []
  /// The work of drawing the pictures so far.
  private var work = DrawingWork()
  private var flatMarks: FlatMarks
  private let visible: Rect
  private let picture: RenderOptions
  private let options: VectorOptions
  /// The strokes of the mark that is being collected.
  private var open: [PKStroke] = []
  /// The strokes of the picture that is being collected, their paint, the box around them, and the
  /// sum of the areas of their boxes.
  private var textured: [PKStroke] = []
  private var texturedPaint: InkPaint?
  private var texturedBox = Rect.null
  private var texturedArea = 0.0

  init(visible: Rect, _ picture: RenderOptions, _ options: VectorOptions) {
    (self.visible, self.picture, self.options) = (visible, picture, options)
    flatMarks = FlatMarks(in: visible, picture, tolerance: options.tolerance)
  }

  mutating func add(_ stroke: PKStroke) { open.append(stroke) }

  /// Ends the mark of the strokes so far.
  mutating func endMark() throws(RenderError) {
    defer { open = [] }
    guard let first = open.first else { return }
    let paint = InkPaint(first, picture)
    if paint.texture == .strong, !options.isFlat {
      return try addTextured(open, paint)
    }
    guard let mark = try flatMarks.mark(of: open, paint) else { return }
    try endPicture()
    marks.append(mark)
  }

  private mutating func addTextured(
    _ strokes: [PKStroke], _ paint: InkPaint
  ) throws(RenderError) {
    let box = strokes.reduce(Rect.null) { $0.union($1.renderBounds) }.intersection(visible)
    guard !box.isEmpty else { return }
    let merged = texturedBox.union(box)
    let area = box.width * box.height
    if let texturedPaint,
      texturedPaint.color != paint.color || texturedPaint.mix != paint.mix
        || merged.width * merged.height > (texturedArea + area) * Self.mergedGrowth
    {
      try endPicture()
    }
    textured += strokes
    texturedPaint = paint
    texturedBox = texturedBox.union(box)
    texturedArea += area
  }

  /// Ends the picture of the strokes so far.
  mutating func endPicture() throws(RenderError) {
    guard let paint = texturedPaint else { return }
    let strokes = textured
    (textured, texturedPaint, texturedBox, texturedArea) = ([], nil, .null, 0)
    // All pictures of a page share the total work that pictures of their sizes may take.
    var work = work
    let pixels = try TexturePicture(
      strokes, in: visible, pixelsPerPoint: options.pixelsPerPoint, picture
    ) { more throws(RenderError) in
      work += more
      try work.check()
    }
    self.work = work
    guard let pixels else { return }
    marks.append(
      VectorMark(
        strokes: strokes, shape: .picture(pixels), color: paint.color, opacity: 1, mix: paint.mix,
        bounds: pixels.box))
  }
}
