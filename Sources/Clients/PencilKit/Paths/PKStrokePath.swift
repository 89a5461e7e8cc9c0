public import Foundation
import Strokes

/// The path of a pen: the control points of a uniform cubic B-spline, and its start time.
///
/// As a collection, it contains its control points, which are not on the curve. Parameter values
/// count them: 0 is the start of the curve, `count − 1` its end. Values beyond these are clamped to
/// the nearest end.
public struct PKStrokePath: Identifiable, Sendable {
  /// The path of the model, which has an identifier.
  let base: Strokes.PKStrokePath

  /// A path of the model; one without an identifier gets the given one.
  init(_ base: Strokes.PKStrokePath, identifier: Identifier) {
    self.base = base.identifier == nil ? base.identified(by: identifier) : base
  }

  /// A path without points.
  public init() { self.init(controlPoints: [], creationDate: Date(.referenceDate)) }

  /// A path of control points, by default with a new identifier. NaN becomes 0.
  public init<T: Sequence>(controlPoints: T, creationDate: Date, id: UUID = UUID())
  where T.Element == PKStrokePoint {
    base = Strokes.PKStrokePath(
      controlPoints: controlPoints.map(\.model), creationDate: Timestamp(creationDate)
    ).identified(by: Identifier(id))
  }

  /// A path of control points with a new identifier. Apps also reference this initializer by name,
  /// and protocols require it.
  public init<T: Sequence>(controlPoints: T, creationDate: Date)
  where T.Element == PKStrokePoint {
    self.init(controlPoints: controlPoints, creationDate: creationDate, id: UUID())
  }

  /// The identifier. Paths with the same one should have the same points.
  public var id: UUID { UUID(base.identifier ?? .zero) }

  /// The start time.
  public var creationDate: Date { Date(base.creationDate) }
}

extension PKStrokePath: RandomAccessCollection {
  /// The index of the first control point.
  public var startIndex: Int { 0 }
  /// The index after that of the last control point.
  public var endIndex: Int { base.count }

  /// A control point.
  public subscript(position: Int) -> PKStrokePoint { PKStrokePoint(base[position]) }
}
