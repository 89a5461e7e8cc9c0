/// How lines end.
public enum CGLineCap: Int32, Sendable {
  /// Cut off at the end.
  case butt = 0
  /// A half circle around the end.
  case round = 1
  /// Half of a square around the end.
  case square = 2

}

/// How lines meet at corners.
public enum CGLineJoin: Int32, Sendable {
  /// The sides go on until they meet, if that is not too far.
  case miter = 0
  /// A circle around the corner.
  case round = 1
  /// The corner is cut off.
  case bevel = 2

}
