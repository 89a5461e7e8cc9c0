import InkFiles
import Animation
import DrawingServices
import Graphics
import HTTP
import JSON
import PKDFormat
import PNGFormat
import Pictures
import Rasterization
import Replay
import Storage
import Strokes

/// A replay of a recording: as an animated picture, as a page, or as one frame.
struct ReplayPictures {
  let recording: Blob
  /// The longer side in pixels.
  let side: Int
  let isDark: Bool
  var background = RenderOptions.Background.page
  var isSquare = false

  /// The maximum length of a pause, and of a whole replay, in seconds.
  private static let maximumPause = 0.5
  private static let maximumSeconds = 20.0
  private static let framesPerSecond = 15

  private func source() throws -> any RecordingSource {
    try DrawingFile(own: recording.bytes).replay().source
  }

  private func renderer(
    of source: any RecordingSource, _ timeline: Timeline
  ) throws -> FrameRenderer {
    try FrameRenderer(
      of: source, timeline, options: options, cacheLimit: 16 << 20, isAscending: true)
  }

  private var options: RenderOptions {
    var options = RenderOptions(extent: .longerSide(side))
    options.style = isDark ? .dark : .light
    options.background = background
    if isSquare { options.becomeSquare(side) }
    return options
  }

  /// An animated PNG. Programs without animation show the finished drawing.
  func apng() throws -> [UInt8] {
    try wrapped {
      let source = try source()
      let timeline = try Timeline(of: source, maximumPause: Self.maximumPause)
      let isLong = timeline.duration > Self.maximumSeconds
      let playback = Playback(
        timeline, Playback.Options(duration: isLong ? Self.maximumSeconds : nil, hold: 2))
      guard let rate = FrameRate(Self.framesPerSecond) else { return [] }
      let renderer = try renderer(of: source, timeline)
      return try renderer.apng(
        FrameSchedule(playback, rate: rate), properties(of: renderer), hasPoster: true)
    }
  }

  private func properties(of renderer: FrameRenderer) -> PNGProperties {
    PNGProperties(
      width: renderer.width, height: renderer.height, isOpaque: renderer.background.alpha == 1)
  }

  /// The picture at a fraction of the replay, from 0 to 1.
  func frame(at part: Double) throws -> [UInt8] {
    try wrapped {
      let source = try source()
      let timeline = try Timeline(of: source, maximumPause: Self.maximumPause)
      return try Picture(
        of: source, on: timeline, at: timeline.state(at: timeline.duration * part), options
      ).png()
    }
  }

  /// A self-contained page that plays the recording.
  func page(title: String) throws -> [UInt8] {
    try wrapped {
      let source = try source()
      let timeline = try Timeline(of: source, maximumPause: .infinity)
      var options = RenderOptions(extent: .longerSide(side))
      options.style = .light
      let renderer = try FrameRenderer(
        of: source, timeline, options: options, cacheLimit: 16 << 20)
      // Visible until the player has drawn, on the page's own paper.
      options.extent = .longerSide(256)
      options.background = .transparent
      let small = try Picture(of: source, on: timeline, at: timeline.end, options)
      let settings = HTMLPlayer.Settings(
        title: title, view: renderer.visible,
        poster: try small.png(effort: .small))
      return try HTMLPlayer(settings).page(playing: try pkd())
    }
  }

  /// The recording as a `.pkd` file.
  private func pkd() throws -> [UInt8] {
    let file = try DrawingFile(own: recording.bytes)
    let isWhole =
      file.format == .pkd && file.damage.isEmpty
      && file.recordingFacts?.isFinished == true
    return isWhole
      ? recording.bytes : try file.contents(withArchive: false).encodeRecording()
  }

  private func wrapped(_ body: () throws -> [UInt8]) throws -> [UInt8] {
    do {
      return try body()
    } catch let error as ReplayError {
      throw ServiceError.notRenderable("\(error)")
    } catch let error as RenderError {
      throw ServiceError.notRenderable("\(error)")
    } catch let error as AnimationError {
      throw ServiceError.notRenderable("\(error)")
    } catch let error as MissingEngine {
      throw Refusal(501, "not-built", "\(error)")
    }
  }
}
