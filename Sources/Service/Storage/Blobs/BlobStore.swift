package import Checksums

/// Durable storage of blobs by path.
///
/// Blobs are stored in folders. A new folder with its blobs appears as a whole, and is durable once
/// `put` has returned, also after a power cut; at any moment a replaced blob is either the old or
/// the new one. Reading returns exactly the stored bytes, or an error. A store may be used from any
/// thread.
public protocol BlobStore: Sendable {
  /// Stores blobs in a folder. Replaces blobs with the same names.
  @discardableResult
  func put(
    _ contents: [BlobContent], in folder: BlobFolder, at moment: Moment
  ) throws(StorageError) -> [BlobInfo]
  /// Stores blobs in a new folder, all or none; nil if the folder exists already.
  func create(
    _ contents: [BlobContent], in folder: BlobFolder, at moment: Moment
  ) throws(StorageError) -> [BlobInfo]?
  /// Adds blobs to a folder that holds another blob with the bytes of `info`, and none with their
  /// names. Otherwise returns nil and changes nothing. All this is one step: a folder that is
  /// deleted at the same time stays deleted, and a folder that was created later with its path is
  /// not changed.
  func add(
    _ contents: [BlobContent], beside info: BlobInfo, at moment: Moment
  ) throws(StorageError) -> [BlobInfo]?
  /// Stores blobs in the folder of another blob and deletes others there, if that blob is still
  /// exactly the one of `info`; the call may replace it. Otherwise returns nil and changes nothing.
  /// Test and changes are one step for all writers. A crash leaves some of the changes, in the
  /// order of `contents`; nothing is deleted before all of them are durable.
  func put(
    _ contents: [BlobContent], deleting names: [String], beside info: BlobInfo, at moment: Moment
  ) throws(StorageError) -> [BlobInfo]?
  /// A blob with verified bytes; nil if there is none. Throws if it is damaged.
  func get(_ path: BlobPath) throws(StorageError) -> Blob?
  /// Several blobs of one folder, each with the result that `get` would have. Reads the ledger of
  /// the folder only once.
  func get(
    _ names: [String], in folder: BlobFolder
  ) throws(StorageError) -> [Result<Blob?, StorageError>]
  /// The current bytes without any check, for callers that verify them in another way; nil if there
  /// is no blob.
  func uncheckedBytes(_ path: BlobPath) throws(StorageError) -> [UInt8]?
  /// The metadata of a blob; nil if there is none.
  func info(_ path: BlobPath) throws(StorageError) -> BlobInfo?
  /// A link by which everybody can read a blob from the store directly, valid for at least
  /// `seconds` from `moment`; nil if the store has no public URLs. Links of about the same time are
  /// equal. Does not check that the blob exists.
  func link(to path: BlobPath, at moment: Moment, seconds: Int) throws -> String?
  /// Deletes a blob and returns whether it existed.
  @discardableResult
  func delete(_ path: BlobPath) throws(StorageError) -> Bool
  /// Deletes all blobs of a folder and returns whether there were any.
  @discardableResult
  func delete(_ folder: BlobFolder) throws(StorageError) -> Bool
  /// Deletes a folder and everything below it, under any names of other programs, and returns the
  /// number of folders that had files. Calls `keeps` for each folder with a valid path, after its
  /// subfolders, and keeps its files if that returns true. Files that are being stored at the same
  /// time may stay.
  @discardableResult
  func deleteTree(
    _ folder: BlobFolder, except keeps: (BlobFolder) throws -> Bool
  ) throws -> Int
  /// Moves all blobs of a folder to a new folder, atomically, and returns whether there were any.
  /// Throws if the new folder exists. Ledgers are not rewritten, so the blobs can only be read
  /// again after moving them back.
  @discardableResult
  func move(_ folder: BlobFolder, to other: BlobFolder) throws(StorageError) -> Bool
  /// Calls a body with every folder with files below a folder, and with these files, in no
  /// particular order. Reads each folder once, and holds the files of one folder in memory. The
  /// body may delete or move the folder that it gets.
  func forEachFolder(
    below folder: BlobFolder, _ body: (BlobFolder, [BlobFile]) throws -> Void
  ) throws
  /// The sorted paths below a folder that other programs have stored under invalid names, each up
  /// to its first invalid name. Only `deleteTree` reaches their contents.
  func unreachableFolders(below folder: BlobFolder) throws(StorageError) -> [String]
  /// The sorted folders with blobs below a folder: those after `after`, at most `limit`.
  func folders(
    below folder: BlobFolder, after: BlobFolder?, limit: Int
  ) throws(StorageError) -> [BlobFolder]
  /// The names of the files in a folder, with or without an entry in its ledger.
  func fileNames(in folder: BlobFolder) throws(StorageError) -> Set<String>
  /// The blobs and other files of a folder, sorted by name.
  func entries(of folder: BlobFolder) throws(StorageError) -> [BlobEntry]
  /// The current time of the clock that sets the times of files; the caller's clock says `now`. The
  /// age of a file must be computed with that clock: another one may be wrong by hours, and files
  /// that are being stored must not seem old.
  func timeOfFiles(_ now: Moment) throws(StorageError) -> Moment
  /// Whether a folder holds all of these blobs, each with the bytes of its metadata.
  func holds(_ infos: [BlobInfo], in folder: BlobFolder) throws(StorageError) -> Bool
  /// Deletes unfinished files and folders that crashes have left below a folder, if they are older
  /// than a moment, and returns their number.
  func removeLeftovers(below folder: BlobFolder, before moment: Moment) throws(StorageError) -> Int
  /// Records that a blob was used at a moment, if it exists. A crash may lose the record.
  func noteUse(of path: BlobPath, at moment: Moment) throws(StorageError)
  /// Calls a body under the lock of a folder, or of the store for nil. It excludes other threads
  /// and programs that use this method for the same folder. Storing and deleting blobs in a folder
  /// takes the same lock, so it must be a folder that holds only other folders. If the folder is
  /// missing, there is no lock.
  func withExclusiveAccess<Result>(
    to folder: BlobFolder?, _ body: () throws -> Result
  ) throws -> Result
}

