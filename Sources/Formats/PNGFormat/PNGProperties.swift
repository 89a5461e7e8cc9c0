public import Graphics

/// The stored properties of a PNG besides its pixels. There is no timestamp, so the same picture
/// gives the same bytes.
public struct PNGProperties: Hashable, Sendable {
  /// The width in pixels.
  public var width: Int
  /// The height in pixels.
  public var height: Int
  /// Bits per component.
  public var depth: Pixmap.Depth
  /// The colour space of the components.
  public var colorSpace: ColorSpace
  /// Whether every pixel is opaque, so that alpha is not stored.
  public var isOpaque: Bool
  /// Pixels per point (1/72 inch); nil stores no resolution.
  public var scale: Double?
  /// The texts, in the order in which they are written.
  public var texts: [PNGText]

  /// Properties of a picture; by default sRGB of 8 bits with alpha, without resolution and texts.
  public init(
    width: Int, height: Int, depth: Pixmap.Depth = .eight, colorSpace: ColorSpace = .sRGB,
    isOpaque: Bool = false, scale: Double? = nil, texts: [PNGText] = []
  ) {
    self.width = width
    self.height = height
    self.depth = depth
    self.colorSpace = colorSpace
    self.isOpaque = isOpaque
    self.scale = scale
    self.texts = texts
  }
}

/// A text with a keyword, `Title` or `Author` for example.
public struct PNGText: Hashable, Sendable {
  /// 1 to 79 printable Latin-1 characters with single spaces between words.
  public var keyword: String
  /// Any text without NUL characters.
  public var text: String

  /// A text with its keyword. Only `check()` validates them.
  public init(_ keyword: String, _ text: String) {
    self.keyword = keyword
    self.text = text
  }

  /// Throws if a PNG cannot store the keyword or the text.
  public func check() throws(PNGError) { _ = (try keywordBytes(), try textBytes()) }

  /// The keyword in Latin-1, zero-terminated.
  func keywordBytes() throws(PNGError) -> [UInt8] {
    let letters = keyword.unicodeScalars.map(\.value)
    let isPrintable = letters.allSatisfy { 32...126 ~= $0 || 161...255 ~= $0 }
    let spaces = letters.split(separator: 32, omittingEmptySubsequences: false)
    guard 1...79 ~= letters.count, isPrintable, !spaces.contains(where: \.isEmpty) else {
      throw PNGError(.badKeyword(keyword))
    }
    return letters.map { UInt8($0) } + [0]
  }

  /// The text in UTF-8, zero-terminated.
  func textBytes() throws(PNGError) -> [UInt8] {
    guard !text.utf8.contains(0) else { throw PNGError(.badText(keyword)) }
    return Array(text.utf8) + [0]
  }
}

extension PNGProperties {
  /// Pixels per metre.
  var pixelsPerMeter: UInt32? {
    guard let scale, scale > 0 else { return nil }
    let count = (scale * 72 / 0.0254).rounded()
    // PNG stores 31 bits; a resolution beyond them has no sensible size on paper.
    return 1...2_147_483_647 ~= count ? UInt32(count) : nil
  }
}
