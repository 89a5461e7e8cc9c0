import Checksums
public import Storage

// Files with metadata from clients of Firebase Storage, and with download tokens.

extension DrawingService {
  /// A file and its metadata.
  public struct DescribedFile: Sendable {
    /// The size, times and hash from the file store.
    public let info: BlobInfo
    /// The metadata from clients.
    public let metadata: FileMetadata
  }

  /// Throws if the caller may not store a file of this size.
  public func checkUpload(
    _ name: String, byteCount: Int, ofDrawing id: String, of uid: String
  ) throws {
    try check(.update, DrawingPaths(id, of: uid).file(name), byteCount)
  }

  /// A file and its metadata; nil if there is no file. Adds a first token if one is given and the
  /// file has none.
  public func describedFile(
    _ name: String, ofDrawing id: String, of uid: String, firstToken: String?
  ) throws -> DescribedFile? {
    var info = try fileInfo(name, ofDrawing: id, of: uid)
    if info == nil, name == DrawingFiles.image {
      // The file may be a picture that is rendered on first read.
      info = try? file(name, ofDrawing: id, of: uid).info
    }
    guard let info else { return nil }
    if let metadata = try storedMetadata(info, of: uid),
      firstToken == nil || !metadata.tokens.isEmpty
    {
      return DescribedFile(info: info, metadata: metadata)
    }
    // Reading must not fail because of a quota.
    return try environment.documents.change(at: environment.now()) { transaction in
      try change(info.path, of: uid, in: transaction) { metadata in
        if let firstToken, metadata.tokens.isEmpty { metadata.tokens = [firstToken] }
      }
    }
  }

  /// The stored metadata of these bytes; nil if there is none. Does not write.
  public func storedMetadata(_ info: BlobInfo, of uid: String) throws -> FileMetadata? {
    try gate.check(.read, .blob(info.path))
    let path = try UserPaths(uid).metadata(of: info.path)
    let document = try environment.documents.read { try $0.readable(path).document }
    let metadata = document.flatMap { FileMetadata($0.fields) }
    return metadata?.sha256 == info.sha256 ? metadata : nil
  }

  /// Changes the metadata of a file; nil if there is no file.
  public func changeMetadata(
    _ name: String, ofDrawing id: String, of uid: String,
    _ body: (inout FileMetadata) throws -> Void
  ) throws -> DescribedFile? {
    let blob = try UserPaths(uid).folder(ofDrawing: id).blob(name)
    try gate.check(.update, .blob(blob, size: 0))
    return try gate.change { try change(blob, of: uid, in: $0.ofService, body) }
  }

  private func change(
    _ file: BlobPath, of uid: String, in transaction: any DocumentTransaction,
    _ body: (inout FileMetadata) throws -> Void
  ) throws -> DescribedFile? {
    let path = try UserPaths(uid).metadata(of: file)
    guard let info = try environment.blobs.info(file) else { return nil }
    let stored = try transaction.readable(path).document.flatMap { FileMetadata($0.fields) }
    guard var metadata = try current(stored, info) else { return nil }
    try body(&metadata)
    guard metadata != stored else { return DescribedFile(info: info, metadata: metadata) }
    if metadata.sha256 == stored?.sha256 { metadata.metageneration += 1 }
    metadata.updated = transaction.moment
    try transaction.set(path, metadata.fields(of: file))
    return DescribedFile(info: info, metadata: metadata)
  }

  /// The metadata of a file's current bytes. The service may have rendered the file again since, or
  /// another program may have stored it.
  private func current(_ stored: FileMetadata?, _ info: BlobInfo) throws -> FileMetadata? {
    if let stored, stored.sha256 == info.sha256 { return stored }
    guard let blob = try environment.blobs.get(info.path), blob.info.digest == info.digest else {
      return nil
    }
    var metadata =
      stored
      ?? FileMetadata(sha256: "", md5: [], generation: 0, updated: info.updated)
    metadata.sha256 = info.sha256
    metadata.md5 = MD5.of(blob.bytes)
    metadata.generation = max(info.updated.microseconds, metadata.generation + 1)
    metadata.metageneration = 1
    return metadata
  }

  // MARK: - Tokens

