public import Graphics
public import Rasterization

extension FrameRenderer {
  /// Colours for a replay: those of its last frame, which has nearly all that there are, and as far
  /// as there is room those of three frames before it.
  public func palette(_ schedule: FrameSchedule) throws(RenderError) -> ColorPalette {
    let hasClear = background.alpha == 0
    var (last, others) = (ColorCount(hasClear: hasClear), ColorCount(hasClear: hasClear))
    for quarter in 1...3 {
      _ = try show(schedule.state(ofFrame: (schedule.count - 1) * quarter / 4))
      others.note(picture)
    }
    _ = try show(schedule.state(ofFrame: schedule.count - 1))
    last.note(picture)
    return ColorPalette(last, others)
  }
}
