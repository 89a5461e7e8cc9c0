import Storage
import Strokes

/// The schemas of all kinds of documents. Fields without a rule are stored unchecked.
enum DocumentSchemas {
  /// How many seconds a moment may be ahead of the clock of the service: a day, more than clocks and zones of
  /// devices differ.
  static let maximumLeadSeconds: Int64 = 86_400

  /// Throws if fields break the schema of a path, or a moment is too far in the future. Moments that are already
  /// stored are accepted.
  static func check(
    _ fields: Fields, for path: DocumentPath, stored: Fields? = nil, now: Moment
  ) throws(FieldError) {
    guard let schema = schema(for: path) else { return }
    try schema.check(fields)
    let changed = stored.map { stored in
      Fields(fields.all.filter { name, value in stored[name] != value })
    }
    try schema.checkMoments(of: changed ?? fields, now: now, ahead: maximumLeadSeconds)
  }

  /// The schema of the document at a path; nil if any fields are allowed.
  static func schema(for path: DocumentPath) -> DocumentSchema? {
    let names = path.collection.description.split(separator: "/")
    switch (names.count, names.last) {
    case (1, "users"): return profile(of: path.id)
    case (3, "mood_checkins"): return checkIn
    case (3, "drawings"): return drawing
    case (3, "moodEntries"): return moodEntry
    case (1, "growthMethods"): return growthMethod
    case (1, "educationalResources"): return educationalResource
    case (1, "sessionLogs"): return sessionLog
    case (1, "outbox"): return event
    case (3, "milestones"): return milestone
    case (3, "weekly_summaries"): return weeklySummary
    default: return nil
    }
  }

  /// Minutes east of Greenwich; UTC-12 and UTC+14 are the extremes on Earth.
  private static let offset = FieldRule.required("timezoneOffsetMinutes", .integer(-720...840))
  private static let word = FieldType.text(limit: 200)
  private static let link = FieldType.text(limit: 4000)
  private static let prose = FieldType.text(limit: 100_000)

  private static let checkIn = DocumentSchema(
    .required("colorHex", .color(mayBeEmpty: true)),
    .required("colorIntensity", .number(0...1)),
    .required("emotion", word), .required("topic", word), .required("evaluation", word),
    .optional("journal", prose),
    offset, .required("createdAt", .moment), .required("updatedAt", .moment))

  private static let drawing = DocumentSchema(
    .optional("checkinId", .name), .required("isFromCheckIn", .bool),
    .required("imageURL", link), .required("recordingURL", link),
    .optional("thumbnailURL", link), .optional("promptUsed", prose),
    .optional(DrawingRecord.recognizedTextField, .map(recognizedText)),
    // Missing if the recording of an adopted drawing has no date.
    offset, .optional("createdAt", .moment), .required("updatedAt", .moment),
    .optional("describedAt", .moment), .optional("imageIsRendered", .bool),
    .optional("rendersImageLater", .bool),
    .optional("recordingSHA256", word), .optional("nextRecordingSHA256", word),
    .optional("imageSHA256", word), .optional("formerRecordings", .list(word, limit: 100)))

  private static let recognizedText = DocumentSchema(
    .optional("recognizer", word), .optional("version", word), .optional("language", word),
    .required(
      "words",
      .list(
        .map(
          DocumentSchema(
            .required("text", word), .required("box", .box(RecognizedText.boxRange)),
            .optional("strokes", .list(.text(limit: 64), limit: RecognizedText.strokeLimit)))),
        limit: RecognizedText.wordLimit)))

  /// The schema of a profile, for both forms that apps write. A `userId` must match the path.
  private static func profile(of uid: String) -> DocumentSchema {
    var rules = profile.rules
    rules.append(.optional("userId", .word([uid])))
    return DocumentSchema(rules)
  }

  private static let profile = DocumentSchema(
    .optional("userName", word), .optional("selectedExpectations", .list(word, limit: 100)),
    .optional("notificationHour", .integer(0...23)),
    .optional("notificationMinute", .integer(0...59)),
    .optional("fcmToken", link), .optional("createdAt", .moment),
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

  private static let moodEntry = DocumentSchema(
    .required("moodType", word), .optional("note", prose), .required("timestamp", .moment),
    .optional(
      "quoteShown",
      .map(
        DocumentSchema(
          .required("text", prose), .optional("author", word),
          .optional("source", .word(["local", "remote_config", "ai_generated"])),
          .optional("categories", .list(word, limit: 100))))),
    .optional("expectations", .list(word, limit: 100)), .optional("synced", .bool),
    .optional("deviceID", word),
    .required("createdAt", .moment), .required("updatedAt", .moment))

  private static let growthMethod = DocumentSchema(
    .required("methodId", .name), .required("stage", .integer(0...1000)),
    .required("title", word), .required("description", prose),
    .required("instructionsText", prose), .optional("visualPlaceholderUrl", link),
    .required("equipmentNeeded", .list(word, limit: 100)),
    .required("progressionCriteria", prose), .required("safetyNotes", prose))

  private static let educationalResource = DocumentSchema(
    .required("resourceId", .name), .required("title", word), .required("contentText", prose),
    .required(
      "category", .word(["basics", "technique", "science", "safety", "progression"])),
    .optional("visualPlaceholderUrl", link))

  private static let mood = FieldType.word([
    "veryNegative", "negative", "neutral", "positive", "veryPositive",
  ])

  private static let sessionLog = DocumentSchema(
    .required("logId", .name), .required("userId", .name), .required("methodId", .name),
    .required("startTime", .moment), .required("duration", .number(0...604_800)),
    .optional("userNotes", prose), .required("moodBefore", mood), .required("moodAfter", mood))

  // Documents of the service itself; operators may change them by hand.

  private static let event = DocumentSchema(
    .required("kind", word), .required("uid", .name), .required("payload", .anyMap),
    .required("createdAt", .moment), .required("attempts", .integer(0...1_000_000)),
    .required("nextAttemptAt", .moment))

  private static let milestone = DocumentSchema(
    .required("count", .integer(1...Int64.max)), .required("reachedAt", .moment))

  private static let weeklySummary = DocumentSchema(
    .required("from", word), .required("until", word),
    .required("checkIns", .integer(0...Int64.max)), .required("drawings", .integer(0...Int64.max)),
    .optional("averageScore", .number(1...5)), .optional("emotion", word),
    .required("createdAt", .moment))
}
