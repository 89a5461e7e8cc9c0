/// The rules for names: ASCII letters, digits, `.`, `_` and `-`, with a letter or digit first.
/// Every name is therefore a valid file name on any system, and no name leads out of its folder.
public enum StorageName {
  /// The maximum length of a name in bytes.
  public static let maximumLength = 128
  /// The maximum number of names in a path.
  static let maximumDepth = 15

  /// Throws if a name is not valid.
  public static func check(_ name: some StringProtocol) throws(StorageError) {
    func refuse(_ reason: String) -> StorageError {
      StorageError(.badPath(reason), String(name).printableASCII)
    }
    guard let first = name.utf8.first else { throw refuse("it is empty") }
    guard name.utf8.count <= maximumLength else {
      throw refuse("it is longer than \(maximumLength) letters")
    }
    guard isLetterOrDigit(first) else { throw refuse("it must begin with a letter or a digit") }
    guard name.utf8.allSatisfy({ isLetterOrDigit($0) || $0 == 45 || $0 == 46 || $0 == 95 }) else {
      throw refuse("it may only contain letters without accents, digits, '.', '_' and '-'")
    }
  }

  /// Whether a name is valid.
  package static func isValid(_ name: some StringProtocol) -> Bool { (try? check(name)) != nil }

  private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
    switch byte {
    case 48...57, 65...90, 97...122: true
    default: false
    }
  }
}

/// The path of a collection of documents: `users/ann/drawings`, alternating names and identifiers.
public struct CollectionPath: Hashable, Sendable, Comparable, CustomStringConvertible {
  /// The names with slashes between them.
  public let description: String

  /// A collection from its path, which has an odd number of names.
  public init(_ path: String) throws(StorageError) {
    let names = path.namesOfPath
    guard names.count % 2 == 1, names.count <= StorageName.maximumDepth else {
      throw StorageError(.badPath("it does not lead to a collection"), path.printableASCII)
    }
    for name in names { try StorageName.check(name) }
    description = path
  }

  /// A path from a trusted source, such as the database.
  package init(trusted path: String) { description = path }

  /// The last name: `drawings`.
  public var name: Substring { description.namesOfPath.last ?? "" }

  /// The path of a document in this collection.
  public func document(_ id: String) throws(StorageError) -> DocumentPath {
    try StorageName.check(id)
    return DocumentPath(trusted: self, id)
  }

  /// Compares byte by byte.
  public static func < (a: Self, b: Self) -> Bool {
    a.description.utf8.lexicographicallyPrecedes(b.description.utf8)
  }
}

/// The path of a document: `users/ann/drawings/d1`.
public struct DocumentPath: Hashable, Sendable, Comparable, CustomStringConvertible {
  /// The collection of the document.
  public let collection: CollectionPath
  /// The name of the document in its collection.
  public let id: String

  /// A document from its path, which has an even number of names.
  public init(_ path: String) throws(StorageError) {
    guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else {
      throw StorageError(.badPath("it does not lead to a document"), path.printableASCII)
    }
    // The next byte, not the next character: a slash with a combining mark is one character.
    let id = path[path.utf8.index(after: slash)...]
    self = try CollectionPath(String(path[..<slash])).document(String(id))
  }

  package init(trusted collection: CollectionPath, _ id: String) {
    self.collection = collection
    self.id = id
  }

  /// The path of a collection below this document.
  public func collection(_ name: String) throws(StorageError) -> CollectionPath {
    try StorageName.check(name)
    let path = "\(self)/\(name)"
    guard path.utf8.count(where: { $0 == UInt8(ascii: "/") }) < StorageName.maximumDepth else {
      throw StorageError(.badPath("it does not lead to a collection"), path.printableASCII)
    }
    return CollectionPath(trusted: path)
  }

  /// The folder with the same path, for the blobs of the document.
  public var folder: BlobFolder { BlobFolder(trusted: description) }

  /// The names with slashes between them.
  public var description: String { "\(collection)/\(id)" }

  /// By collection, then by name.
  public static func < (a: Self, b: Self) -> Bool {
    a.collection == b.collection
      ? a.id.utf8.lexicographicallyPrecedes(b.id.utf8) : a.collection < b.collection
  }
}

/// The path of a folder of blobs: `users/ann/drawings/d1`.
public struct BlobFolder: Hashable, Sendable, Comparable, CustomStringConvertible {
  /// The names with slashes between them.
  public let description: String

  /// A folder from its path.
  public init(_ path: String) throws(StorageError) {
    let names = path.namesOfPath
    guard names.count <= StorageName.maximumDepth else {
      throw StorageError(.badPath("it is too deep"), path.printableASCII)
    }
    for name in names { try StorageName.check(name) }
    description = path
  }

  init(trusted path: String) { description = path }

  /// The path of a blob in this folder.
  public func blob(_ name: String) throws(StorageError) -> BlobPath {
    try StorageName.check(name)
    return BlobPath(folder: self, name: name)
  }

  /// The names of the path, the outermost first.
  public var names: [Substring] { description.namesOfPath }

  /// Compares name by name, so that the contents of a folder stay together in sorted lists.
  public static func < (a: Self, b: Self) -> Bool {
    a.names.lexicographicallyPrecedes(b.names) { $0.utf8.lexicographicallyPrecedes($1.utf8) }
  }
}

/// The path of a blob: `users/ann/drawings/d1/image.png`.
public struct BlobPath: Hashable, Sendable, Comparable, CustomStringConvertible {
  /// The folder of the blob.
  public let folder: BlobFolder
  /// The name of the blob in its folder.
  public let name: String

  /// A blob from its path, which has at least a folder and a name.
  public init(_ path: String) throws(StorageError) {
    guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else {
      throw StorageError(.badPath("it does not lead to a file in a folder"), path.printableASCII)
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
  /// Whether both texts have the same bytes. `==` compares canonical equivalence, for which the
  /// kelvin sign equals the letter K.
  package func isIdentical(to other: some StringProtocol) -> Bool { utf8.elementsEqual(other.utf8) }
}

extension String {
  /// The parts between slashes. Splits bytes, as a slash with a combining mark is another
  /// character.
  var namesOfPath: [Substring] {
    utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).map {
      Substring($0)
    }
  }

  /// The text for an error message: its first 80 bytes, with `?` for each that is not printable
  /// ASCII.
  package var printableASCII: String {
    String(
      decoding: utf8.prefix(80).map { 32...126 ~= $0 ? $0 : UInt8(ascii: "?") }, as: UTF8.self)
  }
}
