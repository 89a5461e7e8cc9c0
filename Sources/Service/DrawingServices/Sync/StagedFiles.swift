import Storage

/// Files that arrive in pieces, stored by their SHA-256. An interrupted upload continues where it
/// stopped. A file is only visible when it is complete and has this hash.
///
///     ROOT/uploads/UID/SHA256/chunk.0 …
///
/// The folder is shared with the user's other incomplete uploads, and its files count for the
/// quota. They also have limits of their own: the oldest files are deleted to make space for new
/// ones. The number of pieces is bounded even if small ones arrive: the last piece grows up to a
/// minimum size.
package struct StagedFiles {
  private let environment: ServiceEnvironment
  private let uid: String
  private var blobs: any BlobStore { environment.blobs }

  /// The files of a user.
  package init(_ environment: ServiceEnvironment, of uid: String) {
    (self.environment, self.uid) = (environment, uid)
  }

  private static let prefix = "chunk."
  /// One lock per user for adding pieces.
  private static let users = ProcessLocks()
  /// The maximum number and total bytes of a user's incomplete files.
  package static let maximumCount = 16
  package static let maximumByteCount = 64 << 20
  /// The minimum size of each stored piece but the last one, in bytes. So a file has at most 40
  /// pieces.
  private static let minimumPieceByteCount = 256 << 10
  /// The length of a hash as text. Folders of other uploads have names of other lengths.
  static let nameLength = 64

  private func folder(_ sha256: String) throws -> BlobFolder {
    guard sha256.utf8.count == Self.nameLength,
      sha256.utf8.allSatisfy({ 48...57 ~= $0 || 97...102 ~= $0 })
    else { throw ServiceError.badRequest("a SHA-256 has 64 hexadecimal digits") }
    return try BlobFolder("\(UserPaths(uid).unfinished)/\(sha256)")
  }

  /// The pieces of a file from its start without a gap, by their offsets.
  private func pieces(_ folder: BlobFolder) throws -> [(offset: Int, info: BlobInfo)] {
    let found = try blobs.entries(of: folder).compactMap { entry -> (Int, BlobInfo)? in
      guard let info = entry.info, entry.modified != nil, entry.name.hasPrefix(Self.prefix),
        let offset = Int(entry.name.dropFirst(Self.prefix.count))
      else { return nil }
      return (offset, info)
    }.sorted { $0.0 < $1.0 }
    var end = 0
    return found.filter { piece in
      guard piece.0 == end else { return false }
      end += piece.1.size
      return true
    }
  }

  /// The number of bytes of a file that have arrived.
  package func count(_ sha256: String) throws -> Int {
    try pieces(folder(sha256)).reduce(0) { $0 + $1.info.size }
  }

  /// Adds a piece and returns the number of bytes that have arrived. A piece with a wrong offset is
  /// dropped. A piece at offset zero restarts the file: its sender has found that the stored bytes
  /// are wrong.
  @discardableResult
  package func add(_ bytes: [UInt8], to sha256: String, at offset: Int) throws -> Int {
    let folder = try folder(sha256)
    // Serialized: acknowledged bytes are not replaced by fewer, and the limits hold. Waiting
    // threads hold no database connection here, as they would for a lock of all servers.
    return try Self.users.withLock(uid) {
      try add(bytes, to: sha256, in: folder, at: offset)
    }
  }

  private func add(
    _ bytes: [UInt8], to sha256: String, in folder: BlobFolder, at offset: Int
  ) throws -> Int {
    var pieces = try pieces(folder)
    var count = pieces.reduce(0) { $0 + $1.info.size }
    if offset == 0, count > 0, !bytes.isEmpty {
      try blobs.delete(folder)
      (pieces, count) = ([], 0)
    }
    guard offset == count, !bytes.isEmpty else { return count }
    guard count + bytes.count < DrawingFiles.sizeLimit else {
      throw ServiceError.tooLarge(file: sha256, limit: DrawingFiles.sizeLimit)
    }
    try makeRoom(for: bytes.count, in: folder)
    var (start, piece) = (offset, bytes)
    if let last = pieces.last, last.info.size < Self.minimumPieceByteCount,
      let stored = try blobs.get(last.info.path)
    {
      (start, piece) = (last.offset, stored.bytes + bytes)
    }
    let content = BlobContent(
      "\(Self.prefix)\(start)", contentType: "application/octet-stream", piece)
    try blobs.put([content], in: folder, at: environment.now())
    return count + bytes.count
  }

  /// The complete file; nil if bytes are missing or the hash differs.
  package func file(_ sha256: String) throws -> [UInt8]? {
    let folder = try folder(sha256)
    var bytes: [UInt8] = []
    for piece in try pieces(folder) {
      guard let blob = try blobs.get(piece.info.path) else { return nil }
      bytes += blob.bytes
    }
    return ContentHash.of(bytes) == sha256 ? bytes : nil
  }

  /// Deletes a file that is not needed any more.
  package func remove(_ sha256: String) throws { try blobs.delete(folder(sha256)) }

  /// Deletes the oldest files, which are the least likely to be completed, until the new bytes are
  /// within the limits.
  private func makeRoom(for byteCount: Int, in folder: BlobFolder) throws {
    var others: [(folder: BlobFolder, bytes: Int, last: Moment)] = []
    var total = byteCount
    try blobs.forEachFolder(below: UserPaths(uid).unfinished) { found, files in
      guard found.names.last?.utf8.count == Self.nameLength else { return }
      let bytes = files.reduce(0) { $0 + $1.size }
      total += bytes
      guard found != folder else { return }
      others.append((found, bytes, files.map(\.modified).max() ?? Moment(microseconds: 0)))
    }
    others.sort { $0.last > $1.last }
    while others.count >= Self.maximumCount || total > Self.maximumByteCount,
      let oldest = others.popLast()
    {
      try blobs.delete(oldest.folder)
      total -= oldest.bytes
    }
  }
}
