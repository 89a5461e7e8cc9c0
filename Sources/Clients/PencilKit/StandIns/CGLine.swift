/// The shape of a line's ends.
public enum CGLineCap: Int32, Sendable {
  /// Cut off at the end.
  case butt = 0
  /// A half circle around the end.
  case round = 1
  /// Half of a square around the end.
  case square = 2

}

/// The shape of a line's corners.
public enum CGLineJoin: Int32, Sendable {
  /// The sides are extended until they meet, up to the miter limit.
  case miter = 0
  /// A circle around the corner.
  case round = 1
  /// The corner is cut off.
  case bevel = 2

}
