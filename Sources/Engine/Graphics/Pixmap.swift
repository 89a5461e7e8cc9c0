import CSystem

/// A picture in memory: rows of premultiplied RGBA pixels with 8 or 16 bits per component.
///
/// New memory is zero and allocated by the system on first access, so rows in which nothing is
/// drawn cost nothing.
public struct Pixmap: Sendable {
  /// The number of bits of a component.
  public enum Depth: Int, Hashable, Sendable, CaseIterable {
    /// 8 bits: values from 0 to 255.
    case eight = 8
    /// 16 bits: values from 0 to 65,535.
    case sixteen = 16

    /// The number of bytes of a pixel.
    public var bytesPerPixel: Int { self == .eight ? 4 : 8 }
  }

  /// The width in pixels.
  public let width: Int
  /// The height in pixels.
  public let height: Int
  /// The number of bits of a component.
  public let depth: Depth
  /// The colour space of the components.
  public let colorSpace: ColorSpace
  /// The pixels, with further rows and columns beyond the picture, whose content is undefined.
  package let memory: PixelMemory

  /// A transparent picture. Its memory is rounded up to whole tiles, so that tiles can be drawn
  /// into it completely.
  public init(
    width: Int, height: Int, depth: Depth = .eight, colorSpace: ColorSpace = .sRGB
  ) {
    precondition(width >= 0 && height >= 0, "a picture has no negative extent")
    self.width = width
    self.height = height
    self.depth = depth
    self.colorSpace = colorSpace
    memory = PixelMemory(
      width: width, height: height, bytesPerPixel: depth.bytesPerPixel)
  }
}

extension Pixmap {
  /// A pixel of any depth: premultiplied components from 0 to 65,535.
  public struct Pixel: Hashable, Sendable {
    /// Red times alpha.
    public var red: UInt16
    /// Green times alpha.
    public var green: UInt16
    /// Blue times alpha.
    public var blue: UInt16
    /// The opacity.
    public var alpha: UInt16

    /// A transparent pixel.
    public static let clear = Pixel(red: 0, green: 0, blue: 0, alpha: 0)

    /// A pixel from premultiplied components.
    public init(red: UInt16, green: UInt16, blue: UInt16, alpha: UInt16) {
      self.red = red
      self.green = green
      self.blue = blue
      self.alpha = alpha
    }
  }

  /// The pixel in a column and a row, which must be inside of the picture.
  public subscript(x: Int, y: Int) -> Pixel {
    precondition(0..<width ~= x && 0..<height ~= y, "a pixel that the picture does not have")
    let bytes = memory.bytes(ofRow: y)
    switch depth {
    case .eight:
      func part(_ channel: Int) -> UInt16 { UInt16(bytes[4 * x + channel]) * 257 }
      return Pixel(red: part(0), green: part(1), blue: part(2), alpha: part(3))
    case .sixteen:
      func part(_ channel: Int) -> UInt16 {
        bytes.loadUnaligned(fromByteOffset: 8 * x + 2 * channel, as: UInt16.self)
      }
      return Pixel(red: part(0), green: part(1), blue: part(2), alpha: part(3))
    }
  }

  /// Calls the body with the bytes of a row: four or eight for each pixel; components of 16 bits
  /// are in the processor's byte order.
  public func withRow<Result, Failure: Error>(
    _ y: Int, _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    precondition(0..<height ~= y, "a row that the picture does not have")
    return try body(
      UnsafeRawBufferPointer(rebasing: memory.bytes(ofRow: y)[..<(width * depth.bytesPerPixel)]))
  }
}

extension Pixmap {
  /// A copy with its own memory, for pictures whose memory is overwritten later.
  public var copy: Pixmap {
    let copy = Pixmap(width: width, height: height, depth: depth, colorSpace: colorSpace)
    for y in 0..<height {
      (copy.memory.base + y * copy.memory.bytesPerRow).copyMemory(
        from: UnsafeRawPointer(memory.base + y * memory.bytesPerRow),
        byteCount: width * depth.bytesPerPixel)
    }
    return copy
  }
}

extension Pixmap: Equatable {
  /// Whether size, depth, colour space and the bytes of all pixels are equal.
  public static func == (a: Pixmap, b: Pixmap) -> Bool {
    guard
      a.width == b.width, a.height == b.height, a.depth == b.depth, a.colorSpace == b.colorSpace
    else { return false }
    return (0..<a.height).allSatisfy { y in
      a.withRow(y) { left in b.withRow(y) { right in left.elementsEqual(right) } }
    }
  }
}

/// Memory for pixels. New memory is zero; that of large pictures costs nothing before it is
/// accessed.
package final class PixelMemory: @unchecked Sendable {
  /// The side of a tile in pixels; pictures are drawn in whole tiles.
  package static let tileSide = 128

  /// The distance from one row to the next in bytes.
  package let bytesPerRow: Int
  /// The address of the first pixel.
  package let base: UnsafeMutableRawPointer
  private let byteCount: Int

  /// Memory for whole tiles.
  package init(width: Int, height: Int, bytesPerPixel: Int) {
    func tiled(_ length: Int) -> Int {
      (length + Self.tileSide - 1) / Self.tileSide * Self.tileSide
    }
    bytesPerRow = max(tiled(width), Self.tileSide) * bytesPerPixel
    byteCount = bytesPerRow * max(tiled(height), Self.tileSide)
    guard let memory = lazyMemoryCreate(byteCount) else {
      preconditionFailure("no memory for a picture of \(width)×\(height) pixels")
    }
    base = memory
  }

  deinit { lazyMemoryFree(base, byteCount) }

  /// The bytes of a row, with those beyond the picture's width.
  package func bytes(ofRow y: Int) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: base + y * bytesPerRow, count: bytesPerRow)
  }
}
