public import Storage

/// How somebody felt at a moment, and what they wrote about it.
public struct CheckIn: Hashable, Sendable {
  /// What is stored.
  public let document: Document

  init(_ document: Document) { self.document = document }

  /// Its name.
  public var id: String { document.id }
  /// The emotion's key, `joy`; empty where none was chosen.
  public var emotion: String { document["emotion"]?.textValue ?? "" }
  /// A colour as `#FFD700`; empty where none was chosen.
  public var colorHex: String { document["colorHex"]?.textValue ?? "" }
  /// When it was.
  public var createdAt: Moment { document["createdAt"]?.momentValue ?? document.created }
  /// Minutes east of Greenwich where it was.
  public var timezoneOffsetMinutes: Int {
    Int(document["timezoneOffsetMinutes"]?.integerValue ?? 0)
  }
}

/// A drawing that is kept: not its ink, but what is known of it.
public struct DrawingRecord: Hashable, Sendable {
  /// What is stored.
  public let document: Document

  init(_ document: Document) { self.document = document }

  /// The fields that the service alone sets.
  static let ownFields = ["imageIsRendered", "recordingSHA256", "imageSHA256"]

  /// Its name.
  public var id: String { document.id }
  /// When it was drawn; nil where nobody knows.
  public var createdAt: Moment? { document["createdAt"]?.momentValue }
  /// When it was drawn; one of which nobody knows that has the moment at which it was stored.
  var moment: Moment { createdAt ?? document.created }
  /// The check-in that it belongs to; nil for one that stands alone.
  public var checkInID: String? { document["checkinId"]?.textValue }
  /// Where its image is.
  public var imageURL: String { document["imageURL"]?.textValue ?? "" }
  /// Where its thumbnail is, or its image where it has none.
  public var thumbnailURL: String { document["thumbnailURL"]?.textValue ?? imageURL }
  /// Whether a document is this drawing's, and not that of another which has got its name.
  func isSame(as other: Document?) -> Bool {
    other?.created == document.created && other?["recordingSHA256"] == document["recordingSHA256"]
  }
  /// Whether its image was rendered here, and so may be rendered again.
  var hasRenderedImage: Bool { document["imageIsRendered"]?.boolValue ?? false }
}
