import Graphics
import Rasterization
public import Strokes

/// Measures how much ink textures have.
enum OpacityMeter {
  /// The time to unite an outline's pieces grows with the square of their elements.
  private static let maximumUnitedElements = 8_000

  /// The opacity with which the even shape of a mark has as much ink as the texture of its strokes in a picture.
  static func opacity(
    of mark: VectorMark, _ picture: RenderOptions, _ work: inout DrawingWork
  ) throws(RenderError) -> Double {
    let area: Double
    switch mark.shape {
    case .area(let path):
      // The pieces of a long outline overlap where it is filled line by line.
      let isSimple = path.elements.count <= maximumUnitedElements
      area = (isSimple ? path.union(Path(), tolerance: 0.2) : path).signedArea
    case .line(let path, let width):
      let length = path.flattened().reduce(0) { sum, line in
        zip(line, line.dropFirst()).reduce(sum) { $0 + $1.0.distance(to: $1.1) }
      }
      area = width * length + .pi / 4 * width * width
    case .picture: return 1
    }
    // Coarse pixels hold the same amount of ink.
    let side = max(mark.bounds.width, mark.bounds.height)
    guard area > 0, side.isFinite,
      let pixels = try TexturePicture(
        mark.strokes, in: mark.bounds, pixelsPerPoint: min(2, 1_000 / side), work: &work,
        picture)
    else { return 0 }
    // Steps of a hundredth let neighbours share a colour.
    return min((pixels.inkArea / area * 100).rounded() / 100, 1)
  }
}

extension InkPaint {
  /// The paint of each stroke of a drawing in the light style, as sRGB. The opacity of ink with texture is measured: it
  /// is that of outlines in `isFlat` files of vectors.
  public static func measured(of drawing: PKDrawing) -> [InkPaint] {
    var options = RenderOptions()
    options.colorSpace = .sRGB
    var work = DrawingWork()
    var paints: [InkPaint] = []
    paints.reserveCapacity(drawing.strokes.count)
    var first = 0
    for index in drawing.strokes.indices {
      let isLast =
        index + 1 == drawing.strokes.count || !drawing.isWet(index + 1, on: index)
      guard isLast else { continue }
      let paint = measured(Array(drawing.strokes[first...index]), options, &work)
      paints += repeatElement(paint, count: index + 1 - first)
      first = index + 1
    }
    return paints
  }

  /// The paint of strokes that are wet together; mostly it is one.
  private static func measured(
    _ strokes: [PKStroke], _ options: RenderOptions, _ work: inout DrawingWork
  ) -> InkPaint {
    var paint = InkPaint(strokes[0], options)
    guard paint.texture != .flat, paint.opacity > 0,
      // The area counts here, not the edge.
      let mark = VectorMark(strokes, paint, tolerance: 0.1)
    else { return paint }
    // A picture that is too large to be drawn leaves the opacity of the ink's colour.
    if let opacity = try? OpacityMeter.opacity(of: mark, options, &work) {
      paint.opacity = opacity
    }
    return paint
  }
}
