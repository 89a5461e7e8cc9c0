import JSON
public import DrawingServices
public import Storage

/// The catalogue that all users share: growth methods and educational resources.
public struct CatalogueService: Sendable {
  private let gate: AccessGate

  /// The catalogue with the access of a caller.
  public init(_ environment: ServiceEnvironment, as caller: Caller) {
    gate = AccessGate(environment, as: caller)
  }

  /// All growth methods, sorted by stage.
  public func growthMethods() throws -> [Document] {
    try gate.read {
      try $0.documents(Query(DocumentKind.growthMethods.collection).ordered(by: "stage"))
    }
  }

  /// All educational resources, sorted by title.
  public func educationalResources() throws -> [Document] {
    try gate.read {
      try $0.documents(Query(DocumentKind.educationalResources.collection).ordered(by: "title"))
    }
  }

  /// Adds seeds to the catalogue: `{"growthMethods": […], "educationalResources": […]}`. Replaces
  /// existing entries that differ, so doing it twice changes nothing. Returns the number of written
  /// documents.
  @discardableResult
  public func seed(_ json: [UInt8] = SeedData.json) throws -> Int {
    let seeds = try Self.seeds(json)
    return try gate.change { transaction in
      var count = 0
      for (path, fields) in seeds {
        if try transaction.put(path, fields) { count += 1 }
      }
      return count
    }
  }

  /// The kinds of entries.
  public enum Kind: String, Sendable, CaseIterable {
    case growthMethods, educationalResources

    private var documents: DocumentKind {
      switch self {
      case .growthMethods: .growthMethods
      case .educationalResources: .educationalResources
      }
    }

    var collection: CollectionPath { documents.collection }

    /// The field with the id of an entry.
    public var idField: String { documents.idField ?? "" }
  }

  /// One entry; throws if there is none.
  public func entry(_ id: String, _ kind: Kind) throws -> Document {
    let path = try kind.collection.document(id)
    return try gate.read { try $0.existing(path) }
  }

  /// Stores an entry or replaces the one with the same id: a growth method if the fields have a
  /// `methodId`, an educational resource if they have a `resourceId`. Only for operators.
  @discardableResult
  public func put(_ json: [UInt8]) throws -> Document {
    let fields: Fields
    do throws(JSONError) {
      fields = Self.camelCased(try Fields(json: json))
    } catch {
      throw ServiceError.badFields("\(error)")
    }
    let kinds = Kind.allCases.filter { fields[$0.idField] != nil }
    guard kinds.count == 1, let kind = kinds.first, let id = fields[kind.idField]?.textValue else {
      throw ServiceError.badFields("an entry has either a methodId or a resourceId, as text")
    }
    let path = try kind.collection.document(id)
    return try gate.change { transaction in
      let stored = try transaction.stored(path)
      if let stored { return try transaction.replace(stored.path, fields).value }
      return try transaction.create(path, fields)
    }
  }

  /// Deletes an entry and returns whether it existed. Only for operators.
  @discardableResult
  public func delete(_ id: String, _ kind: Kind) throws -> Bool {
    let path = try kind.collection.document(id)
    return try gate.change { try $0.delete(path) }
  }

  private static func seeds(_ json: [UInt8]) throws -> [(DocumentPath, Fields)] {
    let root: Fields
    do throws(JSONError) {
      root = try Fields(json: json)
    } catch {
      throw ServiceError.badSeed("\(error)")
    }
    var seeds: [(DocumentPath, Fields)] = []
    for (collection, idField) in Kind.allCases.map({ ($0.collection, $0.idField) }) {
      guard let values = (root[collection.description] ?? []).listValue else {
        throw ServiceError.badSeed("'\(collection)' is not a list")
      }
      for value in values {
        guard let fields = value.mapValue.map(camelCased), let id = fields[idField]?.textValue
        else {
          throw ServiceError.badSeed("an entry of '\(collection)' has no '\(idField)'")
        }
        seeds.append((try collection.document(id), fields))
      }
    }
    return seeds
  }

  /// Converts names of fields from `snake_case`, which seeds may use.
  private static func camelCased(_ fields: Fields) -> Fields {
    Fields(
      fields.all.map { name, value in
        let words = name.split(separator: "_")
        let rest = words.dropFirst().map { $0.prefix(1).uppercased() + $0.dropFirst() }
        return ((words.first.map(String.init) ?? "") + rest.joined(), value)
      })
  }
}
