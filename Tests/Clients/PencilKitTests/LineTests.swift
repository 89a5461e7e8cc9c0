import Foundation
import PencilKit
import Testing

/// Stroked outlines, and combined areas.
struct LineTests {
  private static func corner() -> CGPath {
    let path = CGMutablePath()
    path.addLines(between: [.zero, CGPoint(x: 100, y: 0), CGPoint(x: 100, y: 100)])
    return path
  }

  private static func stroked(
    _ path: CGPath, _ cap: CGLineCap = .butt, _ join: CGLineJoin = .miter, limit: CGFloat = 10
  ) -> CGPath {
    path.copy(strokingWithWidth: 20, lineCap: cap, lineJoin: join, miterLimit: limit)
  }

  private static func area(_ path: CGPath) -> CGFloat {
    // By the shoelace formula; holes run the other way.
    var (area, start, last) = (CGFloat(0), CGPoint.zero, CGPoint.zero)
    path.flattened(threshold: 0.01).applyWithBlock { element in
      switch element.pointee.type {
      case .moveToPoint:
        start = element.pointee.points[0]
        last = start
      case .addLineToPoint, .closeSubpath:
        let to = element.pointee.type == .closeSubpath ? start : element.pointee.points[0]
        area += (last.x * to.y - last.y * to.x) / 2
        last = to
      default: Issue.record("a curve")
      }
    }
    return abs(area)
  }

  @Test func `stroked lines have the requested joins and caps`() {
    let path = Self.corner()
    let plain = Self.stroked(path)
    #expect(plain.boundingBox == CGRect(x: 0, y: -10, width: 110, height: 110))
    #expect(isClose(Self.area(plain), 4000, 1))
    #expect(isClose(Self.area(Self.stroked(path, .butt, .bevel)), 3950, 1))
    #expect(isClose(Self.area(Self.stroked(path, .butt, .miter, limit: 1.4)), 3950, 1))
    #expect(isClose(Self.area(Self.stroked(path, .butt, .round)), 3900 + 25 * .pi, 1))
    #expect(isClose(Self.area(Self.stroked(path, .square)), 4400, 1))
    #expect(isClose(Self.area(Self.stroked(path, .round)), 4000 + 100 * .pi, 2))
    let moved = path.copy(
      strokingWithWidth: 20, lineCap: .butt, lineJoin: .miter, miterLimit: 10,
      transform: CGAffineTransform(scaleX: 2, y: 2))
    #expect(moved.boundingBox == CGRect(x: 0, y: -10, width: 210, height: 210))
  }

  @Test func `a line around a shape is a ring by either rule`() {
    let circle = CGPath(ellipseIn: CGRect(x: 0, y: 0, width: 100, height: 100), transform: nil)
    let ring = Self.stroked(circle)
    #expect(isClose(Self.area(ring), .pi * (60 * 60 - 40 * 40), 20))
    for rule in [CGPathFillRule.winding, .evenOdd] {
      #expect(ring.contains(CGPoint(x: 1, y: 50), using: rule))
      #expect(!ring.contains(CGPoint(x: 50, y: 50), using: rule))
    }
    let square = Self.stroked(
      CGPath(rect: CGRect(x: 0, y: 0, width: 50, height: 50), transform: nil))
    #expect(isClose(Self.area(square), 70 * 70 - 30 * 30, 1))
  }

  @Test func `a dot has the shape of its cap, and moves draw nothing`() {
    let dot = CGMutablePath()
    dot.move(to: CGPoint(x: 5, y: 5))
    #expect(Self.stroked(dot, .round).isEmpty)
    dot.addLine(to: CGPoint(x: 5, y: 5))
    #expect(isClose(Self.area(Self.stroked(dot, .round)), 100 * .pi, 1))
    #expect(isClose(Self.area(Self.stroked(dot, .square)), 400, 1) && Self.stroked(dot).isEmpty)
  }

