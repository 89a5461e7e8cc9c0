import InkFiles
import Graphics
import Strokes

/// Finds the parts of strokes for formats without masks: the parts whose middle line is inside of
/// the mask. Counts the losses.
struct VisibleRanges {
  /// The number of comparisons of a path with a mask, for all strokes of a page. Drawings made by
  /// hand stay within it.
  private var comparisons = 50_000_000
  private var (cutCount, lostCount, wholeCount) = (0, 0, 0)

  /// The visible parts of a stroke.
  mutating func ranges(of stroke: PKStroke) -> [ClosedRange<Double>] {
    guard let mask = stroke.mask, !stroke.path.isEmpty else { return stroke.maskedPathRanges }
    comparisons -= stroke.path.count * mask.elements.count
    guard comparisons >= 0 else {
      wholeCount += 1
      return [stroke.visiblePathRange]
    }
    let ranges = stroke.maskedPathRanges
    if !ranges.isEmpty {
      cutCount += 1
    } else if !stroke.renderBounds.isEmpty {
      lostCount += 1
    }
    return ranges
  }

  /// Notes the losses so far.
  func addNotes(to notes: inout ImportNotes) {
    if cutCount > 0 {
      notes.add(
        "pieces that an eraser left are as wide as their strokes were, and end as these do",
        count: cutCount)
    }
    if lostCount > 0 {
      notes.add(
        "pieces that no longer have the middle of their lines are left out", count: lostCount)
    }
    if wholeCount > 0 {
      notes.add("strokes whose masks are too complex to compare are not cut", count: wholeCount)
    }
  }
}
