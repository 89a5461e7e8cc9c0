/// What a field of a document can hold.
public enum FieldValue: Hashable, Sendable {
  /// Nothing; a field that is not there is the same to queries.
  case null
  case bool(Bool)
  case integer(Int64)
  /// A finite number.
  case number(Double)
  case moment(Moment)
  case text(String)
  case bytes([UInt8])
  case list([FieldValue])
  case map(Fields)

  /// The kinds of values, in the order in which values of different kinds are sorted. Both kinds of
  /// numbers are one kind to queries.
  public enum Kind: UInt8, Sendable, Comparable {
    case null = 1
    case bool, number, moment, text, bytes, list, map

    /// The kind that is sorted first comes first.
    public static func < (a: Kind, b: Kind) -> Bool { a.rawValue < b.rawValue }
  }

  /// The value's kind.
  public var kind: Kind {
    switch self {
    case .null: .null
    case .bool: .bool
    case .integer, .number: .number
    case .moment: .moment
    case .text: .text
    case .bytes: .bytes
    case .list: .list
    case .map: .map
    }
  }

  /// The truth that this is; nil for anything else.
  public var boolValue: Bool? { if case .bool(let value) = self { value } else { nil } }
  /// The whole number that this is, also where it came as `3.0`; nil for anything else.
  public var integerValue: Int64? {
    switch self {
    case .integer(let value): value
    case .number(let value): Int64(exactly: value)
    default: nil
    }
  }
  /// The number that this is; nil for anything else.
  public var numberValue: Double? {
    switch self {
    case .integer(let value): Double(value)
    case .number(let value): value
    default: nil
    }
  }
  /// The moment that this is; nil for anything else.
  public var momentValue: Moment? { if case .moment(let value) = self { value } else { nil } }
  /// The text that this is; nil for anything else.
  public var textValue: String? { if case .text(let value) = self { value } else { nil } }
  /// The list that this is; nil for anything else.
  public var listValue: [FieldValue]? { if case .list(let value) = self { value } else { nil } }
  /// The map that this is; nil for anything else.
  public var mapValue: Fields? { if case .map(let value) = self { value } else { nil } }
}

extension FieldValue: ExpressibleByStringLiteral, ExpressibleByBooleanLiteral,
  ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral, ExpressibleByArrayLiteral,
  ExpressibleByNilLiteral
{
  /// A text.
  public init(stringLiteral text: String) { self = .text(text) }
  /// A truth.
  public init(booleanLiteral truth: Bool) { self = .bool(truth) }
  /// A whole number.
  public init(integerLiteral number: Int64) { self = .integer(number) }
  /// A number.
  public init(floatLiteral number: Double) { self = .number(number) }
  /// A list.
  public init(arrayLiteral values: FieldValue...) { self = .list(values) }
  /// Nothing.
  public init(nilLiteral: ()) { self = .null }
}
