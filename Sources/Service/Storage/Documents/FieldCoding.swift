import Glibc

// The subset of CBOR that stores documents: integers in their shortest form, other numbers as
// eight-byte doubles, texts, bytes, lists and maps of definite length, and moments as extended
// times (RFC 9581): tag 1001 before a map of seconds and microseconds.

private enum Major {
  static let unsigned: UInt8 = 0, negative: UInt8 = 1, bytes: UInt8 = 2, text: UInt8 = 3
  static let list: UInt8 = 4, map: UInt8 = 5, tag: UInt8 = 6
}

private let falseByte: UInt8 = 0xF4, trueByte: UInt8 = 0xF5, nullByte: UInt8 = 0xF6
private let doubleByte: UInt8 = 0xFB
/// Tag 1001, the head of a map with two entries, and key 1 for seconds: five bytes, little-endian.
private let momentHead: UInt64 = 0x01_A2_E9_03_D9
private let momentHeadCount = 5
/// Key -6 for microseconds.
private let microsecondsByte: UInt8 = 0x25

/// Encodes values for storage.
struct FieldWriter {
  private(set) var bytes: [UInt8] = []

  /// Writes a map. The names must be sorted.
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
      for index in 0..<momentHeadCount {
        bytes.append(UInt8(truncatingIfNeeded: momentHead >> UInt64(8 * index)))
      }
      // Rounded down, so that the microseconds are positive before 1970, too.
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

/// Decodes values from front to back; returns nil for bytes that `FieldWriter` does not write.
/// Never reads past the end, and accepts no count that exceeds the remaining bytes.
struct FieldReader {
  private typealias Run = UnsafeBufferPointer<UInt8>

  private let bytes: Run
  private var offset = 0
  /// Whether to check nesting depth, UTF-8 and the order of names, for untrusted bytes. Bytes of
  /// `FieldWriter` have valid texts in order, and `Fields.check` limits their depth.
  private let isValidating: Bool
  /// The number of values that may still be skipped; negative after too many.
  private(set) var valuesLeft: Int

  private init(_ bytes: Run, validating: Bool, valueLimit: Int) {
    self.bytes = bytes
    isValidating = validating
    valuesLeft = valueLimit
  }

  /// Calls a body with a reader over bytes.
  static func read<Result>(
    _ bytes: [UInt8], validating: Bool = false, valueLimit: Int = .max,
    _ body: (inout FieldReader) -> Result
  ) -> Result {
    bytes.withUnsafeBufferPointer { bytes in
      var reader = FieldReader(bytes, validating: validating, valueLimit: valueLimit)
      return body(&reader)
    }
  }

  var isAtEnd: Bool { offset == bytes.count }
  private var rest: Int { bytes.count - offset }

  private mutating func byte() -> UInt8? {
    guard offset < bytes.count else { return nil }
    defer { offset += 1 }
    return bytes[offset]
  }

