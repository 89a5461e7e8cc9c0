import Glibc

// CBOR as documents are stored in: whole numbers in their shortest form, other numbers in eight bytes,
// texts, bytes, lists and maps of known lengths, and moments as extended times (RFC 9581): tag 1001
// before a map of seconds and microseconds.

private enum Major {
  static let unsigned: UInt8 = 0, negative: UInt8 = 1, bytes: UInt8 = 2, text: UInt8 = 3
  static let list: UInt8 = 4, map: UInt8 = 5, tag: UInt8 = 6
}

private let falseByte: UInt8 = 0xF4, trueByte: UInt8 = 0xF5, nullByte: UInt8 = 0xF6
private let doubleByte: UInt8 = 0xFB
/// Tag 1001, a map of two, and the name 1 of its seconds: five bytes, the first one lowest.
private let momentHead: UInt64 = 0x01_A2_E9_03_D9
private let momentHeadCount = 5
/// The name -6 of its microseconds.
private let microsecondsByte: UInt8 = 0x25

/// Writes values as they are stored.
struct FieldWriter {
  private(set) var bytes: [UInt8] = []

  /// A map whose names are in order.
  mutating func write(_ fields: [(String, FieldValue)]) {
    head(Major.map, UInt64(fields.count))
    for (name, value) in fields {
      text(name)
      write(value)
    }
  }

  mutating func write(_ value: FieldValue) {
    switch value {
    case .null: bytes.append(nullByte)
    case .bool(let truth): bytes.append(truth ? trueByte : falseByte)
    case .integer(let number): integer(number)
    case .number(let number):
      bytes.append(doubleByte)
      for shift in 0..<8 {
        bytes.append(UInt8(truncatingIfNeeded: number.bitPattern >> UInt64(56 - 8 * shift)))
      }
    case .moment(let moment):
      for place in 0..<momentHeadCount {
        bytes.append(UInt8(truncatingIfNeeded: momentHead >> UInt64(8 * place)))
      }
      // Rounded down, so that microseconds count up before 1970 too.
      var (seconds, rest) = moment.microseconds.quotientAndRemainder(dividingBy: 1_000_000)
      if rest < 0 { (seconds, rest) = (seconds - 1, rest + 1_000_000) }
      integer(seconds)
      bytes.append(microsecondsByte)
      integer(rest)
    case .text(let value): text(value)
    case .bytes(let value):
      head(Major.bytes, UInt64(value.count))
      bytes += value
    case .list(let values):
      head(Major.list, UInt64(values.count))
      for value in values { write(value) }
    case .map(let fields): bytes += fields.bytes
    }
  }

  private mutating func integer(_ number: Int64) {
    number >= 0
      ? head(Major.unsigned, UInt64(number)) : head(Major.negative, ~UInt64(bitPattern: number))
  }

  private mutating func text(_ text: String) {
    var text = text
    text.withUTF8 { head(Major.text, UInt64($0.count)) }
    bytes += text.utf8
  }

  private mutating func head(_ major: UInt8, _ value: UInt64) {
    let high = major << 5
    if value < 24 { return bytes.append(high | UInt8(value)) }
    let width = value <= 0xFF ? 0 : value <= 0xFFFF ? 1 : value <= 0xFFFF_FFFF ? 2 : 3
    bytes.append(high | UInt8(24 + width))
    for shift in stride(from: 8 << width - 8, through: 0, by: -8) {
      bytes.append(UInt8(truncatingIfNeeded: value >> UInt64(shift)))
    }
  }
}

/// Reads values from front to back; nil for bytes that no writer wrote. It never reads past their end,
/// and believes no count whose bytes it has not seen.
struct FieldReader {
  private typealias Run = UnsafeBufferPointer<UInt8>

  private let bytes: Run
  private var place = 0
  /// Whether the bytes may be anything. Those of a writer lie as deep in each other as the values did,
  /// which `Fields.check` finds fault with, and their texts need no second look.
  private let isDoubting: Bool

  private init(_ bytes: Run, doubting: Bool) {
    self.bytes = bytes
    isDoubting = doubting
  }

  /// Calls a body with a reader of bytes.
  static func read<Result>(
    _ bytes: [UInt8], doubting: Bool = false, _ body: (inout FieldReader) -> Result
  ) -> Result {
    bytes.withUnsafeBufferPointer { bytes in
      var reader = FieldReader(bytes, doubting: doubting)
      return body(&reader)
    }
  }

  var isAtEnd: Bool { place == bytes.count }
  private var rest: Int { bytes.count - place }

  private mutating func byte() -> UInt8? {
    guard place < bytes.count else { return nil }
    defer { place += 1 }
    return bytes[place]
  }

  /// The kind of what follows and its number, in its shortest form.
  @inline(__always)
  private mutating func head() -> (major: UInt8, value: UInt64)? {
    guard let first = byte() else { return nil }
    let (major, low) = (first >> 5, first & 31)
    return low < 24 ? (major, UInt64(low)) : longHead(major, low)
  }

  private mutating func longHead(_ major: UInt8, _ low: UInt8) -> (major: UInt8, value: UInt64)? {
    guard low < 28, rest >= 1 << (low - 24) else { return nil }
    var value: UInt64 = 0
    for _ in 0..<1 << (low - 24) {
      value = value << 8 | UInt64(bytes[place])
      place += 1
    }
    // What a shorter head could not tell.
    let least = low == 24 ? 24 : UInt64(1) << (4 << UInt64(low - 24))
    return value >= least ? (major, value) : nil
  }

