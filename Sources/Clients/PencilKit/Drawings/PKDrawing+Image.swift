public import Foundation
import Graphics
import Pictures
import Rasterization
import Strokes

extension PKDrawing {
  /// A picture of a part of the page on a transparent background, in the style of the current
  /// `UITraitCollection`.
  ///
  /// It has as many pixels as the rectangle has points, times the scale, rounded up. The scale 0
  /// stands for that of the screen. A picture that would have no pixels, or more than a hundred
  /// million, is an image without any.
  public func image(from rect: CGRect, scale: CGFloat) -> UIImage {
    let scale = scale > 0 && scale.isFinite ? Double(scale) : Double(UIScreen.main.scale)
    guard let region = Rect(rect).region(scale: scale) else { return UIImage() }
    let options = RenderOptions(
      extent: .scale(scale), region: region, background: .transparent, showsPattern: false,
      style: UITraitCollection.current.userInterfaceStyle == .dark ? .dark : .light)
    guard let picture = try? Picture(of: model, options), let png = try? picture.png() else {
      return UIImage()
    }
    return UIImage(
      png: Data(png), width: picture.width, height: picture.height, scale: CGFloat(scale))
  }
}

extension Rect {
  /// The rectangle, enlarged to whole pixels; nil if it contains none.
  fileprivate func region(scale: Double) -> Rect? {
    guard !isNull, width > 0, height > 0 else { return nil }
    func length(_ points: Double) -> Double? {
      // A rounding error must not add a pixel.
      let pixels = max((points * scale - 1e-6).rounded(.up), 1)
      guard pixels.isFinite else { return nil }
      var length = pixels / scale
      while (length * scale).rounded(.up) > pixels { length = length.nextDown }
      return length
    }
    guard let width = length(width), let height = length(height) else { return nil }
    return Rect(x: minX, y: minY, width: width, height: height)
  }
}
