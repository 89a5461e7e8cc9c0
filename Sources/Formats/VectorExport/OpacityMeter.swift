import Graphics
import Rasterization
public import Strokes

/// Measures an opacity for textured ink: with it, the even shape has as much ink as the texture has
/// in a picture.
struct OpacityMeter {
  /// The visits that all marks together may take: some seconds. Hand-made drawings take a
  /// hundredth.
  static let maximumVisits = 0x1p30
  /// The visits that a picture of a mark may take, and the most pixels on its longer side.
  private static let (visitsPerMark, side) = (0x1p24, 1_000.0)

  /// The number of strokes whose opacity is estimated by that of others, because measuring them
  /// took too much work.
  private(set) var estimatedCount = 0
  /// The work so far.
  private(set) var visits = 0.0
  private var picture: RenderOptions
  private let limit: Double
  /// The ratios of measured opacities to their inks' own, and the number of measured marks.
  private var ratios = (sum: 0.0, count: 0.0)

  init(_ picture: RenderOptions, maximumVisits limit: Double = maximumVisits) {
    (self.picture, self.limit) = (picture, limit)
    // A mark is small, and several are measured at once.
    self.picture.threads = 1
  }

  /// The opacity of strokes that are drawn as one with a visible paint that has texture; 0 only if
  /// nothing of them shows.
  mutating func opacity(of strokes: [PKStroke], _ paint: InkPaint) -> Double {
    // Finding the nibs takes time, too.
    visits += strokes.reduce(0) { $0 + 64 * Double($1.path.count) }
    guard visits <= limit, let opacity = try? measure(strokes) else {
      estimatedCount += strokes.count
      let ratio = ratios.count > 0 ? ratios.sum / ratios.count : 1
      return min(max((paint.opacity * ratio * 100).rounded() / 100, 0.01), 1)
    }
    ratios = (ratios.sum + opacity / paint.opacity, ratios.count + 1)
    return opacity
  }

  /// Adds what was measured alone by a new meter; false if it would have been measured otherwise
  /// here, because less work is left.
  mutating func include(_ other: OpacityMeter) -> Bool {
    guard other.estimatedCount == 0, visits + other.visits <= limit - 16 * Self.visitsPerMark else {
      return false
    }
    visits += other.visits
    ratios = (ratios.sum + other.ratios.sum, ratios.count + other.ratios.count)
    return true
  }

  private mutating func measure(_ strokes: [PKStroke]) throws(RenderError) -> Double {
    let bounds = strokes.reduce(Rect.null) { $0.union($1.renderBounds) }
    guard let pixels = try picture(of: strokes, bounds), pixels.inkArea > 0,
      var even = EvenArea(
        in: bounds, strokeCount: strokes.count, maximumVisits: limit - visits)
    else { return 0 }
    let isMeasured = strokes.allSatisfy { even.add($0) }
    visits += even.visits
    guard isMeasured else { throw RenderError(.tooMuchWork(maximumVisits: limit)) }
    guard even.area > 0 else { return 1 }
    // Steps of a hundredth let neighbours share a colour.
    return min(max((pixels.inkArea / even.area * 100).rounded() / 100, 0.01), 1)
  }

  /// A picture of strokes, which takes a small part of the work that is left. Coarse pixels hold
  /// the same amount of ink.
  private mutating func picture(
    of strokes: [PKStroke], _ bounds: Rect
  ) throws(RenderError) -> TexturePicture? {
    let side = max(bounds.width, bounds.height)
    guard side.isFinite else { throw RenderError(.notANumber("bounds")) }
    let share = min(Self.visitsPerMark, (limit - visits) / 16)
    var scale = min(2, Self.side / side)
    while true {
      var needed = 16 * share
      do throws(RenderError) {
        let pixels = try TexturePicture(strokes, in: bounds, pixelsPerPoint: scale, picture) {
          work throws(RenderError) in
          needed = work.visits
          guard needed <= share else { throw RenderError(.tooMuchWork(maximumVisits: share)) }
        }
        visits += needed
        return pixels
      } catch {
        // The pixels below a nib grow with the square.
        scale /= max(2, (needed / share).squareRoot())
        guard case .tooMuchWork = error.problem, scale * side >= 16 else { throw error }
      }
    }
  }
}

extension InkPaint {
  /// The paint of each stroke of a drawing in the light style, as sRGB. The opacity of textured ink
  /// is measured, as for the outlines of `isFlat` vector files. Also returns the number of strokes
  /// whose opacity was estimated, because measuring took too much work.
  public static func measured(of drawing: PKDrawing) -> (paints: [InkPaint], estimatedCount: Int) {
    var options = RenderOptions()
    options.colorSpace = .sRGB
    var meter = OpacityMeter(options)
    var paints: [InkPaint] = []
    paints.reserveCapacity(drawing.strokes.count)
    var first = 0
    for index in drawing.strokes.indices {
      let isLast =
        index + 1 == drawing.strokes.count || !drawing.isWet(index + 1, on: index)
      guard isLast else { continue }
      // Strokes that are wet together are mostly one.
      let strokes = Array(drawing.strokes[first...index])
      var paint = InkPaint(strokes[0], options)
      if paint.texture != .flat, paint.opacity > 0 {
        paint.opacity = meter.opacity(of: strokes, paint)
      }
      paints += repeatElement(paint, count: strokes.count)
      first = index + 1
    }
    return (paints, meter.estimatedCount)
  }
}
