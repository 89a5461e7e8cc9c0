import Foundation
import PencilKit
import Testing

/// Substitutes for the types of CoreGraphics and UIKit.
struct StandInTests {
  @Test func `transforms are applied in the order in which they are concatenated`() {
    let move = CGAffineTransform(translationX: 10, y: 20)
    let grow = CGAffineTransform(scaleX: 2, y: 3)
    let point = CGPoint(x: 1, y: 1)
    #expect(point.applying(move.concatenating(grow)) == CGPoint(x: 22, y: 63))
    #expect(point.applying(move.scaledBy(x: 2, y: 3)) == CGPoint(x: 12, y: 23))
    #expect(point.applying(grow.translatedBy(x: 1, y: 1)) == CGPoint(x: 4, y: 6))
    let turn = CGAffineTransform(rotationAngle: .pi / 2)
    #expect(isClose(CGPoint(x: 1, y: 0).applying(turn), CGPoint(x: 0, y: 1), 1e-12))
    #expect(isClose(CGPoint(x: 1, y: 0).applying(move.rotated(by: .pi)), CGPoint(x: 9, y: 20)))
    let all = move.concatenating(grow).concatenating(turn)
    #expect(isClose(point.applying(all).applying(all.inverted()), point, 1e-12))
    #expect(CGAffineTransform().inverted() == CGAffineTransform())
    #expect(CGAffineTransform.identity.isIdentity && !move.isIdentity)
    #expect(CGSize(width: 2, height: 2).applying(move) == CGSize(width: 2, height: 2))
    #expect(
      CGRect(x: 0, y: 0, width: 2, height: 4).applying(grow)
        == CGRect(x: 0, y: 0, width: 4, height: 12))
    #expect(CGRect.null.applying(grow).isNull)
    #expect(CGAffineTransform(1, 2, 3, 4, 5, 6).ty == 6)
  }

  @Test func `transforms and vectors are coded as lists`() throws {
    let transform = CGAffineTransform(a: 1, b: 2, c: 3, d: 4, tx: 5, ty: 6)
    let json = try JSONEncoder().encode([transform])
    #expect(String(decoding: json, as: UTF8.self) == "[[1,2,3,4,5,6]]")
    #expect(try JSONDecoder().decode([CGAffineTransform].self, from: json) == [transform])
    let vector = CGVector(dx: 1.5, dy: -2)
    let again = try JSONDecoder().decode(CGVector.self, from: JSONEncoder().encode(vector))
    #expect(again == vector && CGVector.zero == CGVector())
  }

  @Test func `colours compare by value and give their components`() throws {
    let color = UIColor(red: 0.2, green: 0.4, blue: 0.6, alpha: 0.8)
    #expect(color == UIColor(red: 0.2, green: 0.4, blue: 0.6, alpha: 0.8) && color != .red)
    #expect(color.hashValue == UIColor(red: 0.2, green: 0.4, blue: 0.6, alpha: 0.8).hashValue)
    #expect(Set([UIColor.red, .red, .blue]).count == 2)
    var (r, g, b, a) = (CGFloat(0), CGFloat(0), CGFloat(0), CGFloat(0))
    #expect(color.getRed(&r, green: &g, blue: &b, alpha: &a))
    #expect([r, g, b, a] == [0.2, 0.4, 0.6, 0.8])
    #expect(color.withAlphaComponent(1) == UIColor(red: 0.2, green: 0.4, blue: 0.6, alpha: 1))
    #expect(color.cgColor.components == [0.2, 0.4, 0.6, 0.8] && color.cgColor.alpha == 0.8)
    #expect(UIColor(cgColor: color.cgColor) == color)
    var white: CGFloat = 0
    #expect(UIColor(white: 0.25, alpha: 1).getWhite(&white, alpha: nil) && white == 0.25)
    UIColor.red.getWhite(&white, alpha: &a)
    #expect(white > 0.4 && white < 0.6 && a == 1)
    for hue in stride(from: 0, to: 1, by: 0.05) as StrideTo<CGFloat> {
      let turned = UIColor(hue: hue, saturation: 0.5, brightness: 0.8, alpha: 1)
      var (h, s, v) = (CGFloat(0), CGFloat(0), CGFloat(0))
      turned.getHue(&h, saturation: &s, brightness: &v, alpha: nil)
      #expect(isClose(h, hue, 1e-9) && isClose(s, 0.5, 1e-9) && isClose(v, 0.8, 1e-9))
    }
    #expect(UIColor(hue: 0, saturation: 1, brightness: 1, alpha: 1) == .red)
    let wide = UIColor(displayP3Red: 1, green: 0, blue: 0, alpha: 1)
    wide.getRed(&r, green: &g, blue: &b, alpha: nil)
    #expect(isClose(r, 1.093, 0.001) && isClose(g, -0.2267, 0.001) && isClose(b, -0.1501, 0.001))
    #expect(PKInk(.pen, color: wide).color == wide)
    let data = try NSKeyedArchiver.archivedData(withRootObject: color, requiringSecureCoding: true)
    #expect(try NSKeyedUnarchiver.unarchivedObject(ofClass: UIColor.self, from: data) == color)
  }

  @Test func `a dynamic colour is chosen for its surroundings, and ink has that of light pages`() {
    let dynamic = UIColor { $0.userInterfaceStyle == .dark ? .white : .black }
    let dark = UITraitCollection(userInterfaceStyle: .dark)
    #expect(dynamic.resolvedColor(with: dark) == .white && dynamic != .black)
    #expect(PKInk(.pen, color: dynamic).color == .black)
    var red: CGFloat = 0
    dark.performAsCurrent { dynamic.getRed(&red, green: nil, blue: nil, alpha: nil) }
    #expect(red == 1)
    #expect(UITraitCollection.current.userInterfaceStyle == .light)
    #expect(UIColor.label.resolvedColor(with: dark) == .white)
    #expect(PKInk(.pen, color: .systemRed).color == UIColor.systemRed.resolvedColor(with: .current))
    let endless = UIColor { _ in UIColor { _ in UIColor.label } }
    #expect(
      endless.withAlphaComponent(0.5).resolvedColor(with: dark) == UIColor(white: 1, alpha: 0.5))
  }

  @Test func `colours can be extended like classes`() {
    #expect(UIColor(hex: 0xFF8000) == UIColor(red: 1, green: 128 / 255, blue: 0, alpha: 1))
    #expect(UIColor.brand == UIColor(hex: 0x336699))
    #expect(#colorLiteral(red: 1, green: 0, blue: 0, alpha: 1) == UIColor.red)
  }

  @Test func `outlines have bounds, insides and copies`() throws {
    let path = UIBezierPath()
    #expect(path.isEmpty && path.bounds.isNull)
    path.move(to: .zero)
    path.addLine(to: CGPoint(x: 10, y: 0))
    path.addQuadCurve(to: CGPoint(x: 10, y: 10), controlPoint: CGPoint(x: 20, y: 5))
    path.addCurve(
      to: CGPoint(x: 0, y: 10), controlPoint1: CGPoint(x: 5, y: 15),
      controlPoint2: CGPoint(x: 5, y: 5))
    path.close()
    #expect(path.contains(CGPoint(x: 12, y: 5)) && !path.contains(CGPoint(x: 17, y: 5)))
    #expect(isClose(path.bounds.maxX, 15, 0.01) && path.currentPoint == .zero)
    #expect(
      path.cgPath.boundingBox.maxX == 20 && isClose(path.cgPath.boundingBoxOfPath.maxX, 15, 0.01))
    let copy = try #require(path.copy() as? UIBezierPath)
    copy.apply(CGAffineTransform(translationX: 100, y: 0))
    #expect(path.bounds.minX == 0 && copy.bounds.minX == 100 && copy != path)
    let back = path.reversing().reversing()
    #expect(back == path && path.reversing().contains(CGPoint(x: 12, y: 5)))
    path.removeAllPoints()
    #expect(path.isEmpty)
  }

  @Test func `rings are hollow by the even-odd rule`() {
    let ring = UIBezierPath(ovalIn: CGRect(x: 0, y: 0, width: 100, height: 100))
    ring.append(UIBezierPath(ovalIn: CGRect(x: 25, y: 25, width: 50, height: 50)))
    #expect(ring.contains(CGPoint(x: 50, y: 50)))
    ring.usesEvenOddFillRule = true
    #expect(!ring.contains(CGPoint(x: 50, y: 50)) && ring.contains(CGPoint(x: 10, y: 50)))
    #expect(!ring.cgPath.contains(CGPoint(x: 50, y: 50), using: .evenOdd))
    // As a mask it is hollow, too.
    var stroke = line(from: CGPoint(x: 5, y: 50))
    stroke.mask = ring
    #expect(stroke.maskedPathRanges.count == 2)
    #expect(stroke.mask?.contains(CGPoint(x: 50, y: 50)) == false)
  }

  @Test func `rounded rectangles and arcs have the expected points and bounds`() {
    let rounded = UIBezierPath(
      roundedRect: CGRect(x: 0, y: 0, width: 40, height: 20), cornerRadius: 5)
    #expect(!rounded.contains(CGPoint(x: 1, y: 1)) && rounded.contains(CGPoint(x: 3, y: 3)))
    let one = UIBezierPath(
      roundedRect: CGRect(x: 0, y: 0, width: 40, height: 20), byRoundingCorners: [.topLeft],
      cornerRadii: CGSize(width: 10, height: 10))
    #expect(!one.contains(CGPoint(x: 1, y: 1)) && one.contains(CGPoint(x: 39, y: 19)))
    #expect(one.bounds == CGRect(x: 0, y: 0, width: 40, height: 20))
    let arc = UIBezierPath(
      arcCenter: CGPoint(x: 50, y: 50), radius: 10, startAngle: 0, endAngle: .pi, clockwise: true)
    // Clockwise on a page leads downwards.
    #expect(isClose(arc.bounds.maxY, 60, 0.01) && isClose(arc.bounds.minY, 50, 0.01))
    #expect(isClose(arc.currentPoint, CGPoint(x: 40, y: 50), 1e-9))
    let full = CGMutablePath()
    full.addArc(
      center: .zero, radius: 5, startAngle: 0, endAngle: 2 * .pi, clockwise: false)
    #expect(isClose(full.boundingBoxOfPath.width, 10, 0.01))
    var shift = CGAffineTransform(translationX: 7, y: 0)
    #expect(
      CGPath(rect: CGRect(x: 0, y: 0, width: 1, height: 1), transform: &shift)
        .boundingBox.minX == 7)
    #expect(CGPath(ellipseIn: .zero, transform: nil).boundingBox == .zero)
  }

  @Test func `a path is built, copied and listed`() throws {
    let path = CGMutablePath()
    path.addRect(CGRect(x: 0, y: 0, width: 10, height: 10))
    path.addLines(between: [CGPoint(x: 20, y: 0), CGPoint(x: 30, y: 0), CGPoint(x: 30, y: 10)])
    path.closeSubpath()
    path.addEllipse(in: CGRect(x: 40, y: 0, width: 10, height: 10))
    path.addRoundedRect(
      in: CGRect(x: 60, y: 0, width: 10, height: 10), cornerWidth: 2, cornerHeight: 2)
    path.addPath(
      CGPath(rect: .zero, transform: nil), transform: CGAffineTransform(translationX: 90, y: 0))
    let frozen = try #require(path.copy())
    let copy = try #require(frozen.mutableCopy())
    #expect(copy == path && copy.hashValue == frozen.hashValue)
    copy.move(to: CGPoint(x: 500, y: 0))
    #expect(copy != path && frozen == path && copy.currentPoint.x == 500)
    var kinds: [CGPathElementType: Int] = [:]
    path.applyWithBlock { kinds[$0.pointee.type, default: 0] += 1 }
    #expect(kinds[.moveToPoint] == 5 && kinds[.closeSubpath] == 5 && kinds[.addCurveToPoint] == 8)
    var count = 0
    path.apply(info: nil) { _, element in count += element.pointee.type == .addLineToPoint ? 1 : 0 }
    #expect(count == kinds[.addLineToPoint])
  }

  @Test func `the mask that is read is a copy`() {
    var stroke = line()
    stroke.mask = UIBezierPath(rect: CGRect(x: 0, y: 0, width: 50, height: 50))
    let mask = stroke.mask
    mask?.apply(CGAffineTransform(translationX: 1000, y: 0))
    #expect(stroke.mask?.bounds == CGRect(x: 0, y: 0, width: 50, height: 50))
    stroke.mask?.removeAllPoints()
    stroke.mask = nil
    #expect(stroke.mask == nil && stroke.maskedPathRanges == [0...9])
  }

  @Test func `screens, images and traits have the values of a machine without a screen`() {
    #expect(UIScreen.main.scale == 1)
    #expect(PKAppleDrawingTypeIdentifier as String == "com.apple.drawing")
    #expect(UIImage().size == .zero && UIImage().pngData() == nil)
    #expect(UIUserInterfaceStyle(rawValue: 2) == .dark)
    #expect(UITraitCollection().userInterfaceStyle == .unspecified)
  }
}

extension UIColor {
  convenience init(hex: UInt32) {
    self.init(
      red: CGFloat(hex >> 16 & 0xFF) / 255, green: CGFloat(hex >> 8 & 0xFF) / 255,
      blue: CGFloat(hex & 0xFF) / 255, alpha: 1)
  }

  static let brand = UIColor(hex: 0x336699)
}
