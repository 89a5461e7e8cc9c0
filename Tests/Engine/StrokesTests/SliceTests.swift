import Graphics
import TestSupport
import Testing

@testable import Strokes

@Suite struct `A slice of a path` {
  @Test func `the points of a slice are points of the path`() {
    var random = RandomInk(seed: 5)
    for _ in 0..<50 {
      let ends = [random.number(0...23), random.number(0...23)].sorted()
      let slice = wandering[ends[0]...ends[1]]
      for _ in 0..<10 {
        let parameter = random.number(ends[0]...ends[1])
        let (own, whole) = (
          slice.interpolatedPoint(at: parameter), wandering.interpolatedPoint(at: parameter)
        )
        expectClose(own.location, whole.location)
        #expect(own == whole)
      }
    }
  }

  @Test func `parameters beyond a slice give its ends`() {
    let slice = wandering[2.5...7.25]
    #expect(slice.interpolatedPoint(at: 1) == wandering.interpolatedPoint(at: 2.5))
    #expect(slice.interpolatedPoint(at: 20) == wandering.interpolatedPoint(at: 7.25))
    #expect(slice.interpolatedPoint(at: .infinity) == wandering.interpolatedPoint(at: 7.25))
  }

  @Test func `the interpolated points of a slice start and end with it`() {
    let slice = wandering[2.5...7.25]
    for stride in [.parametricStep(0.5), .distance(4), .time(0.02)]
      as [PKStrokePath.InterpolatedSlice.Stride]
    {
      let points = Array(slice.interpolatedPoints(by: stride))
      #expect(points.first == wandering.interpolatedPoint(at: 2.5))
      #expect(points.last == wandering.interpolatedPoint(at: 7.25))
      #expect(points.count > 4)
    }
    #expect(slice.length == wandering.length(in: 2.5...7.25))
  }

  @Test func `a slice of a slice stays inside it`() {
    let slice = wandering[2.5...7.25]
    #expect(slice[1...5] == wandering[2.5...5.0])
    #expect(slice[3...4.5] == wandering[3...4.5])
    #expect(slice[0...99] == slice)
    #expect(wandering[-4.5...99].range == 0...23)
    #expect(wandering[30.5...40].range == 23...23)
  }

  @Test func `a slice with integer bounds selects control points`() {
    let points = wandering[2...4]
    #expect(Array(points) == [wandering[2], wandering[3], wandering[4]])
    #expect(wandering.controlPoints(in: 2..<5) == PKStrokePath(controlPoints: points))
  }
}

@Suite struct `A part of a stroke` {
  private let whole = stroke(wandering)

  @Test func `a part of a stroke has the nibs of the whole stroke there`() {
    for cut in [1.0, 4, 9, 16, 22] {
      let parts = [whole.substroke(range: 0...cut), whole.substroke(range: cut...23)]
      let together = parts.flatMap { $0.nibChains().joined() }
      let expected = whole.nibChains().joined()
      for sample in expected {
        let closest = together.filter { $0.parameter == sample.parameter }
        #expect(!closest.isEmpty)
        for other in closest { expectSame(other.nib, sample.nib) }
      }
    }
  }

  @Test func `the ends of a part are the nibs of the whole stroke there`() throws {
    var random = RandomInk(seed: 6)
    for _ in 0..<40 {
      let ends = [random.number(0...23), random.number(0...23)].sorted()
      let part = whole.substroke(range: ends[0]...ends[1])
      let chain = try #require(part.nibChains().first)
      let (first, last) = try (#require(chain.first), #require(chain.last))
      expectClose(first.parameter, ends[0])
      expectClose(last.parameter, ends[1])
      for sample in chain {
        let point = wandering.interpolatedPoint(at: sample.parameter)
        expectSame(sample.nib, try #require(Nib(whole.ink, at: point)))
      }
    }
  }

  @Test func `a part of a stroke keeps its look and has it as parent`() {
    var wet = whole
    wet.randomSeed = 99
    wet.renderGroupID = name(7)
    wet.transform = AffineTransform(scale: 2)
    wet.mask = Path(Rect(x: 0, y: -50, width: 100, height: 100))
    let part = wet.substroke(range: 3...8)
    #expect(part.ink == wet.ink)
    #expect(part.path == wet.path)
    #expect(part.transform == wet.transform)
    #expect(part.mask == wet.mask)
    #expect(part.randomSeed == 99)
    #expect(part.renderGroupID == name(7))
    #expect(part.parentID == wet.id)
    #expect(part.visiblePathRange == 3...8)
    #expect(part.isPartial)
    #expect(!wet.isPartial)
  }

  @Test func `the identifier of a part depends only on the stroke and the range`() {
    #expect(whole.substroke(range: 3...8) == whole.substroke(range: 3...8))
    let names = [0.0...1, 0...2, 1...2, 1...2.5, 0...23].map { whole.substroke(range: $0).id }
    #expect(Set(names + [whole.id]).count == 6)
  }

  @Test func `a part of a part lies inside the first part and has the first stroke as its parent`()
  {
    let part = whole.substroke(range: 3...8)
    #expect(part.substroke(range: 5...20).visiblePathRange == 5...8)
    #expect(part.substroke(range: 5...20).parentID == whole.id)
    #expect(part.substroke(range: 0...99).visiblePathRange == 3...8)
  }

  @Test func `a part beyond the path is only the path's end`() {
    #expect(whole.substroke(range: -3...99).visiblePathRange == 0...23)
    #expect(!whole.substroke(range: -3...99).isPartial)
    #expect(whole.substroke(range: 40...50).visiblePathRange == 23...23)
    #expect(stroke(PKStrokePath()).substroke(range: 1...2).nibChains().isEmpty)
  }

  @Test func `a part does not take over the archived bounds of the stroke`() {
    var archived = whole
    archived.archivedBounds = Rect(x: -999, y: -999, width: 1, height: 1)
    #expect(archived.renderBounds.minX == -999)
    let (part, expected) = (archived.substroke(range: 3...8), whole.substroke(range: 3...8))
    #expect(part.renderBounds == expected.renderBounds)
  }

  private func expectSame(_ a: Nib, _ b: Nib) {
    expectClose(a.center, b.center)
    expectClose(a.halfExtent.width, b.halfExtent.width)
    expectClose(a.halfExtent.height, b.halfExtent.height)
    expectClose(a.angle, b.angle)
  }
}
