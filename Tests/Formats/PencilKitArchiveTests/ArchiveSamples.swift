import Graphics
import Strokes
import TestSupport

@testable import PencilKitArchive

/// Small generated archives of every form, which together use every kind of field.
enum ArchiveSamples {
  /// A drawing with a transform, a mask, a seed, a group, a substroke and two inks.
  static func drawing() -> PKDrawing {
    var random = RandomInk(seed: 11)
    var strokes = (0..<3).map { _ in random.stroke(pointCount: 2...6) }
    strokes[0].transform = random.transform()
    strokes[1].mask = random.mask()
    strokes[2].renderGroupID = random.identifier()
    return PKDrawing(strokes: strokes)
  }

  static var wrd: [UInt8] { drawing().dataRepresentation() }

  static var databaseBlob: [UInt8] { [1] + wrd }

  /// An archive written after the drawing was changed: one stroke removed, one cut, one added.
  static func edited() throws -> [UInt8] {
    var drawing = try PKDrawing(data: wrd)
    var random = RandomInk(seed: 12)
    drawing.strokes.remove(at: 2)
    drawing.strokes[0].mask = random.mask()
    drawing.strokes.append(random.stroke(pointCount: 2...4))
    return drawing.dataRepresentation()
  }

  /// The message of a drawing of 2018: two strokes, one of them deleted.
  static var message2018: [UInt8] {
    func point(_ index: Int) -> [UInt8] {
      func word(_ value: Int) -> [UInt8] { [UInt8(value & 255), UInt8(value >> 8)] }
      func float(_ value: Float) -> [UInt8] {
        (0..<4).map { UInt8(truncatingIfNeeded: value.bitPattern >> (8 * UInt32($0))) }
      }
      let t = Float(index)
      return float(t / 128) + float(10 + 3 * t) + float(20 + t * t)
        + word(24 + index) + word(1000) + word(0) + word(300 + 7 * index) + word(43_000)
        + [96, 254]
    }
    var drawing = WireWriter()
    drawing.field(1, number: 10)
    drawing.field(DrawingField.inks) { ink in
      ink.field(InkField.color, floats: 0, 0.5, 1, 1)
      ink.field(InkField.identifier, bytes: "com.apple.ink.pen".utf8)
      ink.field(InkField.version, number: 3)
    }
    for isDeleted in [false, true] {
      drawing.field(DrawingField.strokes) { stroke in
        stroke.field(
          Stroke2018Field.version, version: ArchiveVersion(clock: 0, replica: 2, subClock: 1))
        if !isDeleted {
          stroke.field(Stroke2018Field.ink, number: 0)
          stroke.field(Stroke2018Field.count, number: 4)
          stroke.field(Stroke2018Field.points, bytes: (0..<4).flatMap(point))
          stroke.field(Stroke2018Field.bounds, floats: 9, 19, 12, 12)
        }
        stroke.field(Stroke2018Field.hidden, number: isDeleted ? 1 : 0)
        stroke.field(Stroke2018Field.creationDate, double: 27_266.608)
        stroke.field(
          Stroke2018Field.identifier, identifier: Identifier(high: 7, low: isDeleted ? 2 : 1))
      }
    }
    drawing.field(9, identifier: Identifier(high: 1, low: 2))
    var document = WireWriter()
    document.field(1, number: 0)
    document.field(Document2018Field.content) { content in
      content.field(1, number: 10)
      content.field(Document2018Field.drawing, bytes: drawing.bytes)
    }
    return document.bytes
  }

  /// The same message in zlib's form, stored without compression.
  static var zlib2018: [UInt8] {
    let message = message2018
    let length = [UInt8(message.count & 255), UInt8(message.count >> 8)]
    var (a, b): (UInt32, UInt32) = (1, 0)
    for byte in message {
      a = (a + UInt32(byte)) % 65_521
      b = (b + a) % 65_521
    }
    let check = [b >> 8, b, a >> 8, a].map { UInt8(truncatingIfNeeded: $0) }
    return [0x78, 0x01, 0x01] + length + length.map { ~$0 } + message + check
  }
}

/// Reads bytes that may be damaged, and checks properties that must hold for any bytes.
enum ReaderProperties {
  struct Violation: Error { let what: String }

  static func check(_ bytes: [UInt8]) throws {
    let reader: PencilKitReader
    do throws(PencilKitError) {
      reader = try PencilKitReader(bytes)
    } catch {
      guard error.offset >= 0 else { throw Violation(what: "an error at a negative offset") }
      return
    }
    try checkBounds(of: reader.drawing)
    if reader.summary.form != .notes2018 {
      let kept = try PKDrawing(data: bytes).dataRepresentation()
      guard kept.elementsEqual(bytes.first == 1 ? bytes.dropFirst() : bytes[...]) else {
        throw Violation(what: "an archive comes back with other bytes")
      }
    }
    try checkRoundTrip(reader.drawing)
  }

  /// Checks the bounds that an archive gives, and those computed from the ink. Numbers in archives
  /// are 32-bit floats, so no box can reach beyond the range of doubles.
  private static func checkBounds(of drawing: PKDrawing) throws {
    for box in [drawing.bounds] + drawing.strokes.map({ $0.inkBounds() }) where !box.isNull {
      guard Point(x: box.minX, y: box.minY).isFinite, Point(x: box.maxX, y: box.maxY).isFinite
      else { throw Violation(what: "the bounds are not finite: \(box)") }
    }
  }

  static func check2018(_ message: [UInt8]) throws {
    guard let archive = try? Notes2018Decoder.decode(message) else { return }
    var drawing = PKDrawing(strokes: archive.strokes)
    drawing.residue = ArchiveResidue(form: .notes2018, bytes: archive.outline)
    guard let again = PencilKitWriter.notes2018Message(drawing),
      let second = try? Notes2018Decoder.decode(again)
    else { throw Violation(what: "a drawing that was read cannot be written and read again") }
    guard second.strokes == archive.strokes else {
      throw Violation(what: "a drawing of 2018 changes when it is written and read again")
    }
  }

  private static func checkRoundTrip(_ drawing: PKDrawing) throws {
    let written = drawing.dataRepresentation()
    let again: PKDrawing
    do {
      again = try PKDrawing(data: written)
    } catch {
      throw Violation(what: "a written drawing cannot be read: \(error)")
    }
    guard again.dataRepresentation() == written else {
      throw Violation(what: "a drawing that was written and read again is written with other bytes")
    }
    // Today's archives quantize some values differently from those of 2018.
    let isOld = drawing.residue?.form == .notes2018
    guard isOld || again == drawing else {
      throw Violation(what: "a drawing changes when it is written and read again")
    }
  }
}

extension WireWriter {
  /// A message of the 32-bit fields 1, 2, 3 …
  mutating func field(_ number: Int, floats: Double...) {
    field(number) { message in
      for (index, value) in floats.enumerated() { message.field(index + 1, float: Float(value)) }
    }
  }
}
