import Storage

/// Files that arrive in pieces, by their SHA-256. What was interrupted goes on where it stopped; nobody sees a file before
/// it is complete and has this hash.
///
///     ROOT/cache/staged/UID/SHA256/chunk.0 …
package struct StagedFiles {
  private let blobs: any BlobStore
  private let uid: String
  private let now: Moment

  /// The files of a user; nil if there is no room for any.
  package init?(_ environment: ServiceEnvironment, of uid: String) {
    guard let blobs = environment.cache else { return nil }
    (self.blobs, self.uid, now) = (blobs, uid, environment.now())
  }

  private static let prefix = "chunk."
  /// After this time, in seconds, a file that was not completed is deleted.
  private static let lifeSeconds: Int64 = 7 * 86_400
  /// The files of a user that may be incomplete at once.
  private static let maximumCount = 64

  private func folder(_ sha256: String) throws -> BlobFolder {
    guard sha256.utf8.count == 64, sha256.utf8.allSatisfy({ 48...57 ~= $0 || 97...102 ~= $0 })
    else { throw ServiceError.badRequest("a SHA-256 has 64 hexadecimal digits") }
    return try BlobFolder("staged/\(uid)/\(sha256)")
  }

  /// The pieces of a file without a gap, by their first bytes.
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

  /// How many bytes of a file are here.
  package func count(_ sha256: String) throws -> Int {
    try pieces(folder(sha256)).reduce(0) { $0 + $1.info.size }
  }

  /// Adds a piece and returns how many bytes are here. One that does not follow the last one is dropped, but a first one
  /// begins the file again: its sender has seen that what is here is not the file.
  @discardableResult
  package func add(_ bytes: [UInt8], to sha256: String, at offset: Int) throws -> Int {
    let folder = try folder(sha256)
    var count = try count(sha256)
    if offset == 0, count > 0, !bytes.isEmpty {
      try blobs.delete(folder)
      count = 0
    }
    guard offset == count, !bytes.isEmpty else { return count }
    guard count + bytes.count < DrawingFiles.sizeLimit else {
      throw ServiceError.tooLarge(file: sha256, limit: DrawingFiles.sizeLimit)
    }
    if count == 0 { try makeRoom() }
    try blobs.put(
      [
        BlobContent(
          "\(Self.prefix)\(offset)", contentType: "application/octet-stream", bytes)
      ], in: folder, at: now)
    return count + bytes.count
  }

  /// The complete file; nil if bytes are missing, or are others than its name says.
  package func file(_ sha256: String) throws -> [UInt8]? {
    let folder = try folder(sha256)
    var bytes: [UInt8] = []
    for piece in try pieces(folder) {
      guard let blob = try blobs.get(piece.info.path) else { return nil }
      bytes += blob.bytes
    }
    return ContentHash.of(bytes) == sha256 ? bytes : nil
  }

  /// Deletes a file, which is not needed any more.
  package func remove(_ sha256: String) throws { try blobs.delete(folder(sha256)) }

  private func makeRoom() throws {
    let parent = try BlobFolder("staged/\(uid)")
    _ = try blobs.removeLeftovers(below: parent, before: now - Self.lifeSeconds)
    let folders = try blobs.folders(below: parent, after: nil, limit: .max)
    guard folders.count >= Self.maximumCount else { return }
    // The one that has waited longest is the least likely to be completed.
    let oldest = try folders.map { folder in
      (folder, try pieces(folder).first?.info.updated ?? Moment(microseconds: 0))
    }.min { $0.1 < $1.1 }
    if let oldest { try blobs.delete(oldest.0) }
  }
}
