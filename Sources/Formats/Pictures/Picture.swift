public import Graphics
public import PNGFormat
public import Rasterization
public import Replay
public import Strokes

/// A still of a page: options in, bytes out. The pixels of strokes are drawn when it is written,
/// some rows at a time; a moment of a recording is drawn at once.
public struct Picture {
  /// The rows of pixels.
  public let bands: any BandSource
  /// The number of pixels per point.
  public let scale: Double
  /// The part of the canvas that it shows, in points.
  public let visible: Rect
  /// The colour where nothing is drawn.
  public let background: Color
  /// The identifiers of unknown inks, which are drawn as pen.
  public let unknownInks: Set<String>
  private let threads: Int
  private let findHiddenInk: () throws(RenderError) -> Color?

  /// The width in pixels.
  public var width: Int { bands.width }
  /// The height in pixels.
  public var height: Int { bands.height }

  /// A picture of strokes on a page. Earlier strokes show through if the options ask for it.
  public init(
    of strokes: some StrokeSource, on canvas: Recording.Canvas = Recording.Canvas(),
    _ options: RenderOptions = RenderOptions(), earlier: [EarlierStroke] = []
  ) throws(RenderError) {
    let rendering = try Renderer(options).rendering(of: strokes, on: canvas, earlier: earlier)
    bands = rendering
    (scale, visible) = (rendering.scale, rendering.visible)
    (background, unknownInks) = (rendering.background, rendering.unknownInks)
    threads = options.threads
    findHiddenInk = { () throws(RenderError) in rendering.hiddenInk }
  }

  /// A picture of a recording at one moment.
  public init(
    of source: some RecordingSource, on timeline: Timeline, at state: PageState,
    _ options: RenderOptions = RenderOptions()
  ) throws {
    // Nothing is drawn a second time, so nothing has to be kept for it.
    let frame = try FrameRenderer(of: source, timeline, options: options, cacheLimit: 0)
    _ = try frame.show(state)
    bands = frame.bands
    (scale, visible) = (frame.scale, frame.visible)
    (background, unknownInks) = (frame.background, frame.unknownInks)
    threads = options.threads
    findHiddenInk = { () throws(RenderError) in try frame.hiddenInk(in: source) }
  }

  /// The colour of the ink, if none of it shows on the background. For a moment of a recording this
  /// looks at all strokes.
  public func hiddenInk() throws(RenderError) -> Color? { try findHiddenInk() }

  /// The contents of its PNG besides the pixels.
  public func properties(texts: [PNGText] = []) -> PNGProperties {
    PNGProperties(of: bands, background: background, scale: scale, texts: texts)
  }

  /// The picture as PNG, in memory.
  public func png(
    effort: PNGEncoder.Effort = .fast, texts: [PNGText] = []
  ) throws(PNGError) -> [UInt8] {
    var bytes: [UInt8] = []
    do throws(PNGEncodingError<Never>) {
      try writePNG(effort: effort, texts: texts) { bytes += $0 }
    } catch {
      switch error {
      case .picture(let error): throw error
      }
    }
    return bytes
  }

  /// Writes the picture as PNG, and calls `sink` with finished bytes as they come.
  @discardableResult
  public func writePNG<Failure: Error>(
    effort: PNGEncoder.Effort = .fast, texts: [PNGText] = [],
    to sink: (UnsafeRawBufferPointer) throws(Failure) -> Void
  ) throws(PNGEncodingError<Failure>) -> PNGEncoder.Summary {
    try PNGEncoder(effort: effort, threads: threads).encode(
      bands, properties(texts: texts), to: sink)
  }
}

extension PNGProperties {
  /// The contents of the PNG of a picture, or of a frame of a replay, besides its pixels.
  public init(
    of picture: some BandSource, background: Color, scale: Double, texts: [PNGText] = []
  ) {
    self.init(
      width: picture.width, height: picture.height, depth: picture.depth,
      colorSpace: picture.colorSpace, isOpaque: background.alpha == 1, scale: scale, texts: texts)
  }
}
