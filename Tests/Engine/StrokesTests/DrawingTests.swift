import Graphics
import TestSupport
import Testing

@testable import Strokes

@Suite struct `A drawing` {
  private let low = stroke(line(), id: 1)
  private let high = stroke(line(y: 40), .marker, id: 2)

  @Test func `an empty drawing has no bounds and needs the oldest version`() {
    let drawing = PKDrawing()
    #expect(drawing.strokes.isEmpty)
    #expect(drawing.bounds.isNull)
    #expect(drawing.requiredContentVersion == .version1)
    #expect(drawing.creationDate == nil)
    #expect(drawing.endDate == nil)
  }

  @Test func `the strokes of an appended drawing come in front`() {
    var drawing = PKDrawing(strokes: [low])
    let both = drawing.appending(PKDrawing(strokes: [high]))
    drawing.append(PKDrawing(strokes: [high]))
    #expect(drawing.strokes == [low, high])
    #expect(both == drawing)
  }

  @Test func `a drawing's transform is applied after those of its strokes`() {
    var turned = low
    turned.transform = AffineTransform(a: 0, b: 1, c: -1, d: 0, tx: 0, ty: 0)
    var drawing = PKDrawing(strokes: [turned])
    let shift = AffineTransform(translationX: 100, y: 0)
    #expect(drawing.transformed(using: shift).bounds == Rect(x: 96, y: -4, width: 8, height: 108))
    drawing.transform(using: shift)
    #expect(drawing.strokes[0].contains(Point(x: 100, y: 50)))
    #expect(drawing.strokes[0].transform == turned.transform.concatenating(shift))
    #expect(drawing.strokes[0].path == low.path)
    #expect(PKDrawing(strokes: [low]).transformed(using: .identity).strokes == [low])
  }

  @Test func `the bounds of a drawing include those of all strokes`() {
    let drawing = PKDrawing(strokes: [low, stroke(PKStrokePath()), high])
    #expect(drawing.bounds == low.renderBounds.union(high.renderBounds))
    #expect(drawing.bounds.maxY > 40)
  }

  @Test func `a drawing needs the newest version that any of its inks needs`() {
    func version(_ kinds: [PKInk.InkType]) -> PKContentVersion {
      PKDrawing(strokes: kinds.map { stroke(line(), $0) }).requiredContentVersion
    }
    #expect(version([.pen, .marker, .pencil]) == .version1)
    #expect(version([.crayon, .pen]) == .version2)
    #expect(version([.pen, .reed, .monoline]) == .version4)
    #expect(version([.other(identifier: "x")]) == .latest)
  }

  @Test func `a drawing begins with its first path and ends with its last`() {
    let drawing = PKDrawing(strokes: [
      stroke(line().withCreationDate(.referenceDate + 50)),
      stroke(line().withCreationDate(.referenceDate + 20)),
    ])
    #expect(drawing.creationDate == .referenceDate + 20)
    expectClose((drawing.endDate ?? .referenceDate) - .referenceDate, 50.1, within: 1e-6)
  }

  @Test func `the residue of its archive does not affect equality`() {
    let drawing = PKDrawing(strokes: [low, high])
    var archived = drawing
    archived.residue = ArchiveResidue(form: .pencilKit, bytes: [1, 2, 3])
    #expect(archived == drawing)
    #expect(archived.hashValue == drawing.hashValue)
    #expect(Set([archived, drawing, PKDrawing(strokes: [high, low])]).count == 2)
  }

  @Test func `any visible difference makes strokes unequal`() {
    let changes: [(inout PKStroke) -> Void] = [
      { $0.ink.color = .white }, { $0.ink.inkType = .pencil }, { $0.ink.widthLaw = .plain },
      { $0.path = line(points: 12) }, { $0.transform = AffineTransform(scale: 2) },
      { $0.mask = Path() }, { $0.randomSeed = 1 }, { $0.renderGroupID = name(1) },
      { $0.pathRange = 0...5 }, { $0.parentID = name(9) }, { $0 = $0.renamed(name(5)) },
    ]
    for change in changes {
      var other = low
      change(&other)
      #expect(other != low)
    }
    var same = low
    same.archivedBounds = .zero
    same.pathRange = 0...10
    #expect(same == low)
    #expect(same.hashValue == low.hashValue)
  }