  /// The head of the next item: major type and argument, which must be in the shortest form.
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
      value = value << 8 | UInt64(bytes[offset])
      offset += 1
    }
    // The smallest argument that does not fit a shorter head.
    let minimum = low == 24 ? 24 : UInt64(1) << (4 << UInt64(low - 24))
    return value >= minimum ? (major, value) : nil
  }

  @inline(__always)
  private mutating func count(_ major: UInt8) -> Int? {
    // Each counted item takes at least one byte.
    guard let head = head(), head.major == major, head.value <= UInt64(rest) else { return nil }
    return Int(head.value)
  }

  mutating func mapCount() -> Int? { count(Major.map) }

  @inline(__always)
  private mutating func run(_ major: UInt8) -> Run? {
    guard let count = count(major) else { return nil }
    defer { offset += count }
    return Run(rebasing: bytes[offset..<offset + count])
  }

  /// The bytes of a text, without creating a string.
  private mutating func textBytes() -> Run? {
    guard let run = run(Major.text) else { return nil }
    return isValidating && String(validating: run, as: UTF8.self) == nil ? nil : run
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
    for index in 0..<momentHeadCount {
      guard byte() == UInt8(truncatingIfNeeded: momentHead >> UInt64(8 * index)) else { return nil }
    }
    guard let seconds = integer(), byte() == microsecondsByte, let rest = integer(),
      0..<1_000_000 ~= rest
    else { return nil }
    // Counts back from the next second if negative: the first second begins before Int64.min
    // microseconds.
    let (base, remainder) = seconds < 0 ? (seconds + 1, rest - 1_000_000) : (seconds, rest)
    let (whole, overflow) = base.multipliedReportingOverflow(by: 1_000_000)
    let (sum, overflows) = whole.addingReportingOverflow(remainder)
    return overflow || overflows ? nil : Moment(microseconds: sum)
  }

  // MARK: - Values

  mutating func value() -> FieldValue? {
    guard offset < bytes.count else { return nil }
    let first = bytes[offset]
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
      let start = offset
      guard skipMap(depth: 0) else { return nil }
      return .map(Fields(trusted: Array(bytes[start..<offset])))
    case Major.tag: return moment().map { .moment($0) }
    default:
      offset += 1
      switch first {
      case falseByte: return .bool(false)
      case trueByte: return .bool(true)
      case nullByte: return .null
      case doubleByte:
        guard rest >= 8 else { return nil }
        let bits = bytes[offset..<offset + 8].reduce(0) { $0 << 8 | UInt64($1) }
        offset += 8
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

  /// The value of one field of the next map.
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

  /// Calls a body with each text at a path below the next value, in their order. Returns false if
  /// the bytes are not a valid value. Stops after the texts if nothing `follows` the value.
  mutating func forEachText(
    at path: ArraySlice<[UInt8]>, follows: Bool = false,
    _ body: (UnsafeBufferPointer<UInt8>) -> Void
  ) -> Bool {
    guard offset < bytes.count else { return false }
    switch bytes[offset] >> 5 {
    case Major.text:
      guard let text = run(Major.text) else { return false }
      if path.isEmpty { body(text) }
      return true
    case Major.list:
      guard let count = count(Major.list) else { return false }
      for _ in 0..<count {
        guard forEachText(at: path, follows: true, body) else { return false }
      }
      return true
    case Major.map:
      guard let count = mapCount() else { return false }
      for _ in 0..<count {
        guard let name = run(Major.text) else { return false }
        if path.first.map({ Self.isSame(name, $0) }) ?? false {
          guard forEachText(at: path.dropFirst(), follows: follows, body) else { return false }
          if !follows { return true }
        } else {
          guard skip(depth: 0) else { return false }
        }
      }
      return true
    default: return skip(depth: 0)
    }
  }

  private static func isSame(_ one: Run, _ other: [UInt8]) -> Bool {
    other.withUnsafeBufferPointer { isSame(one, $0) }
  }

  private static func isSame(_ one: Run, _ other: Run) -> Bool {
    guard one.count == other.count else { return false }
    guard let first = one.baseAddress, let second = other.baseAddress else { return true }
    return memcmp(first, second, one.count) == 0
  }

  // MARK: - Skipping

  /// Skips a value; false if the bytes are not a valid one.
  private mutating func skip(depth: Int) -> Bool {
    valuesLeft -= 1
    guard offset < bytes.count, valuesLeft >= 0, depth <= Fields.maximumDepth + 1 || !isValidating
    else { return false }
    let first = bytes[offset]
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
      offset += 1
      guard first == doubleByte else { return falseByte...nullByte ~= first }
      guard rest >= 8 else { return false }
      offset += 8
      return true
    }
  }

  /// Skips a map; false if its names are not sorted or not unique.
  mutating func skipMap(depth: Int) -> Bool {
    guard let count = mapCount() else { return false }
    var last: Run?
    for _ in 0..<count {
      guard let name = textBytes() else { return false }
      if isValidating {
        if let last, !last.lexicographicallyPrecedes(name) { return false }
        last = name
      }
      guard skip(depth: depth + 1) else { return false }
    }
    return true
  }
}
