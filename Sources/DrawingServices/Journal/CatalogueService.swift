import JSON
public import Storage

/// What is the same for all users: methods to grow with, and things to read.
public struct CatalogueService: Sendable {
  private let gate: Gate

  /// The catalogue as a caller may see it.
  public init(_ environment: ServiceEnvironment, as caller: Caller) {
    gate = Gate(environment: environment, caller: caller)
  }

  /// All growth methods, by stage.
  public func growthMethods() throws -> [Document] {
    try gate.read { try $0.documents(Query(Collections.growthMethods).ordered(by: "stage")) }
  }

  /// All educational resources, by title.
  public func educationalResources() throws -> [Document] {
    try gate.read { try $0.documents(Query(Collections.educationalResources).ordered(by: "title")) }
  }

  /// Puts seeds into the catalogue: `{"growthMethods": […], "educationalResources": […]}`. Seeds that are
  /// there already are made new where they differ, so sowing twice changes nothing. Says how many
  /// documents were written.
  @discardableResult
  public func seed(_ json: [UInt8] = SeedData.json) throws -> Int {
    let seeds = try Self.seeds(json)
    return try gate.change { transaction in
      var count = 0
      for (path, fields) in seeds {
        // Users may not, not even where there is nothing to write; operators may.
        try gate.check(.create, .document(path, then: fields))
        try Schemas.check(fields, for: path, now: transaction.moment)
        guard try transaction.transaction.document(path)?.fields != fields else { continue }
        try transaction.transaction.set(path, fields)
        count += 1
      }
      return count
    }
  }

  /// The parts of the catalogue.
  public enum Kind: String, Sendable, CaseIterable {
    case growthMethods, educationalResources

    var collection: CollectionPath {
      switch self {
      case .growthMethods: Collections.growthMethods
      case .educationalResources: Collections.educationalResources
      }
    }

    /// The field that holds an entry's name.
    public var idField: String {
      switch self {
      case .growthMethods: "methodId"
      case .educationalResources: "resourceId"
      }
    }
  }

  /// One entry.
  public func entry(_ id: String, _ kind: Kind) throws -> Document {
    let path = try kind.collection.document(id)
    return try gate.read { try $0.existing(path) }
  }

  /// Keeps an entry, in place of one of the same name: a growth method where the fields have a `methodId`,
  /// an educational resource where they have a `resourceId`. For operators.
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
      let stored = try transaction.transaction.document(path)
      if let stored { return try transaction.replace(stored.path, fields).value }
      return try transaction.create(path, fields)
    }
  }

  /// Deletes an entry, and says whether there was one. For operators.
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
        throw ServiceError.badSeed("'\(collection)' is no list")
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

  /// Seeds may spell names of fields `like_this`.
  private static func camelCased(_ fields: Fields) -> Fields {
    Fields(
      fields.all.map { name, value in
        let words = name.split(separator: "_")
        let rest = words.dropFirst().map { $0.prefix(1).uppercased() + $0.dropFirst() }
        return ((words.first.map(String.init) ?? "") + rest.joined(), value)
      })
  }
}
