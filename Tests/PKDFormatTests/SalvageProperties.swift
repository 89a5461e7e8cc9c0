import Strokes

@testable import PKDFormat

/// What must hold for what is made of any damaged file: the tests and the fuzzers ask the same.
enum SalvageProperties {
  /// How a property was violated; nil where all hold.
  static func violation(_ bytes: [UInt8], limits: PKDLimits = PKDLimits()) -> String? {
    let verification: PKDVerification
    do throws(PKDError) {
      verification = try PKDVerification(bytes, limits: limits)
    } catch {
      if !(0...bytes.count).contains(error.offset) { return "an error at byte \(error.offset)" }
      return (try? PKDReader(bytes, limits: limits)) == nil ? nil : "only the reader takes the file"
    }
    do {
      let repaired = try verification.repaired { _ in true }.bytes
      let again = try PKDVerification(repaired)
      if let problem = again.problems.first { return "a repaired file is not sound: \(problem)" }
      if !again.isFinished { return "a repaired file is not finished" }
      if try again.repaired({ _ in true }).bytes != repaired {
        return "a second repair changes a file"
      }
      let before = try PKDReader(bytes, limits: limits)
      let after = try PKDReader(repaired)
      return lossViolation(before, after, lacksEvents: verification.lacksEvents)
    } catch {
      return "a repair fails, or cannot be read: \(error)"
    }
  }

  /// Whether something is missing that lies before the first damage.
  private static func lossViolation(
    _ before: PKDReader, _ after: PKDReader, lacksEvents: Bool
  ) -> String? {
    // Asking for all strokes finds damage that the chunks do not show.
    let strokes = before.readStrokes().value
    if lacksEvents { return lossViolation(ofEventless: before, after) }
    let recording = before.readRecording().value
    if before.wholeDamage == nil, after.readRecording().value != recording {
      return "repairing changes what is sound"
    }
    var kept: [Way: Int] = [:]
    let whole = after.readStrokes().value
    for stroke in whole { kept[Way(stroke.path), default: 0] += 1 }
    for (number, stroke) in strokes.enumerated() where !stroke.path.isEmpty {
      if number >= before.recordCount {
        // What was under the pen may have got more points since, and what the end says counts.
        let path = stroke.path
        if whole.contains(where: {
          $0.path.creationDate == path.creationDate && $0.path.count >= path.count
        }) {
          continue
        }
        return "the stroke under the pen before the damage is lost"
      }
      guard let count = kept[Way(stroke.path)], count > 0 else {
        return "stroke \(number) of those before the damage is lost"
      }
      kept[Way(stroke.path)] = count - 1
    }
    return nil
  }

  /// The same where no event is left: then what was cut is there as its pieces, and what may have
  /// been a stroke's later points joins it.
  private static func lossViolation(ofEventless before: PKDReader, _ after: PKDReader) -> String? {
    let strokes = before.readStrokes().value
    // Their names may lie behind the damage.
    var cutCount = strokes.count { $0.parentID != nil }
    let kept = after.readStrokes().value
    for (number, stroke) in strokes.enumerated() where !stroke.path.isEmpty {
      if number < before.recordCount, before.isBare(number) { continue }
      let isKept = kept.contains { other in
        other.ink == stroke.ink
          && other.randomSeed == stroke.randomSeed && other.transform == stroke.transform
          && other.path.begins(with: stroke.path)
      }
      if !isKept { cutCount -= 1 }
      if cutCount < 0 { return "stroke \(number) of a file without events is lost" }
    }
    return nil
  }

  /// The way of a stroke or an eraser. What it was is told by names and events, which may lie behind
  /// the damage.
  private struct Way: Hashable {
    let date: Timestamp
    let columns: PointColumns

    init(_ path: PKStrokePath) {
      date = path.creationDate
      columns = path.columns
    }
  }
}

extension PKStrokePath {
  fileprivate func begins(with other: PKStrokePath) -> Bool {
    creationDate == other.creationDate && starts(with: other)
  }
}
