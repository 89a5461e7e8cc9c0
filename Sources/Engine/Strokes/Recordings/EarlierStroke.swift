/// A stroke that is no longer, or only in part, in its last position: it was erased, undone or
/// moved away.
public struct EarlierStroke: Sendable {
  /// The stroke in its last position.
  public let stroke: PKStroke
  /// The parts of it that are still there: the pieces that an eraser left.
  public let remains: [PKStroke]

  /// A stroke of which only some pieces remain.
  public init(_ stroke: PKStroke, remains: [PKStroke] = []) {
    self.stroke = stroke
    self.remains = remains
  }
}
