import Storage

/// What fields may hold, in documents of every kind. Fields that are not named here are kept as they come.
enum Schemas {
  /// What the document at a path may hold; nil where anything goes.
  static func schema(for path: DocumentPath) -> DocumentSchema? {
    let names = path.collection.description.split(separator: "/")
    switch (names.count, names.last) {
    case (1, "users"): return profile
    case (3, "mood_checkins"): return checkIn
    case (3, "drawings"): return drawing
    case (3, "moodEntries"): return moodEntry
    case (1, "growthMethods"): return growthMethod
    case (1, "educationalResources"): return educationalResource
    case (1, "sessionLogs"): return sessionLog
    default: return nil
    }
  }

  /// Minutes east of Greenwich that clocks on Earth have.
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
    // A drawing that was found without a date has none.
    offset, .optional("createdAt", .moment), .required("updatedAt", .moment))

  /// Both forms of profiles that apps write.
  private static let profile = DocumentSchema(
    .optional("userName", word), .optional("selectedExpectations", .list(word, limit: 100)),
    .optional("notificationHour", .integer(0...23)),
    .optional("notificationMinute", .integer(0...59)),
    .optional("fcmToken", link), .optional("createdAt", .moment),
    .optional("lastActive", .moment),
    .optional("userId", .name), .optional("creationDate", .moment),
    .optional("lastLogin", .moment), .optional("linkedProgressData", .anyMap),
    .optional(
      "settings",
      .map(
        DocumentSchema(
          .optional("notificationsEnabled", .bool),
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
}
