import DrawingServices
import Storage

// Changes by a clock that is far ahead.

extension SyncClient {
  /// By how many seconds a clock may be wrong to be corrected: beyond that it may be the other place's that is wrong.
  private static let longestLead: Int64 = 3650 * 86_400
  /// How far ahead times may lie.
  private static let acceptedLead: Int64 = 86_400

  /// Sets back the times of a change that lie too far ahead of the other place's clock, by what this clock is ahead of
  /// that one. The change stays later than the version it has replaced, which is from the moment `seen`. It is sent again
  /// as a new one. Returns whether something was changed.
  func setBack(
    _ change: SyncChange, to clock: Moment, after seen: Moment?, in transaction: ReplicaTransaction
  ) throws -> Bool {
    let now = environment.now()
    guard Moment.supported.contains(clock), clock + Self.longestLead >= now else { return false }
    let lead = max(now.microseconds - clock.microseconds, 0)
    func corrected(_ moment: Moment) -> Moment {
      guard moment > clock + Self.acceptedLead else { return moment }
      return min(Moment(microseconds: moment.microseconds - lead), clock)
    }
    /// The moment of a version.
    func ordered(_ moment: Moment) -> Moment {
      guard let seen, moment > clock + Self.acceptedLead else { return corrected(moment) }
      return max(corrected(moment), Moment(microseconds: seen.microseconds + 1))
    }
    let path = try change.name.path(of: replica.uid)
    guard let document = try transaction.documents.readable(path).document else {
      guard let moment = try transaction.documents.deletion(of: path)?.moment,
        ordered(moment) != moment
      else { return false }
      try transaction.documents.noteDeletion(of: path, at: ordered(moment))
      return true
    }
    var fields = Fields(
      document.fields.all.map { name, value in
        (name, value.momentValue.map { .moment(corrected($0)) } ?? value)
      })
    for name in ["updatedAt", "describedAt"] {
      if let moment = document[name]?.momentValue { fields[name] = .moment(ordered(moment)) }
    }
    if fields["describedAt"] == fields["updatedAt"] { fields["describedAt"] = nil }
    guard fields != document.fields else { return false }
    try transaction.documents.set(path, fields)
    return true
  }
}
