package import DrawingServices
package import Storage

/// A change that cannot be sent or accepted now. It does not block others.
package struct HeldChange: Hashable, Sendable {
  package var name: SyncName
  package var direction: Direction
  /// The sequence number of the held change, in the store that it comes from.
  package var sequence: Int64
  package var code: String
  package var text: String
  package var attempts = 1
  /// When it is tried again; nil if that would not help because the user has to change it or to
  /// decide.
  package var nextAttempt: Moment?
  /// The other place's version, if it could not be accepted.
  package var change: SyncChange.Content?

  package enum Direction: String, Sendable { case sent, received }

  package init(
    _ name: SyncName, _ direction: Direction, sequence: Int64, code: String, _ text: String
  ) {
    (self.name, self.direction, self.sequence) = (name, direction, sequence)
    (self.code, self.text) = (code, text)
  }

  /// Two versions wait for the user's decision.
  package static let conflict = "conflict"
  /// Drawings wait for an unmetered connection.
  package static let metered = "metered"

  package init?(_ document: Document, in application: Application) {
    guard let name = document["name"]?.textValue.flatMap({ SyncName($0, in: application) }),
      let direction = document["direction"]?.textValue.flatMap(Direction.init),
      let sequence = document["sequence"]?.integerValue
    else { return nil }
    self.init(
      name, direction, sequence: sequence, code: document["code"]?.textValue ?? "",
      document["text"]?.textValue ?? "")
    attempts = Int(clamping: document["attempts"]?.integerValue ?? 1)
    nextAttempt = document["nextAttempt"]?.momentValue
    if let fields = document["fields"]?.mapValue {
      change = .document(fields)
    } else if let moment = document["deletedAt"]?.momentValue {
      change = .deleted(moment)
    }
  }

  package func fields(at place: String) -> Fields {
    var fields: Fields = [
      "place": .text(place), "name": .text(name.description),
      "direction": .text(direction.rawValue), "sequence": .integer(sequence), "code": .text(code),
      "text": .text(text), "attempts": .integer(Int64(attempts)),
      "nextAttempt": nextAttempt.map { .moment($0) },
    ]
    switch change {
    case .document(let given): fields["fields"] = .map(given)
    case .deleted(let moment): fields["deletedAt"] = .moment(moment)
    case nil: break
    }
    return fields
  }
}
