/// The tag of a version (`ETag`).
package struct EntityTag: Hashable, Sendable {
  /// The text between the quotes.
  package let text: String
  /// Whether versions with the same tag may differ in bytes.
  package let isWeak: Bool

  package init(_ text: String, isWeak: Bool = false) {
    self.text = text
    self.isWeak = isWeak
  }

  /// The tag in the form of a header value.
  package var headerValue: String { "\(isWeak ? "W/" : "")\"\(text)\"" }
}

/// The tags of `If-Match` or `If-None-Match`.
package enum EntityTagList: Hashable, Sendable {
  /// `*`: any existing version.
  case any
  case tags([EntityTag])

  /// Reads the value of a header; nil if it is malformed.
  package init?(_ text: String) {
    var rest = Array(text.utf8)[...]
    func skipBlanks() { rest = rest.drop { $0 == 32 || $0 == 9 } }
    skipBlanks()
    if rest.elementsEqual([UInt8(ascii: "*")]) {
      self = .any
      return
    }
    var tags: [EntityTag] = []
    while true {
      // Lists may have empty elements.
      rest = rest.drop { $0 == 32 || $0 == 9 || $0 == UInt8(ascii: ",") }
      guard !rest.isEmpty else { break }
      let isWeak = rest.starts(with: Array("W/".utf8))
      if isWeak { rest = rest.dropFirst(2) }
      guard rest.popFirst() == UInt8(ascii: "\""),
        let end = rest.firstIndex(of: UInt8(ascii: "\""))
      else { return nil }
      let bytes = rest[..<end]
      guard bytes.allSatisfy({ $0 > 32 && $0 != 127 }) else { return nil }
      tags.append(EntityTag(String(decoding: bytes, as: UTF8.self), isWeak: isWeak))
      rest = rest[end...].dropFirst()
      skipBlanks()
      guard rest.isEmpty || rest.first == UInt8(ascii: ",") else { return nil }
    }
    guard !tags.isEmpty else { return nil }
    self = .tags(tags)
  }

  /// Whether a version is in the list by strong comparison: weak tags never match.
  package func matchesStrongly(_ tag: EntityTag?) -> Bool {
    guard let tag else { return false }
    return switch self {
    case .any: true
    case .tags(let tags): !tag.isWeak && tags.contains { !$0.isWeak && $0.text == tag.text }
    }
  }

  /// Whether a version is in the list by weak comparison.
  package func matchesWeakly(_ tag: EntityTag?) -> Bool {
    guard let tag else { return false }
    return switch self {
    case .any: true
    case .tags(let tags): tags.contains { $0.text == tag.text }
    }
  }
}

/// The preconditions of a request (RFC 9110, 13).
package struct Preconditions: Hashable, Sendable {
  package let match: EntityTagList?
  package let noneMatch: EntityTagList?

  /// The result of evaluating preconditions.
  package enum Outcome: Hashable, Sendable {
    case proceed
    /// 304: the client has the current version.
    case notModified
    /// 412: the current version is not the expected one.
    case failed
  }

  /// Parses the preconditions in a header; none without a header.
  package init(_ head: RequestHead?) throws(Refusal) {
    func tags(_ name: String) throws(Refusal) -> EntityTagList? {
      guard let text = head?.list(name) else { return nil }
      guard let list = EntityTagList(text) else {
        throw Refusal(400, "bad-tag", "A tag must be in quotes.", field: name)
      }
      return list
    }
    match = try tags("if-match")
    noneMatch = try tags("if-none-match")
  }

  /// The outcome for the current version; nil if there is none.
  package func outcome(_ method: RequestHead.Method, current: EntityTag?) -> Outcome {
    if let match, !match.matchesStrongly(current) { return .failed }
    if let noneMatch, noneMatch.matchesWeakly(current) {
      return method == .get || method == .head ? .notModified : .failed
    }
    return .proceed
  }
}
