public import Strokes

/// What today's archives do not hold of a drawing of Notes in 2018.
public enum ArchiveLoss: Hashable, Sendable, CustomStringConvertible {
  /// So many strokes that were deleted and are only remembered.
  case deletedStrokes(Int)
  /// Times that a clock told whose start nobody knows: an archive has them as dates in 2001, which only
  /// tell how far they are apart.
  case clock

  /// One sentence for people.
  public var description: String {
    switch self {
    case .deletedStrokes(let count):
      "what is remembered of \(count) deleted \(count == 1 ? "stroke" : "strokes") was left out"
    case .clock:
      "its times come from a clock and not from a calendar; the dates in the archive only tell how "
        + "far they are apart"
    }
  }
}

extension PencilKitWriter {
  /// What `archive` leaves out or cannot tell of a drawing.
  public static func losses(of drawing: PKDrawing) -> [ArchiveLoss] {
    var losses: [ArchiveLoss] = []
    if let summary = PencilKitSummary(of: drawing), summary.form == .notes2018,
      summary.deletedStrokeCount > 0
    {
      losses.append(.deletedStrokes(summary.deletedStrokeCount))
    }
    if drawing.strokes.contains(where: { !$0.path.isDated }) { losses.append(.clock) }
    return losses
  }
}
