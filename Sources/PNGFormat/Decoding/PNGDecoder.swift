import CPNGShim
public import Graphics

/// Reads PNG through libpng, within limits that no file can move.
public struct PNGDecoder: Sendable {
  /// What a file may ask for.
  public struct Limits: Hashable, Sendable {
    /// Pixels on a side.
    public var side: Int
    /// Bytes of memory, pixels and all.
    public var memory: Int
    /// Bytes of any chunk beside the pixels, unpacked.
    public var chunk: Int
    /// Frames of a moving picture.
    public var frames: Int

    /// Limits; half a gigabyte holds a picture of a hundred megapixels and 8 bits.
    public init(
      side: Int = 100_000, memory: Int = 512 << 20, chunk: Int = 4 << 20, frames: Int = 1 << 20
    ) {
      self.side = side
      self.memory = memory
      self.chunk = chunk
      self.frames = frames
    }
  }

  /// What a file may ask for.
  public var limits: Limits

  /// A reader with limits.
  public init(limits: Limits = Limits()) { self.limits = limits }

  /// The picture in a file. Bytes behind its end are not looked at.
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
    // What libpng takes for itself: rows, its window of packed bytes, texts.
    let ownMemory = min(limits.memory / 2, 32 << 20)
    guard
      let reader = pngReaderCreate(
        bytes.baseAddress, bytes.count, UInt32(clamping: min(limits.side, Int(Int32.max))),
        max(ownMemory, 0), max(limits.chunk, 1))
    else { throw PNGError(.failed("no memory")) }
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
    // Deflate says at most 258 bytes in two bits.
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

/// A picture as it stood in a PNG: straight pixels of four components, whatever the file's form was.
public struct PNGImage: Hashable, Sendable {
  /// Columns of pixels.
  public let width: Int
  /// Rows of pixels.
  public let height: Int
  /// How many bits each component has; fewer than 8 in the file are 8 here.
  public let depth: Pixmap.Depth
  /// Whether the file keeps opacities.
  public let hasAlpha: Bool
  /// How many pixels a metre has, where the file says it.
  public let pixelsPerMeter: Int?
  /// The file's texts, in order.
  public let texts: [PNGText]
  /// Red, green, blue and alpha of all pixels, 16 bits as this processor keeps them.
  public let components: [UInt8]

  /// The straight components of a pixel, alpha last, as parts of 65,535.
  public subscript(x: Int, y: Int) -> SIMD4<UInt16> {
    precondition(0..<width ~= x && 0..<height ~= y, "a pixel that the picture does not have")
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
