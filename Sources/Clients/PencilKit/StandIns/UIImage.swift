public import Foundation
import PNGFormat

/// A picture, stored as the bytes of a PNG.
open class UIImage: NSObject, @unchecked Sendable {
  // Never changed after initialization, so that threads may share an image.
  private let bytes: Data?
  /// The size in points: pixels divided by the scale.
  public let size: CGSize
  /// The number of pixels for each point.
  public let scale: CGFloat

  /// An image without pixels.
  public override init() { (bytes, size, scale) = (nil, .zero, 1) }

  /// The image in a PNG; nil for anything else, including other image formats.
  public convenience init?(data: Data) { self.init(data: data, scale: 1) }

  /// The image in a PNG, with `scale` pixels for each point; nil for anything else.
  public convenience init?(data: Data, scale: CGFloat) {
    guard let picture = try? PNGDecoder().decode([UInt8](data)) else { return nil }
    self.init(
      png: data, width: picture.width, height: picture.height,
      scale: scale > 0 && scale.isFinite ? scale : 1)
  }

  init(png: Data, width: Int, height: Int, scale: CGFloat) {
    bytes = png
    size = CGSize(width: CGFloat(width) / scale, height: CGFloat(height) / scale)
    self.scale = scale
  }

  /// The bytes of the PNG; nil without pixels.
  open func pngData() -> Data? { bytes }
}
