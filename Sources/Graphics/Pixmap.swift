import Glibc

/// A picture in memory: rows of premultiplied pixels, red, green, blue and alpha, of 8 or 16 bits.
///
/// Its memory is fresh and blank: rows that nothing was drawn in are never touched.
public struct Pixmap: Sendable {
  /// How many bits each component has.
  public enum Depth: Int, Hashable, Sendable, CaseIterable {
    /// 0 to 255.
    case eight = 8
    /// 0 to 65,535.
    case sixteen = 16

    /// How many bytes a pixel takes.
    public var bytesPerPixel: Int { self == .eight ? 4 : 8 }
  }

  /// Columns of pixels.
  public let width: Int
  /// Rows of pixels.
  public let height: Int
  /// How many bits each component has.
  public let depth: Depth
  /// What the components mean.
  public let colorSpace: ColorSpace
  /// The pixels, with rows and columns beyond the picture that may hold anything.
  package let memory: PixelMemory

  /// A clear picture. Columns and rows are counted up to whole multiples of a side, so that whole
  /// tiles can be drawn into.
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
  /// A pixel of any depth, its components as parts of 65,535 and premultiplied.
  public struct Pixel: Hashable, Sendable {
    /// Red times alpha.
    public var red: UInt16
    /// Green times alpha.
    public var green: UInt16
    /// Blue times alpha.
    public var blue: UInt16
    /// The opacity.
    public var alpha: UInt16

    /// Nothing.
    public static let clear = Pixel(red: 0, green: 0, blue: 0, alpha: 0)

    /// A pixel from premultiplied components.
    public init(red: UInt16, green: UInt16, blue: UInt16, alpha: UInt16) {
      self.red = red
      self.green = green
      self.blue = blue
      self.alpha = alpha
    }
  }

  /// The pixel in a column and a row, which the picture must have.
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

  /// Gives the bytes of a row: four or eight for each pixel, components of 16 bits as this processor
  /// keeps them.
  public func withRow<Result, Failure: Error>(
    _ y: Int, _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    precondition(0..<height ~= y, "a row that the picture does not have")
    return try body(
      UnsafeRawBufferPointer(rebasing: memory.bytes(ofRow: y)[..<(width * depth.bytesPerPixel)]))
  }
}

extension Pixmap {
  /// The same pixels in memory of their own, for pictures whose memory is used again.
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
  /// Whether all pixels are the same bytes.
  public static func == (a: Pixmap, b: Pixmap) -> Bool {
    guard
      a.width == b.width, a.height == b.height, a.depth == b.depth, a.colorSpace == b.colorSpace
    else { return false }
    return (0..<a.height).allSatisfy { y in
      a.withRow(y) { left in b.withRow(y) { right in left.elementsEqual(right) } }
    }
  }
}

/// Memory for pixels. Fresh memory is blank, and costs nothing before it is touched.
package final class PixelMemory: @unchecked Sendable {
  /// Pictures are drawn in whole tiles of so many pixels.
  package static let tileSide = 128

  /// The way from row to row.
  package let bytesPerRow: Int
  package let base: UnsafeMutableRawPointer
  private let byteCount: Int

  /// Memory for whole tiles.
  package init(width: Int, height: Int, bytesPerPixel: Int) {
    func tiled(_ length: Int) -> Int {
      (length + Self.tileSide - 1) / Self.tileSide * Self.tileSide
    }
    bytesPerRow = max(tiled(width), Self.tileSide) * bytesPerPixel
    byteCount = bytesPerRow * max(tiled(height), Self.tileSide)
    let memory = mmap(
      nil, byteCount, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
    guard let memory, memory != MAP_FAILED else {
      preconditionFailure("no memory for a picture of \(width)×\(height) pixels")
    }
    base = memory
    // Faults for every 4 kB would take longer than drawing.
    if byteCount >= 1 << 21 { madvise(base, byteCount, MADV_HUGEPAGE) }
  }

  deinit { munmap(base, byteCount) }

  package func bytes(ofRow y: Int) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: base + y * bytesPerRow, count: bytesPerRow)
  }
}
