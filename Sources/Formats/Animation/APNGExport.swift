import Graphics
public import PNGFormat
import Rasterization
public import Replay

extension FrameRenderer {
  /// Draws a replay as an animated PNG, in memory. `progress` gets the number of frames drawn so
  /// far.
  ///
  /// Programs without animation show the first frame, or with a poster the last one, which then is
  /// stored a second time.
  public func apng(
    _ schedule: FrameSchedule, _ properties: PNGProperties, loopCount: Int = 0,
    hasPoster: Bool = false, progress: (Int) -> Void = { _ in }
  ) throws(FrameFailure<PNGError>) -> [UInt8] {
    var failure: RenderError?
    let bytes: [UInt8]
    do throws(PNGError) {
      bytes = try apng(properties, loopCount, try lastColors(schedule, &failure), schedule.count) {
        encoder throws(PNGError) in
        guard failure == nil else { return }
        do throws(FrameFailure<PNGError>) {
          if hasPoster { try addPoster(schedule, to: encoder) }
          try draw(schedule) { frame throws(PNGError) in
            try encoder.add(frame.bands, changed: frame.changed, lasting: frame.duration)
            progress(frame.number + 1)
          }
        } catch {
          switch error {
          case .sink(let error): throw error
          case .drawing(let error): failure = error
          }
        }
      }
    } catch {
      // An encoder misses the frames that could not be drawn.
      throw failure.map { .drawing($0) } ?? .sink(error)
    }
    if let failure { throw .drawing(failure) }
    return bytes
  }

  /// Adds the last frame as the default picture.
  private func addPoster(
    _ schedule: FrameSchedule, to encoder: APNGEncoder
  ) throws(FrameFailure<PNGError>) {
    do throws(RenderError) {
      _ = try show(schedule.state(ofFrame: schedule.count - 1))
    } catch {
      throw .drawing(error)
    }
    do throws(PNGError) {
      try encoder.addDefault(bands)
    } catch {
      throw .sink(error)
    }
  }

  /// The colours of the last frame, which has nearly all colours of the replay.
  private func lastColors(
    _ schedule: FrameSchedule, _ failure: inout RenderError?
  ) throws(PNGError) -> FrameColors? {
    do throws(RenderError) {
      _ = try show(schedule.state(ofFrame: schedule.count - 1))
      return FrameColors(of: bands)
    } catch {
      failure = error
      return nil
    }
  }

  /// Writes all frames. If the last one has more colours than a palette holds, no palette is tried.
  /// If another frame has colours that do not fit the chosen form, all frames are drawn again.
  private func apng(
    _ properties: PNGProperties, _ loopCount: Int, _ colors: FrameColors?, _ frameCount: Int,
    _ frames: (APNGEncoder) throws(PNGError) -> Void
  ) throws(PNGError) -> [UInt8] {
    switch colors {
    case .opaque, .any:
      let encoder = try APNGEncoder(
        properties, frameCount: frameCount, loopCount: loopCount, colors: colors ?? .any)
      do throws(PNGError) {
        try frames(encoder)
        try encoder.finish()
        return encoder.takeBytes()
      } catch {
        guard case .unexpectedColor = error.problem else { throw error }
      }
    default: break
    }
    return try APNGEncoder.encode(properties, loopCount: loopCount, frames: frames)
  }
}
