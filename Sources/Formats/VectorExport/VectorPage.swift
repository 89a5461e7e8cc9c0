import Graphics
import Rasterization
import Strokes
import Threads

/// A drawing as outlines, lines and pictures, from back to front: the common content of SVG and
/// PDF. The marks are made one after the other, so that memory does not grow with their number.
struct VectorPage<Source: StrokeSource> {
  let ground: PictureGround
  private let source: Source
  private let picture: RenderOptions
  private let options: VectorOptions
  /// The box of each stroke, if the frame depends on them.
  private let boxes: [Rect]

  init(
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
    var boxes: [Rect] = []
    ground = try PictureGround(picture, on: canvas) {
      boxes = (0..<source.strokeCount).map { source.bounds(ofStroke: $0) }
      return boxes.reduce(Rect.null) { $0.union($1) }
    }
    (self.source, self.boxes) = (source, boxes)
    (self.picture, self.options) = (picture, options)
  }

  private func box(ofStroke index: Int) -> Rect {
    index < boxes.count ? boxes[index] : source.bounds(ofStroke: index)
  }
}

/// A mark, and what its file writes for it.
struct CodedMark<Code> {
  /// The mark, which may be without its content.
  let mark: VectorMark
  let code: Code
}

extension VectorPage {
  /// Calls `encode` for every mark, on as many threads as the options allow, and then `body` in the
  /// order of the marks, from back to front.
  ///
  /// `begin` is called first. It gets whether some ink depends on the ink below it, so that all ink
  /// must be composited before the paper. All marks of a page with such ink are made before.
  func forEachMark<Code, Failure: Error>(
    encode: (VectorMark) -> CodedMark<Code>, begin: (_ mixes: Bool) -> Void,
    _ body: (CodedMark<Code>) throws(Failure) -> Void
  ) throws(VectorFailure<Failure>) {
    guard mayMix else {
      begin(false)
      return try makeMarks(encode, body)
    }
    var marks: [CodedMark<Code>] = []
    do throws(VectorFailure<Never>) {
      try makeMarks(encode) { (mark) throws(Never) in marks.append(mark) }
    } catch {
      throw .drawing(error.drawing)
    }
    lowerHighlighters(in: &marks)
    begin(marks.contains { $0.mark.mix != .over })
    for mark in marks {
      do throws(Failure) { try body(mark) } catch { throw .sink(error) }
    }
  }

  /// Whether some ink may depend on the ink below it.
  private var mayMix: Bool {
    var last: PKInk?
    for index in 0..<source.strokeCount {
      let ink = source.ink(ofStroke: index)
      guard ink != last else { continue }
      last = ink
      // Another shape of its nib gives a marker another style.
      if ink.inkType == .marker { return true }
      let stroke = PKStroke(ink: ink, path: PKStrokePath())
      if InkPaint(stroke, picture).mix != .over { return true }
    }
    return false
  }

  private func makeMarks<Code, Failure: Error>(
    _ encode: (VectorMark) -> CodedMark<Code>,
    _ body: (CodedMark<Code>) throws(Failure) -> Void
  ) throws(VectorFailure<Failure>) {
    var reader = UnitReader()
    var failure: VectorFailure<Failure>?
    var builder = MarkBuilder<Code>(visible: ground.visible, picture, options)
    let drafts = builder.flatMarks
    /// Hands over marks; false after an error.
    func take(_ marks: () throws(RenderError) -> Void) -> Bool {
      do throws(RenderError) {
        try marks()
      } catch {
        failure = .drawing(error)
      }
      // Marks that were made before an error come first.
      for mark in builder.marks {
        do throws(Failure) {
          try body(mark)
        } catch {
          failure = .sink(error)
          break
        }
      }
      builder.marks.removeAll(keepingCapacity: true)
      return failure == nil
    }
    Lanes.inOrder(
      picture.threads,
      next: { read(&reader) },
      work: { (batch: UnitBatch) -> DraftBatch<Code> in
        var result = DraftBatch<Code>(failure: batch.failure)
        for unit in batch.units {
          let paint = InkPaint(unit.strokes[0], picture)
          guard paint.texture != .strong || options.isFlat else {
            result.marks.append(.textured(unit, paint))
            continue
          }
          guard unit.isVisible else { continue }
          let draft = drafts.draft(of: unit.strokes, paint, in: unit.bounds)
          result.marks.append(.flat(draft, draft.mark.map(encode)))
        }
        return result
      },
      take: { (batch: DraftBatch<Code>) -> Bool in
        take { () throws(RenderError) in
          for mark in batch.marks { try builder.add(mark, encode) }
          if let failure = batch.failure { throw failure }
        }
      })
    if failure == nil {
      _ = take { () throws(RenderError) in try builder.endPicture(encode) }
    }
    if let failure { throw failure }
  }
}

// MARK: - Reading

/// Strokes that are drawn as one.
private struct MarkUnit {
  var strokes: [PKStroke] = []
  var bounds = Rect.null
  var isVisible = false
}

/// Units that one thread makes marks of.
private struct UnitBatch {
  var units: [MarkUnit] = []
  var pointCount = 0
  /// The error of reading the stroke behind the units.
  var failure: RenderError?

