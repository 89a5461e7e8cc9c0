package import Checksums

/// Runs of bytes by their paths, kept safely.
///
/// Blobs lie in folders. What is put into a folder at once is there as a whole once it has returned, also
/// after a power cut; a blob that is replaced is the old one or the new one at any moment. Bytes are
/// given back as they came, or not at all. Stores may be used from any thread.
public protocol BlobStore: Sendable {
  /// Stores blobs in a folder; those of the same names are replaced.
  @discardableResult
  func put(
    _ contents: [BlobContent], in folder: BlobFolder, at moment: Moment
  ) throws(StorageError) -> [BlobInfo]
  /// A blob whose bytes are those that were put; nil where there is none.
  func get(_ path: BlobPath) throws(StorageError) -> Blob?
  /// Some blobs of one folder, each as `get` gives it or why it cannot be given: what many that lie together
  /// cost least by.
  func get(
    _ names: [String], in folder: BlobFolder
  ) throws(StorageError) -> [Result<Blob?, StorageError>]
  /// The bytes that are there now, whatever was put, for whoever knows them by another way; nil for none.
  func uncheckedBytes(_ path: BlobPath) throws(StorageError) -> [UInt8]?
  /// What is known of a blob; nil where there is none.
  func info(_ path: BlobPath) throws(StorageError) -> BlobInfo?
  /// Takes a blob away, if there is one, and says whether there was.
  @discardableResult
  func delete(_ path: BlobPath) throws(StorageError) -> Bool
  /// Takes all blobs of a folder away, and says whether there were any.
  @discardableResult
  func delete(_ folder: BlobFolder) throws(StorageError) -> Bool
  /// Moves all blobs of a folder into another one, which must not be there, and says whether there were
  /// any. Whole or not at all; ledgers are not rewritten, so blobs are only given out again where they
  /// came from.
  @discardableResult
  func move(_ folder: BlobFolder, to other: BlobFolder) throws(StorageError) -> Bool
  /// Calls a body with every folder below one that holds files, and its files, in no particular order.
  /// Reads each folder once and keeps one folder's files in memory; the body may delete or move the
  /// folder that it is called with.
  func forEachFolder(
    below folder: BlobFolder, _ body: (BlobFolder, [BlobFile]) throws -> Void
  ) throws
  /// Folders below one that hold blobs, behind one of them, in order, so many at most.
  func folders(
    below folder: BlobFolder, after: BlobFolder?, limit: Int
  ) throws(StorageError) -> [BlobFolder]
  /// The names of the files in a folder.
  func fileNames(in folder: BlobFolder) throws(StorageError) -> Set<String>
  /// What lies in a folder, by name.
  func entries(of folder: BlobFolder) throws(StorageError) -> [BlobEntry]
  /// Takes away what crashes have left half done below a folder and is older than a moment, and says how
  /// much it was.
  func removeLeftovers(below folder: BlobFolder, before moment: Moment) throws(StorageError) -> Int
  /// Notes that a blob was used at a moment, if it is there. That may be forgotten in a crash.
  func noteUse(of path: BlobPath, at moment: Moment) throws(StorageError)
  /// Calls a body while nobody else is in such a body of the same store, in this program or another.
  func alone<Result>(_ body: () throws -> Result) throws -> Result
}

/// A file in a folder, as the disk knows it.
public struct BlobFile: Hashable, Sendable {
  /// The file's name.
  public let name: String
  /// How many bytes it has.
  public let size: Int
  /// When the bytes last changed, by the system's clock.
  public let modified: Moment
}

/// A blob that is to be stored.
public struct BlobContent: Hashable, Sendable {
  /// Its name in the folder.
  public let name: String
  /// What its bytes are: `image/png`.
  public let contentType: String
  /// The bytes.
  public let bytes: [UInt8]

  /// A blob.
  public init(_ name: String, contentType: String, _ bytes: [UInt8]) {
    self.name = name
    self.contentType = contentType
    self.bytes = bytes
  }
}

/// What is known of a blob without its bytes.
public struct BlobInfo: Hashable, Sendable {
  /// Where it lies.
  public let path: BlobPath
  /// What its bytes are: `image/png`.
  public let contentType: String
  /// How many bytes it has.
  public let size: Int
  /// The hash of its bytes, as 64 hexadecimal digits.
  public var sha256: String { digest.description }
  /// The hash of its bytes.
  package let digest: SHA256.Digest
  /// The CRC-32C of its bytes, by which they are known when they are read.
  let checksum: UInt32
  /// When there first was a blob of this path.
  public let created: Moment
  /// When the bytes were stored.
  public let updated: Moment
}

