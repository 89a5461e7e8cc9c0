import InkFiles
public import CPentimento
import Graphics
import ForeignInk
import Rasterization
import Replay
import Strokes
import Threads

/// The replays that callers have open.
private let replays = Handles<OpenReplay>(kind: 4, "replay")

/// A replay, whose frames are drawn by one thread at a time.
private final class OpenReplay {
  let width, height, count: Int
  private let interval: Double
  private let isTransparent: Bool
  private let state: ConditionMutex<(renderer: FrameRenderer, playback: Playback)>

  static let maximumFrameCount = 200_000.0

  init(
    _ drawing: OpenDrawing, _ options: RenderOptions, rate: Double, speed: Double,
    maximumPause: Double
  ) throws(InterfaceError) {
    let source = drawing.file.replay().source
    let timeline: Timeline
    do throws(ReplayError) {
      timeline = try Timeline(of: source, maximumPause: maximumPause)
    } catch {
      throw InterfaceError(.unreadable, "\(error)")
    }
    let playback = Playback(timeline, Playback.Options(speed: speed))
    interval = 1 / rate
    let intervals = (playback.playingTime / interval - 1e-9).rounded(.up)
    guard intervals < Self.maximumFrameCount else {
      throw InterfaceError(
        .tooLarge, "there would be more than 200,000 frames; choose fewer per second, or a pause")
    }
    count = max(Int(clamping: intervals), 0) + 1
    try Self.checkMemory(of: source, options)
    do throws(RenderError) {
      let renderer = try FrameRenderer(of: source, timeline, options: options, cacheLimit: 0)
      (width, height) = (renderer.width, renderer.height)
      isTransparent = renderer.background.alpha < 1
      state = ConditionMutex((renderer, playback))
    } catch {
      throw InterfaceError(error)
    }
  }

  /// Throws an error if the system has no memory for a frame and a layer of finished strokes of the
  /// same size.
  private static func checkMemory(
    of source: some RecordingSource, _ options: RenderOptions
  ) throws(InterfaceError) {
    var options = options
    options.showsPattern = false
    let size: Size
    do throws(RenderError) {
      size = try PictureGround(options, on: source.canvas) {
        (0..<source.strokeCount).reduce(Rect.null) { $0.union(source.bounds(ofStroke: $1)) }
      }.size
    } catch {
      throw InterfaceError(error)
    }
    // Pictures with more pixels, or longer sides, are refused anyway.
    guard size.width * size.height <= Double(options.maximumPixels), size.width < 1e6,
      size.height < 1e6
    else { return }
    try CInterface.checkMemory(
      width: Int(clamping: size.width), height: 2 * Int(clamping: size.height))
  }

  func draw(_ number: Int, into pixels: UnsafeMutablePointer<UInt8>) throws(InterfaceError) {
    try state.withLock { state throws(InterfaceError) in
      let time = number < count - 1 ? Double(number) * interval : .infinity
      do throws(RenderError) {
        _ = try state.renderer.show(state.playback.state(at: time))
      } catch {
        throw InterfaceError(error)
      }
      let memory = state.renderer.picture.memory
      for y in 0..<height {
        let row = pixels + y * width * 4
        row.update(
          from: (memory.base + y * memory.bytesPerRow).assumingMemoryBound(to: UInt8.self),
          count: width * 4)
        if isTransparent { straighten(row, width) }
      }
    }
  }
}

/// Opens a replay.
@_cdecl("pentimento_frames_open")
public func openFrames(
  _ drawing: OpaquePointer?, _ options: UnsafePointer<pentimento_picture_options>?, _ rate: Double,
  _ speed: Double, _ maximumPause: Double, _ error: UnsafeMutablePointer<pentimento_error>?
) -> OpaquePointer? {
  attempt(error) { () throws(InterfaceError) in
    let drawing = try drawings.find(drawing)
    try require(rate, 0.001...1000, "frames_per_second")
    try require(speed, .leastNormalMagnitude...1e9, "speed")
    guard !maximumPause.isNaN else {
      throw InterfaceError(.invalid, "maximum_pause is not a number")
    }
    let options = try RenderOptions(options)
    return try replays.add(
      try OpenReplay(
        drawing, options, rate: rate, speed: speed,
        maximumPause: maximumPause < 0 ? .infinity : maximumPause))
  }
}

/// Returns the size and the number of frames.
@_cdecl("pentimento_frames_size")
public func framesSize(
  _ frames: OpaquePointer?, _ width: UnsafeMutablePointer<Int32>?,
  _ height: UnsafeMutablePointer<Int32>?, _ count: UnsafeMutablePointer<Int64>?,
  _ error: UnsafeMutablePointer<pentimento_error>?
) -> Int32 {
  status(error) { () throws(InterfaceError) in
    let replay = try replays.find(frames)
    width?.pointee = Int32(clamping: replay.width)
    height?.pointee = Int32(clamping: replay.height)
    count?.pointee = Int64(replay.count)
  }
}

/// Draws a frame into the caller's memory.
@_cdecl("pentimento_frames_draw")
public func drawFrame(
  _ frames: OpaquePointer?, _ number: Int64, _ pixels: UnsafeMutablePointer<UInt8>?,
  _ capacity: Int64, _ error: UnsafeMutablePointer<pentimento_error>?
) -> Int32 {
  status(error) { () throws(InterfaceError) in
    let replay = try replays.find(frames)
    guard 0..<Int64(replay.count) ~= number else {
      throw InterfaceError(.invalid, "there is no frame \(number) of \(replay.count)")
    }
    guard let pixels, capacity >= replay.width * replay.height * 4 else {
      throw InterfaceError(
        .invalid, "a frame needs \(replay.width * replay.height * 4) bytes, not \(capacity)")
    }
    try replay.draw(Int(number), into: pixels)
  }
}

/// Closes a replay.
@_cdecl("pentimento_frames_close")
public func closeFrames(_ frames: OpaquePointer?) { replays.remove(frames) }