/// A file in a folder, with the metadata of the file system.
public struct BlobFile: Hashable, Sendable {
  /// The name of the file.
  public let name: String
  /// The size in bytes.
  public let size: Int
  /// When the bytes last changed, by the system clock.
  public let modified: Moment

  package init(name: String, size: Int, modified: Moment) {
    (self.name, self.size, self.modified) = (name, size, modified)
  }
}

/// A blob to store.
public struct BlobContent: Hashable, Sendable {
  /// The name in the folder.
  public let name: String
  /// The content type: `image/png`.
  public let contentType: String
  /// The bytes, at most 1 GiB.
  public let bytes: [UInt8]

  /// A blob from its name, type and bytes. `put` checks them.
  public init(_ name: String, contentType: String, _ bytes: [UInt8]) {
    self.name = name
    self.contentType = contentType
    self.bytes = bytes
  }
}

/// The metadata of a blob.
public struct BlobInfo: Hashable, Sendable {
  /// The path of the blob.
  public let path: BlobPath
  /// The content type: `image/png`.
  public let contentType: String
  /// The size in bytes.
  public let size: Int
  /// The SHA-256 of its bytes, as 64 hexadecimal digits.
  public var sha256: String { digest.description }
  /// The SHA-256 of its bytes.
  package let digest: SHA256.Digest
  /// The CRC-32C of its bytes, which is checked whenever they are read.
  package let checksum: UInt32
  /// When the first blob at this path was stored.
  public let created: Moment
  /// When the current bytes were stored.
  public let updated: Moment

  package init(
    path: BlobPath, contentType: String, size: Int, digest: SHA256.Digest, checksum: UInt32,
    created: Moment, updated: Moment
  ) {
    (self.path, self.contentType, self.size) = (path, contentType, size)
    (self.digest, self.checksum) = (digest, checksum)
    (self.created, self.updated) = (created, updated)
  }
}

/// A blob with its bytes.
public struct Blob: Sendable {
  /// The metadata of the blob.
  public let info: BlobInfo
  /// The verified bytes.
  public let bytes: [UInt8]

  /// A blob whose bytes are those of the metadata.
  package init(info: BlobInfo, bytes: [UInt8]) {
    self.info = info
    self.bytes = bytes
  }

  /// A blob whose bytes the caller has verified without the ledger.
  package init(_ bytes: [UInt8], at path: BlobPath, contentType: String, stored: Moment) {
    self.bytes = bytes
    info = BlobContent(path.name, contentType: contentType, bytes).info(
      in: path.folder, created: stored, updated: stored)
  }
}

/// A file of a folder, a line of its ledger, or both.
public struct BlobEntry: Hashable, Sendable {
  /// The name of the file.
  public let name: String
  /// The metadata of the blob; nil for a file that the ledger does not list.
  public let info: BlobInfo?
  /// When the bytes last changed, by the system clock; nil if the file is missing.
  public let modified: Moment?
  /// When the blob was last used, as far as this was recorded; nil if the file is missing.
  public let used: Moment?

