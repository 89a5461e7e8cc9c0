import Strokes

@testable import PKDFormat

/// Properties that hold for the repair of any damaged file; checked by the tests and the fuzzers.
enum SalvageProperties {
  /// The first property that is violated; nil if all hold.
  static func violation(_ bytes: [UInt8], limits: PKDLimits = PKDLimits()) -> String? {
    let verification: PKDVerification
    do throws(PKDError) {
      verification = try PKDVerification(bytes, limits: limits)
    } catch {
      if !(0...bytes.count).contains(error.offset) { return "an error at byte \(error.offset)" }
      return (try? PKDReader(bytes, limits: limits)) == nil
        ? nil : "only the reader accepts the file"
    }
    do {
      let repaired = try verification.repaired { _ in true }.bytes
      let again = try PKDVerification(repaired)
      if let problem = again.problems.first { return "a repaired file is not intact: \(problem)" }
      if !again.isFinished { return "a repaired file is not finished" }
      if try again.repaired({ _ in true }).bytes != repaired {
        return "a second repair changes a file"
      }
      guard let before = try? PKDReader(bytes, limits: limits) else {
        // The rest of a damaged page may be wrong, so readers refuse it.
        return DamagedPage(of: bytes, limits: limits) == nil || verification.problems.isEmpty
          ? "only the verification accepts the file" : nil
      }
      let after = try PKDReader(repaired)
      return lossViolation(before, after, lacksEvents: verification.lacksEvents)
    } catch {
      return "a repair fails, or cannot be read: \(error)"
    }
  }

  /// The content before the first damage that is missing; nil if there is none.
  private static func lossViolation(
    _ before: PKDReader, _ after: PKDReader, lacksEvents: Bool
  ) -> String? {
    // Reading all strokes finds damage that checksums do not detect.
    let strokes = before.readStrokes().value
    if lacksEvents { return lossViolation(ofEventless: before, after) }
    let recording = before.readRecording().value
    if before.wholeDamage == nil, after.readRecording().value != recording {
      return "repairing changes an intact recording"
    }
    var kept: [PathKey: Int] = [:]
    let whole = after.readStrokes().value
    for stroke in whole { kept[PathKey(stroke.path), default: 0] += 1 }
    for (number, stroke) in strokes.enumerated() where !stroke.path.isEmpty {
      if number >= before.recordCount {
        // Behind the damage, the file may have more points of the unfinished stroke, or its
        // finished form.
        let path = stroke.path
        if whole.contains(where: {
          $0.path.creationDate == path.creationDate && $0.path.count >= path.count
        }) {
          continue
        }
        return "the unfinished stroke before the damage is lost"
      }
      guard let count = kept[PathKey(stroke.path)], count > 0 else {
        return "stroke \(number) before the damage is lost"
      }
      kept[PathKey(stroke.path)] = count - 1
    }
    return nil
  }

  /// Like `lossViolation(_:_:)`, for a file without events: cut strokes are represented by their
  /// pieces, and paths that may be a stroke's later points are joined to it.
  private static func lossViolation(ofEventless before: PKDReader, _ after: PKDReader) -> String? {
    let strokes = before.readStrokes().value
    // The identifiers of pieces may be behind the damage.
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

  /// Identifies the path of a stroke or an eraser. Identifiers and events are unsuitable, because
  /// they may be behind the damage.
  private struct PathKey: Hashable {
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
