public import Storage

/// A check-in: a user's emotion at a moment, with a text.
public struct CheckIn: Hashable, Sendable {
  /// The stored document.
  public let document: Document

  package init(_ document: Document) { self.document = document }

  /// The name of the document.
  public var id: String { document.id }
  /// The key of the emotion, such as `joy`; empty if none was chosen.
  public var emotion: String { document["emotion"]?.textValue ?? "" }
  /// A colour such as `#FFD700`; empty if none was chosen.
  public var colorHex: String { document["colorHex"]?.textValue ?? "" }
  /// The time of the check-in.
  public var createdAt: Moment { document["createdAt"]?.momentValue ?? document.created }
  /// The time zone of the check-in, in minutes east of Greenwich.
  public var timezoneOffsetMinutes: Int {
    Int(document["timezoneOffsetMinutes"]?.integerValue ?? 0)
  }
}