  @Test func `drawings are identical only if all of their bits are the same`() {
    let drawing = PKDrawing(strokes: [low, high])
    var points = low.path.columns.points
    #expect(drawing.isIdentical(to: PKDrawing(strokes: [low, high])))
    points[3].floats[PointChannel.timeOffset.rawValue] = -0.0
    points[4].floats[PointChannel.timeOffset.rawValue] = 0
    let zeros = PKStrokePath(storedPoints: points, creationDate: low.path.creationDate)
    points[4].floats[PointChannel.timeOffset.rawValue] = -0.0
    let negativeZeros = PKStrokePath(storedPoints: points, creationDate: low.path.creationDate)
    let changes: [(inout PKStroke) -> Void] = [
      { $0.archivedBounds = .zero }, { $0.transform.b = -0.0 }, { $0.path = negativeZeros },
      { $0.path = zeros.identified(by: name(7)) },
      { $0.renderState = .state(grainOffset: Point(x: 0, y: -0.0)) }, { $0.randomSeed = 1 },
      { $0.ink.color.red = -0.0 }, { $0.parentID = name(9) }, { $0 = $0.renamed(name(5)) },
    ]
    var base = low
    base.path = zeros
    #expect(PKDrawing(strokes: [base]).isIdentical(to: PKDrawing(strokes: [base])))
    var unstated = base
    unstated.renderState = .absent
    #expect(PKDrawing(strokes: [base]).isIdentical(to: PKDrawing(strokes: [unstated])))
    for (index, change) in changes.enumerated() {
      var other = base
      change(&other)
      #expect(
        !PKDrawing(strokes: [base]).isIdentical(to: PKDrawing(strokes: [other])), "change \(index)")
    }
    var archived = drawing
    archived.residue = ArchiveResidue(form: .pencilKit, bytes: [1, 2, 3])
    #expect(archived.isIdentical(to: archived))
    #expect(!archived.isIdentical(to: drawing))
    var masked = low
    masked.mask = Path()
    #expect(!PKDrawing(strokes: [masked]).isIdentical(to: PKDrawing(strokes: [masked])))
  }

  @Test func `a stroke without an identifier gets a new one`() {
    #expect(PKStroke(ink: PKInk(.pen), path: line()) != PKStroke(ink: PKInk(.pen), path: line()))
  }
}

@Suite struct `A path as a collection` {
  @Test func `a path is a collection of its control points`() {
    #expect(wandering.count == 24)
    #expect(wandering.first == wandering[0])
    #expect(wandering.indices == 0..<24)
    #expect(PKStrokePath(controlPoints: Array(wandering)) == wandering)
  }

  @Test func `a path's points can be appended and selected`() {
    let (front, back) = (wandering.controlPoints(in: 0..<9), wandering.controlPoints(in: 9..<24))
    #expect(front.appending(back) == wandering)
    #expect(wandering.controlPoints(in: 5..<5).isEmpty)
    #expect(wandering.appending(EmptyCollection()) == wandering)
    expectClose(front.duration, wandering[8].timeOffset - wandering[0].timeOffset)
  }

  @Test func `paths with different dates are not equal`() {
    let later = wandering.withCreationDate(.referenceDate + 5)
    #expect(later != wandering)
    #expect(Array(later) == Array(wandering))
    #expect(later.withCreationDate(.referenceDate) == wandering)
  }

  @Test func `a path refuses a location that is not finite`() async {
    await #expect(processExitsWith: .failure) {
      _ = PKStrokePath(controlPoints: [touch(.nan, 0)])
    }
    await #expect(processExitsWith: .failure) {
      _ = PKStrokePath(controlPoints: [touch(0, 0, time: .infinity)])
    }
  }
}
