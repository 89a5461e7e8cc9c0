import Graphics

/// Which part of the canvas a picture shows, and the transform to its pixels.
struct Framing: Hashable {
  /// The maximum width and height in pixels. Coordinates in 1/1024 pixels fit into 32 bits with
  /// much to spare.
  static let maximumSide = 100_000

  let width: Int
  let height: Int
  /// From points of the canvas to pixels of the picture.
  let transform: AffineTransform
  /// Pixels a point.
  let scale: Double
  /// The page, in points; nil where there is none.
  let page: Rect?

  private init(width: Int, height: Int, transform: AffineTransform, scale: Double, page: Rect?) {
    (self.width, self.height) = (width, height)
    (self.transform, self.scale, self.page) = (transform, scale, page)
  }

  init(
    options: RenderOptions, page: Size?, content: () -> Rect
  ) throws(RenderError) {
    let shown = try Self.shown(options: options, page: page, content: content)
    // A margin can make a page's size infinite.
    guard shown.width.isFinite, shown.height.isFinite else {
      throw RenderError(
        .tooLarge(
          width: shown.width, height: shown.height, maximumPixels: options.maximumPixels))
    }
    let page = page.flatMap { $0.isPositive ? Rect(origin: .zero, size: $0) : nil }
    switch options.extent {
    case .scale(let scale):
      guard scale.isFinite, scale > 0 else { throw RenderError(.notANumber("scale")) }
      try self.init(
        shown, scale: scale, width: max((shown.width * scale).rounded(.up), 1),
        height: max((shown.height * scale).rounded(.up), 1), page, options)
    case .pixels(let width, let height):
      guard width > 0, height > 0 else { throw RenderError(.empty("picture")) }
      let scale = min(Double(width) / shown.width, Double(height) / shown.height)
      try self.init(
        shown, scale: scale, width: Double(width), height: Double(height), page, options)
    case .longerSide(let side):
      guard side > 0 else { throw RenderError(.empty("picture")) }
      let scale = Double(side) / max(shown.width, shown.height)
      try self.init(
        shown, scale: scale, width: max((shown.width * scale).rounded(), 1),
        height: max((shown.height * scale).rounded(), 1), page, options)
    }
  }

  private init(
    _ shown: Rect, scale: Double, width: Double, height: Double, _ page: Rect?,
    _ options: RenderOptions
  ) throws(RenderError) {
    guard
      width * height <= Double(options.maximumPixels),
      max(width, height) <= Double(Self.maximumSide)
    else {
      throw RenderError(
        .tooLarge(width: width, height: height, maximumPixels: options.maximumPixels))
    }
    self.width = Int(clamping: width)
    self.height = Int(clamping: height)
    self.scale = scale
    self.page = page
    // The content is centred, except at a given scale: there, a region of a page has the same
    // pixels as the page.
    let isExact = if case .scale = options.extent { true } else { false }
    let (spareX, spareY) =
      isExact ? (0, 0) : (width - shown.width * scale, height - shown.height * scale)
    transform = AffineTransform(
      a: scale, b: 0, c: 0, d: scale,
      tx: (spareX / 2 - shown.minX * scale).snapped, ty: (spareY / 2 - shown.minY * scale).snapped)
  }

  /// The same part of the canvas with `factor` times as many pixels side by side.
  func magnified(by factor: Int) -> Framing {
    Framing(
      width: width * factor, height: height * factor,
      transform: AffineTransform(
        a: transform.a * Double(factor), b: 0, c: 0, d: transform.d * Double(factor),
        tx: transform.tx * Double(factor), ty: transform.ty * Double(factor)),
      scale: scale * Double(factor), page: page)
  }

  /// The framing of the part of the canvas that lies a number of pixels to the right and below.
  func moved(right: Int, down: Int) -> Framing {
    Framing(
      width: width, height: height,
      transform: AffineTransform(
        a: transform.a, b: 0, c: 0, d: transform.d, tx: transform.tx - Double(right),
        ty: transform.ty - Double(down)), scale: scale, page: page)
  }

  /// The part of the canvas that all pixels of the picture cover, in points.
  var visible: Rect {
    Rect(
      x: -transform.tx / scale, y: -transform.ty / scale, width: Double(width) / scale,
      height: Double(height) / scale)
  }

  /// The part of the canvas to show.
  static func shown(
    options: RenderOptions, page: Size?, content: () -> Rect
  ) throws(RenderError) -> Rect {
    guard options.margin.isValid else { throw RenderError(.notANumber("margin")) }
    if let region = options.region {
      guard
        region.minX.isFinite, region.minY.isFinite, region.width.isFinite, region.height.isFinite
      else { throw RenderError(.notANumber("region")) }
      guard region.width > 0, region.height > 0 else { throw RenderError(.empty("region")) }
      return region
    }
    switch options.frame {
    case .page where page == nil: throw RenderError(.noPage)
    case .page, .automatic:
      if let page, page.isPositive {
        return options.margin.aroundPage(Rect(origin: .zero, size: page))
      }
    case .content: break
    }
    let content = content()
    // A drawing without ink becomes a blank picture of one point.
    guard !content.isEmpty, content.width.isFinite, content.height.isFinite else {
      return options.margin.aroundPage(Rect(x: 0, y: 0, width: 1, height: 1))
    }
    return options.margin.aroundInk(content).grown(for: options)
  }
}

extension Rect {
  /// The box, grown on all sides if a picture of a given size would magnify it too much.
  fileprivate func grown(for options: RenderOptions) -> Rect {
    guard case .partOfInk = options.margin else { return self }
    let (pixelWidth, pixelHeight): (Int, Int)
    switch options.extent {
    case .scale: return self
    case .longerSide(let side): (pixelWidth, pixelHeight) = (side, side)
    case .pixels(let width, let height): (pixelWidth, pixelHeight) = (width, height)
    }
    let maximum = RenderOptions.Margin.maximumScale
    let missing = min(
      Double(pixelWidth) / maximum - width, Double(pixelHeight) / maximum - height)
    return missing > 0 ? grown(by: missing / 2) : self
  }
}

extension RenderOptions.Margin {
  fileprivate var isValid: Bool {
    switch self {
    case .points(let width), .partOfInk(let width): width.isFinite && width >= 0
    }
  }

  /// A page, or the substitute for it in a drawing without ink, with this margin.
  fileprivate func aroundPage(_ page: Rect) -> Rect {
    switch self {
    case .points(let width): page.grown(by: width)
    case .partOfInk: page
    }
  }

  /// The box of all ink with this margin. A margin in points may make the box infinite. A margin
  /// that is a part of the ink is dropped in that case, so that it does not cause an error.
  fileprivate func aroundInk(_ ink: Rect) -> Rect {
    switch self {
    case .points(let width): return ink.grown(by: width)
    case .partOfInk(let part):
      let box = ink.grown(by: part * max(ink.width, ink.height))
      return box.width.isFinite && box.height.isFinite ? box : ink
    }
  }
}

extension Double {
  /// The nearest integer if it is within a millionth. A region that begins at a whole pixel in
  /// points, such as 115 at a scale of 0.2, would otherwise begin a rounding error beside it.
  fileprivate var snapped: Double {
    let whole = rounded()
    return abs(self - whole) < 1e-6 ? whole : self
  }
}
