/// What the fields of one kind of document may hold. Fields that no rule names may hold anything.
public struct DocumentSchema: Hashable, Sendable {
  /// What each known field may hold.
  public let rules: [FieldRule]

  /// A schema of rules, one for each field.
  public init(_ rules: FieldRule...) { self.rules = rules }

  /// A schema of a list of rules.
  public init(_ rules: [FieldRule]) { self.rules = rules }

  /// Throws where fields are missing or hold what they may not.
  public func check(_ fields: Fields) throws(FieldError) {
    for rule in rules { try rule.check(fields[rule.name] ?? .null) }
  }

  /// Throws where a moment lies further ahead of the clock than some seconds. Times of day are not meant:
  /// a reminder lies ahead.
  public func checkMoments(
    of fields: Fields, now: Moment, ahead seconds: Int64
  ) throws(FieldError) {
    for rule in rules {
      guard let value = fields[rule.name] else { continue }
      try rule.type.checkMoments(of: value, rule.name, latest: now + seconds, seconds)
    }
  }
}

/// What one field may hold.
public struct FieldRule: Hashable, Sendable {
  /// The field's name.
  public let name: String
  /// What it holds.
  public let type: FieldType
  /// Whether it may be null or not be there.
  public let isOptional: Bool

  /// A field that must be there.
  public static func required(_ name: String, _ type: FieldType) -> FieldRule {
    FieldRule(name: name, type: type, isOptional: false)
  }

  /// A field that may be null or not be there.
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

/// What values a field may hold.
public indirect enum FieldType: Hashable, Sendable {
  case bool
  /// A whole number in a range.
  case integer(ClosedRange<Int64>)
  /// A number in a range.
  case number(ClosedRange<Double>)
  case moment
  /// A time of day such as `20:30`, or a moment.
  case timeOfDay
  /// Text of so many bytes at most.
  case text(limit: Int)
  /// One of some words.
  case word([String])
  /// `#RRGGBB`, or nothing where that is allowed.
  case color(mayBeEmpty: Bool)
  /// A name that a document could have.
  case name
  /// A list of so many values at most, all of one type.
  case list(FieldType, limit: Int)
  case map(DocumentSchema)
  /// A map of anything.
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
        throw FieldError(.outOfRange("at most \(limit) of them"), name)
      }
      for value in values { try type.check(value, name) }
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

  /// Whether a text is `20:30` or `20:30:15`.
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

/// Why a document may not have these fields.
public struct FieldError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What is wrong.
  public let problem: Problem
  /// The field's name, those of the maps around it before it.
  public let field: String

  init(_ problem: Problem, _ field: String) {
    self.problem = problem
    self.field = field
  }

  /// What can be wrong.
  public enum Problem: Hashable, Sendable {
    /// It must be there.
    case missing
    /// It must be of another type.
    case wrongType(String)
    /// It must be one of others.
    case outOfRange(String)
    /// It is a moment that lies further ahead of the clock than these seconds.
    case tooFarAhead(seconds: Int64)
  }

  /// One sentence for people.
  public var description: String {
    switch problem {
    case .missing: "the field '\(field)' is missing"
    case .wrongType(let wanted): "the field '\(field)' must be \(wanted)"
    case .outOfRange(let wanted): "the field '\(field)' must be within: \(wanted)"
    case .tooFarAhead(let seconds):
      "the field '\(field)' must lie at most \(seconds / 3600) hours ahead of the service's clock"
    }
  }
}
