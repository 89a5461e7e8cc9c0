public import Storage

/// The document of a stored drawing, which holds no ink.
public struct DrawingRecord: Hashable, Sendable {
  /// The stored document.
  public let document: Document

  package init(_ document: Document) { self.document = document }

  /// The fields that only the service sets.
  static let serviceFields = [
    "imageIsRendered", "rendersImageLater", "recordingSHA256", "nextRecordingSHA256", "imageSHA256",
    "formerRecordings",
  ]

  /// The fields that other members than the owner may change: the title, and what follows from the
  /// ink.
  static let fieldsOfMembers = Set(serviceFields).union([
    "title", recognizedTextField, "updatedAt", "describedAt", "deviceID",
  ])

  /// The maximum number of hashes of former recordings in a document.
  static let formerRecordingLimit = 32

  /// The name of the document.
  public var id: String { document.id }
  /// When it was drawn; nil if unknown.
  public var createdAt: Moment? { document["createdAt"]?.momentValue }
  /// When it was drawn, or stored if that is unknown.
  package var moment: Moment { createdAt ?? document.created }
  /// The check-in that it belongs to; nil if it belongs to none.
  public var checkInID: String? { document["checkinId"]?.textValue }
  /// The prompt that the user was given; nil for none.
  public var promptUsed: String? { document["promptUsed"]?.textValue }
  /// Its title; nil for none.
  public var title: String? { document["title"]?.textValue }
  /// The tags that the user has put on it.
  public var tags: [String] { document["tags"]?.listValue?.compactMap(\.textValue) ?? [] }
  /// The link to its image.
  public var imageURL: String { document["imageURL"]?.textValue ?? "" }
  /// The link to its thumbnail, or to its image if it has none.
  public var thumbnailURL: String { document["thumbnailURL"]?.textValue ?? imageURL }
  /// The SHA-256 of its recording, as 64 hexadecimal digits; nil if an older program has stored the
  /// drawing.
  public var recordingSHA256: String? { document["recordingSHA256"]?.textValue }
  /// The SHA-256 of the recording that a running or interrupted revision stores; nil without one.
  var nextRecordingSHA256: String? { document["nextRecordingSHA256"]?.textValue }
  /// The hashes that its recording may have: a second one during a revision.
  var recordings: [String] { [recordingSHA256, nextRecordingSHA256].compactMap { $0 } }
  /// Whether a document is that of this drawing, not revised since, and not of a later one with the
  /// same name.
  func isSame(as other: Document?) -> Bool {
    other?.created == document.created
      && ["recordingSHA256", "nextRecordingSHA256"].allSatisfy { other?[$0] == document[$0] }
  }
  /// Like `isSame`, and whether the drawing has the same image.
  func isSameWithImage(as other: Document?) -> Bool {
    isSame(as: other)
      && ["imageIsRendered", "imageSHA256"].allSatisfy { other?[$0] == document[$0] }
  }
  /// Whether the service has rendered its image, and may render it again.
  var hasRenderedImage: Bool { document["imageIsRendered"]?.boolValue ?? false }
  /// Whether its image is rendered on first read, so that the drawing is complete without it.
  var rendersImageLater: Bool {
    hasRenderedImage && document["rendersImageLater"]?.boolValue ?? false
  }
  /// The hash of the image, if it was not rendered here and is not being replaced.
  var uploadedImage: String? {
    hasRenderedImage || nextRecordingSHA256 != nil ? nil : document["imageSHA256"]?.textValue
  }
  /// The names of the files that it must have. A revision deletes the image before its document
  /// says so.
  var requiredFiles: [String] {
    let mayLackImage = rendersImageLater || nextRecordingSHA256 != nil
    return DrawingFiles.names.filter { $0 != DrawingFiles.image || !mayLackImage }
  }
}
