import PKDFormat
import Strokes
import TestSupport

/// Recordings of a few tiny strokes, and their merging by the simplest rules that sync needs. The
/// real rules have separate tests.
enum SimulatedInk {
  static func stroke(_ chance: inout Chance, at time: Int64) -> PKStroke {
    chance.smallStroke(at: Timestamp(secondsSince1970: Double(time / 1_000_000)))
  }

  static func bytes(_ strokes: [PKStroke]) throws -> [UInt8] {
    try PKDWriter.encode(PKDrawing(strokes: strokes))
  }

  static func strokes(_ bytes: [UInt8]) throws -> [PKStroke] {
    try PKDReader(bytes).readDrawing().value.strokes
  }

  /// The merged strokes: all that either version added, without those that either erased.
  static func merge(_ base: [UInt8]?, _ ours: [UInt8], _ theirs: [UInt8]) throws -> [UInt8] {
    let before = Set(try base.map { try strokes($0).map(\.id) } ?? [])
    let (a, b) = (try strokes(ours), try strokes(theirs))
    let (mine, other) = (Set(a.map(\.id)), Set(b.map(\.id)))
    func isKept(_ stroke: PKStroke) -> Bool {
      !before.contains(stroke.id) || mine.contains(stroke.id) && other.contains(stroke.id)
    }
    var kept: [Identifier: PKStroke] = [:]
    for stroke in a + b where isKept(stroke) { kept[stroke.id] = stroke }
    let sorted = kept.values.sorted { x, y in
      x.path.creationDate != y.path.creationDate
        ? x.path.creationDate < y.path.creationDate : "\(x.id)" < "\(y.id)"
    }
    return try bytes(sorted)
  }
}
