import InkFiles
import ForeignSamples
import Graphics
import ForeignInk
import Strokes
import TestSupport
import Testing

/// One drawing of our own as a file of each foreign format.
struct ForeignSampleTests {
  private static let samples = (try? ForeignSample.all()) ?? []
  private static let small = (try? ForeignSample.all(.word)) ?? []

  @Test func `every format that is not our own has a sample`() {
    let own: Set<DrawingFile.Format> = [.pencilKit, .json, .pkd]
    #expect(Set(Self.samples.map(\.format)) == Set(DrawingFile.Format.allCases).subtracting(own))
    #expect(Set(Self.samples.map(\.name)).count == Self.samples.count)
  }

  @Test(arguments: samples)
  func `a foreign sample opens with the strokes of the drawing`(
    sample: ForeignSample
  ) throws {
    let file = try DrawingFile(sample.bytes)
    #expect(file.format == sample.format)
    #expect(file.damage.isEmpty)
    #expect(file.pageCount == (sample.hasPageForEachStroke ? 9 : 1))
    let expected = SampleDrawing.cup.strokes
    let strokes = try sample.strokes()
    try #require(strokes.count == expected.count)
    // Pixels of the drawing become points, scaled up where a format needs it.
    let unit = SampleDrawing.unit * sample.scale
    for (number, (stroke, original)) in zip(strokes, expected).enumerated() {
      let places = stroke.path.interpolatedPoints(by: .parametricStep(0.2)).map {
        $0.location / unit
      }
      let tolerance = sample.tolerance(of: original.pen)
      let (box, wanted) = (Rect(around: places), original.bounds)
      let sides = [
        box.minX - wanted.minX, box.maxX - wanted.maxX, box.minY - wanted.minY,
        box.maxY - wanted.maxY,
      ]
      #expect(
        sides.allSatisfy { abs($0) <= tolerance }, "stroke \(number) is off by \(sides)")
      // A stroke begins where the pen was set down, and ends where it was lifted.
      for (place, point) in [
        (places.first, original.points.first), (places.last, original.points.last),
      ] {
        let distance = try #require(place).distance(to: #require(point).location)
        #expect(distance <= 1.5 * tolerance, "stroke \(number)")
      }
    }
  }

  @Test(arguments: samples)
  func `a foreign sample keeps all values that its format stores`(
    sample: ForeignSample
  ) throws {
    let strokes = try sample.strokes()
    let begin = try #require(strokes.first).path.creationDate
    for (stroke, original) in zip(strokes, SampleDrawing.cup.strokes) {
      let path = stroke.path
      let ends = try [
        (#require(path.first), #require(original.points.first)),
        (#require(path.last), #require(original.points.last)),
      ]
      if sample.kept.contains(.times) {
        let start = path.creationDate.secondsSinceReferenceDate - begin.secondsSinceReferenceDate
        #expect(abs(start - Double(original.start) / 1000) < 1e-3)
        #expect(abs(path.duration - Double(ends[1].1.time) / 1000) < 1e-3)
      }
      if sample.kept.contains(.pressure) {
        // The force of an average touch is 1.
        for (point, drawn) in ends { #expect(abs(point.force - 2 * drawn.pressure) < 0.01) }
      }
      // Highlighters deviate more.
      guard original.pen != .highlighter else { continue }
      if sample.kept.contains(.widths) {
        for (point, drawn) in ends {
          let width = stroke.ink.drawnSize(of: point.size).width / SampleDrawing.unit
          #expect(abs(width - original.width(drawn)) < 0.15)
        }
      }
      if sample.kept.contains(.colors) {
        let color = stroke.ink.color
        for (part, number) in zip([color.red, color.green, color.blue], original.components) {
          #expect(abs(part * 255 - Double(number)) < 0.6)
        }
      }
    }
  }

  @Test(arguments: small)
  func `a foreign sample that is cut anywhere is refused or read in part`(sample: ForeignSample) {
    let count = SampleDrawing.word.strokes.count
    let step = max(sample.bytes.count / 120, 1)
    for end in stride(from: 0, to: sample.bytes.count, by: step) {
      let strokes = Damage.strokes(of: Array(sample.bytes[..<end]), as: sample.format)
      #expect(strokes.count <= count, "cut at \(end)")
    }
  }

  @Test(arguments: small)
  func `a damaged foreign sample is refused or read in part`(sample: ForeignSample) {
    Damage.expectSurvival(ofChangesTo: sample.bytes, as: sample.format, changes: 150)
  }
}
