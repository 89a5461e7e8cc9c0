package import Graphics

// Properties of all control points together, read directly from their columns.

extension PKStrokePath {
  /// The widths of the control points.
  package var widths: [Float] {
    let (start, step) = columns.layout(of: .width)
    return (0..<count).map { columns.floats[start + step * $0] }
  }

  /// The opacity of a control point.
  package func opacity(at index: Int) -> Double {
    columns.scale.opacity(columns.word(.opacity, at: index))
  }

  /// The threshold of the first control point.
  package var firstThreshold: Double { 2 * Double(columns.word(.threshold, at: 0)) / 65535 }

  /// Whether the opacity changes along the path.
  package var hasSeveralOpacities: Bool {
    let (start, step) = columns.layout(of: .opacity)
    return step > 0 && columns.words[start..<start + count].contains { $0 != columns.words[start] }
  }

  /// Whether every control point is as high as it is wide.
  package var hasSquareSizes: Bool {
    let (start, step) = columns.layout(of: .aspect)
    return columns.words[start..<start + (step == 0 ? 1 : count)].allSatisfy { $0 == 1000 }
  }

  /// The box around all control points; nil for a path without any.
  var controlBox: Rect? {
    guard count > 0 else { return nil }
    func range(_ channel: PointChannel) -> (low: Float, high: Float) {
      let (start, step) = columns.layout(of: channel)
      var (low, high) = (columns.floats[start], columns.floats[start])
      guard step > 0 else { return (low, high) }
      for value in columns.floats[start..<start + count] {
        low = value < low ? value : low
        high = value > high ? value : high
      }
      return (low, high)
    }
    let (x, y) = (range(.x), range(.y))
    return Rect(
      from: Point(x: Double(x.low), y: Double(y.low)),
      to: Point(x: Double(x.high), y: Double(y.high)))
  }

  /// A size that no control point exceeds.
  package var maximumSize: Size {
    let (start, step) = columns.layout(of: .width)
    let width = columns.floats[start..<start + (step == 0 ? 1 : count)].max() ?? 0
    let (first, next) = columns.layout(of: .aspect)
    let aspect = columns.words[first..<first + (next == 0 ? 1 : count)].max() ?? 1000
    return Size(width: Double(width), height: Double(width) * Double(aspect) / 1000)
  }

  /// All control points. This is faster than reading one after the other.
  package var points: [PKStrokePoint] {
    let cursor = PointCursor(columns)
    return (0..<count).map { PKStrokePoint(cursor.point(at: $0), scale: columns.scale) }
  }

  /// The columns of all control points, changed one by one, in the current scale.
  package func mappingPoints(_ change: (inout PKStrokePoint) -> Void) -> PointColumns {
    let cursor = PointCursor(columns)
    let points = (0..<count).map { index in
      var point = PKStrokePoint(cursor.point(at: index), scale: columns.scale)
      change(&point)
      return point.stored(in: .current)
    }
    return PointColumns(points, scale: .current)
  }
}
