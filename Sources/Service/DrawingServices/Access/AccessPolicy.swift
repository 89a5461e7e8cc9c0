public import Storage

extension AccessRules {
  /// The access rules of the drawing service. Everything else is refused. `DocumentSchemas` checks the fields.
  public static let drawingServices = AccessRules([
    .documents("users/{uid}", .read, .create, .update, .delete, by: .owner),

    .documents("users/{uid}/mood_checkins/*", .read, .update, .delete, by: .owner),
    .documents(
      "users/{uid}/mood_checkins/*", .create, by: .owner,
      with: .fields([
        "colorHex", "colorIntensity", "emotion", "topic", "evaluation", "createdAt",
      ])),

    .documents("users/{uid}/drawings/*", .read, .update, .delete, by: .owner),
    .documents(
      "users/{uid}/drawings/*", .create, by: .owner,
      with: .fields(["imageURL", "recordingURL", "isFromCheckIn", "createdAt"])),

    .documents("users/{uid}/moodEntries/*", .read, .update, .delete, by: .owner),
    .documents(
      "users/{uid}/moodEntries/*", .create, by: .owner,
      with: .text("moodType"), .moment("timestamp")),

    .documents(
      "sessionLogs/*", .read, .create, .update, .delete, by: .ownerByField("userId")),

    .documents("growthMethods/*", .read, by: .anyUser),
    .documents("educationalResources/*", .read, by: .anyUser),

    .blobs("users/{uid}/drawings/*/*", .read, .delete, by: .owner),
    .blobs(
      "users/{uid}/drawings/*/*", .create, .update, by: .owner,
      with: .name(DrawingFiles.names), .fewerBytes(DrawingFiles.sizeLimit)),
  ])
}
