import Graphics

/// One written letter, as the ways of the pen.
///
/// Coordinates count from the left end of the baseline, y upwards; small letters are ten high,
/// ascenders twenty, descenders nine deep. Letters stand upright here and are slanted when written.
struct Letterform {
  /// How far it is to where the next letter begins.
  let width: Double
  /// Whether the letter before runs into this one without lifting the pen.
  let isJoinedBefore: Bool
  /// Whether this one runs into the letter after.
  let isJoinedAfter: Bool
  /// The way that is only taken when the pen comes from the air.
  let leadIn: [Guide.Knot]
  /// The letter itself.
  let body: [Guide.Knot]
  /// Dots and bars that are added when the word is done.
  let additions: [[Guide.Knot]]

  /// Reads ways with slashes between them: points as in a guide, those of the lead-in with a tilde.
  init(_ width: Double, _ ways: String, before: Bool = true, after: Bool = true) {
    self.width = width
    isJoinedBefore = before
    isJoinedAfter = after
    let ways = ways.split(separator: "/").map { Guide.words(of: $0) }
    let main = ways.first ?? []
    leadIn = main.filter { $0.hasPrefix("~") }.map { Guide.Knot(String($0.dropFirst())) }
    body = main.filter { !$0.hasPrefix("~") }.map { Guide.Knot($0) }
    additions = ways.dropFirst().map { way in way.map { Guide.Knot($0) } }
  }
}
