import Graphics
import Strokes

/// The limits on the work of drawing nibs that are far wider than any pen's.
///
/// Each segment of a textured ink visits all pixels under its nib. Without limits, a nib many times
/// as large as the picture would cost hundreds of visits of every pixel, even in a thumbnail whose
/// pixels are averaged a thousandfold.
enum WideNibs {
  /// Half the extent of the widest nib that is drawn with full precision, in points. The widest
  /// tool, watercolor, has 70.
  static let reach = 80.0
  /// The maximum number of pieces of a span with a wider nib. Its outline then has steps of a
  /// hundredth of a picture that shows all of it.
  static let maximumPieces = 64.0
  /// The least half extent in pixels, if they are made coarser.
  private static let minimumPixels = 32.0

  /// The number of times that the sides of the texture's pixels are doubled, for strokes that are
  /// wet together, whose greatest reach is given. Squares of `reduction` by `reduction` pixels are
  /// averaged, and `scale` is the number of these pixels per point. Depends on these strokes alone,
  /// so that stills, regions and replays are alike.
  static func coarseness(reduction: Int, scale: Double, reach: () -> Double) -> Int {
    guard reduction > 1 else { return 0 }
    let reach = reach()
    guard reach > Self.reach else { return 0 }
    var coarseness = 0
    while 1 << coarseness < reduction,
      reach * scale / Double(2 << coarseness) >= minimumPixels
    { coarseness += 1 }
    return coarseness
  }
}

extension PKStroke {
  /// Half the extent of its widest nib on the canvas, or somewhat more, in points.
  var maximumReach: Double {
    let drawn = ink.drawnSize(of: path.maximumSize)
    let reach = max(drawn.width, drawn.height) / 2
    return reach
      * (ink.inkType.nibShape.isTurnedByAzimuth ? transform.maximumScale : transform.meanScale)
  }
}
