/// A value of a field in a document.
public enum FieldValue: Hashable, Sendable {
  /// No value; for queries the same as a missing field.
  case null
  /// True or false.
  case bool(Bool)
  /// An integer of 64 bits.
  case integer(Int64)
  /// A finite number.
  case number(Double)
  /// A moment in `Moment.supported`.
  case moment(Moment)
  /// A text, which is compared byte by byte.
  case text(String)
  /// Uninterpreted bytes.
  case bytes([UInt8])
  /// Values in their order, of any kinds.
  case list([FieldValue])
  /// Names and values, sorted by name.
  case map(Fields)

  /// The kinds of values, in the sort order of values of different kinds. Integers and other
  /// numbers are one kind.
  public enum Kind: UInt8, Sendable, Comparable {
    case null = 1
    case bool, number, moment, text, bytes, list, map

    /// Compares by sort order.
    public static func < (a: Kind, b: Kind) -> Bool { a.rawValue < b.rawValue }
  }

  /// The kind of the value, which decides the order between different kinds.
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

  /// The value of a `.bool`; nil for other values.
  public var boolValue: Bool? { if case .bool(let value) = self { value } else { nil } }
  /// The value as an integer, also of a `.number` such as `3.0`; nil for other values.
  public var integerValue: Int64? {
    switch self {
    case .integer(let value): value
    case .number(let value): Int64(exactly: value)
    default: nil
    }
  }
  /// The value of an `.integer` or a `.number`; nil for other values.
  public var numberValue: Double? {
    switch self {
    case .integer(let value): Double(value)
    case .number(let value): value
    default: nil
    }
  }
  /// The value of a `.moment`; nil for other values.
  public var momentValue: Moment? { if case .moment(let value) = self { value } else { nil } }
  /// The value of a `.text`; nil for other values.
  public var textValue: String? { if case .text(let value) = self { value } else { nil } }
  /// The value of a `.bytes`; nil for other values.
  public var bytesValue: [UInt8]? { if case .bytes(let value) = self { value } else { nil } }
  /// The values of a `.list`; nil for other values.
  public var listValue: [FieldValue]? { if case .list(let value) = self { value } else { nil } }
  /// The fields of a `.map`; nil for other values.
  public var mapValue: Fields? { if case .map(let value) = self { value } else { nil } }
}

extension FieldValue: ExpressibleByStringLiteral, ExpressibleByBooleanLiteral,
  ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral, ExpressibleByArrayLiteral,
  ExpressibleByNilLiteral
{
  /// A `.text` from a string literal.
  public init(stringLiteral text: String) { self = .text(text) }
  /// A `.bool` from a literal.
  public init(booleanLiteral truth: Bool) { self = .bool(truth) }
  /// An `.integer` from a literal.
  public init(integerLiteral number: Int64) { self = .integer(number) }
  /// A `.number` from a literal.
  public init(floatLiteral number: Double) { self = .number(number) }
  /// A `.list` from an array literal.
  public init(arrayLiteral values: FieldValue...) { self = .list(values) }
  /// The value `.null`.
  public init(nilLiteral: ()) { self = .null }
}
