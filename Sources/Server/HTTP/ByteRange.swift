/// The part of something that a request asks for by `Range`.
package enum ByteRange: Hashable, Sendable {
  /// All of it: there is no range, or one that is ignored, as malformed ones and lists are.
  case whole
  case part(Range<Int>)
  /// 416: nothing of it is there.
  case unsatisfiable

  /// The part of something with a length. A range with an `If-Range` that names another version is ignored.
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
    // Numbers that are too large lie beyond any end.
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
