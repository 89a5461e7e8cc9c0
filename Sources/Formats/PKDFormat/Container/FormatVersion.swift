/// The major version of a file. Files of every version are read; new ones have the latest.
package enum FormatVersion: UInt8, Sendable {
  case first = 1
  /// Since this version values may be predicted, inks are shorter, and small files are one chunk.
  case second = 2

  static let latest = second

  /// The number of the statistics that numbers are coded with. The second set has those of the
  /// first, and more kinds.
  var statistics: UInt8 { rawValue }

  /// The steps that are known without being stored: the first rows of every table of steps.
  var knownSteps: ArraySlice<ValueSteps> {
    ValueSteps.known[..<(self == .first ? 16 : ValueSteps.known.count)]
  }

  /// The number of kinds of rows in a shape.
  var rowKindCount: Int { self == .first ? 5 : 8 }
}