  package init(name: String, info: BlobInfo?, modified: Moment?, used: Moment?) {
    (self.name, self.info, self.modified, self.used) = (name, info, modified, used)
  }
}

extension BlobStore {
  /// Whether a folder holds all of these blobs, by listing it.
  public func holds(_ infos: [BlobInfo], in folder: BlobFolder) throws(StorageError) -> Bool {
    let entries = try entries(of: folder)
    return infos.allSatisfy { info in
      // An interrupted deletion leaves lines in the ledger without their files.
      entries.contains {
        $0.modified != nil && $0.info?.path == info.path && $0.info?.digest == info.digest
      }
    }
  }

  /// Nil: this store has no public URLs.
  public func link(to path: BlobPath, at moment: Moment, seconds: Int) throws -> String? { nil }

  /// Empty: all paths of this store are valid.
  public func unreachableFolders(below folder: BlobFolder) throws(StorageError) -> [String] { [] }

  /// The caller's time: files on this machine get their times from its clock.
  public func timeOfFiles(_ now: Moment) throws(StorageError) -> Moment { now }

  /// Calls a body under the lock of the store, which excludes other threads and programs that use
  /// this method.
  public func withExclusiveAccess<Result>(_ body: () throws -> Result) throws -> Result {
    try withExclusiveAccess(to: nil, body)
  }

  /// Stores one blob. Replaces an existing one at the same path.
  @discardableResult
  public func put(
    _ path: BlobPath, contentType: String, _ bytes: [UInt8], at moment: Moment
  ) throws(StorageError) -> BlobInfo? {
    try put([BlobContent(path.name, contentType: contentType, bytes)], in: path.folder, at: moment)
      .first
  }

  /// A range of the bytes of a blob, clamped to its size; nil if there is no blob. Verifies all
  /// bytes.
  public func get(_ path: BlobPath, bytes range: Range<Int>) throws(StorageError) -> Blob? {
    guard let blob = try get(path) else { return nil }
    return Blob(info: blob.info, bytes: Array(blob.bytes[range.clamped(to: 0..<blob.bytes.count)]))
  }

  /// Copies a blob to another path.
  @discardableResult
  public func copy(
    _ path: BlobPath, to other: BlobPath, at moment: Moment
  ) throws(StorageError) -> BlobInfo? {
    guard let blob = try get(path) else {
      throw StorageError(.notFound, path.description)
    }
    return try put(other, contentType: blob.info.contentType, blob.bytes, at: moment)
  }

  /// The sorted blobs below a folder: those after `after`, at most `limit`.
  public func list(
    below folder: BlobFolder, after: BlobPath? = nil, limit: Int
  ) throws(StorageError) -> [BlobInfo] {
    try Query.check(limit: limit)
    var found: [BlobInfo] = []
    func add(_ folder: BlobFolder) throws(StorageError) {
      let all = try entries(of: folder).compactMap { $0.modified == nil ? nil : $0.info }
      found += all.filter { info in after.map { $0 < info.path } ?? true }
    }
    // The folder where the previous page ended may hold more, if it is below this folder.
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
  /// The maximum size of a blob, 1 GiB.
  static let maximumByteCount = 1 << 30

  /// Throws if these blobs cannot be stored in one folder.
  package static func check(_ contents: [BlobContent]) throws(StorageError) {
    var names: Set<String> = []
    for content in contents {
      try content.check()
      guard names.insert(content.name).inserted else {
        throw StorageError(.alreadyExists, content.name)
      }
    }
  }

  /// Throws if this blob cannot be stored.
  func check() throws(StorageError) {
    try StorageName.check(name)
    guard 1...127 ~= contentType.utf8.count, contentType.utf8.allSatisfy({ 33...126 ~= $0 }) else {
      throw StorageError(.badValue("not a content type"), name)
    }
    guard bytes.count <= Self.maximumByteCount else {
      throw StorageError(.tooLarge(limit: Self.maximumByteCount), name)
    }
  }

  /// The metadata that this blob would have in a folder.
  package func info(in folder: BlobFolder, created: Moment, updated: Moment) -> BlobInfo {
    BlobInfo(
      path: BlobPath(folder: folder, name: name), contentType: contentType, size: bytes.count,
      digest: SHA256.of(bytes), checksum: Checksum.of(bytes), created: created, updated: updated)
  }
}