  /// Whether a download token opens a file. Checks no access rules: the token grants access.
  public func opens(
    _ token: String, _ name: String, ofDrawing id: String, of uid: String
  ) throws -> Bool {
    let file = try UserPaths(uid).folder(ofDrawing: id).blob(name)
    let path = try UserPaths(uid).metadata(of: file)
    let document = try environment.documents.read { try $0.readable(path).document }
    let metadata = document.flatMap { FileMetadata($0.fields) }
    // The position where two hashes differ cannot be chosen, so the time of the comparison reveals
    // nothing.
    let hash = ContentHash.of(Array(token.utf8))
    return metadata?.tokens.contains { ContentHash.of(Array($0.utf8)) == hash } ?? false
  }

  /// Revokes the download tokens of all files of a user. Throws unless the caller may delete these
  /// files.
  public func revokeDownloadTokens(of uid: String) throws {
    let paths = try UserPaths(uid)
    try gate.check(.delete, .document(paths.profile, now: nil))
    try environment.documents.change(at: environment.now()) { transaction in
      for name in try transaction.names(in: paths.secrets, after: nil, limit: .max)
      where name.hasPrefix(UserPaths.metadataPrefix) {
        let path = try paths.secrets.document(name)
        // A damaged document grants no access.
        guard let document = try transaction.readable(path).document,
          document["tokens"]?.listValue?.isEmpty == false
        else { continue }
        try transaction.update(path, ["tokens": .list([])])
      }
    }
  }

  // MARK: - Lists

  /// The contents of a folder, sorted by bytes, as full names. Names of folders end with a slash.
  public struct FileList: Sendable {
    /// The names of files and folders.
    public let names: [String]
    /// Whether more follow the last one.
    public let hasMore: Bool
  }

  /// The names of the files of a user, or of one drawing. With `inFolder`, only the direct contents
  /// of a folder: of the user, of the user's drawings, or of a drawing.
  public func fileList(
    of uid: String, inFolder depth: FolderDepth, grouped isGrouped: Bool, after: String?, limit: Int
  ) throws -> FileList {
    let paths = try UserPaths(uid)
    var ids: [String] = []
    if case .drawing(let id) = depth { ids = [id] }
    // Rules apply to files: a caller who may read any file of the folder may list it.
    try gate.check(
      .read, .blob(paths.folder(ofDrawing: ids.first ?? "any").blob(DrawingFiles.image)))
    if ids.isEmpty {
      ids = try environment.blobs.folders(
        below: BlobFolder("\(paths.drawings)"), after: nil, limit: .max
      ).compactMap { $0.names.count == 4 ? $0.names.last.map(String.init) : nil }
    }
    func precedes(_ a: String, _ b: String) -> Bool { a.utf8.lexicographicallyPrecedes(b.utf8) }
    func isAfterStart(_ name: String) -> Bool { after.map { precedes($0, name) } ?? true }
    let folders = ids.map { "\(paths.drawings)/\($0)/" }.sorted(by: precedes)
    var found: [String] = []
    switch depth {
    case .user where isGrouped: found = folders.isEmpty ? [] : ["\(paths.drawings)/"]
    case .drawings where isGrouped: found = folders
    default:
      for folder in folders where found.count <= limit {
        guard isAfterStart(folder) || after?.hasPrefix(folder) == true else { continue }
        let entries = try environment.blobs.entries(of: BlobFolder(String(folder.dropLast())))
        found += entries.filter {
          $0.info != nil && $0.modified != nil && DrawingFiles.names.contains($0.name)
        }.map { folder + $0.name }.filter(isAfterStart).sorted(by: precedes)
      }
    }
    found = found.filter(isAfterStart)
    return FileList(names: Array(found.prefix(limit)), hasMore: found.count > limit)
  }

  /// A folder that can be listed.
  public enum FolderDepth: Hashable, Sendable {
    case user, drawings
    case drawing(String)
  }
}

extension UserPaths {
  static let metadataPrefix = "file-"

  /// The path of a file's metadata. Its name is a hash, since a drawing's name may have the maximum
  /// length.
  func metadata(of file: BlobPath) throws(StorageError) -> DocumentPath {
    try secrets.document(Self.metadataPrefix + ContentHash.of(Array(file.description.utf8)))
  }

  /// The paths of the metadata of a drawing's files.
  func metadata(ofFilesIn folder: BlobFolder) throws(StorageError) -> [DocumentPath] {
    var paths: [DocumentPath] = []
    for name in DrawingFiles.names { paths.append(try metadata(of: folder.blob(name))) }
    return paths
  }
}

extension DocumentTransaction {
  /// Erases those of the documents that exist, with their history.
  func eraseExisting(_ paths: [DocumentPath]) throws {
    for path in paths {
      let stored = try readable(path)
      if stored.document != nil || stored.isDamaged { try erase(path) }
    }
  }
}
