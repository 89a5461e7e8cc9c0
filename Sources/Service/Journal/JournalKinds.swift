public import DrawingServices
package import Storage

extension Application {
  /// A journal with drawings: check-ins, mood entries and derived documents, and a catalogue of
  /// methods.
  public static let journal = Application(
    kinds: [
      .checkIns, .moodEntries, .milestones, .weeklySummaries, .growthMethods,
      .educationalResources, .sessionLogs,
    ],
    settings: [.milestones, .cardDays])
}

extension DocumentKind {
  /// Check-ins: emotions of a user, with texts.
  public static let checkIns = DocumentKind(
    "mood_checkins", of: .user, schema: checkIn,
    access: [
      .documents("users/{uid}/mood_checkins/*", .read, .update, .delete, by: .owner),
      .documents(
        "users/{uid}/mood_checkins/*", .create, by: .owner,
        with: .fields([
          "colorHex", "colorIntensity", "emotion", "topic", "evaluation", "createdAt",
        ])),
    ],
    indexes: [DocumentIndex("mood_checkins", "createdAt")],
    defaults: [("timezoneOffsetMinutes", .value(0))],
    synchronization: Synchronization(), countName: "checkIns", created: Milestones.reach)

  /// Mood entries, which devices name and synchronize.
  public static let moodEntries = DocumentKind(
    "moodEntries", of: .user, schema: moodEntry,
    access: [
      .documents("users/{uid}/moodEntries/*", .read, .update, .delete, by: .owner),
      .documents(
        "users/{uid}/moodEntries/*", .create, by: .owner,
        with: .text("moodType"), .moment("timestamp")),
    ],
    indexes: [DocumentIndex("moodEntries", "timestamp")], defaults: [("createdAt", .now)],
    // The names are those in apps' analytics.
    synchronization: Synchronization(
      sentField: "synced", sentEvent: "mood_entry_synced", sentDetail: ("mood_type", "moodType")),
    countName: "moodEntries")

  static let milestones = DocumentKind("milestones", of: .user, schema: milestone)

  static let weeklySummaries = DocumentKind("weekly_summaries", of: .user, schema: weeklySummary)

  static let growthMethods = DocumentKind(
    "growthMethods", of: .nobody, schema: growthMethod, idField: "methodId",
    access: [.documents("growthMethods/*", .read, by: .anyUser)])

  static let educationalResources = DocumentKind(
    "educationalResources", of: .nobody, schema: educationalResource, idField: "resourceId",
    access: [.documents("educationalResources/*", .read, by: .anyUser)])

  /// Session logs: the growth method that a user practised, and the mood before and after. Mostly
  /// categories instead of text: notes are optional, and are deleted with the other data of a user.
  public static let sessionLogs = DocumentKind(
    "sessionLogs", of: .field("userId", order: "startTime"), schema: sessionLog, idField: "logId",
    access: [
      .documents(
        "sessionLogs/*", .read, .create, .update, .delete, by: .ownerByField("userId"))
    ],
    indexes: [DocumentIndex("sessionLogs", "userId", "startTime")])

  // MARK: - Schemas

  private static let checkIn = DocumentSchema(
    .required("colorHex", .color(mayBeEmpty: true)),
    .required("colorIntensity", .number(0...1)),
    .required("emotion", .shortText), .required("topic", .shortText),
    .required("evaluation", .shortText),
    .optional("journal", .prose),
    .timezoneOffset, .required("createdAt", .moment), .required("updatedAt", .moment))

  private static let moodEntry = DocumentSchema(
    .required("moodType", .shortText), .optional("note", .prose), .required("timestamp", .moment),
    .optional(
      "quoteShown",
      .map(
        DocumentSchema(
          .required("text", .prose), .optional("author", .shortText),
          .optional("source", .word(["local", "remote_config", "ai_generated"])),
          .optional("categories", .list(.shortText, limit: 100))))),
    .optional("expectations", .list(.shortText, limit: 100)), .optional("synced", .bool),
    .optional("deviceID", .shortText),
    .required("createdAt", .moment), .required("updatedAt", .moment))

  private static let growthMethod = DocumentSchema(
    .required("methodId", .name), .required("stage", .integer(0...1000)),
    .required("title", .shortText), .required("description", .prose),
    .required("instructionsText", .prose), .optional("visualPlaceholderUrl", .link),
    .required("equipmentNeeded", .list(.shortText, limit: 100)),
    .required("progressionCriteria", .prose), .required("safetyNotes", .prose))

  private static let educationalResource = DocumentSchema(
    .required("resourceId", .name), .required("title", .shortText),
    .required("contentText", .prose),
    .required(
      "category", .word(["basics", "technique", "science", "safety", "progression"])),
    .optional("visualPlaceholderUrl", .link))

  private static let mood = FieldType.word([
    "veryNegative", "negative", "neutral", "positive", "veryPositive",
  ])

  private static let sessionLog = DocumentSchema(
    .required("logId", .name), .required("userId", .name), .required("methodId", .name),
    .required("startTime", .moment), .required("duration", .number(0...604_800)),
    .optional("userNotes", .prose), .required("moodBefore", mood), .required("moodAfter", mood))

  // Documents of the service itself; operators may change them by hand.

  private static let milestone = DocumentSchema(
    .required("count", .integer(1...Int64.max)), .required("reachedAt", .moment))

  private static let weeklySummary = DocumentSchema(
    .required("from", .shortText), .required("until", .shortText),
    .required("checkIns", .integer(0...Int64.max)), .required("drawings", .integer(0...Int64.max)),
    .optional("averageScore", .number(1...5)), .optional("emotion", .shortText),
    .required("createdAt", .moment))
}

extension UserPaths {
  package var checkIns: CollectionPath { collection(.checkIns) }
  package var moodEntries: CollectionPath { collection(.moodEntries) }
  var milestones: CollectionPath { collection(.milestones) }
  var weeklySummaries: CollectionPath { collection(.weeklySummaries) }
}
