package import Storage

/// The place of a version of a document in the order by which the last write wins: a later time of change, then a
/// deletion, then the name of the device, then the bytes. Of any two different versions one is greater, on every device,
/// so it does not matter in which order or how often versions arrive
/// ([decision 39](../../../../docs/decisions/0039-clock-of-versions.md)).
package struct SyncOrder: Comparable, Sendable {
  package let moment: Moment
  private let isDeletion: Bool
  private let device: [UInt8]
  private let content: [UInt8]

  /// The order of a document without the fields that are of one place only.
  package init(of fields: Fields, in collection: SyncCollection) {
    moment = collection.moment(of: fields)
    isDeletion = false
    let content = collection.content(of: fields)
    device = Array((content["deviceID"]?.textValue ?? "").utf8)
    self.content = content.bytes
  }

  /// The order of a deletion.
  package init(ofDeletionAt moment: Moment) {
    self.moment = moment
    (isDeletion, device, content) = (true, [], [])
  }

  package static func == (a: SyncOrder, b: SyncOrder) -> Bool {
    a.moment == b.moment && a.isDeletion == b.isDeletion && a.content == b.content
  }

  package static func < (a: SyncOrder, b: SyncOrder) -> Bool {
    if a.moment != b.moment { return a.moment < b.moment }
    if a.isDeletion != b.isDeletion { return b.isDeletion }
    if a.device != b.device { return a.device.lexicographicallyPrecedes(b.device) }
    return a.content.lexicographicallyPrecedes(b.content)
  }
}

/// A collection of a user that is synchronized.
package enum SyncCollection: String, CaseIterable, Hashable, Sendable {
  case checkIns = "mood_checkins"
  case moodEntries = "moodEntries"
  case drawings = "drawings"

  /// The fields that are of one place only: those that the service sets, and links to its files.
  private var localFields: Set<String> {
    switch self {
    case .checkIns: []
    case .moodEntries: ["synced"]
    case .drawings:
      Set(DrawingRecord.serviceFields).union([
        "imageURL", "recordingURL", "thumbnailURL", "updatedAt", "describedAt",
      ])
    }
  }

  /// What all places have of a document.
  package func content(of fields: Fields) -> Fields {
    let local = localFields
    guard local.contains(where: { fields[$0] != nil }) else { return fields }
    return Fields(fields.all.filter { !local.contains($0.0) })
  }

  /// What only this place has of a document.
  func local(of fields: Fields) -> Fields {
    let local = localFields
    return Fields(fields.all.filter { local.contains($0.0) })
  }

  /// When the content was last changed. Revising a drawing's recording is no change of it.
  package func moment(of fields: Fields) -> Moment {
    let named = self == .drawings ? fields["describedAt"]?.momentValue : nil
    return named ?? fields["updatedAt"]?.momentValue ?? Moment.supported.lowerBound
  }

  /// The collection of a document; nil if it is not synchronized.
  package init?(of path: DocumentPath) {
    self.init(rawValue: String(path.collection.name))
  }
}

/// The name of a synchronized document below its user: `moodEntries/7F3A…`.
package struct SyncName: Hashable, Sendable, CustomStringConvertible {
  package let collection: SyncCollection
  package let id: String

  package init(_ collection: SyncCollection, _ id: String) {
    (self.collection, self.id) = (collection, id)
  }

  /// A name from its text; nil for any other text.
  package init?(_ text: String) {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 2, let collection = SyncCollection(rawValue: String(parts[0])) else {
      return nil
    }
    self.init(collection, String(parts[1]))
  }

  package init?(_ path: DocumentPath) {
    guard let collection = SyncCollection(of: path) else { return nil }
    self.init(collection, path.id)
  }

  package var description: String { "\(collection.rawValue)/\(id)" }

  /// The path of the document of a user. Throws for an id that is no name.
  package func path(of uid: String) throws -> DocumentPath {
    let paths = try UserPaths(uid)
    switch collection {
    case .checkIns: return try paths.checkIns.document(id)
    case .moodEntries: return try paths.moodEntries.document(id)
    case .drawings: return try paths.drawings.document(id)
    }
  }
}
