import CPNG
public import Graphics

/// Decodes PNG through libpng, within limits that no file can exceed.
public struct PNGDecoder: Sendable {
  /// The maximum size and memory of a decoded file.
  public struct Limits: Hashable, Sendable {
    /// The maximum width or height, in pixels.
    public var side: Int
    /// The maximum amount of memory, in bytes, pixels included.
    public var memory: Int
    /// The maximum size of a chunk besides the pixels, in bytes after decompression.
    public var chunk: Int
    /// The maximum number of frames of an animation.
    public var frames: Int

    /// Limits. The default of 512 MB holds a picture of a hundred megapixels at 8 bits.
    public init(
      side: Int = 100_000, memory: Int = 512 << 20, chunk: Int = 4 << 20, frames: Int = 1 << 20
    ) {
      self.side = side
      self.memory = memory
      self.chunk = chunk
      self.frames = frames
    }
  }

  /// The limits of every file that is decoded.
  public var limits: Limits

  /// A decoder with limits.
  public init(limits: Limits = Limits()) { self.limits = limits }

  /// Decodes a still picture, or the default picture of an animation. Bytes after its end are
  /// ignored.
  public func decode(_ bytes: [UInt8]) throws(PNGError) -> PNGImage {
    guard bytes.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) else {
      throw PNGError(.notPNG, at: 0)
    }
    let result = bytes.withUnsafeBufferPointer { bytes in
      Result { () throws(PNGError) in try decode(bytes) }
    }
    return try result.get()
  }

  private func decode(_ bytes: UnsafeBufferPointer<UInt8>) throws(PNGError) -> PNGImage {
    // The memory of libpng itself: rows, the window of deflate, texts.
    let ownMemory = min(limits.memory / 2, 32 << 20)
    guard
      let reader = pngReaderCreate(
        bytes.baseAddress, bytes.count, UInt32(clamping: min(limits.side, Int(Int32.max))),
        max(ownMemory, 0), max(limits.chunk, 1))
    else { throw PNGError(.failed("out of memory")) }
    defer { pngReaderFree(reader) }
    func damage() -> PNGError {
      PNGError(.damaged(String(cString: pngReaderReason(reader))), at: pngReaderOffset(reader))
    }

    var header = PNGShimHeader()
    var rowBytes: UInt64 = 0
    guard pngReaderBegin(reader, &header, &rowBytes) != 0 else { throw damage() }
    let (width, height) = (Int(header.width), Int(header.height))
    let depth: Pixmap.Depth = header.depth == 16 ? .sixteen : .eight
    let (pixels, overflow) = width.multipliedReportingOverflow(by: height)
    guard !overflow, pixels <= (limits.memory - ownMemory) / depth.bytesPerPixel else {
      throw PNGError(.tooLarge(width: width, height: height), at: pngReaderOffset(reader))
    }
    // Deflate stores at most 258 bytes in two bits.
    guard Int(rowBytes) * height / 1_032 <= bytes.count else {
      throw PNGError(.missingPixels(width: width, height: height), at: pngReaderOffset(reader))
    }
    let bytesPerRow = width * depth.bytesPerPixel
    var components = [UInt8](repeating: 0, count: bytesPerRow * height)
    guard pngReaderPixels(reader, &components, bytesPerRow) != 0 else { throw damage() }
    return PNGImage(
      width: width, height: height, depth: depth, hasAlpha: header.hasAlpha != 0,
      pixelsPerMeter: header.pixelsPerMeter == 0 ? nil : Int(header.pixelsPerMeter),
      texts: (0..<pngReaderTextCount(reader)).map { PNGText(pngReaderText(reader, $0)) },
      components: components)
  }
}

extension PNGText {
  fileprivate init(_ text: PNGShimText) {
    func letters(_ start: UnsafePointer<CChar>?, _ count: Int) -> [UInt8] {
      UnsafeBufferPointer(start: start, count: start == nil ? 0 : count).map {
        UInt8(bitPattern: $0)
      }
    }
    func latin1(_ bytes: [UInt8]) -> String {
      String(String.UnicodeScalarView(bytes.map { UnicodeScalar($0) }))
    }
    var length = 0
    while let keyword = text.keyword, keyword[length] != 0 { length += 1 }
    let bytes = letters(text.text, text.length)
    self.init(
      latin1(letters(text.keyword, length)),
      text.isUnicode != 0 ? String(decoding: bytes, as: UTF8.self) : latin1(bytes))
  }
}

/// A decoded picture: straight RGBA for every pixel form.
public struct PNGImage: Hashable, Sendable {
  /// The width in pixels.
  public let width: Int
  /// The height in pixels.
  public let height: Int
  /// Bits per component; files with fewer than 8 are expanded to 8.
  public let depth: Pixmap.Depth
  /// Whether the file stores transparency.
  public let hasAlpha: Bool
  /// Pixels per metre; nil if the file does not store a resolution.
  public let pixelsPerMeter: Int?
  /// The texts, in the order of the file.
  public let texts: [PNGText]
  /// Red, green, blue and alpha of all pixels, row by row; 16-bit components in native byte order.
  public let components: [UInt8]

  /// The straight RGBA components of a pixel, from 0 to 65,535.
  public subscript(x: Int, y: Int) -> SIMD4<UInt16> {
    precondition(0..<width ~= x && 0..<height ~= y, "the pixel must lie in the picture")
    let start = (y * width + x) * depth.bytesPerPixel
    var pixel = SIMD4<UInt16>()
    for part in 0..<4 {
      pixel[part] =
        depth == .eight
        ? UInt16(components[start + part]) * 257
        : components.withUnsafeBytes {
          $0.loadUnaligned(fromByteOffset: start + 2 * part, as: UInt16.self)
        }
    }
    return pixel
  }
}
