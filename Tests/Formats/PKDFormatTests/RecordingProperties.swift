import Strokes
import TestSupport

@testable import PKDFormat

/// Properties that hold for any bytes; checked by the tests and the fuzzers.
enum RecordingProperties {
  /// The first property that is violated; nil if all hold.
  static func violation(_ bytes: [UInt8], limits: PKDLimits = PKDLimits()) -> String? {
    let reader: PKDReader
    do throws(PKDError) {
      reader = try PKDReader(bytes, limits: limits)
    } catch {
      return (0...bytes.count).contains(error.offset) ? nil : "an error at byte \(error.offset)"
    }
    let (strokes, damage) = reader.readStrokes()
    if let damage = reader.damage ?? damage, !(0...bytes.count).contains(damage.offset) {
      return "damage at byte \(damage.offset) of \(bytes.count)"
    }
    if strokes.count > reader.strokeCount { return "more strokes than the count" }
    if strokes.count < reader.strokeCount, reader.damage ?? damage == nil {
      return "strokes are missing without damage"
    }
    for (index, stroke) in strokes.enumerated() {
      if reader.pointCount(ofStroke: index) != stroke.path.count { return "another point count" }
      if reader.ink(ofStroke: index) != stroke.ink { return "another ink" }
      let range = reader.timeRange(ofStroke: index)
      if range.lowerBound != stroke.path.creationDate { return "another date" }
      _ = reader.bounds(ofStroke: index)
    }
    for chunk in reader.chunks where chunk.type == .archive {
      let names = strokes.map(\.id)
      if let violation = outlineViolation(bytes, chunk, names, reader.header.version, limits) {
        return violation
      }
    }
    let recording = reader.readRecording().value
    if recording.allColumns.count < strokes.count { return "a stroke is in no event" }
    return roundTripViolation(recording)
  }

  /// A readable outline of an archive is the same after writing and reading it.
  private static func outlineViolation(
    _ bytes: [UInt8], _ chunk: Chunk, _ names: [Identifier], _ version: FormatVersion,
    _ limits: PKDLimits
  ) -> String? {
    guard
      let outline = try? ArchiveDecoder.decode(
        bytes, in: chunk.payload, names: names, version, limits: limits)
    else { return nil }
    if outline.bytes.count > limits.archiveBytes { return "an outline beyond its limit" }
    let coded = ArchiveEncoder.encode(outline, names: names)
    let again = try? ArchiveDecoder.decode(
      coded, in: coded.indices, names: names, limits: limits)
    return again?.bytes == outline.bytes ? nil : "an outline changes when it is written"
  }

  /// A recording that was read can be written and read again, and writing that gives the same
  /// bytes.
  static func roundTripViolation(_ recording: Recording) -> String? {
    let written: [UInt8]
    do throws(PKDContentError) {
      written = try PKDWriter.encode(recording)
    } catch {
      return "a recording that was read cannot be written: \(error)"
    }
    let again: PKDReader
    do throws(PKDError) {
      again = try PKDReader(written)
    } catch {
      return "a written recording cannot be read: \(error)"
    }
    let copy = again.readRecording().value
    if let damage = again.wholeDamage { return "a written recording is damaged: \(damage)" }
    if !again.isFinished { return "a written recording is not finished" }
    if copy != recording { return "a recording changes when it is written" }
    let (old, new) = (recording.allColumns, copy.allColumns)
    if !zip(old, new).allSatisfy({ $0.isIdentical(to: $1) }) {
      return "points change their bits when they are written"
    }
    return (try? PKDWriter.encode(copy)) == written ? nil : "the same recording becomes other bytes"
  }
}

extension Recording {
  /// The points of all strokes and paths.
  var allColumns: [PointColumns] {
    events.flatMap { event -> [PointColumns] in
      switch event.action {
      case .strokeBegun(let stroke): [stroke.path.columns]
      case .strokeExtended(_, let path): [path.columns]
      case .erased(_, let path, let changes):
        [path.columns] + changes.flatMap(\.replacements).map(\.path.columns)
      case .edited(let changes, let above, let below):
        (changes.flatMap(\.replacements) + above + below).map(\.path.columns)
      default: []
      }
    }
  }
}

extension PKDReader {
  /// The first damage that opening the file or reading all its content finds.
  var wholeDamage: PKDError? { damage ?? readDrawing().damage }
}
