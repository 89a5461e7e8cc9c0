/// The form of an option's values: the parser refuses other values, so that commands need no
/// checks.
package struct ValueForm: Sendable {
  private let makeWords: @Sendable () -> String
  package let accepts: @Sendable (String) -> Bool

  /// A form that a function checks.
  package init(
    _ words: @autoclosure @escaping @Sendable () -> String,
    accepts: @escaping @Sendable (String) -> Bool
  ) {
    (makeWords, self.accepts) = (words, accepts)
  }

  /// A description of the form, for errors and after "needs": "a whole number from 1 to 500".
  package var words: String { makeWords() }

  /// A whole number in a range; the bounds may be the least and the greatest number.
  package static func whole(_ range: ClosedRange<Int>) -> ValueForm {
    ValueForm("a whole number" + words(range, .min, .max)) {
      Int($0).map(range.contains) ?? false
    }
  }

  /// A whole number that is at least a minimum.
  package static func whole(_ range: PartialRangeFrom<Int>) -> ValueForm {
    whole(range.lowerBound...Int.max)
  }

  /// Any whole number.
  package static let whole = whole(Int.min...Int.max)

  /// A number in a range, whose ends may be infinite; the number itself is not.
  package static func number(_ range: ClosedRange<Double>) -> ValueForm {
    ValueForm("a number" + words(range, -.infinity, .infinity)) {
      Double($0).map { $0.isFinite && range.contains($0) } ?? false
    }
  }

  /// A number above zero, and at most a limit.
  package static func positive(upTo limit: Double = .infinity) -> ValueForm {
    let end = limit.isFinite ? " and at most \(text(limit))" : ""
    return ValueForm("a number above zero\(end)") {
      Double($0).map { $0.isFinite && $0 > 0 && $0 <= limit } ?? false
    }
  }

  private static func words<Bound>(
    _ range: ClosedRange<Bound>, _ lowest: Bound, _ highest: Bound
  ) -> String {
    let (low, high) = (text(range.lowerBound), text(range.upperBound))
    return switch (range.lowerBound == lowest, range.upperBound == highest) {
    case (true, true): ""
    case (true, false): " of at most \(high)"
    case (false, true): low == "0" ? " of zero or more" : " from \(low) on"
    case (false, false): " from \(low) to \(high)"
    }
  }

  /// A bound; whole numbers are printed without a fraction.
  private static func text(_ bound: some Comparable) -> String {
    if let number = bound as? Double, let whole = Int(exactly: number) { return "\(whole)" }
    return "\(bound)"
  }
}

extension Arguments {
  /// The number of an option whose form is a whole number.
  package func whole(_ option: String) -> Int? { options[option].flatMap { Int($0) } }

  /// The number of an option whose form is a number.
  package func number(_ option: String) -> Double? { options[option].flatMap { Double($0) } }
}
