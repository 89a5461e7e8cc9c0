import DrawingServices
import Storage

/// Round numbers of check-ins, each celebrated once per user.
enum Milestones {
  /// Stores a milestone and its event if the number of check-ins of a user has just reached one.
  @Sendable static func reach(
    _ uid: String, _ environment: ServiceEnvironment, _ documents: any DocumentTransaction
  ) throws {
    let paths = try UserPaths(uid)
    let count = try documents.count(Query(paths.checkIns))
    guard environment.settings.milestones.contains(count) else { return }
    let path = try paths.milestones.document("checkins-\(count)")
    // Deleting a check-in and adding another one does not reach it again.
    guard try documents.document(path) == nil else { return }
    try documents.create(
      path, ["count": .integer(Int64(count)), "reachedAt": .moment(documents.moment)])
    try Outbox.add(
      "\(uid)-checkins-\(count)".storageName, kind: "milestone", uid: uid,
      payload: ["checkIns": .integer(Int64(count))], in: documents)
  }
}
