/// The schema of one kind of document. Fields without a rule may hold any value.
public struct DocumentSchema: Hashable, Sendable {
  /// One rule for each known field.
  public let rules: [FieldRule]

  /// A schema with one rule for each field.
  public init(_ rules: FieldRule...) { self.rules = rules }

  /// A schema with a list of rules, one for each field.
  public init(_ rules: [FieldRule]) { self.rules = rules }

  /// Throws if a required field is missing, or a value breaks its rule.
  public func check(_ fields: Fields) throws(FieldError) {
    for rule in rules { try rule.check(fields[rule.name] ?? .null) }
  }

  /// Throws if a moment is more than some seconds in the future. Ignores times of day, as a
  /// reminder is in the future.
  public func checkMoments(
    of fields: Fields, now: Moment, ahead seconds: Int64
  ) throws(FieldError) {
    for rule in rules {
      guard let value = fields[rule.name] else { continue }
      try rule.type.checkMoments(of: value, rule.name, latest: now + seconds, seconds)
    }
  }
}

/// A rule for one field.
public struct FieldRule: Hashable, Sendable {
  /// The name of the field.
  public let name: String
  /// The type of its value.
  public let type: FieldType
  /// Whether the field may be null or missing.
  public let isOptional: Bool

  /// A rule for a field that must exist.
  public static func required(_ name: String, _ type: FieldType) -> FieldRule {
    FieldRule(name: name, type: type, isOptional: false)
  }

  /// A rule for a field that may be null or missing.
  public static func optional(_ name: String, _ type: FieldType) -> FieldRule {
    FieldRule(name: name, type: type, isOptional: true)
  }

  func check(_ value: FieldValue) throws(FieldError) {
    if value == .null {
      if isOptional { return }
      throw FieldError(.missing, name)
    }
    try type.check(value, name)
  }
}

