package import Storage

/// The total order of a document's versions, by which the last write wins: a later time of change,
/// then a deletion, then the name of the device, then the bytes. Any two different versions have
/// the same order on every device, so it does not matter in which sequence or how often versions
/// arrive (decision 39).
package struct SyncOrder: Comparable, Sendable {
  package let moment: Moment
  private let isDeletion: Bool
  private let device: [UInt8]
  private let content: [UInt8]

  /// The order of a document without its local fields.
  package init(of fields: Fields, in kind: DocumentKind) {
    moment = kind.moment(of: fields)
    isDeletion = false
    let content = kind.content(of: fields)
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

extension DocumentKind {
  private var localFields: Set<String> { synchronization?.localFields ?? [] }

  /// The synchronized fields of a document.
  package func content(of fields: Fields) -> Fields {
    let local = localFields
    guard local.contains(where: { fields[$0] != nil }) else { return fields }
    return Fields(fields.all.filter { !local.contains($0.0) })
  }

  /// The local fields of a document.
  func local(of fields: Fields) -> Fields {
    let local = localFields
    return Fields(fields.all.filter { local.contains($0.0) })
  }

  /// When the content was last changed.
  package func moment(of fields: Fields) -> Moment {
    for name in synchronization?.momentFields ?? [] {
      if let moment = fields[name]?.momentValue { return moment }
    }
    return Moment.supported.lowerBound
  }
}

/// The name of a synchronized document below its user: `moodEntries/7F3A…`.
package struct SyncName: Hashable, Sendable, CustomStringConvertible {
  package let kind: DocumentKind
  package let id: String

  package init(_ kind: DocumentKind, _ id: String) {
    (self.kind, self.id) = (kind, id)
  }

  /// A name from its text; nil for any other text, and for kinds that the app does not have.
  package init?(_ text: String, in application: Application) {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 2, let kind = application.synchronizedKind(parts[0]) else { return nil }
    self.init(kind, String(parts[1]))
  }

  package init?(_ path: DocumentPath, in application: Application) {
    guard let kind = application.synchronizedKind(path.collection.name) else { return nil }
    self.init(kind, path.id)
  }

  package var description: String { "\(kind.name)/\(id)" }

  /// The path of the user's document. Throws for an id that is not a valid name.
  package func path(of uid: String) throws -> DocumentPath {
    try UserPaths(uid).collection(kind).document(id)
  }
}
