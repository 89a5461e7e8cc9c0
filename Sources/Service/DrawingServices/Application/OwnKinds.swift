package import Storage
import Strokes

extension DocumentKind {
  /// The kinds of documents that the service itself has.
  static let ofService = [users, drawings, shares, members, invitations, events] + ofSignIn

  /// Profiles, in both forms that apps write. A `userId` must match the path.
  static let users = DocumentKind(
    "users", of: .nobody, schema: profile, nameField: "userId",
    access: [.documents("users/{uid}", .read, .create, .update, .delete, by: .owner)])

  /// Drawings, without their ink.
  package static let drawings = DocumentKind(
    "drawings", of: .user, schema: drawing,
    access: [
      .documents("users/{uid}/drawings/*", .read, .update, .delete, by: .owner),
      .documents(
        "users/{uid}/drawings/*", .create, by: .owner,
        with: .fields(["imageURL", "recordingURL", "isFromCheckIn", "createdAt"])),
      .blobs("users/{uid}/drawings/*/*", .read, .delete, by: .owner),
      .blobs(
        "users/{uid}/drawings/*/*", .create, .update, by: .owner,
        with: .name(DrawingFiles.names), .fewerBytes(DrawingFiles.sizeLimit)),
      .documents("users/{uid}/drawings/{shared}", .read, by: .member(.reader)),
      .documents(
        "users/{uid}/drawings/{shared}", .update, by: .member(.writer),
        with: .changesOnly(DrawingRecord.fieldsOfMembers)),
      .blobs("users/{uid}/drawings/{shared}/*", .read, by: .member(.reader)),
      .blobs(
        "users/{uid}/drawings/{shared}/*", .update, by: .member(.writer),
        with: .name([DrawingFiles.recording]), .fewerBytes(DrawingFiles.sizeLimit)),
    ],
    indexes: [
      DocumentIndex("drawings", "createdAt", texts: DrawingService.searchedTexts),
      DocumentIndex("drawings", "checkinId", "createdAt"),
      DocumentIndex("drawings", "updatedAt"),
      DocumentIndex("drawings", "title/folded", "createdAt"),
      DocumentIndex("drawings", "tags"),
    ],
    defaults: [("timezoneOffsetMinutes", .value(0))],
    synchronization: synchronizationOfDrawings)

  private static var synchronizationOfDrawings: Synchronization {
    var synchronization = Synchronization(
      localFields: Set(DrawingRecord.serviceFields).union([
        "imageURL", "recordingURL", "thumbnailURL", "updatedAt", "describedAt",
      ]))
    // Revising a drawing's recording does not change its description.
    synchronization.momentFields = ["describedAt", "updatedAt"]
    return synchronization
  }

  /// Shared drawings, visible to everybody who knows the name of the share. No user can read them
  /// here.
  static let shares = DocumentKind(
    "shares", of: .field("uid", order: "createdAt"),
    indexes: [DocumentIndex("shares", "uid", "createdAt")])

  /// Other users who may read or change a drawing. A document's name is made of the three names, so
  /// that a role takes one reading. No user can read them here.
  package static let members = DocumentKind(
    "members", of: .field("uid", order: "since"), others: [("owner", "drawing")],
    indexes: [
      DocumentIndex("members", "uid", "since"), DocumentIndex("members", "owner", "drawing"),
    ])

  /// Links by which others become members. A document's name is the hash of the secret in the link.
  package static let invitations = DocumentKind(
    "invitations", of: .field("uid", order: "createdAt"),
    indexes: [
      DocumentIndex("invitations", "uid", "createdAt"),
      DocumentIndex("invitations", "uid", "drawing"),
    ])

  /// Events that wait for delivery; no user can read them.
  package static let events = DocumentKind(
    "outbox", of: .field("uid", order: "nextAttemptAt"), schema: event,
    indexes: [DocumentIndex("outbox", "nextAttemptAt")], isExported: false)

  private static let drawing = DocumentSchema(
    .optional("checkinId", .name), .required("isFromCheckIn", .bool),
    .required("imageURL", .link), .required("recordingURL", .link),
    .optional("thumbnailURL", .link), .optional("promptUsed", .prose),
    .optional("title", .shortText), .optional("tags", .list(.shortText, limit: 32)),
    .optional(DrawingRecord.recognizedTextField, .map(recognizedText)),
    // Missing if the recording of an adopted drawing has no date.
    .timezoneOffset, .optional("createdAt", .moment), .required("updatedAt", .moment),
    .optional("describedAt", .moment), .optional("imageIsRendered", .bool),
    .optional("rendersImageLater", .bool),
    .optional("recordingSHA256", .shortText), .optional("nextRecordingSHA256", .shortText),
    .optional("imageSHA256", .shortText),
    .optional("formerRecordings", .list(.shortText, limit: 100)))

  private static let recognizedText = DocumentSchema(
    .optional("recognizer", .shortText), .optional("version", .shortText),
    .optional("language", .shortText),
    .required(
      "words",
      .list(
        .map(
          DocumentSchema(
            .required("text", .shortText), .required("box", .box(RecognizedText.boxRange)),
            .optional("strokes", .list(.text(limit: 64), limit: RecognizedText.strokeLimit)))),
        limit: RecognizedText.wordLimit)))

  private static let profile = DocumentSchema(
    .optional("userName", .shortText),
    .optional("selectedExpectations", .list(.shortText, limit: 100)),
    .optional("notificationHour", .integer(0...23)),
    .optional("notificationMinute", .integer(0...59)),
    .optional("fcmToken", .link), .optional("createdAt", .moment),
    .optional("lastActive", .moment),
    .optional("creationDate", .moment),
    .optional("lastLogin", .moment), .optional("linkedProgressData", .anyMap),
    .optional(
      "settings",
      .map(
        DocumentSchema(
          .optional("notificationsEnabled", .bool),
          .optional("reminderTime", .timeOfDay),
          .optional("privacyLevel", .word(["high", "medium", "low"]))))))

  private static let event = DocumentSchema(
    .required("kind", .shortText), .required("uid", .name), .required("payload", .anyMap),
    .required("createdAt", .moment), .required("attempts", .integer(0...1_000_000)),
    .required("nextAttemptAt", .moment))
}

extension FieldRule {
  /// Minutes east of Greenwich; UTC-12 and UTC+14 are the extremes on Earth.
  package static let timezoneOffset = FieldRule.required(
    "timezoneOffsetMinutes", .integer(-720...840))
}

extension FieldType {
  package static let shortText = FieldType.text(limit: 200)
  package static let link = FieldType.text(limit: 4000)
  package static let prose = FieldType.text(limit: 100_000)
}
