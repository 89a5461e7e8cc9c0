/// What names things may have, so that every name is also a file's name on any system, and no name
/// leads anywhere else: letters, digits, dots, lines; neither a dot nor a line first.
public enum StorageName {
  /// The longest name.
  public static let maximumLength = 128
  /// So many names a path may have.
  static let maximumDepth = 15

  /// Throws where nothing can have this name.
  public static func check(_ name: some StringProtocol) throws(StorageError) {
    func refuse(_ reason: String) -> StorageError {
      StorageError(.badPath(reason), String(name).lowASCII)
    }
    guard let first = name.utf8.first else { throw refuse("it is empty") }
    guard name.utf8.count <= maximumLength else {
      throw refuse("it is longer than \(maximumLength) letters")
    }
    guard isLetterOrDigit(first) else { throw refuse("it must begin with a letter or a digit") }
    guard name.utf8.allSatisfy({ isLetterOrDigit($0) || $0 == 45 || $0 == 46 || $0 == 95 }) else {
      throw refuse("letters without accents, digits, '.', '_' and '-' are all it may have")
    }
  }

  /// Whether something could have this name.
  static func isValid(_ name: some StringProtocol) -> Bool { (try? check(name)) != nil }

  private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
    switch byte {
    case 48...57, 65...90, 97...122: true
    default: false
    }
  }
}

/// Where documents of one kind lie: `users/ann/drawings`, names and identifiers in turn.
public struct CollectionPath: Hashable, Sendable, Comparable, CustomStringConvertible {
  /// The names with slashes between them.
  public let description: String

  /// A collection by its path.
  public init(_ path: String) throws(StorageError) {
    let names = path.namesOfPath
    guard names.count % 2 == 1, names.count <= StorageName.maximumDepth else {
      throw StorageError(.badPath("it does not lead to a collection"), path.lowASCII)
    }
    for name in names { try StorageName.check(name) }
    description = path
  }

  /// One that was stored.
  init(trusted path: String) { description = path }

  /// The last name: `drawings`.
  public var name: Substring { description.namesOfPath.last ?? "" }

  /// A document in it.
  public func document(_ id: String) throws(StorageError) -> DocumentPath {
    try StorageName.check(id)
    return DocumentPath(trusted: self, id)
  }

  /// In the order of their bytes.
  public static func < (a: Self, b: Self) -> Bool {
    a.description.utf8.lexicographicallyPrecedes(b.description.utf8)
  }
}

/// Where one document lies: `users/ann/drawings/d1`.
public struct DocumentPath: Hashable, Sendable, Comparable, CustomStringConvertible {
  /// The collection that it lies in.
  public let collection: CollectionPath
  /// Its name there.
  public let id: String

  /// A document by its path.
  public init(_ path: String) throws(StorageError) {
    guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else {
      throw StorageError(.badPath("it does not lead to a document"), path.lowASCII)
    }
    // A byte further, not a character, which may be a slash with a mark on it.
    let id = path[path.utf8.index(after: slash)...]
    self = try CollectionPath(String(path[..<slash])).document(String(id))
  }

  init(trusted collection: CollectionPath, _ id: String) {
    self.collection = collection
    self.id = id
  }

  /// A collection below it.
  public func collection(_ name: String) throws(StorageError) -> CollectionPath {
    try StorageName.check(name)
    let path = "\(self)/\(name)"
    guard path.utf8.count(where: { $0 == UInt8(ascii: "/") }) < StorageName.maximumDepth else {
      throw StorageError(.badPath("it does not lead to a collection"), path.lowASCII)
    }
    return CollectionPath(trusted: path)
  }

  /// The folder of the same path, for what belongs to the document.
  public var folder: BlobFolder { BlobFolder(trusted: description) }

  /// The names with slashes between them.
  public var description: String { "\(collection)/\(id)" }

  /// By collection, then by name.
  public static func < (a: Self, b: Self) -> Bool {
    a.collection == b.collection
      ? a.id.utf8.lexicographicallyPrecedes(b.id.utf8) : a.collection < b.collection
  }
}

/// A folder that blobs lie in: `users/ann/drawings/d1`.
public struct BlobFolder: Hashable, Sendable, Comparable, CustomStringConvertible {
  /// The names with slashes between them.
  public let description: String

  /// A folder by its path.
  public init(_ path: String) throws(StorageError) {
    let names = path.namesOfPath
    guard names.count <= StorageName.maximumDepth else {
      throw StorageError(.badPath("it is too deep"), path.lowASCII)
    }
    for name in names { try StorageName.check(name) }
    description = path
  }

  init(trusted path: String) { description = path }

  /// A blob in it.
  public func blob(_ name: String) throws(StorageError) -> BlobPath {
    try StorageName.check(name)
    return BlobPath(folder: self, name: name)
  }

  /// The names.
  public var names: [Substring] { description.namesOfPath }

  /// In the order of their names, the first name first, so that what lies in a folder stands together.
  public static func < (a: Self, b: Self) -> Bool {
    a.names.lexicographicallyPrecedes(b.names) { $0.utf8.lexicographicallyPrecedes($1.utf8) }
  }
}

/// Where one blob lies: `users/ann/drawings/d1/image.png`.
public struct BlobPath: Hashable, Sendable, Comparable, CustomStringConvertible {
  /// The folder that it lies in.
  public let folder: BlobFolder
  /// Its name there.
  public let name: String

  /// A blob by its path, which has a folder at least.
  public init(_ path: String) throws(StorageError) {
    guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else {
      throw StorageError(.badPath("it does not lead to a file in a folder"), path.lowASCII)
    }
    let name = path[path.utf8.index(after: slash)...]
    self = try BlobFolder(String(path[..<slash])).blob(String(name))
  }

  init(folder: BlobFolder, name: String) {
    self.folder = folder
    self.name = name
  }

  /// The names with slashes between them.
  public var description: String { "\(folder)/\(name)" }

  /// By folder, then by name.
  public static func < (a: Self, b: Self) -> Bool {
    a.folder == b.folder ? a.name.utf8.lexicographicallyPrecedes(b.name.utf8) : a.folder < b.folder
  }
}

extension StringProtocol {
  /// Whether this is the same byte by byte. To `==` texts are equal that look alike, such as the sign
  /// for kelvins and the letter K.
  func isIdentical(to other: some StringProtocol) -> Bool { utf8.elementsEqual(other.utf8) }
}

extension String {
  /// What stands between slashes, byte by byte: a slash with a mark on it is another character.
  var namesOfPath: [Substring] {
    utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).map {
      Substring($0)
    }
  }

  /// The text for an error: short, and without anything that a terminal would obey.
  var lowASCII: String {
    String(
      decoding: utf8.prefix(80).map { 32...126 ~= $0 ? $0 : UInt8(ascii: "?") }, as: UTF8.self)
  }
}
