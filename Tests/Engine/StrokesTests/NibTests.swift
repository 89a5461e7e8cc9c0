import Glibc
import Graphics
import TestSupport
import Testing

@testable import Strokes

private func square(_ side: Double) -> Size { Size(width: side, height: side) }

@Suite struct `The width that an ink draws` {
  @Test(arguments: [PKInk.InkType.pen, .monoline, .fountainPen, .reed, .other(identifier: "x")])
  func `pens draw twice the point size less four`(kind: PKInk.InkType) {
    for (size, width) in [(2.5, 1.0), (3, 2), (4, 4), (5, 6), (2, 0), (1, 0), (0, 0), (-1, 0)] {
      #expect(PKInk(kind).drawnSize(of: square(size)) == square(width))
    }
    #expect(
      PKInk(kind).drawnSize(of: Size(width: 4, height: 1)) == Size(width: 4, height: 1))
  }

  @Test func `the marker draws a blade that is broader than tall`() {
    let drawn = PKInk(.marker).drawnSize(of: Size(width: 16, height: 20))
    expectClose(drawn.width, 1.225 * 20)
    expectClose(drawn.height, 0.4375 * 16)
  }

  @Test(arguments: [PKInk.InkType.pencil, .crayon, .watercolor])
  func `textured inks draw seven quarters of the point size`(kind: PKInk.InkType) {
    #expect(
      PKInk(kind).drawnSize(of: Size(width: 4, height: 8)) == Size(width: 7, height: 14))
  }

  @Test(arguments: PKInk.InkType.known)
  func `inks with the plain law draw the point size`(kind: PKInk.InkType) throws {
    let ink = PKInk(kind, widthLaw: .plain)
    #expect(ink.drawnSize(of: Size(width: 1.5, height: 3)) == Size(width: 1.5, height: 3))
    let nib = try #require(Nib(ink, at: touch(0, 0, size: 1.5)))
    #expect(nib.halfExtent == square(0.75))
  }

  @Test(arguments: PKInk.InkType.known)
  func `the width law has an inverse, the point size that draws a mark`(kind: PKInk.InkType) {
    var random = RandomInk(seed: 16)
    for _ in 0..<100 {
      let drawn = Size(width: random.number(0.1...60), height: random.number(0.1...60))
      let ink = PKInk(kind)
      let again = ink.drawnSize(of: ink.pencilKitSize(drawing: drawn))
      expectClose(again.width, drawn.width)
      expectClose(again.height, drawn.height)
    }
    #expect(PKInk(.pen).drawnSize(of: PKInk(.pen).pencilKitSize(drawing: .zero)) == .zero)
  }

  @Test(arguments: PKInk.InkType.known)
  func `the nib of plain ink stays when written by PencilKit's law`(kind: PKInk.InkType) throws {
    for drawn in [Size(width: 6, height: 6), Size(width: 6, height: 2)] {
      var point = touch(0, 0)
      point.size = drawn
      let plain = try #require(Nib(PKInk(kind, widthLaw: .plain), at: point))
      point.size = PKInk(kind).pencilKitSize(drawing: drawn)
      let written = try #require(Nib(PKInk(kind), at: point))
      // Equal extents of a flat nib are written as almost equal ones.
      expectClose(written.halfExtent.width, plain.halfExtent.width, within: 0.01)
      expectClose(written.halfExtent.height, plain.halfExtent.height, within: 0.01)
    }
  }
}

@Suite struct `The nib of an ink` {
  @Test func `an ink has no nib where nothing is drawn`() {
    #expect(Nib(PKInk(.pen), at: touch(0, 0, size: 2)) == nil)
    #expect(Nib(PKInk(.pen, widthLaw: .plain), at: touch(0, 0, size: 0)) == nil)
    #expect(Nib(PKInk(.pen), at: touch(0, 0, size: 2.01)) != nil)
    for value in [.nan, -1, -.infinity] as [Double] {
      #expect(Nib(PKInk(.pen), at: touch(0, 0, size: value)) == nil)
    }
  }

  @Test func `the fountain pen is flat and follows the azimuth, the pen does neither`() throws {
    let point = touch(3, 4, size: 7, azimuth: 0.5)
    let fountain = try #require(Nib(PKInk(.fountainPen), at: point))
    #expect(fountain.halfExtent == Size(width: 5, height: 1.5))
    #expect(fountain.angle == 0.5)
    #expect(fountain.center == Point(x: 3, y: 4))
    let pen = try #require(Nib(PKInk(.pen), at: point))
    #expect(pen.halfExtent == square(5))
    #expect(pen.angle == 0)
  }

  @Test func `a flat size stays as flat as it is`() throws {
    var point = touch(0, 0, size: 7)
    point.size.height = 3.5
    let nib = try #require(Nib(PKInk(.fountainPen), at: point))
    #expect(nib.halfExtent == Size(width: 5, height: 2.5))
  }