  @inline(__always)
  private mutating func count(_ major: UInt8) -> Int? {
    // Whatever is counted takes a byte at least.
    guard let head = head(), head.major == major, head.value <= UInt64(rest) else { return nil }
    return Int(head.value)
  }

  mutating func mapCount() -> Int? { count(Major.map) }

  @inline(__always)
  private mutating func run(_ major: UInt8) -> Run? {
    guard let count = count(major) else { return nil }
    defer { place += count }
    return Run(rebasing: bytes[place..<place + count])
  }

  /// The bytes of a text, without making one of them.
  private mutating func textBytes() -> Run? {
    guard let run = run(Major.text) else { return nil }
    return isDoubting && String(validating: run, as: UTF8.self) == nil ? nil : run
  }

  private mutating func text() -> String? {
    run(Major.text).map { String(decoding: $0, as: UTF8.self) }
  }

  private mutating func integer() -> Int64? {
    guard let head = head(), head.value <= UInt64(Int64.max) else { return nil }
    switch head.major {
    case Major.unsigned: return Int64(head.value)
    case Major.negative: return ~Int64(head.value)
    default: return nil
    }
  }

  private mutating func moment() -> Moment? {
    for place in 0..<momentHeadCount {
      guard byte() == UInt8(truncatingIfNeeded: momentHead >> UInt64(8 * place)) else { return nil }
    }
    guard let seconds = integer(), byte() == microsecondsByte, let rest = integer(),
      0..<1_000_000 ~= rest
    else { return nil }
    // Of the first second of all there is only a part, which is reached from the second behind it.
    let (base, offset) = seconds < 0 ? (seconds + 1, rest - 1_000_000) : (seconds, rest)
    let (whole, overflow) = base.multipliedReportingOverflow(by: 1_000_000)
    let (sum, overflows) = whole.addingReportingOverflow(offset)
    return overflow || overflows ? nil : Moment(microseconds: sum)
  }

  // MARK: - Values

  mutating func value() -> FieldValue? {
    guard place < bytes.count else { return nil }
    let first = bytes[place]
    switch first >> 5 {
    case Major.unsigned, Major.negative: return integer().map { .integer($0) }
    case Major.bytes: return run(Major.bytes).map { .bytes(Array($0)) }
    case Major.text: return text().map { .text($0) }
    case Major.list:
      guard let count = count(Major.list) else { return nil }
      var values: [FieldValue] = []
      for _ in 0..<count {
        guard let value = value() else { return nil }
        values.append(value)
      }
      return .list(values)
    case Major.map:
      let start = place
      guard skipMap(depth: 0) else { return nil }
      return .map(Fields(trusted: Array(bytes[start..<place])))
    case Major.tag: return moment().map { .moment($0) }
    default:
      place += 1
      switch first {
      case falseByte: return .bool(false)
      case trueByte: return .bool(true)
      case nullByte: return .null
      case doubleByte:
        guard rest >= 8 else { return nil }
        let bits = bytes[place..<place + 8].reduce(0) { $0 << 8 | UInt64($1) }
        place += 8
        return .number(Double(bitPattern: bits))
      default: return nil
      }
    }
  }

  mutating func map() -> [(String, FieldValue)]? {
    guard let count = mapCount() else { return nil }
    var fields: [(String, FieldValue)] = []
    for _ in 0..<count {
      guard let name = text(), let value = value() else { return nil }
      fields.append((name, value))
    }
    return fields
  }

  /// The value of one field of the map that follows.
  mutating func value(named wanted: String) -> FieldValue? {
    guard let count = mapCount() else { return nil }
    var wanted = wanted
    return wanted.withUTF8 { wanted in
      for _ in 0..<count {
        guard let name = run(Major.text) else { return nil }
        if Self.isSame(name, wanted) { return value() }
        guard skip(depth: 0) else { return nil }
      }
      return nil
    }
  }

  private static func isSame(_ one: Run, _ other: Run) -> Bool {
    guard one.count == other.count else { return false }
    guard let first = one.baseAddress, let second = other.baseAddress else { return true }
    return memcmp(first, second, one.count) == 0
  }

  // MARK: - Passing over

  /// Passes over a value; false where there is none that a writer could have written.
  private mutating func skip(depth: Int) -> Bool {
    guard place < bytes.count, depth <= Fields.maximumDepth + 1 || !isDoubting else {
      return false
    }
    let first = bytes[place]
    switch first >> 5 {
    case Major.unsigned, Major.negative: return integer() != nil
    case Major.bytes: return run(Major.bytes) != nil
    case Major.text: return textBytes() != nil
    case Major.list:
      guard let count = count(Major.list) else { return false }
      for _ in 0..<count { guard skip(depth: depth + 1) else { return false } }
      return true
    case Major.map: return skipMap(depth: depth)
    case Major.tag: return moment() != nil
    default:
      place += 1
      guard first == doubleByte else { return falseByte...nullByte ~= first }
      guard rest >= 8 else { return false }
      place += 8
      return true
    }
  }

  /// Passes over a map whose names are in order, no two the same.
  mutating func skipMap(depth: Int) -> Bool {
    guard let count = mapCount() else { return false }
    var last: Run?
    for _ in 0..<count {
      guard let name = textBytes() else { return false }
      if let last, !last.lexicographicallyPrecedes(name) { return false }
      last = name
      guard skip(depth: depth + 1) else { return false }
    }
    return true
  }
}
