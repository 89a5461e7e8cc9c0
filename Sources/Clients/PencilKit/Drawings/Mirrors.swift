// The output of `print`, `dump` and debuggers: values of the interface, not their storage.
//
// The types do not conform to `CustomStringConvertible`, as Apple's do not: an app's own
// conformance would be ignored. Apps hardly ever conform them to `CustomReflectable`, and `print`
// follows it.

extension PKDrawing: CustomReflectable {
  /// Shows the strokes and the bounds.
  public var customMirror: Mirror {
    Mirror(
      self, children: ["strokes": strokes, "bounds": bounds],
      displayStyle: .struct)
  }
}

extension PKStroke: CustomReflectable {
  /// Shows the values from which a stroke can be made again, without absent ones.
  public var customMirror: Mirror {
    var children: [(label: String?, value: Any)] = [
      ("id", id), ("ink", ink), ("path", path), ("randomSeed", randomSeed),
    ]
    if transform != .identity { children.append(("transform", transform)) }
    if let mask { children.append(("mask", mask)) }
    if let renderGroupID { children.append(("renderGroupID", renderGroupID)) }
    if let renderState { children.append(("renderState", renderState)) }
    return Mirror(self, children: children, displayStyle: .struct)
  }
}

extension PKStroke.RenderState: CustomReflectable {
  /// Shows the origin of the grain.
  public var customMirror: Mirror {
    Mirror(
      self, children: ["grainOffset": grainOffset as Any],
      displayStyle: .struct)
  }
}

extension PKStrokePath: CustomReflectable {
  /// Shows the date and the number of points.
  public var customMirror: Mirror {
    Mirror(
      self,
      children: ["id": id, "creationDate": creationDate, "count": count], displayStyle: .struct)
  }
}

extension PKInk: CustomReflectable {
  /// Shows the kind and the colour.
  public var customMirror: Mirror {
    Mirror(
      self, children: ["inkType": inkType, "color": color],
      displayStyle: .struct)
  }
}
