import Glibc
import Graphics
import TestSupport
import Testing

@testable import Strokes

extension Path {
  /// The area inside; overlapping parts count once.
  fileprivate var area: Double { union(Path()).signedArea }
}

@Suite struct `The outline of a stroke` {
  @Test func `the outline of a straight line is a capsule`() {
    for (length, width) in [(100.0, 6.0), (300, 40), (20, 2)] {
      let outline = plain(line(length: length, size: width)).outline()
      let closedForm = length * width + .pi * width * width / 4
      expectClose(outline.area, closedForm, within: closedForm / 100)
    }
  }

  @Test func `the outline of a dot is a disc or nearly a box`() {
    let disc = plain(path([(5, 5)], size: 10)).outline()
    expectClose(disc.area, .pi * 25, within: 1)
    let marker = stroke(path([(0, 0)], size: 16), .marker).outline()
    // The area of |x|^7 + |y|^7 = 1 is 4·Γ(1 + 1/7)² / Γ(1 + 2/7).
    let unit = 4 * pow(tgamma(1 + 1.0 / 7), 2) / tgamma(1 + 2.0 / 7)
    let closedForm = unit * (0.5 * 1.225 * 16) * (0.5 * 0.4375 * 16)
    expectClose(marker.area, closedForm, within: closedForm * 0.03)
  }

  @Test func `the outline of a flat nib is thin along the nib and broad across it`() {
    func area(_ azimuth: Double) -> Double {
      let path = PKStrokePath(
        controlPoints: [0.0, 400].map { touch($0, 0, size: 7, azimuth: azimuth) })
      return stroke(path, .fountainPen).outline().area
    }
    let nib = Double.pi * 5 * 1.5
    expectClose(area(0), 400 * 3 + nib, within: 12)
    expectClose(area(.pi / 2), 400 * 10 + nib, within: 40)
    let slanted = 2 * (pow(5 * sin(0.6), 2) + pow(1.5 * cos(0.6), 2)).squareRoot()
    expectClose(area(0.6), 400 * slanted + nib, within: 40)
  }

  @Test func `a margin moves the outline of a stroke outwards`() {
    let closedForm = 100.0 * 10 + .pi * 25
    expectClose(plain(line(size: 6)).outline(margin: 2).area, closedForm, within: 10)
  }

  @Test func `the outline of a part of a path has the area of that part`() {
    let closedForm = 30.0 * 6 + .pi * 9
    expectClose(plain(line(size: 6)).outline(in: 2...5).area, closedForm, within: 2)
    expectClose(
      plain(line(size: 6)).substroke(range: 2...5).outline().area, closedForm, within: 2)
  }

  @Test func `the outlines of all parts together cover the whole stroke`() {
    let whole = plain(wandering)
    let parts = whole.outline(in: 0...7.3).union(whole.outline(in: 7.3...23))
    expectClose(parts.area, whole.outline().area, within: whole.outline().area / 200)
  }

  @Test func `the outline of a stroke contains every nib's centre and sides`() {
    for stroke in [plain(wandering), stroke(wandering, .marker), stroke(wandering, .reed)] {
      let outline = stroke.outline(margin: 0.15)
      for sample in stroke.nibChains().joined() {
        #expect(outline.contains(sample.nib.center))
        for step in 0..<8 {
          let angle = Double(step) * .pi / 4
          let edge = sample.nib.support(Point(x: cos(angle), y: sin(angle)))
          #expect(outline.contains(sample.nib.center.interpolated(to: edge, at: 0.9)))
        }
      }
    }
  }

  @Test func `the outline of a line there and back again has no hole`() {
    let back = plain(path([(0, 0), (100, 0), (0, 0), (100, 0)], size: 6))
    let outline = back.outline()
    for x in stride(from: 20.0, through: 60, by: 5) {
      #expect(outline.contains(Point(x: x, y: 0)))
      #expect(outline.contains(Point(x: x, y: 2)))
    }
  }

  @Test func `the outline of a tap that swells is as large as its largest nib`() {
    let tap = PKStrokePath(
      controlPoints: [2, 6, 10, 7, 3].map { touch(50, 50, size: $0) })
    expectClose(plain(tap).outline().area, .pi * 25, within: 2)
    #expect(plain(tap).touches(Path(Rect(x: 53, y: 49, width: 2, height: 2))))
    // Tests of single points do not use the outline.
    #expect(plain(tap).contains(Point(x: 54.5, y: 50)))
  }

  @Test func `the outline of a nib that shrinks fast is not cut in half`() {
    let drop = PKStrokePath(controlPoints: [touch(0, 0, size: 20), touch(4, 0, size: 2)])
    expectClose(plain(drop).outline().area, .pi * 100, within: 4)
    #expect(plain(drop).touches(Path(Rect(x: 7, y: -1, width: 2, height: 2))))
    #expect(plain(drop).contains(Point(x: 8, y: 0)))
  }

  @Test func `the outline of a line that swells contains its nibs`() {
    let horn = PKStrokePath(controlPoints: [touch(0, 0, size: 20), touch(100, 0, size: 80)])
    let back = Point(x: 100, y: 0) + Point(x: -0.3, y: 0.95) * 40  // on the last nib's edge
    let inside = back * 0.99
    #expect(plain(horn).contains(inside))
    #expect(plain(horn).outline().contains(inside))
  }

  @Test func `the outline of an empty path or an invisible stroke is empty`() {
    #expect(stroke(PKStrokePath()).outline().isEmpty)
    #expect(stroke(line(size: 2)).outline().isEmpty)
  }
}
