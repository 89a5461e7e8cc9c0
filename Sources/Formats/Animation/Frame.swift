public import Graphics
public import PNGFormat
public import Rasterization
public import Replay

/// One picture of a replay; valid until the next one is drawn.
public struct Frame {
  /// The number of the frame, from 0.
  public let number: Int
  /// How long the frame is shown.
  public let duration: FrameDuration
  /// The rectangles that contain all pixels that differ from the last frame.
  public let changed: [PixelRect]
  /// The picture as bands, with the properties that encoders need.
  package let bands: PaintedPage

  /// The picture, in memory that the next frame overwrites; `copy` keeps it.
  public var picture: Pixmap { bands.picture }
}

/// Encodes frames one after the other.
public protocol FrameSink {
  /// The error of an encoder or its output.
  associatedtype Failure: Error

  /// Encodes a frame.
  mutating func add(_ frame: Frame) throws(Failure)

  /// Ends the output after the last frame.
  mutating func finish() throws(Failure)
}

/// An error of drawing frames, or of the sink that encodes them.
public enum FrameFailure<Sink: Error>: Error {
  /// A frame cannot be drawn.
  case drawing(RenderError)
  /// The sink failed.
  case sink(Sink)
}

extension FrameRenderer {
  /// Draws the frames of a schedule in order and calls the body with each. Together they have one
  /// limit of work.
  public func draw<Failure: Error>(
    _ schedule: FrameSchedule, _ body: (Frame) throws(Failure) -> Void
  ) throws(FrameFailure<Failure>) {
    let before = work(ofFrames: 0).visits
    for number in 0..<schedule.count {
      var changed: [PixelRect]
      do throws(RenderError) {
        changed = try show(schedule.state(ofFrame: number))
        try work(ofFrames: schedule.count).check(since: before)
      } catch {
        throw .drawing(error)
      }
      if number == 0 { changed = [PixelRect(width: width, height: height)] }
      do throws(Failure) {
        try body(
          Frame(
            number: number, duration: schedule.duration(ofFrame: number), changed: changed,
            bands: bands))
      } catch {
        throw .sink(error)
      }
    }
  }
}
