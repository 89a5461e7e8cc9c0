package import Graphics

/// The properties of a stroke that lists of strokes show. Files give them without the stroke's
/// points.
package struct StrokeOverview {
  package let ink: PKInk
  /// The identifier of the stroke that it is a piece of; nil if it is not a piece.
  package let parentID: Identifier?
  /// Whether an eraser has cut it, or it is a piece of a stroke that was cut.
  package let isPiece: Bool
  package let pointCount: Int
  /// The box of its pixels on the canvas.
  package let bounds: Rect
  /// The time in which it was drawn.
  package let time: ClosedRange<Timestamp>
  /// Whether its time is a calendar date, and not the clock of a device.
  package let isDated: Bool
  /// The channels that may change along it.
  package let varying: PointChannels

  package init(
    ink: PKInk, parentID: Identifier?, isPiece: Bool, pointCount: Int, bounds: Rect,
    time: ClosedRange<Timestamp>, isDated: Bool, varying: PointChannels
  ) {
    self.ink = ink
    self.parentID = parentID
    self.isPiece = isPiece
    self.pointCount = pointCount
    self.bounds = bounds
    self.time = time
    self.isDated = isDated
    self.varying = varying
  }

  package init(_ stroke: PKStroke) {
    self.init(
      ink: stroke.ink, parentID: stroke.parentID,
      isPiece: stroke.parentID != nil || stroke.mask != nil, pointCount: stroke.path.count,
      bounds: stroke.renderBounds, time: stroke.path.timeRange, isDated: stroke.path.isDated,
      varying: stroke.path.columns.varying)
  }
}

extension PKStrokePath {
  /// The channels that change along the path. The secondary width only counts if its ratio to the
  /// width changes: archives store a constant scale as a secondary width that follows the width.
  package var changingChannels: PointChannels {
    var changing = columns.changing
    guard changing.contains(.secondaryWidth) else { return changing }
    let scales = (0..<count).lazy.map { index in
      let width = columns.float(.width, at: index)
      return width > 0 ? columns.float(.secondaryWidth, at: index) / width : 1
    }
    let isSteady = scales.allSatisfy { abs($0 - (scales.first ?? 1)) < 1e-3 }
    if isSteady { changing.remove(PointChannels([.secondaryWidth])) }
    return changing
  }
}
