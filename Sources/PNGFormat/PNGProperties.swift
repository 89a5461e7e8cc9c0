public import Graphics

/// What a PNG says beside its pixels. No clock is asked, so the same picture gives the same bytes.
public struct PNGProperties: Hashable, Sendable {
  /// Columns of pixels.
  public var width: Int
  /// Rows of pixels.
  public var height: Int
  /// How many bits each component has.
  public var depth: Pixmap.Depth
  /// What the components mean.
  public var colorSpace: ColorSpace
  /// Whether every pixel is solid, so that opacities need not be kept.
  public var isOpaque: Bool
  /// Pixels a point, of which an inch has 72; nil where it is not to be told.
  public var scale: Double?
  /// Texts, in the order in which they are written.
  public var texts: [PNGText]

  /// Properties of a picture.
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

/// A text in a PNG by its name, `Title` or `Author` for example.
public struct PNGText: Hashable, Sendable {
  /// 1 to 79 printable letters of Latin-1 with single spaces between them.
  public var keyword: String
  /// Any text.
  public var text: String

  /// A text by its name.
  public init(_ keyword: String, _ text: String) {
    self.keyword = keyword
    self.text = text
  }

  /// Throws where a PNG cannot keep this.
  public func check() throws(PNGError) { _ = (try keywordBytes(), try textBytes()) }

  /// The name in Latin-1 with a zero behind it.
  func keywordBytes() throws(PNGError) -> [UInt8] {
    let letters = keyword.unicodeScalars.map(\.value)
    let isPrintable = letters.allSatisfy { 32...126 ~= $0 || 161...255 ~= $0 }
    let spaces = letters.split(separator: 32, omittingEmptySubsequences: false)
    guard 1...79 ~= letters.count, isPrintable, !spaces.contains(where: \.isEmpty) else {
      throw PNGError(.badKeyword(keyword))
    }
    return letters.map { UInt8($0) } + [0]
  }

  /// The text in UTF-8 with a zero behind it.
  func textBytes() throws(PNGError) -> [UInt8] {
    guard !text.utf8.contains(0) else { throw PNGError(.badText(keyword)) }
    return Array(text.utf8) + [0]
  }
}

extension PNGProperties {
  /// How many pixels a metre has.
  var pixelsPerMeter: UInt32? {
    guard let scale, scale > 0 else { return nil }
    let count = (scale * 72 / 0.0254).rounded()
    // PNG says it in 31 bits; a picture so large or so small has no sensible size on paper.
    return 1...2_147_483_647 ~= count ? UInt32(count) : nil
  }
}
