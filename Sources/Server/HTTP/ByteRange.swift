/// The part of a representation that a request's `Range` selects.
package enum ByteRange: Hashable, Sendable {
  /// All of it: there is no range, or one that is ignored, such as malformed ones and lists.
  case whole
  case part(Range<Int>)
  /// 416: the range contains no byte.
  case unsatisfiable

  /// The selected part of `count` bytes. A range with an `If-Range` of another version is ignored.
  package init(_ head: RequestHead, count: Int, tag: EntityTag?) {
    self = .whole
    guard let text = head.text("range") else { return }
    if let condition = head.text("if-range") {
      guard let list = EntityTagList(condition), list != .any, list.matchesStrongly(tag) else {
        return
      }
    }
    self = Self.parsed(text, count: count)
  }

  private static func parsed(_ text: String, count: Int) -> ByteRange {
    let bytes = Array(text.utf8)
    let unit = Array("bytes=".utf8)
    guard bytes.count > unit.count, bytes.prefix(unit.count).map({ $0.lowercased }) == unit else {
      return .whole
    }
    let parts = bytes[unit.count...]
      .split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
      .map { Array($0).trimmingBlanks }
    guard parts.count == 2, parts.joined().allSatisfy({ $0.isDigit }) else { return .whole }
    // Numbers that overflow are beyond any end.
    func number(_ digits: [UInt8]) -> Int? {
      digits.isEmpty ? nil : Int(String(decoding: digits, as: UTF8.self)) ?? .max
    }
    switch (number(parts[0]), number(parts[1])) {
    case (nil, nil): return .whole
    case (nil, let suffix?):
      guard suffix > 0, count > 0 else { return .unsatisfiable }
      return .part(max(count - suffix, 0)..<count)
    case (let first?, let last):
      if let last, last < first { return .whole }
      guard first < count else { return .unsatisfiable }
      return .part(first..<min(last ?? .max, count - 1) + 1)
    }
  }
}
