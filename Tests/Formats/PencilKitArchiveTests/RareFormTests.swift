import Graphics
import Strokes
import TestSupport
import Testing

@testable import PencilKitArchive

/// Forms that no archive of the corpus has, but that are still written again byte for byte.
struct RareFormTests {
  @Test func `a box beside pieces round-trips`() throws {
    try expectSameBytes { stroke in
      stroke.field(StrokeField.bounds, floats: 1, 2, 3, 4)
      stroke.field(StrokeField.pieces) { piece in piece.field(StrokeField.flags, number: 14) }
    }
  }

  @Test func `a mask and ranges beside pieces round-trip`() throws {
    try expectSameBytes { stroke in
      stroke.field(StrokeField.mask, bytes: Self.triangle)
      stroke.field(StrokeField.pieces) { piece in
        piece.field(StrokeField.mask, bytes: Self.triangle)
      }
      stroke.field(StrokeField.ranges, float: 0.25)
      stroke.field(StrokeField.ranges, float: 0.5)
    }
  }

  @Test func `a mask on the stroke itself stays there`() throws {
    let drawing = try expectSameBytes { stroke in
      stroke.field(StrokeField.mask, bytes: Self.triangle)
      stroke.field(StrokeField.ranges, float: 0.25)
      stroke.field(StrokeField.ranges, float: 0.5)
    }
    #expect(drawing.strokes[0].mask != nil)
    #expect(drawing.strokes[0].maskedPathRanges == [0.25...0.5])
  }

  @Test func `a piece of a stroke that has a mask on itself is written as a piece`() throws {
    var drawing = try expectSameBytes { stroke in
      stroke.field(StrokeField.mask, bytes: Self.triangle)
    }
    let whole = drawing.strokes[0]
    var piece = whole.renamed(Identifier(high: 5, low: 9))
    piece.parentID = whole.id
    piece.mask = Path(Rect(x: 0, y: 0, width: 4, height: 4))
    drawing.strokes = [piece]
    let reader = try PencilKitReader(drawing.dataRepresentation())
    #expect(reader.summary.pieceCount == 1 && reader.summary.deletedStrokeCount == 0)
    #expect(reader.drawing.strokes.map(\.parentID) == [whole.id])
    #expect(reader.drawing.strokes.map(\.mask) == [piece.mask])
  }

  @Test func `ranges on the stroke itself limit its visible part`() throws {
    let drawing = try expectSameBytes { stroke in
      stroke.field(StrokeField.ranges, float: 0.25)
      stroke.field(StrokeField.ranges, float: 0.5)
    }
    #expect(drawing.strokes[0].visiblePathRange == 0.25...0.5)
  }

  @Test(arguments: [[0.5, 0.25], [0.25], [0, 0.5, 1]])
  func `odd and reversed ranges round-trip`(_ bounds: [Double]) throws {
    try expectSameBytes { stroke in
      stroke.field(StrokeField.pieces) { piece in
        piece.field(StrokeField.mask, bytes: Self.triangle)
        for bound in bounds { piece.field(StrokeField.ranges, float: Float(bound)) }
      }
    }
  }

  @Test func `packed ranges round-trip`() throws {
    let drawing = try expectSameBytes { stroke in
      stroke.field(StrokeField.pieces) { piece in
        piece.field(StrokeField.mask, bytes: Self.triangle)
        piece.field(StrokeField.ranges, bytes: Self.floats(0.25, 0.5))
      }
    }
    #expect(drawing.strokes[0].maskedPathRanges == [0.25...0.5])
  }

  @Test func `packed ranges that end inside a number are refused`() {
    let bytes = Self.archive { stroke in
      stroke.field(StrokeField.ranges, bytes: [0, 0, 0, 62, 0])
    }
    #expect(throws: PencilKitError.self) { try PencilKitReader(bytes) }
  }

  @Test func `seed bits without the bit that announces them round-trip`() throws {
    let drawing = try expectSameBytes { stroke in
      stroke.field(StrokeField.flags, number: 77 << 5)
    }
    #expect(drawing.strokes[0].randomSeed == 77)
  }

  @Test func `a piece with a seed of its own keeps it`() throws {
    let drawing = try expectSameBytes { stroke in
      stroke.field(StrokeField.flags, number: StrokeFlags.seedBit | 5 << 5)
      for seed: UInt64 in [6, 7] {
        stroke.field(StrokeField.pieces) { piece in
          piece.field(StrokeField.flags, number: StrokeFlags.seedBit | seed << 5 | 14)
        }
      }
      stroke.field(StrokeField.pieces) { piece in piece.field(StrokeField.flags, number: 14) }
      stroke.field(StrokeField.pieces) { _ in }
    }
    #expect(drawing.strokes.map(\.randomSeed) == [6, 7, 5, 5])
  }

  @Test func `a changed seed of a piece is written`() throws {
    var drawing = try PKDrawing(
      data: Self.archive { stroke in
        stroke.field(StrokeField.flags, number: StrokeFlags.seedBit | 5 << 5)
        stroke.field(StrokeField.pieces) { _ in }
        stroke.field(StrokeField.pieces) { _ in }
      })
    drawing.strokes[1].randomSeed = 0
    let again = try PKDrawing(data: drawing.dataRepresentation())
    #expect(again.strokes.map(\.randomSeed) == [5, 0])
  }

