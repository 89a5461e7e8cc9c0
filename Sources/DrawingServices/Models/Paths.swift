import Storage

/// Where the documents of one user lie. The uid is checked when this is made.
struct UserPaths {
  let profile: DocumentPath

  init(_ uid: String) throws(StorageError) {
    profile = try Collections.users.document(uid)
  }

  private func collection(_ name: String) -> CollectionPath {
    // The parts were checked, and the name is one of ours.
    do throws(StorageError) {
      return try profile.collection(name)
    } catch {
      preconditionFailure("names of collections are names: \(error)")
    }
  }

  var checkIns: CollectionPath { collection("mood_checkins") }
  var drawings: CollectionPath { collection("drawings") }
  var moodEntries: CollectionPath { collection("moodEntries") }
  var milestones: CollectionPath { collection("milestones") }
  var weeklySummaries: CollectionPath { collection("weekly_summaries") }

  /// All of them.
  var collections: [CollectionPath] {
    [checkIns, drawings, moodEntries, milestones, weeklySummaries]
  }

  /// The folder of a drawing's files.
  func folder(ofDrawing id: String) throws(StorageError) -> BlobFolder {
    try drawings.document(id).folder
  }
}

/// Collections that belong to nobody, or to all.
enum Collections {
  static let users = named("users")
  static let growthMethods = named("growthMethods")
  static let educationalResources = named("educationalResources")
  static let sessionLogs = named("sessionLogs")
  /// Events that wait for being told to others; nobody's.
  static let outbox = named("outbox")

  /// Users who are being forgotten, whose files may not all be gone; nobody's.
  static let erasures = named("erasures")

  private static func named(_ name: String) -> CollectionPath {
    do throws(StorageError) {
      return try CollectionPath(name)
    } catch {
      preconditionFailure("names of collections are names: \(error)")
    }
  }

  /// What questions are asked of often.
  public static let indexes = [
    DocumentIndex("mood_checkins", "createdAt"),
    DocumentIndex("drawings", "createdAt"),
    DocumentIndex("drawings", "checkinId", "createdAt"),
    DocumentIndex("moodEntries", "timestamp"),
    DocumentIndex("sessionLogs", "userId", "startTime"),
    DocumentIndex("outbox", "nextAttemptAt"),
  ]
}

/// The files of a drawing.
public enum DrawingFiles {
  /// The drawing as a picture.
  public static let image = "image.png"
  /// How it was drawn, as it came: an archive of PencilKit's or a `.pkd` file.
  public static let recording = "recording.pkd"
  /// The drawing as a small picture.
  public static let thumbnail = "thumbnail.png"
  /// All of them.
  public static let names = [image, recording, thumbnail]
  /// Files have fewer bytes than these.
  public static let sizeLimit = 10 * 1024 * 1024
}
