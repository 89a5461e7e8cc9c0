import Checksums
public import Storage

// Files with what clients of Firebase Storage say about them, and with download tokens.

extension DrawingService {
  /// A file and what is said about it.
  public struct DescribedFile: Sendable {
    /// The metadata of the store.
    public let info: BlobInfo
    /// What is said about it.
    public let metadata: FileMetadata
  }

  /// Throws if the caller may not store a file of this size.
  public func checkUpload(
    _ name: String, byteCount: Int, ofDrawing id: String, of uid: String
  ) throws {
    let blob = try UserPaths(uid).folder(ofDrawing: id).blob(name)
    try gate.check(.update, .blob(blob, size: byteCount))
    guard byteCount < DrawingFiles.sizeLimit else {
      throw ServiceError.tooLarge(file: name, limit: DrawingFiles.sizeLimit)
    }
  }

  /// Stores a file as `putFile` does, with what the client says about it. Tokens of earlier bytes do not open it.
  public func putFile(
    _ name: String, _ bytes: [UInt8], ofDrawing id: String, of uid: String,
    describedBy changes: FileMetadata.Changes
  ) throws -> DescribedFile {
    let (info, metadata) = try store(name, bytes, ofDrawing: id, of: uid, describedBy: changes)
    guard let metadata else { throw StorageError(.notFound, info.path.description) }
    return DescribedFile(info: info, metadata: metadata)
  }

  /// A file and what is said about it, with a first token if there is none and one is given; nil if there is no
  /// file.
  public func describedFile(
    _ name: String, ofDrawing id: String, of uid: String, firstToken: String?
  ) throws -> DescribedFile? {
    var info = try fileInfo(name, ofDrawing: id, of: uid)
    if info == nil, name == DrawingFiles.image {
      // It may be one that is rendered when it is first read.
      info = try? file(name, ofDrawing: id, of: uid).info
    }
    guard let info else { return nil }
    if let metadata = try storedMetadata(info, of: uid),
      firstToken == nil || !metadata.tokens.isEmpty
    {
      return DescribedFile(info: info, metadata: metadata)
    }
    // Reading must not fail for a quota.
    return try environment.documents.change(at: environment.now()) { transaction in
      try change(info.path, of: uid, in: transaction) { metadata in
        if let firstToken, metadata.tokens.isEmpty { metadata.tokens = [firstToken] }
      }
    }
  }

  /// What is said about these bytes of a file; nil if nothing was stored about them. Reads only.
  public func storedMetadata(_ info: BlobInfo, of uid: String) throws -> FileMetadata? {
    try gate.check(.read, .blob(info.path))
    let path = try UserPaths(uid).metadata(of: info.path)
    let document = try environment.documents.read { try $0.readable(path).document }
    let metadata = document.flatMap { FileMetadata($0.fields) }
    return metadata?.sha256 == info.sha256 ? metadata : nil
  }

  /// Changes what is said about a file; nil if there is no file.
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

  /// What is said about a file, for its current bytes: the service itself may have rendered it again, or another
  /// program may have stored it.
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

  /// Whether a download token opens a file. Needs no rights: the token is one.
  public func opens(
    _ token: String, _ name: String, ofDrawing id: String, of uid: String
  ) throws -> Bool {
    let file = try UserPaths(uid).folder(ofDrawing: id).blob(name)
    let path = try UserPaths(uid).metadata(of: file)
    let document = try environment.documents.read { try $0.readable(path).document }
    let metadata = document.flatMap { FileMetadata($0.fields) }
    // Hashes differ at a byte that nobody can choose, so the time of comparing them tells nothing.
    let hash = ContentHash.of(Array(token.utf8))
    return metadata?.tokens.contains { ContentHash.of(Array($0.utf8)) == hash } ?? false
  }

  /// Revokes the download tokens of all files of a user. Throws unless the caller may delete what they open.
  public func revokeDownloadTokens(of uid: String) throws {
    let paths = try UserPaths(uid)
    try gate.check(.delete, .document(paths.profile, now: nil))
    try environment.documents.change(at: environment.now()) { transaction in
      for name in try transaction.names(in: paths.secrets, after: nil, limit: .max)
      where name.hasPrefix(UserPaths.metadataPrefix) {
        let path = try paths.secrets.document(name)
        // A damaged document opens nothing.
        guard let document = try transaction.readable(path).document,
          document["tokens"]?.listValue?.isEmpty == false
        else { continue }
        try transaction.update(path, ["tokens": .list([])])
      }
    }
  }

  // MARK: - Lists

  /// What lies below a folder, sorted by bytes: full names, and those of folders end with a slash.
  public struct FileList: Sendable {
    /// The names of files and folders.
    public let names: [String]
    /// Whether more follow the last one.
    public let hasMore: Bool
  }

  /// The names of the files of a user, or of one drawing. With `inFolder`, only what lies directly in the folder: of
  /// the user, of the user's drawings, or of a drawing.
  public func fileList(
    of uid: String, inFolder depth: FolderDepth, grouped isGrouped: Bool, after: String?, limit: Int
  ) throws -> FileList {
    let paths = try UserPaths(uid)
    var ids: [String] = []
    if case .drawing(let id) = depth { ids = [id] }
    // Rules are about files: whoever may read any file of the folder may list it.
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

  /// What is said about a file. Its name is a hash, since the names of drawings may be as long as any name.
  func metadata(of file: BlobPath) throws(StorageError) -> DocumentPath {
    try secrets.document(Self.metadataPrefix + ContentHash.of(Array(file.description.utf8)))
  }

  /// What is said about the files of a drawing.
  func metadata(ofFilesIn folder: BlobFolder) throws(StorageError) -> [DocumentPath] {
    var paths: [DocumentPath] = []
    for name in DrawingFiles.names { paths.append(try metadata(of: folder.blob(name))) }
    return paths
  }
}

extension DocumentTransaction {
  /// Removes documents and every trace of them, if there are any.
  func eraseExisting(_ paths: [DocumentPath]) throws {
    for path in paths {
      let stored = try readable(path)
      if stored.document != nil || stored.isDamaged { try erase(path) }
    }
  }
}