  @Test(arguments: [
    [1e30, 2, 1, 1], [5, 5, -3, -2], [.infinity, .infinity, 0, 0], [1, 2, 3], [0.1, 0.1, 1e-9, 0],
  ])
  func `a box that the model cannot hold round-trips`(_ numbers: [Double]) throws {
    let drawing = try expectSameBytes(isEmpty: true) { stroke in
      stroke.field(StrokeField.bounds) { box in
        for (index, number) in numbers.enumerated() { box.field(index + 1, float: Float(number)) }
      }
    }
    #expect(drawing.bounds.isNull == numbers[0].isInfinite)
  }

  @Test func `the last of repeated constant values of an empty path counts`() throws {
    var writer = WireWriter()
    writer.append(WrdDecoder.magic + [1, 0])
    writer.field(DrawingField.inks) { ink in
      ink.field(InkField.identifier, bytes: "com.apple.ink.pen".utf8)
    }
    writer.field(DrawingField.strokes) { stroke in
      stroke.field(StrokeField.path) { path in
        path.field(PathField.pointChannels, number: 1)
        path.field(PathField.constantChannels, number: 2)
        path.field(PathField.constants, bytes: Self.floats(.nan))
        path.field(PathField.constants, bytes: Self.floats(0.5))
      }
    }
    let drawing = try PKDrawing(data: writer.bytes)
    #expect(drawing.dataRepresentation() == writer.bytes)
    #expect(try PKDrawing(data: drawing.dataRepresentation()) == drawing)
  }

  @Test func `new bounds replace those of the archive`() throws {
    var drawing = try PKDrawing(
      data: Self.archive { stroke in stroke.field(StrokeField.bounds, floats: 5, 5, -3, -2) })
    var random = RandomInk(seed: 3)
    drawing.strokes[0].path = random.stroke().path
    drawing.transform(using: AffineTransform(translationX: 100, y: 0))
    let again = try PKDrawing(data: drawing.dataRepresentation())
    #expect(again.bounds == drawing.bounds)
    #expect(again.bounds.width > 0)
  }

  @Test func `the fields of a transform in another order round-trip`() throws {
    let drawing = try expectSameBytes { stroke in
      stroke.field(StrokeField.transform) { transform in
        for (number, value) in [(6, 20), (5, 10), (1, 1), (4, 1)] {
          transform.field(number, float: Float(value))
        }
      }
    }
    #expect(drawing.strokes[0].transform == AffineTransform(translationX: 10, y: 20))
  }

  @Test func `more strokes or pieces than a file of this size can describe are refused`() {
    #expect(!Self.isRefused(Self.archive(strokes: 900, points: 0) { _ in }))
    #expect(Self.isRefused(Self.archive(strokes: 5_000, points: 0) { _ in }))
    #expect(
      Self.isRefused(
        Self.archive { stroke in
          for _ in 0..<5_000 { stroke.field(StrokeField.pieces) { _ in } }
        }))
  }

  @Test func `hundreds of pieces of a very long stroke are refused`() {
    for (pieces, isRefused) in [(80, false), (500, true)] {
      let bytes = Self.archive(points: 100_000) { stroke in
        for _ in 0..<pieces { stroke.field(StrokeField.pieces) { _ in } }
      }
      #expect(Self.isRefused(bytes) == isRefused)
    }
  }

  private static func isRefused(_ bytes: [UInt8]) -> Bool {
    do throws(PencilKitError) {
      _ = try PencilKitReader(bytes)
      return false
    } catch {
      return error.reason == .tooMuch
    }
  }

  /// Expects that an archive is written again byte for byte.
  @discardableResult
  private func expectSameBytes(
    isEmpty: Bool = false, _ fields: (inout WireWriter) -> Void
  ) throws -> PKDrawing {
    let bytes = Self.archive(points: isEmpty ? 0 : 3, fields)
    let drawing = try PKDrawing(data: bytes)
    #expect(drawing.dataRepresentation() == bytes)
    return drawing
  }

  /// An archive of equal strokes with a few points, and with more fields after the path.
  private static func archive(
    strokes: Int = 1, points: Int = 3, _ fields: (inout WireWriter) -> Void
  ) -> [UInt8] {
    var writer = WireWriter()
    writer.append(WrdDecoder.magic + [1, 0])
    writer.field(DrawingField.inks) { ink in
      ink.field(InkField.identifier, bytes: "com.apple.ink.pen".utf8)
    }
    for _ in 0..<strokes {
      writer.field(DrawingField.strokes) { stroke in
        stroke.field(StrokeField.path) { path in
          if points > 0 { path.field(PathField.count, number: UInt64(points)) }
          path.field(PathField.pointChannels, number: 1)
          if points > 0 {
            path.field(
              PathField.points,
              bytes: (0..<points).flatMap { floats(Float($0), Float($0 * $0 % 97)) })
          }
        }
        fields(&stroke)
      }
    }
    return writer.bytes
  }

  private static let triangle = floats(0, 0, 9, 0, 0, 9)

  private static func floats(_ values: Float...) -> [UInt8] {
    values.flatMap { value in
      (0..<4).map { UInt8(truncatingIfNeeded: value.bitPattern >> (8 * UInt32($0))) }
    }
  }
}
