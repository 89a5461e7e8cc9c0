import Graphics

/// The path of a pen: the control points of a uniform cubic B-spline, and the time when it began.
///
/// The control points are not on the curve, except the first and the last: the spline's missing
/// neighbours there are the reflections of the points beside them. Parameter values run from 0 to
/// `count − 1`. Between two control points, the location follows the spline, and all other values
/// are interpolated linearly. As a collection, the path holds its control points; access takes
/// constant time.
public struct PKStrokePath: Sendable {
  /// When the path began.
  public let creationDate: Timestamp
  /// The control points as they are stored.
  package let columns: PointColumns
  /// The path's own identifier, as archives and PencilKit's interface have one; nil where the
  /// source of the path has none. Equality ignores it.
  package let identifier: Identifier?

  package init(
    columns: PointColumns, creationDate: Timestamp, identifier: Identifier? = nil
  ) {
    self.columns = columns
    self.creationDate = creationDate
    self.identifier = identifier
  }

  /// A path without points.
  public init() { self.init(controlPoints: EmptyCollection(), creationDate: .referenceDate) }

  /// A path from its control points, whose values must be finite.
  public init(
    controlPoints: some Sequence<PKStrokePoint>, creationDate: Timestamp = .referenceDate
  ) {
    // Points in contiguous memory share one specialized loop, because callers in other modules get
    // none of their own.
    let stored =
      controlPoints.withContiguousStorageIfAvailable { $0.map(Self.storedFinite) }
      ?? controlPoints.map(Self.storedFinite)
    self.init(storedPoints: stored, creationDate: creationDate)
  }

  private static func storedFinite(_ point: PKStrokePoint) -> StoredPoint {
    precondition(
      point.location.isFinite && point.timeOffset.isFinite,
      "a control point's location and time must be finite")
    return point.stored(in: .current)
  }

  /// A path from stored control points, whose words are in a scale.
  package init(
    storedPoints: [StoredPoint], scale: PointScale = .current, creationDate: Timestamp
  ) {
    self.init(
      columns: PointColumns(storedPoints, scale: scale), creationDate: creationDate)
  }
}

extension PKStrokePath: Hashable {
  /// Paths are equal when they began together and all their control points are equal.
  public static func == (a: PKStrokePath, b: PKStrokePath) -> Bool {
    a.creationDate == b.creationDate && a.columns == b.columns
  }

  /// Hashes the date and a few points.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(creationDate)
    hasher.combine(columns)
  }
}

extension PKStrokePath: RandomAccessCollection {
  /// The index of the first control point.
  public var startIndex: Int { 0 }
  /// The index after that of the last control point.
  public var endIndex: Int { columns.count }

  /// A control point, decoded from its stored values.
  public subscript(index: Int) -> PKStrokePoint {
    PKStrokePoint(columns[index], scale: columns.scale)
  }
}

extension PKStrokePath {
  /// The parameter values of the whole path; 0…0 for an empty one or a dot.
  public var parameterRange: ClosedRange<Double> { 0...Double(Swift.max(count - 1, 0)) }

  /// The seconds from the first control point to the last; negative if the times run back.
  public var duration: Double {
    guard count > 1 else { return 0 }
    return Double(columns.float(.timeOffset, at: count - 1))
      - Double(columns.float(.timeOffset, at: 0))
  }

  /// Whether the path's date is a calendar date. Notes in 2018 used a clock that began when the
  /// device was started: its times give the distances between strokes, but not the day.
  package var isDated: Bool { columns.scale != .notes2018 }

  /// The duration in milliseconds, rounded up: 0 if times run back, and at most
  /// `maximumMilliseconds`. Files store it, so that it is known before a stroke's points are read.
  package var milliseconds: UInt32 {
    let rounded = (Swift.max(0, duration) * 1000).rounded(.up)
    return Swift.min(UInt32(clamping: rounded), Self.maximumMilliseconds)
  }

  /// About 23 days.
  package static let maximumMilliseconds: UInt32 = 2_000_000_000

  /// From the path's date on, for its duration in milliseconds.
  package var timeRange: ClosedRange<Timestamp> { creationDate.range(milliseconds: milliseconds) }

  /// The same path with an identifier.
  package func identified(by identifier: Identifier?) -> PKStrokePath {
    PKStrokePath(columns: columns, creationDate: creationDate, identifier: identifier)
  }

  /// The same path with another date.
  public func withCreationDate(_ date: Timestamp) -> PKStrokePath {
    PKStrokePath(columns: columns, creationDate: date)
  }

  /// The path with more control points at its end. Their times count from this path's start.
  public func appending(_ points: some Sequence<PKStrokePoint>) -> PKStrokePath {
    PKStrokePath(
      storedPoints: columns.points + points.map { $0.stored(in: columns.scale) },
      scale: columns.scale, creationDate: creationDate)
  }

  /// The control points in a range of indices, as a path of their own.
  public func controlPoints(in range: Range<Int>) -> PKStrokePath {
    PKStrokePath(
      storedPoints: range.map { columns[$0] }, scale: columns.scale, creationDate: creationDate)
  }
}