  @Test func `pens are ellipses, the marker and the reed nearly boxes`() {
    for kind in PKInk.InkType.known {
      let exponent = Nib(PKInk(kind), at: touch(0, 0))?.exponent
      #expect(exponent == (kind == .marker ? 7 : kind == .reed ? 5 : 2))
    }
  }
}

@Suite struct `The shape of a nib` {
  private func nibs(_ seed: UInt64) -> [Nib] {
    var random = RandomInk(seed: seed)
    return [2, 2, 5, 7].flatMap { exponent in
      (0..<10).map { _ in
        Nib(
          center: Point(x: random.number(-50...50), y: random.number(-50...50)),
          halfExtent: Size(width: random.number(0.5...20), height: random.number(0.5...20)),
          angle: random.number(-7...7), exponent: exponent)
      }
    }
  }

  private let directions = (0..<24).map { step in
    let angle = 0.1 + Double(step) * .pi / 12
    return Point(x: cos(angle), y: sin(angle))
  }

  @Test func `the support points of a nib are on its edge`() {
    for nib in nibs(17) {
      for direction in directions {
        let edge = nib.support(direction)
        expectClose(nib.distanceRatio(to: edge), 1, within: 1e-9)
        #expect(nib.contains(nib.center.interpolated(to: edge, at: 0.999)))
        #expect(!nib.contains(nib.center.interpolated(to: edge, at: 1.001)))
      }
    }
  }

  @Test func `the support point is a nib's farthest point in a direction`() {
    var random = RandomInk(seed: 18)
    for nib in nibs(19) {
      for direction in directions {
        let limit = nib.support(direction).dot(direction)
        for _ in 0..<20 {
          let point =
            nib.center + Point(x: random.number(-20...20), y: random.number(-20...20))
          if nib.contains(point) { #expect(point.dot(direction) <= limit + 1e-9) }
        }
      }
    }
  }

  @Test func `a greater exponent gives a nib fuller corners`() {
    let corner = Point(x: 0.8 * 6, y: 0.8 * 2)
    func nib(_ exponent: Double) -> Nib {
      Nib(center: .zero, halfExtent: Size(width: 6, height: 2), exponent: exponent)
    }
    #expect(!nib(2).contains(corner))
    #expect(nib(5).contains(corner))
    // (a²·u, b²·v) / √(a²u² + b²v²) with a = 6, b = 2 and the direction (1, 3).
    expectClose(
      nib(2).support(Point(x: 1, y: 3)), Point(x: 36, y: 12) / 72.0.squareRoot())
  }

  @Test func `a nib's reach is half of its box, through any transform`() {
    var random = RandomInk(seed: 20)
    for nib in nibs(21) {
      let transform = random.transform()
      let edge = (0..<720).map { step -> Point in
        let angle = Double(step) * .pi / 360
        return nib.support(Point(x: cos(angle), y: sin(angle)))
      }
      let box = Rect(around: edge)
      let reach = nib.reach(through: .identity)
      expectClose(nib.reach.x, reach.x)
      expectClose(nib.reach.y, reach.y)
      expectClose(reach.x, box.width / 2, within: 0.02)
      expectClose(reach.y, box.height / 2, within: 0.02)
      let moved = Rect(around: edge.map { $0.applying(transform) })
      expectClose(nib.reach(through: transform).x, moved.width / 2, within: 0.1)
      expectClose(nib.reach(through: transform).y, moved.height / 2, within: 0.1)
    }
  }

  @Test func `growing a nib moves all sides outwards`() {
    let nib = Nib(center: .zero, halfExtent: Size(width: 6, height: 2), angle: 1, exponent: 5)
    #expect(nib.grown(by: 1.5).halfExtent == Size(width: 7.5, height: 3.5))
    #expect(nib.grown(by: 1.5).angle == 1)
    #expect(nib.grown(by: 0) == nib)
  }

  @Test func `a nib halfway between two nibs has the means of their values`() {
    let (a, b) = (
      Nib(center: .zero, halfExtent: square(2), angle: 0),
      Nib(center: Point(x: 8, y: 4), halfExtent: Size(width: 4, height: 6), angle: 1)
    )
    #expect(
      a.interpolated(to: b, at: 0.5)
        == Nib(center: Point(x: 4, y: 2), halfExtent: Size(width: 3, height: 4), angle: 0.5))
  }

  @Test func `a nib turns the shorter way between two azimuths`() {
    let (a, b) = (
      Nib(center: .zero, halfExtent: Size(width: 5, height: 1), angle: 3.1),
      Nib(center: .zero, halfExtent: Size(width: 5, height: 1), angle: -3.1)
    )
    #expect(!a.interpolated(to: b, at: 0.25).contains(Point(x: 0, y: 4)))
  }
}
