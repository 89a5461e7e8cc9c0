import Foundation
import Graphics

// Outlines as bytes, for archives of `UIBezierPath`.

extension Path {
  /// The elements, one byte each, and the coordinates of their points.
  var coded: (kinds: Data, numbers: [Double]) {
    var kinds = Data()
    var numbers: [Double] = []
    for element in elements {
      let (kind, points) = element.parts
      kinds.append(UInt8(kind.rawValue))
      for point in points.prefix(kind.pointCount) { numbers += [point.x, point.y] }
    }
    return (kinds, numbers)
  }

  /// An outline from its elements; nil if a byte is not an element, a contour starts without a
  /// move, or there are too many or too few coordinates.
  init?(kinds: Data, numbers: [Double]) {
    self.init()
    var rest = numbers[...]
    func next() -> Point? {
      guard let x = rest.popFirst(), let y = rest.popFirst() else { return nil }
      return Point(x: x, y: y)
    }
    for byte in kinds {
      guard let kind = CGPathElementType(rawValue: Int32(byte)),
        kind == .moveToPoint || (!isEmpty && elements.last != .close)
      else { return nil }
      let points = (0..<kind.pointCount).compactMap { _ in next() }
      guard points.count == kind.pointCount else { return nil }
      switch kind {
      case .moveToPoint: move(to: points[0])
      case .addLineToPoint: addLine(to: points[0])
      case .addQuadCurveToPoint: addQuadratic(to: points[1], control: points[0])
      case .addCurveToPoint: addCubic(to: points[2], control1: points[0], control2: points[1])
      case .closeSubpath: close()
      }
    }
    guard rest.isEmpty else { return nil }
  }
}

extension CGPathElementType {
  /// The number of points of an element of this kind.
  var pointCount: Int {
    switch self {
    case .moveToPoint, .addLineToPoint: 1
    case .addQuadCurveToPoint: 2
    case .addCurveToPoint: 3
    case .closeSubpath: 0
    }
  }
}

extension [Double] {
  /// The 64-bit floats as bytes, the lowest first.
  var littleEndian: Data {
    Data(
      flatMap { number in (0..<8).map { UInt8(truncatingIfNeeded: number.bitPattern >> (8 * $0)) } }
    )
  }

  /// Numbers from their bytes; nil if the last one is incomplete.
  init?(littleEndian data: Data) {
    guard data.count.isMultiple(of: 8) else { return nil }
    let bytes = [UInt8](data)
    self = Swift.stride(from: 0, to: bytes.count, by: 8).map { start in
      Double(bitPattern: (0..<8).reduce(0) { $0 | UInt64(bytes[start + $1]) << (8 * UInt64($1)) })
    }
  }
}
