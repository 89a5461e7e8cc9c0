import Foundation
import Compression
import Graphics
import Strokes
import TestSupport
import Testing

@testable import PencilKitArchive

@Suite(.enabled(if: Corpus.isPresent, "\(Corpus.absence)"))
struct CorpusTests {
  static let names = Corpus.names(in: "pkdrawing", suffix: ".drawing")

  static func bytes(_ name: String) throws -> [UInt8] { try Corpus.bytes("pkdrawing/\(name)") }

  @Test(arguments: names)
  func `a real archive is written again byte for byte`(_ name: String) throws {
    let bytes = try Self.bytes(name)
    let reader = try PencilKitReader(bytes)
    switch reader.summary.form {
    case .wrd: #expect(reader.drawing.dataRepresentation() == bytes)
    case .databaseBlob: #expect([1] + reader.drawing.dataRepresentation() == bytes)
    case .notes2018:
      let message = try Inflate.inflate(bytes, limit: 1 << 24)
      #expect(PencilKitWriter.notes2018Message(reader.drawing) == message)
    }
  }

  @Test(arguments: names)
  func `a real archive keeps its drawing through an archive without its residue`(
    _ name: String
  ) throws {
    let drawing = try PKDrawing(data: try Self.bytes(name))
    let bare = PKDrawing(strokes: drawing.strokes)
    let again = try PKDrawing(data: bare.dataRepresentation())
    #expect(again.strokes.count == drawing.strokes.count)
    for (a, b) in zip(again.strokes, drawing.strokes) {
      #expect(a.ink == b.ink && a.transform == b.transform && a.mask == b.mask)
      #expect(a.path.count == b.path.count && a.path.creationDate == b.path.creationDate)
      #expect(a.id == b.id && a.randomSeed == b.randomSeed && a.renderBounds == b.renderBounds)
    }
  }

  /// The counts in the corpus's note on origins: strokes with a path, deleted ones, pieces, points.
  @Test(
    arguments: [
      ("apple-notes-color", 835, 52, 0, 20_323), ("finger-single-2019", 1, 1, 0, 50),
      ("empty-2019", 0, 0, 0, 0), ("kineo-page", 1, 2, 0, 40), ("inpaint-pencil", 1, 0, 0, 1506),
      ("ichart-half-notes", 4, 0, 0, 68), ("ichart-notes-2", 8, 0, 0, 123),
      ("inkterop-case01-dot", 1, 0, 0, 1), ("inkterop-case04-pressure-ramp", 1, 0, 0, 9),
      ("libfreeform-ink-pen", 2, 0, 0, 6), ("carve-erase0-before", 2, 0, 0, 20),
      ("carve-erase1-partial", 2, 1, 2, 20),
    ])
  func `a real archive has the counts of its origin note`(
    _ name: String, _ strokes: Int, _ deleted: Int, _ pieces: Int, _ points: Int
  ) throws {
    let reader = try PencilKitReader(try Self.bytes(name + ".drawing"))
    let paths = Dictionary(
      grouping: reader.drawing.strokes, by: { $0.parentID ?? $0.id }
    ).values.compactMap(\.first)
    #expect(paths.count == strokes)
    #expect(paths.reduce(0) { $0 + $1.path.count } == points)
    #expect(reader.summary.deletedStrokeCount == deleted)
    #expect(reader.summary.pieceCount == pieces)
  }

  @Test func `a drawing cut by the pixel eraser shows three strokes, two of them masked`() throws {
    let drawing = try PKDrawing(data: try Self.bytes("carve-erase1-partial.drawing"))
    #expect(drawing.strokes.count == 3)
    let masked = drawing.strokes.filter { $0.mask != nil }
    #expect(masked.flatMap(\.maskedPathRanges).map(\.lowerBound) == [5.003333568572998, 0])
    #expect(masked.flatMap(\.maskedPathRanges).map(\.upperBound) == [9, 3.6633334159851074])
    #expect(Set(drawing.strokes.map(\.randomSeed)) == [956_091_164, 491_497_907])
    // The public test with this file gives the parameters at which the cuts cross the path.
    let path = masked[0].path
    #expect(abs(path.interpolatedLocation(at: 3.6633).x - 162.9) < 0.05)
    #expect(abs(path.interpolatedLocation(at: 5.0033).x - 203.1) < 0.05)
  }

  @Test func `stroke bounds computed here lie close to those that PencilKit stored`() throws {
    for name in Self.names where name != "apple-notes-color.drawing" {
      for stroke in try PKDrawing(data: try Self.bytes(name)).strokes where stroke.mask == nil {
        guard let stored = stroke.archivedBounds else { continue }
        var copy = stroke
        copy.transform = stroke.transform
        let own = copy.renderBounds
        #expect(
          abs(own.minX - stored.minX) <= 4 && abs(own.maxX - stored.maxX) <= 4,
          "\(name): \(own) \(stored)")
        #expect(
          abs(own.minY - stored.minY) <= 4 && abs(own.maxY - stored.maxY) <= 4,
          "\(name): \(own) \(stored)")
      }
    }
  }

  // MARK: - Values that Apple's own interface read from the same files

  private struct Truth: Decodable {
    struct Stroke: Decodable {
      struct ControlPoint: Decodable {
        let altitude, azimuth, force, h, opacity, secondaryScale, t, w, x, y: Double
      }
      struct Tint: Decodable { let r, g, b, a: Double }
      let color: Tint
      let controlPointCount: Int
      let controlPoints: [ControlPoint]
    }
    let strokeCount: Int
    let strokes: [Stroke]
  }

  @Test(arguments: Corpus.names(in: "pkdrawing", suffix: ".truth.json"))
  func `all channels equal those that Apple's interface reads`(_ name: String) throws {
    let truth = try JSONDecoder().decode(Truth.self, from: Data(try Self.bytes(name)))
    let file = name.replacingOccurrences(of: ".truth.json", with: ".drawing")
    let drawing = try PKDrawing(data: try Self.bytes(file))
    #expect(drawing.strokes.count == truth.strokeCount)
    let tolerance = 5e-16
    for (stroke, expected) in zip(drawing.strokes, truth.strokes) {
      let color = stroke.ink.color
      #expect(color.red == expected.color.r && color.green == expected.color.g)
      #expect(color.blue == expected.color.b && color.alpha == expected.color.a)
      #expect(stroke.path.count == expected.controlPointCount)
      for (point, truth) in zip(stroke.path, expected.controlPoints) {
        #expect(abs(point.location.x - truth.x) <= tolerance)
        #expect(abs(point.location.y - truth.y) <= tolerance)
        #expect(abs(point.timeOffset - truth.t) <= tolerance)
        #expect(abs(point.size.width - truth.w) <= tolerance)
        #expect(abs(point.size.height - truth.h) <= tolerance)
        #expect(abs(point.force - truth.force) <= tolerance)
        #expect(abs(point.azimuth - truth.azimuth) <= tolerance)
        #expect(abs(point.altitude - truth.altitude) <= tolerance)
        #expect(abs(point.opacity - truth.opacity) <= tolerance)
        #expect(abs(point.secondaryScale - truth.secondaryScale) <= tolerance)
      }
    }
  }
}
