extension Recording {
  /// The recording with curves through the points of its pen, in place of paths that take these
  /// points for control points and so cut every bend.
  ///
  /// A stroke then begins with all of its points, whose times say when each was drawn.
  public func fitted(by fit: CurveFit = CurveFit()) -> Recording {
    var paths: [Identifier: [PKStrokePoint]] = [:]
    for event in events {
      switch event.action {
      case .strokeBegun(let stroke): paths[stroke.id] = Array(stroke.path)
      case .strokeExtended(let id, let path): paths[id]? += path
      default: break
      }
    }
    var result = Recording(canvas: canvas, words: words)
    for event in events {
      switch event.action {
      case .strokeBegun(var stroke):
        if let points = paths[stroke.id] {
          stroke.path = PKStrokePath(
            controlPoints: fit.controlPoints(through: points),
            creationDate: stroke.path.creationDate)
        }
        var event = event
        event.action = .strokeBegun(stroke)
        result.events.append(event)
      case .strokeExtended(let id, _) where paths[id] != nil: break
      default: result.events.append(event)
      }
    }
    return result
  }
}
