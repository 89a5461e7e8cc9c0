/// A stroke that is not, or not wholly, where it last lay: it was erased, undone or moved away.
public struct EarlierStroke: Sendable {
  /// The stroke as it last lay there.
  public let stroke: PKStroke
  /// The parts of it that are still there: the pieces that an eraser left.
  public let remains: [PKStroke]

  /// A stroke of which only some pieces remain.
  public init(_ stroke: PKStroke, remains: [PKStroke] = []) {
    self.stroke = stroke
    self.remains = remains
  }
}
