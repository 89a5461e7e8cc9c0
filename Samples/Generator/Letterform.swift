import Graphics

/// One written letter, as paths of the pen.
///
/// The origin is the left end of the baseline, y grows upwards; small letters are ten units high,
/// ascenders twenty, descenders nine deep. Letters are upright here and slanted when written.
struct Letterform {
  /// The distance to the beginning of the next letter.
  let width: Double
  /// Whether the previous letter may be joined to this one without lifting the pen.
  let isJoinedBefore: Bool
  /// Whether this letter may be joined to the next one.
  let isJoinedAfter: Bool
  /// The lead-in, which is drawn only if the previous letter is not joined.
  let leadIn: [Guide.Knot]
  /// The knots of the letter without lead-in and additions.
  let body: [Guide.Knot]
  /// Dots and bars that are added after the word.
  let additions: [[Guide.Knot]]

  /// Parses paths separated by slashes: points as in a guide, those of the lead-in with a tilde.
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
