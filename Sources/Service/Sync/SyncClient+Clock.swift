import DrawingServices
import Storage

// Correction of changes whose times are far ahead.

extension SyncClient {
  /// The maximum correctable clock error, in seconds. With a larger one, the other place's clock
  /// may be the wrong one.
  private static let longestLead: Int64 = 3650 * 86_400
  /// The accepted lead of times, in seconds.
  private static let acceptedLead: Int64 = 86_400

  /// Sets back the times of a change that are too far ahead of the other place's clock, by the lead
  /// of this clock over that one. The change stays later than its predecessor, which is from the
  /// moment `seen`. It becomes a new change and is sent again. Returns whether something was
  /// changed.
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
    /// The corrected moment of a version, later than `seen`.
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
