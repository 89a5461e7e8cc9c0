public import Strokes

/// A loss when a drawing of Notes from 2018 is written as a current archive.
public enum ArchiveLoss: Hashable, Sendable, CustomStringConvertible {
  /// The records of deleted strokes; the number counts them.
  case deletedStrokes(Int)
  /// The true dates: the times come from a clock whose start is unknown. An archive holds them as
  /// dates in 2001, of which only the differences are meaningful.
  case clock

  /// The loss in one sentence, for people to read.
  public var description: String {
    switch self {
    case .deletedStrokes(let count):
      count == 1
        ? "the record of 1 deleted stroke was left out"
        : "the records of \(count) deleted strokes were left out"
    case .clock:
      "its times come from a clock whose start is unknown; only the differences between the dates "
        + "in the archive mean anything"
    }
  }
}

extension PencilKitWriter {
  /// The content of a drawing that `archive` cannot keep, as messages for users.
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
