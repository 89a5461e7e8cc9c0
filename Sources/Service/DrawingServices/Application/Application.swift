import JSON
public import Storage

/// The part of an app in the drawing service: its own kinds of documents and its own settings. The
/// service itself has users, drawings, shares and events (decision
/// 64).
public struct Application: Sendable {
  /// All kinds of documents: those of the app, then those of the service.
  package let kinds: [DocumentKind]
  /// All settings, in the order of lists for people.
  public let settings: [Setting]
  /// The access rules of all kinds.
  public let rules: AccessRules
  /// The kinds of which devices get the documents.
  package let synchronizedKinds: [DocumentKind]
  private let kindsByPlace: [Place: DocumentKind]

  /// An app with kinds of documents and settings of its own.
  public init(kinds: [DocumentKind] = [], settings: [Setting] = []) {
    self.kinds = kinds + DocumentKind.ofService
    self.settings = Setting.ofService + settings
    rules = AccessRules(self.kinds.flatMap(\.access))
    synchronizedKinds = self.kinds.filter { $0.synchronization != nil }
    // Two kinds in one place are a fault of the program that gives them.
    kindsByPlace = Dictionary(
      uniqueKeysWithValues: self.kinds.map {
        (Place(name: $0.name[...], isOfUser: $0.owner == .user), $0)
      })
  }

  /// An app that stores drawings and nothing else.
  public static let drawingsAlone = Application()

  private struct Place: Hashable {
    let name: Substring
    let isOfUser: Bool
  }

  /// The kind of the documents in a collection; nil for a collection unknown to app and service.
  package func kind(of collection: CollectionPath) -> DocumentKind? {
    let names = collection.description.utf8.split(separator: UInt8(ascii: "/"))
    switch names.count {
    case 1: return kindsByPlace[Place(name: Substring(names[0]), isOfUser: false)]
    case 3: return kindsByPlace[Place(name: Substring(names[2]), isOfUser: true)]
    default: return nil
    }
  }

  /// A synchronized kind by the name of its collections; nil if there is none.
  package func synchronizedKind(_ name: Substring) -> DocumentKind? {
    let kind = kindsByPlace[Place(name: name, isOfUser: true)]
    return kind?.synchronization == nil ? nil : kind
  }

  /// The indexes for frequent queries.
  package var indexes: [DocumentIndex] { kinds.flatMap(\.indexes) }

  // MARK: - Fields

  /// Fields from JSON. Texts become moments if the schema of the path has a moment there.
  public func fields(_ json: [UInt8], for path: DocumentPath) throws -> Fields {
    let fields: Fields
    do throws(JSONError) {
      fields = try Fields(json: json)
    } catch {
      throw ServiceError.badFields("\(error)")
    }
    return schema(for: path)?.withMoments(fields) ?? fields
  }

  /// The schema of the document at a path; nil if any fields are allowed.
  func schema(for path: DocumentPath) -> DocumentSchema? {
    kind(of: path.collection)?.schema(ofDocument: path.id)
  }

  /// The maximum lead of a moment over the clock of the service, in seconds. One day is more than
  /// the clocks and time zones of devices differ.
  static let maximumLeadSeconds: Int64 = 86_400

  /// Throws if fields break the schema of a path, or if a moment is too far in the future. Moments
  /// that are already stored are accepted.
  func check(
    _ fields: Fields, for path: DocumentPath, stored: Fields? = nil, now: Moment
  ) throws(FieldError) {
    guard let schema = schema(for: path) else { return }
    try schema.check(fields)
    let changed = stored.map { stored in
      Fields(fields.all.filter { name, value in stored[name] != value })
    }
    try schema.checkMoments(of: changed ?? fields, now: now, ahead: Self.maximumLeadSeconds)
  }
}