/// The type of a value, with its range.
public indirect enum FieldType: Hashable, Sendable {
  /// True or false.
  case bool
  /// An integer in a range.
  case integer(ClosedRange<Int64>)
  /// A number in a range.
  case number(ClosedRange<Double>)
  /// A moment.
  case moment
  /// A time of day such as `20:30`, or a moment.
  case timeOfDay
  /// Text with at most `limit` bytes.
  case text(limit: Int)
  /// One of these words.
  case word([String])
  /// `#RRGGBB`, or an empty text if allowed.
  case color(mayBeEmpty: Bool)
  /// A valid document name.
  case name
  /// A list with at most `limit` values of one type.
  case list(FieldType, limit: Int)
  /// A list of four numbers in a range: x, y, width and height, the last two not below zero.
  case box(ClosedRange<Double>)
  /// A map whose fields follow a schema.
  case map(DocumentSchema)
  /// A map with any fields.
  case anyMap

  func check(_ value: FieldValue, _ name: String) throws(FieldError) {
    switch self {
    case .bool:
      guard value.boolValue != nil else { throw FieldError(.wrongType("true or false"), name) }
    case .integer(let range):
      guard let number = value.integerValue else {
        throw FieldError(.wrongType("a whole number"), name)
      }
      guard range.contains(number) else {
        throw FieldError(.outOfRange("\(range.lowerBound) to \(range.upperBound)"), name)
      }
    case .number(let range):
      guard let number = value.numberValue else { throw FieldError(.wrongType("a number"), name) }
      guard range.contains(number) else {
        throw FieldError(.outOfRange("\(range.lowerBound) to \(range.upperBound)"), name)
      }
    case .moment:
      guard value.momentValue != nil else { throw FieldError(.wrongType("a timestamp"), name) }
    case .timeOfDay:
      guard value.momentValue != nil || value.textValue.map(Self.isTimeOfDay) == true else {
        throw FieldError(.wrongType("a time of day such as 20:30, or a timestamp"), name)
      }
    case .text(let limit):
      let text = try Self.text(value, name)
      guard text.utf8.count <= limit else {
        throw FieldError(.outOfRange("at most \(limit) bytes"), name)
      }
    case .word(let words):
      let text = try Self.text(value, name)
      guard words.contains(where: { $0.isIdentical(to: text) }) else {
        throw FieldError(.outOfRange(words.map { "'\($0)'" }.joined(separator: ", ")), name)
      }
    case .color(let mayBeEmpty):
      let text = try Self.text(value, name)
      if text.isEmpty, mayBeEmpty { return }
      let digits = text.utf8.dropFirst()
      guard text.utf8.first == UInt8(ascii: "#"), digits.count == 6,
        digits.allSatisfy({ Character(UnicodeScalar($0)).isHexDigit })
      else { throw FieldError(.outOfRange("a colour such as #FFD700"), name) }
    case .name:
      let text = try Self.text(value, name)
      do throws(StorageError) {
        try StorageName.check(text)
      } catch {
        throw FieldError(.outOfRange("a name of letters, digits, '.', '_' and '-'"), name)
      }
    case .list(let type, let limit):
      guard let values = value.listValue else { throw FieldError(.wrongType("a list"), name) }
      guard values.count <= limit else {
        throw FieldError(.outOfRange("at most \(limit) values"), name)
      }
      for value in values { try type.check(value, name) }
    case .box(let range):
      let sides = value.listValue?.map(\.numberValue)
      guard let sides, sides.count == 4, !sides.contains(nil) else {
        throw FieldError(.wrongType("a list of four numbers: x, y, width and height"), name)
      }
      for (index, side) in sides.enumerated() {
        let lowest = index < 2 ? range.lowerBound : 0
        guard let side, side >= lowest, side <= range.upperBound else {
          throw FieldError(.outOfRange("\(lowest) to \(range.upperBound)"), name)
        }
      }
    case .map(let schema):
      guard let fields = value.mapValue else { throw FieldError(.wrongType("a map"), name) }
      do throws(FieldError) {
        try schema.check(fields)
      } catch {
        throw FieldError(error.problem, "\(name).\(error.field)")
      }
    case .anyMap:
      guard value.mapValue != nil else { throw FieldError(.wrongType("a map"), name) }
    }
  }

  /// Throws if the value is or contains a moment after `latest`.
  func checkMoments(
    of value: FieldValue, _ name: String, latest: Moment, _ seconds: Int64
  ) throws(FieldError) {
    switch (self, value) {
    case (.moment, .moment(let moment)):
      guard moment <= latest else { throw FieldError(.tooFarAhead(seconds: seconds), name) }
    case (.list(let type, _), .list(let values)):
      for value in values { try type.checkMoments(of: value, name, latest: latest, seconds) }
    case (.map(let schema), .map(let fields)):
      for rule in schema.rules {
        guard let value = fields[rule.name] else { continue }
        try rule.type.checkMoments(of: value, "\(name).\(rule.name)", latest: latest, seconds)
      }
    default: break
    }
  }

  /// Whether a text is a valid time such as `20:30` or `20:30:15`.
  private static func isTimeOfDay(_ text: String) -> Bool {
    let parts = text.utf8.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
    guard 2...3 ~= parts.count else { return false }
    return zip(parts, [24, 60, 60]).allSatisfy { part, limit in
      guard part.count == 2, part.allSatisfy({ 48...57 ~= $0 }) else { return false }
      return part.reduce(0) { $0 * 10 + Int($1) - 48 } < limit
    }
  }

  private static func text(_ value: FieldValue, _ name: String) throws(FieldError) -> String {
    guard let text = value.textValue else { throw FieldError(.wrongType("text"), name) }
    return text
  }
}

/// A field that breaks its rule.
public struct FieldError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The kind of the problem.
  public let problem: Problem
  /// The path of the field: names of the surrounding maps, then its own, separated by dots.
  public let field: String

  init(_ problem: Problem, _ field: String) {
    self.problem = problem
    self.field = field
  }

  /// The kinds of problems.
  public enum Problem: Hashable, Sendable {
    /// A required field is missing or null.
    case missing
    /// The value has the wrong type; the text describes the right one.
    case wrongType(String)
    /// The value is outside of the allowed range; the text describes the range.
    case outOfRange(String)
    /// The moment is more than these seconds in the future.
    case tooFarAhead(seconds: Int64)
  }

  /// The field and the problem, as one sentence for people.
  public var description: String {
    switch problem {
    case .missing: "the field '\(field)' is missing"
    case .wrongType(let wanted): "the field '\(field)' must be \(wanted)"
    case .outOfRange(let wanted): "the field '\(field)' allows only: \(wanted)"
    case .tooFarAhead(let seconds):
      "the field '\(field)' must lie at most \(seconds / 3600) hours ahead of the service's clock"
    }
  }
}