  /// Batches take several times as long as waking a thread, and little memory.
  var isFull: Bool { pointCount >= 4_096 || units.count >= 256 }
}

/// The position from which strokes are read.
private struct UnitReader {
  var next = 0
  var open = MarkUnit()
}

extension VectorPage {
  /// Reads the next units; nil at the end.
  private func read(_ reader: inout UnitReader) -> UnitBatch? {
    var batch = UnitBatch()
    func endUnit() {
      if !reader.open.strokes.isEmpty { batch.units.append(reader.open) }
      reader.open = MarkUnit()
    }
    while reader.next < source.strokeCount {
      let index = reader.next
      if index == 0 || !source.isWet(index, on: index - 1) {
        endUnit()
        if batch.isFull { return batch }
      }
      reader.next += 1
      let box = box(ofStroke: index)
      let isVisible = box.intersects(ground.visible)
      // A stroke that is wet with its neighbours belongs to them even if it just misses the frame.
      guard isVisible || source.renderGroupID(ofStroke: index) != nil else { continue }
      let stroke: PKStroke
      do {
        stroke = try source.stroke(at: index)
      } catch {
        reader.next = source.strokeCount
        reader.open = MarkUnit()
        batch.failure = RenderError(.unreadable(stroke: index, reason: "\(error)"))
        return batch
      }
      // The same test for all sources.
      guard PKDrawing(strokes: [stroke]).mayDraw(stroke: 0, in: ground.visible) else { continue }
      reader.open.strokes.append(stroke)
      reader.open.bounds = reader.open.bounds.union(box)
      reader.open.isVisible = reader.open.isVisible || isVisible
      batch.pointCount += stroke.path.count
    }
    endUnit()
    return batch.units.isEmpty ? nil : batch
  }
}

// MARK: - Making marks

/// A mark that was made regardless of its neighbours.
private enum MarkDraft<Code> {
  case flat(FlatMarks.Draft, CodedMark<Code>?)
  /// Strokes for a picture.
  case textured(MarkUnit, InkPaint)
}

private struct DraftBatch<Code> {
  var marks: [MarkDraft<Code>] = []
  var failure: RenderError?

  init(failure: RenderError?) { self.failure = failure }
}

/// Makes marks of drafts, and pictures of consecutive strokes with texture.
private struct MarkBuilder<Code> {
  /// Pictures of consecutive strokes become one if it is at most this many times as large as they
  /// are together.
  private static var mergedGrowth: Double { 1.6 }

  /// The newest marks.
  var marks: [CodedMark<Code>] = []
  /// The work of drawing the pictures so far.
  private var work = DrawingWork()
  private(set) var flatMarks: FlatMarks
  private let visible: Rect
  private let picture: RenderOptions
  private let options: VectorOptions
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

  mutating func add(
    _ draft: MarkDraft<Code>, _ encode: (VectorMark) -> CodedMark<Code>
  ) throws(RenderError) {
    switch draft {
    case .textured(let unit, let paint): try addTextured(unit, paint, encode)
    case .flat(let draft, let coded):
      let (mark, isSame) = try flatMarks.mark(of: draft)
      guard let mark else { return }
      try endPicture(encode)
      marks.append(isSame ? coded ?? encode(mark) : encode(mark))
    }
  }

  private mutating func addTextured(
    _ unit: MarkUnit, _ paint: InkPaint, _ encode: (VectorMark) -> CodedMark<Code>
  ) throws(RenderError) {
    let box = unit.bounds.intersection(visible)
    guard !box.isEmpty else { return }
    let merged = texturedBox.union(box)
    let area = box.width * box.height
    if let texturedPaint,
      texturedPaint.color != paint.color || texturedPaint.mix != paint.mix
        || merged.width * merged.height > (texturedArea + area) * Self.mergedGrowth
    {
      try endPicture(encode)
    }
    textured += unit.strokes
    texturedPaint = paint
    texturedBox = texturedBox.union(box)
    texturedArea += area
  }

  /// Ends the picture of the strokes so far.
  mutating func endPicture(
    _ encode: (VectorMark) -> CodedMark<Code>
  ) throws(RenderError) {
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
      encode(
        VectorMark(
          strokes: strokes, shape: .picture(pixels), color: paint.color, opacity: 1,
          mix: paint.mix, bounds: pixels.box)))
  }
}

// MARK: - Highlighters

/// Moves highlighters below pens if that does not change the picture. A program without blend modes
/// would paint the highlighter over these pens.
private func lowerHighlighters<Code>(in marks: inout [CodedMark<Code>]) {
  for index in marks.indices where marks[index].mark.isHighlighter {
    var (place, next) = (index, index)
    while next > 0, marks[index].mark.commutes(with: marks[next - 1].mark) {
      next -= 1
      if marks[index].mark.bounds.intersects(marks[next].mark.bounds) { place = next }
    }
    guard place < index else { continue }
    let mark = marks.remove(at: index)
    marks.insert(mark, at: place)
  }
}

extension VectorMark {
  fileprivate var isHighlighter: Bool { mix == .darken || mix == .lighten }

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
