import DrawingServices
package import Storage

/// The synchronization state with another place, a server or a folder. Stored in the same
/// transactions as the changes that it describes.
package struct PlaceState: Hashable, Sendable {
  /// The address, for people.
  package var address: String
  /// The identity of the other store; a new one means that everything is compared again.
  package var store: String?
  /// The sequence number of the last change there that was accepted.
  package var cursor: Int64 = 0
  /// Changes here up to this sequence number were sent, came from there, or are held.
  package var sentUpTo: Int64 = 0
  /// The sequence numbers of later changes here that came from there, ascending.
  package var received: [ClosedRange<Int64>] = []
  package var lastAttempt: Moment?
  package var lastSuccess: Moment?
  package var problem: Problem?
  /// The number of successive failures.
  package var failures = 0
  /// Whether the user has paused it.
  package var isPaused = false

  package struct Problem: Hashable, Sendable {
    package var kind: String
    package var text: String
  }

  package init(address: String) { self.address = address }

  /// The name of a place in paths.
  package static func key(ofAddress address: String) -> String {
    String(ContentHash.of(Array(address.utf8)).prefix(24))
  }

  /// Starts from the beginning: everything is compared.
  package mutating func reset() {
    (store, cursor, sentUpTo, received) = (nil, 0, 0, [])
  }

  /// Notes a change here that came from there.
  package mutating func noteReceived(_ sequence: Int64) {
    guard sequence > sentUpTo else { return }
    if let last = received.last, last.upperBound + 1 == sequence {
      received[received.count - 1] = last.lowerBound...sequence
    } else {
      received.append(sequence...sequence)
    }
  }

  /// Notes that changes up to a sequence number need not be sent.
  package mutating func noteSent(upTo sequence: Int64) {
    sentUpTo = max(sentUpTo, sequence)
    received.removeAll { $0.upperBound <= sentUpTo }
  }

  /// Whether a change here came from there.
  package func isReceived(_ sequence: Int64) -> Bool {
    received.contains { $0.contains(sequence) }
  }

  /// Whether a change here has not been sent yet.
  package func isWaiting(_ sequence: Int64) -> Bool {
    sequence > sentUpTo && !isReceived(sequence)
  }
}

extension PlaceState {
  package init(_ fields: Fields) {
    address = fields["address"]?.textValue ?? ""
    store = fields["store"]?.textValue
    cursor = fields["cursor"]?.integerValue ?? 0
    sentUpTo = fields["sentUpTo"]?.integerValue ?? 0
    let ends = (fields["received"]?.listValue ?? []).compactMap(\.integerValue)
    for index in stride(from: 0, to: ends.count - 1, by: 2) where ends[index] <= ends[index + 1] {
      received.append(ends[index]...ends[index + 1])
    }
    lastAttempt = fields["lastAttempt"]?.momentValue
    lastSuccess = fields["lastSuccess"]?.momentValue
    if let kind = fields["problem"]?.textValue {
      problem = Problem(kind: kind, text: fields["problemText"]?.textValue ?? "")
    }
    failures = Int(clamping: fields["failures"]?.integerValue ?? 0)
    isPaused = fields["isPaused"]?.boolValue ?? false
  }

  package var fields: Fields {
    [
      "address": .text(address),
      "store": store.map { .text($0) },
      "cursor": .integer(cursor),
      "sentUpTo": .integer(sentUpTo),
      "received": .list(
        received.flatMap { [.integer($0.lowerBound), .integer($0.upperBound)] }),
      "lastAttempt": lastAttempt.map { .moment($0) },
      "lastSuccess": lastSuccess.map { .moment($0) },
      "problem": problem.map { .text($0.kind) },
      "problemText": problem.map { .text($0.text) },
      "failures": .integer(Int64(failures)),
      "isPaused": .bool(isPaused),
    ]
  }
}
