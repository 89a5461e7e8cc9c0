public import Graphics
public import Rasterization
public import Replay

extension FrameRenderer {
  /// A palette for a replay: the colours of the last frame, which has nearly all of them, and, as
  /// far as they fit, the colours of three earlier frames. Draws these four frames.
  public func palette(_ schedule: FrameSchedule) throws(RenderError) -> ColorPalette {
    let hasClear = background.alpha == 0
    var (last, others) = (ColorCount(hasClear: hasClear), ColorCount(hasClear: hasClear))
    for quarter in 1...3 {
      _ = try show(schedule.state(ofFrame: (schedule.count - 1) * quarter / 4))
      others.add(picture)
    }
    _ = try show(schedule.state(ofFrame: schedule.count - 1))
    last.add(picture)
    return ColorPalette(last, others)
  }
}