/// A blob with its bytes.
public struct Blob: Sendable {
  /// What is known of it.
  public let info: BlobInfo
  /// Its bytes.
  public let bytes: [UInt8]

  init(info: BlobInfo, bytes: [UInt8]) {
    self.info = info
    self.bytes = bytes
  }

  /// Bytes that are known by another way than the ledger beside them.
  package init(_ bytes: [UInt8], at path: BlobPath, contentType: String, stored: Moment) {
    self.bytes = bytes
    info = BlobContent(path.name, contentType: contentType, bytes).info(
      in: path.folder, created: stored, updated: stored)
  }
}

/// A name in a folder.
public struct BlobEntry: Hashable, Sendable {
  /// The name.
  public let name: String
  /// What is known of the blob; nil for bytes that nobody put there.
  public let info: BlobInfo?
  /// When the bytes last changed, by the system's clock; nil where there are none though there should.
  public let modified: Moment?
  /// When the bytes were last used, as far as that was noted; nil where there are none.
  public let used: Moment?
}

extension BlobStore {
  /// Stores one blob; one of the same path is replaced.
  @discardableResult
  public func put(
    _ path: BlobPath, contentType: String, _ bytes: [UInt8], at moment: Moment
  ) throws(StorageError) -> BlobInfo? {
    try put([BlobContent(path.name, contentType: contentType, bytes)], in: path.folder, at: moment)
      .first
  }

  /// Some of a blob's bytes, as far as there are so many, with all of them checked; nil where there is
  /// none.
  public func get(_ path: BlobPath, bytes range: Range<Int>) throws(StorageError) -> Blob? {
    guard let blob = try get(path) else { return nil }
    return Blob(info: blob.info, bytes: Array(blob.bytes[range.clamped(to: 0..<blob.bytes.count)]))
  }

  /// Stores a blob's bytes under another path, too.
  @discardableResult
  public func copy(
    _ path: BlobPath, to other: BlobPath, at moment: Moment
  ) throws(StorageError) -> BlobInfo? {
    guard let blob = try get(path) else {
      throw StorageError(.notFound, path.description)
    }
    return try put(other, contentType: blob.info.contentType, blob.bytes, at: moment)
  }

  /// The blobs below a folder behind one of them, in order, so many at most.
  public func list(
    below folder: BlobFolder, after: BlobPath? = nil, limit: Int
  ) throws(StorageError) -> [BlobInfo] {
    try Query.check(limit: limit)
    var found: [BlobInfo] = []
    func add(_ folder: BlobFolder) throws(StorageError) {
      let all = try entries(of: folder).compactMap { $0.modified == nil ? nil : $0.info }
      found += all.filter { info in after.map { $0 < info.path } ?? true }
    }
    // The folder where the last answer ended may hold more; one elsewhere is nobody's business here.
    if let after, after.folder != folder, after.folder.names.starts(with: folder.names) {
      try add(after.folder)
    }
    var last = after?.folder
    while found.count < limit {
      let folders = try folders(below: folder, after: last, limit: 64)
      guard !folders.isEmpty else { break }
      for folder in folders where found.count < limit { try add(folder) }
      last = folders.last
    }
    return Array(found.prefix(limit))
  }
}

extension BlobContent {
  /// No blob may be larger.
  static let largest = 1 << 30

  /// Throws where these cannot be blobs of one folder.
  static func check(_ contents: [BlobContent]) throws(StorageError) {
    var names: Set<String> = []
    for content in contents {
      try content.check()
      guard names.insert(content.name).inserted else {
        throw StorageError(.alreadyThere, content.name)
      }
    }
  }

  /// Throws where this cannot be a blob.
  func check() throws(StorageError) {
    try StorageName.check(name)
    guard 1...127 ~= contentType.utf8.count, contentType.utf8.allSatisfy({ 33...126 ~= $0 }) else {
      throw StorageError(.badValue("not a content type"), name)
    }
    guard bytes.count <= Self.largest else {
      throw StorageError(.tooLarge(limit: Self.largest), name)
    }
  }

  func info(in folder: BlobFolder, created: Moment, updated: Moment) -> BlobInfo {
    BlobInfo(
      path: BlobPath(folder: folder, name: name), contentType: contentType, size: bytes.count,
      digest: SHA256.of(bytes), checksum: Checksum.of(bytes), created: created, updated: updated)
  }
}
