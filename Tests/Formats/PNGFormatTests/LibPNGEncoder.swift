import CPNG
import CPNGWriter
import Graphics

@testable import PNGFormat

/// Encodes a picture as PNG through libpng, row by row, as a reference for our own encoder.
/// Finished bytes can be taken at any time, which limits the memory.
final class LibPNGEncoder {
  /// The contents of the file besides its pixels: size, depth, colour space, texts.
  let properties: PNGProperties
  private let writer: OpaquePointer
  private var row: [UInt8]
  private var rowCount = 0

  /// Starts a picture. Throws if no PNG can have these properties.
  init(_ properties: PNGProperties) throws(PNGError) {
    let sides = 1...Int(Int32.max)
    guard sides ~= properties.width, sides ~= properties.height else {
      throw PNGError(
        .impossibleExtent(width: properties.width, height: properties.height))
    }
    var texts: [(keyword: [UInt8], text: [UInt8])] = []
    for text in properties.texts {
      texts.append((try text.keywordBytes(), try text.textBytes()))
    }
    guard let writer = pngWriterCreate() else { throw PNGError(.failed("out of memory")) }
    self.writer = writer
    self.properties = properties
    let components = properties.isOpaque ? 3 : 4
    row = [UInt8](
      repeating: 0, count: properties.width * components * properties.depth.rawValue / 8)
    let header = PNGShimHeader(
      width: UInt32(properties.width), height: UInt32(properties.height),
      depth: Int32(properties.depth.rawValue), hasAlpha: properties.isOpaque ? 0 : 1,
      pixelsPerMeter: properties.pixelsPerMeter ?? 0)
    guard Self.begin(writer, header, properties.colorSpace, texts) else { throw failure }
  }

  deinit { pngWriterFree(writer) }

  private static func begin(
    _ writer: OpaquePointer, _ header: PNGShimHeader, _ space: ColorSpace,
    _ texts: [(keyword: [UInt8], text: [UInt8])]
  ) -> Bool {
    let profile: [UInt8]? = space == .displayP3 ? ICCProfile.displayP3 : nil
    // P3 primaries with D65, sRGB's transfer function, RGB, full range (ITU-T H.273).
    let codePoints: [UInt8] = [12, 13, 0, 1]
    let letters = texts.flatMap { $0.keyword + $0.text }
    return letters.withUnsafeBytes { letters in
      var next = letters.bindMemory(to: CChar.self).baseAddress
      let shimTexts = texts.map { text in
        let keyword = next
        next = next.map { $0 + text.keyword.count + text.text.count }
        return PNGShimText(
          keyword: keyword, text: keyword.map { $0 + text.keyword.count },
          length: text.text.count - 1, isUnicode: text.text.contains { $0 > 126 } ? 1 : 0)
      }
      return pngWriterBegin(
        writer, header, codePoints, profile, profile?.count ?? 0, shimTexts,
        Int32(shimTexts.count)) != 0
    }
  }

  private var failure: PNGError {
    PNGError(.failed(String(cString: pngWriterReason(writer))))
  }

  /// Adds the next row: premultiplied RGBA of 8 or 16 bits, as pixmaps and bands store it.
  func add(_ pixels: UnsafeRawBufferPointer) throws(PNGError) {
    precondition(
      pixels.count == properties.width * properties.depth.bytesPerPixel,
      "the row must have the picture's width")
    guard rowCount < properties.height else {
      throw PNGError(.wrongRowCount(rowCount + 1, of: properties.height))
    }
    row.withUnsafeMutableBytes { row in
      Unpremultiplying.row(
        pixels, depth: properties.depth, isOpaque: properties.isOpaque, into: row)
    }
    guard pngWriterAddRow(writer, row) != 0 else { throw failure }
    rowCount += 1
  }

  /// Ends the picture. Throws if rows are missing.
  func finish() throws(PNGError) {
    guard rowCount == properties.height else {
      throw PNGError(.wrongRowCount(rowCount, of: properties.height))
    }
    guard pngWriterEnd(writer) != 0 else { throw failure }
  }

  /// Whether finished bytes can be taken.
  var hasBytes: Bool {
    var count = 0
    _ = pngWriterBytes(writer, &count)
    return count > 0
  }

  /// Returns the finished bytes and removes them from the encoder.
  func takeBytes() -> [UInt8] {
    var count = 0
    let bytes = pngWriterBytes(writer, &count)
    defer { pngWriterForget(writer) }
    return Array(UnsafeBufferPointer(start: bytes, count: count))
  }
}

extension LibPNGEncoder {
  /// Encodes a whole picture.
  static func encode(
    _ picture: Pixmap, isOpaque: Bool = false, scale: Double? = nil, texts: [PNGText] = []
  ) throws(PNGError) -> [UInt8] {
    let encoder = try LibPNGEncoder(
      PNGProperties(
        width: picture.width, height: picture.height, depth: picture.depth,
        colorSpace: picture.colorSpace, isOpaque: isOpaque, scale: scale, texts: texts))
    for y in 0..<picture.height {
      try picture.withRow(y) { row throws(PNGError) in try encoder.add(row) }
    }
    try encoder.finish()
    return encoder.takeBytes()
  }
}
