/// Blobs in memory alone: what other stores are measured by, and what tests use.
public final class InMemoryBlobStore: BlobStore {
  private let blobs = Monitor<[BlobFolder: [String: Blob]]>([:])

  /// A store without blobs.
  public init() {}

  /// As `BlobStore` says.
  public func put(
    _ contents: [BlobContent], in folder: BlobFolder, at moment: Moment
  ) throws(StorageError) -> [BlobInfo] {
    for content in contents { try content.check() }
    return blobs.withLock { blobs in
      contents.map { content in
        let created = blobs[folder]?[content.name]?.info.created ?? moment
        let info = content.info(in: folder, created: created, updated: moment)
        blobs[folder, default: [:]][content.name] = Blob(info: info, bytes: content.bytes)
        return info
      }
    }
  }

  /// As `BlobStore` says.
  public func get(_ path: BlobPath) -> Blob? { blobs.withLock { $0[path.folder]?[path.name] } }

  /// As `BlobStore` says.
  public func uncheckedBytes(_ path: BlobPath) -> [UInt8]? { get(path)?.bytes }

  /// As `BlobStore` says.
  public func info(_ path: BlobPath) -> BlobInfo? { get(path)?.info }

  /// As `BlobStore` says.
  public func delete(_ path: BlobPath) -> Bool {
    blobs.withLock { blobs in
      let wasThere = blobs[path.folder]?.removeValue(forKey: path.name) != nil
      if blobs[path.folder]?.isEmpty == true { blobs[path.folder] = nil }
      return wasThere
    }
  }

  /// As `BlobStore` says.
  public func delete(_ folder: BlobFolder) -> Bool {
    blobs.withLock { $0.removeValue(forKey: folder) != nil }
  }

  /// As `BlobStore` says.
  public func folders(below folder: BlobFolder, after: BlobFolder?, limit: Int) -> [BlobFolder] {
    blobs.withLock { blobs in
      let below = blobs.keys.filter { other in
        other != folder && other.names.starts(with: folder.names)
          && after.map { $0 < other } ?? true
      }
      return Array(below.sorted().prefix(limit))
    }
  }

  /// As `BlobStore` says.
  public func entries(of folder: BlobFolder) -> [BlobEntry] {
    let blobs = blobs.withLock { $0[folder] ?? [:] }
    return blobs.values.sorted { $0.info.path < $1.info.path }.map {
      BlobEntry(name: $0.info.path.name, info: $0.info, modified: $0.info.updated)
    }
  }

  /// As `BlobStore` says.
  public func removeLeftovers(below folder: BlobFolder, before moment: Moment) -> Int { 0 }
}
