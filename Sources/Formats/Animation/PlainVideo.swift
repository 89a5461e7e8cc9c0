import Graphics

/// Writes frames uncompressed to a stream, for `ffmpeg` and players.
///
/// Only changed pixels are converted, so a frame costs little more than writing its bytes. In Y4M,
/// transparent pixels are composited on white.
public struct PlainVideo<Failure: Error>: FrameSink {
  /// The encoding of the pixels.
  public enum Form: Hashable, Sendable {
    /// YUV4MPEG2: luma for each pixel, chroma for each square of four, by BT.709 in limited range.
    /// If a side is odd, the last row or column is repeated, as programs refuse incomplete squares.
    case y4m(FrameRate)
    /// Four bytes for each pixel: RGBA with straight alpha.
    case rgba
  }

  private let form: Form
  /// The size of the written frames in pixels.
  private let width: Int
  private let height: Int
  private let lastRepetitions: Int
  private let write: ([UInt8]) throws(Failure) -> Void
  /// The current frame as it is written.
  private var bytes: [UInt8]

  /// Begins a stream of frames. `width` and `height` are in pixels; the last frame is written
  /// `lastRepetitions` times.
  public init(
    _ form: Form, width: Int, height: Int, lastRepetitions: Int = 1,
    write: @escaping ([UInt8]) throws(Failure) -> Void
  ) throws(Failure) {
    var (width, height) = (width, height)
    if case .y4m = form { (width, height) = ((width + 1) & ~1, (height + 1) & ~1) }
    (self.form, self.width, self.height) = (form, width, height)
    (self.lastRepetitions, self.write) = (lastRepetitions, write)
    switch form {
    case .y4m(let rate):
      try write(
        Array(
          "YUV4MPEG2 W\(width) H\(height) F\(rate.frames):\(rate.seconds) Ip A1:1 C420jpeg XCOLORRANGE=LIMITED\n"
            .utf8))
      bytes = Array("FRAME\n".utf8)
      bytes += [UInt8](repeating: 16, count: width * height)
      bytes += [UInt8](repeating: 128, count: width * height / 2)
    case .rgba: bytes = [UInt8](repeating: 0, count: 4 * width * height)
    }
  }

  /// Writes a frame.
  public mutating func add(_ frame: Frame) throws(Failure) {
    for rect in frame.changed {
      switch form {
      case .y4m: convert(frame.picture, rect)
      case .rgba: frame.picture.copyStraight(rect, to: &bytes)
      }
    }
    try write(bytes)
  }

  /// Writes the repetitions of the last frame.
  public mutating func finish() throws(Failure) {
    for _ in 1..<max(lastRepetitions, 1) { try write(bytes) }
  }

  /// Converts a rectangle to the planes Y, Cb and Cr behind the frame's header of six bytes.
  private mutating func convert(_ picture: Pixmap, _ rect: PixelRect) {
    // Whole squares of four pixels.
    let columns = rect.columns.lowerBound & ~1..<(rect.columns.upperBound + 1) & ~1
    let rows = rect.rows.lowerBound & ~1..<(rect.rows.upperBound + 1) & ~1
    let (width, height) = (width, height)
    let head = 6
    bytes.withUnsafeMutableBufferPointer { bytes in
      for top in stride(from: rows.lowerBound, to: rows.upperBound, by: 2) {
        picture.withRow(top) { upper in
          picture.withRow(min(top + 1, picture.height - 1)) { lower in
            for left in stride(from: columns.lowerBound, to: columns.upperBound, by: 2) {
              let right = min(left + 1, picture.width - 1)
              let a = StudioColor(upper, left), b = StudioColor(upper, right)
              let c = StudioColor(lower, left), d = StudioColor(lower, right)
              let luma = head + top * width + left
              bytes[luma] = a.luma
              bytes[luma + 1] = b.luma
              bytes[luma + width] = c.luma
              bytes[luma + width + 1] = d.luma
              let chroma = head + width * height + top / 2 * (width / 2) + left / 2
              bytes[chroma] = StudioColor.blue(a, b, c, d)
              bytes[chroma + width * height / 4] = StudioColor.red(a, b, c, d)
            }
          }
        }
      }
    }
  }
}

/// A pixel composited on white, with its conversion to luma and chroma by BT.709 in limited range.
private struct StudioColor {
  let red: Int32
  let green: Int32
  let blue: Int32

  @inline(__always)
  init(_ row: UnsafeRawBufferPointer, _ x: Int) {
    let rest = 255 - Int32(row[4 * x + 3])
    red = Int32(row[4 * x]) + rest
    green = Int32(row[4 * x + 1]) + rest
    blue = Int32(row[4 * x + 2]) + rest
  }

  /// Luma from 16 to 235. The weights are in units of 1/65,536 and include the scale of 219 steps.
  @inline(__always)
  var luma: UInt8 {
    UInt8(truncatingIfNeeded: (red * 11_966 + green * 40_254 + blue * 4_064 + 32_768) >> 16 + 16)
  }

  @inline(__always)
  static func blue(_ a: StudioColor, _ b: StudioColor, _ c: StudioColor, _ d: StudioColor) -> UInt8
  {
    let (r, g, b) = sum(a, b, c, d)
    return UInt8(truncatingIfNeeded: (r * -6_596 + g * -22_189 + b * 28_784 + 131_072) >> 18 + 128)
  }

  @inline(__always)
  static func red(_ a: StudioColor, _ b: StudioColor, _ c: StudioColor, _ d: StudioColor) -> UInt8 {
    let (r, g, b) = sum(a, b, c, d)
    return UInt8(truncatingIfNeeded: (r * 28_784 + g * -26_145 + b * -2_639 + 131_072) >> 18 + 128)
  }

  @inline(__always)
  private static func sum(
    _ a: StudioColor, _ b: StudioColor, _ c: StudioColor, _ d: StudioColor
  ) -> (Int32, Int32, Int32) {
    (
      a.red + b.red + c.red + d.red, a.green + b.green + c.green + d.green,
      a.blue + b.blue + c.blue + d.blue
    )
  }
}
