public import Graphics
public import PNGFormat
public import Rasterization

/// One picture of a replay, as long as the next one is not drawn.
public struct Frame {
  /// Its number, from 0.
  public let number: Int
  /// How long it is shown.
  public let duration: FrameDuration
  /// The pixels that may be different from those of the last frame.
  public let changed: [PixelRect]
  /// The picture with what is known of it.
  package let bands: PaintedPage

  /// The picture, in memory that the next frame changes; `copy` keeps it.
  public var picture: Pixmap { bands.picture }
}

/// Takes frames one after the other, and makes something of them.
public protocol FrameSink {
  /// Why it cannot.
  associatedtype Failure: Error

  /// Takes a frame.
  mutating func add(_ frame: Frame) throws(Failure)

  /// Takes note that there are no more.
  mutating func finish() throws(Failure)
}

/// Why frames could not be drawn or taken.
public enum FrameFailure<Sink: Error>: Error {
  /// A frame cannot be drawn.
  case drawing(RenderError)
  /// Whoever takes the frames does not.
  case sink(Sink)
}

extension FrameRenderer {
  /// Draws all frames of a schedule and hands them on.
  public func draw<Failure: Error>(
    _ schedule: FrameSchedule, _ body: (Frame) throws(Failure) -> Void
  ) throws(FrameFailure<Failure>) {
    for number in 0..<schedule.count {
      var changed: [PixelRect]
      do throws(RenderError) {
        changed = try show(schedule.state(ofFrame: number))
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