  @Test func `dashes and gaps follow each other around corners`() {
    let path = Self.corner()
    let dashed = path.copy(dashingWithPhase: 10, lengths: [30, 20])
    var starts: [CGPoint] = []
    dashed.applyWithBlock {
      if $0.pointee.type == .moveToPoint { starts.append($0.pointee.points[0]) }
    }
    #expect(
      starts == [
        .zero, CGPoint(x: 40, y: 0), CGPoint(x: 90, y: 0), CGPoint(x: 100, y: 40),
        CGPoint(x: 100, y: 90),
      ])
    #expect(isClose(Self.area(Self.stroked(dashed)), 20 * 120, 1))
    #expect(path.copy(dashingWithPhase: 0, lengths: []) == path)
    #expect(path.copy(dashingWithPhase: 0, lengths: [0, 0]) == path)
    #expect(path.copy(dashingWithPhase: 0, lengths: [1e-9]) == path)
    #expect(path.copy(dashingWithPhase: -40, lengths: [50]).boundingBox.minX == 40)
  }

  @Test func `areas are combined`() {
    let a = CGPath(rect: CGRect(x: 0, y: 0, width: 10, height: 10), transform: nil)
    let b = CGPath(rect: CGRect(x: 5, y: 0, width: 10, height: 10), transform: nil)
    #expect(a.union(b).boundingBox.width == 15 && Self.area(a.union(b)) == 150)
    #expect(a.intersection(b).boundingBox == CGRect(x: 5, y: 0, width: 5, height: 10))
    #expect(a.subtracting(b).boundingBox == CGRect(x: 0, y: 0, width: 5, height: 10))
    #expect(Self.area(a.symmetricDifference(b)) == 100)
    #expect(a.symmetricDifference(b).componentsSeparated().count == 2)
    #expect(a.intersects(b) && !a.intersects(b.subtracting(a)))
    let twice = CGMutablePath()
    twice.addPath(a)
    twice.addPath(b)
    #expect(
      Self.area(twice.normalized()) == 150 && Self.area(twice.normalized(using: .evenOdd)) == 100)
    #expect(a.union(CGMutablePath()) == a.normalized() && CGMutablePath().normalized().isEmpty)
  }

  @Test func `lines without a start add nothing`() {
    let path = CGMutablePath()
    path.addLine(to: CGPoint(x: 1, y: 2))
    path.addQuadCurve(to: .zero, control: CGPoint(x: 1, y: 2))
    path.addCurve(to: .zero, control1: CGPoint(x: 1, y: 2), control2: .zero)
    path.closeSubpath()
    let outline = UIBezierPath()
    outline.addLine(to: CGPoint(x: 1, y: 2))
    outline.addQuadCurve(to: .zero, controlPoint: CGPoint(x: 1, y: 2))
    outline.addCurve(to: .zero, controlPoint1: CGPoint(x: 1, y: 2), controlPoint2: .zero)
    outline.close()
    #expect(path.isEmpty && outline.isEmpty && outline.bounds.isNull)
    outline.move(to: .zero)
    outline.addLine(to: CGPoint(x: 1, y: 2))
    #expect(outline.bounds == CGRect(x: 0, y: 0, width: 1, height: 2))
  }

  @Test func `lines with extreme numbers do not trap`() {
    for number in strangeNumbers.map({ CGFloat($0) }) {
      let path = CGMutablePath()
      path.addLines(between: [
        CGPoint(x: number, y: 0), .zero, CGPoint(x: 9, y: number), CGPoint(x: number, y: number),
      ])
      for other in [path, Self.corner()] {
        _ =
          other.copy(
            strokingWithWidth: number, lineCap: .round, lineJoin: .round, miterLimit: number
          ).boundingBox
        _ = Self.stroked(other, .round, .round).boundingBox
      }
      path.addCurve(to: CGPoint(x: 9, y: 9), control1: .zero, control2: CGPoint(x: 0, y: number))
      for other in [path, Self.corner()] {
        _ = other.copy(dashingWithPhase: number, lengths: [number, 3]).boundingBox
        _ = other.copy(dashingWithPhase: 1, lengths: [5, 3]).boundingBox
        _ = (other.flattened(threshold: number), other.union(path), other.intersects(path))
      }
    }
  }

  @Test func `rectangles are inset, and insets are coded as a list`() throws {
    let insets = UIEdgeInsets(top: 1, left: 2, bottom: 3, right: 4)
    #expect(
      CGRect(x: 0, y: 0, width: 20, height: 10).inset(by: insets)
        == CGRect(x: 2, y: 1, width: 14, height: 6))
    #expect(CGRect.null.inset(by: insets).isNull && UIEdgeInsets.zero == UIEdgeInsets())
    let json = try JSONEncoder().encode(insets)
    #expect(String(decoding: json, as: UTF8.self) == "[1,2,3,4]")
    #expect(try JSONDecoder().decode(UIEdgeInsets.self, from: json) == insets)
  }

  @Test func `the system's dynamic colours differ between the light and the dark style`() {
    let dark = UITraitCollection(userInterfaceStyle: .dark)
    for color in [
      UIColor.secondaryLabel, .quaternaryLabel, .separator, .opaqueSeparator, .link, .tintColor,
      .tertiarySystemBackground, .systemGroupedBackground, .secondarySystemGroupedBackground,
      .tertiarySystemGroupedBackground, .systemFill, .quaternarySystemFill, .placeholderText,
      .tertiaryLabel, .secondarySystemFill, .tertiarySystemFill,
    ] {
      #expect(color.resolvedColor(with: dark) != color.resolvedColor(with: .current))
    }
    #expect(UIColor.secondaryLabel.cgColor.alpha == 0.6 && UIColor.lightText.cgColor.alpha == 0.6)
    #expect(UIColor.darkText == .black)
  }
}
