import Storage

/// A cache of rendered pictures with a size limit. Evicts the least recently used pictures: among
/// all if there are few folders, among the folders of one window if there are many, so that adding
/// a picture takes the same time for any number of pictures.
///
/// A small file stores the total size, and the progress of a recount that advances by one window
/// with each added picture. A wrong total, after a crash for example, is therefore corrected after
/// one round.
struct RenditionCache {
  let store: any BlobStore
  let limit: Int

  /// The number of folders that are counted when a picture is added.
  private static let windowFolderCount = 16
  /// The maximum number of windows, if one large picture needs more space than a window holds.
  private static let maximumWindowCount = 32

  /// A cached picture; nil if it is missing. Records its use.
  func picture(_ path: BlobPath, at moment: Moment) throws(StorageError) -> [UInt8]? {
    guard let blob = try store.get(path) else { return nil }
    // A read-only cache can still be read.
    _ = try? store.noteUse(of: path, at: moment)
    return blob.bytes
  }

  /// Adds a picture, unless evicting the candidates of all windows gives too little space.
  func add(_ bytes: [UInt8], as path: BlobPath, at moment: Moment) throws {
    guard bytes.count <= limit else { return }
    try store.withExclusiveAccess {
      var state = try State(in: store)
      try state.advance(in: store)
      let replaced = try store.info(path)?.size ?? 0
      var windows = 1
      while state.total - replaced + bytes.count > limit {
        var candidates = state.candidates.filter { $0.path != path }
        candidates.sort { $0.used > $1.used }
        while let oldest = candidates.popLast(), state.total - replaced + bytes.count > limit {
          try store.delete(oldest.path)
          state.remove(oldest.size, in: oldest.path.folder)
        }
        guard state.total - replaced + bytes.count > limit else { break }
        guard windows < Self.maximumWindowCount else {
          return try state.write(to: store)
        }
        windows += 1
        try state.advance(in: store)
      }
      state.add(bytes.count - replaced, in: path.folder)
      // Before the picture, so that a crash leaves no uncounted picture.
      try state.write(to: store)
      try store.put(path, contentType: "image/png", bytes, at: moment)
      _ = try? store.noteUse(of: path, at: moment)
    }
  }

  /// Deletes the pictures in a folder, and its name from the stored progress: the name is the hash
  /// of a recording, which must leave no trace.
  func delete(_ folder: BlobFolder) throws {
    try store.withExclusiveAccess {
      let entries = try store.entries(of: folder)
      var state = try State(in: store)
      guard !entries.isEmpty || state.names(folder) else { return }
      try store.delete(folder)
      state.remove(entries.reduce(0) { $0 + ($1.info?.size ?? 0) }, in: folder)
      state.forget(folder)
      try state.write(to: store)
    }
  }

  /// The total size and the progress of the recount.
  private struct State {
    /// The size of all pictures in bytes, as far as known.
    private(set) var total = 0
    /// The recounted bytes, up to and including the folder `last`.
    private var counted = 0
    /// The last counted folder; nil at the start of a round.
    private var last: BlobFolder?
    /// The pictures in the folders that were just counted.
    private(set) var candidates: [Candidate] = []

    struct Candidate {
      let path: BlobPath
      let size: Int
      let used: Moment
    }

    private static func folder() throws(StorageError) -> BlobFolder {
      try BlobFolder("renditions")
    }

    /// Reads the stored state; starts a new round if it is damaged or missing.
    init(in store: any BlobStore) throws {
      guard let blob = try? store.get(Self.folder().blob("usage")) else { return }
      let words = String(decoding: blob.bytes, as: UTF8.self).split(separator: " ")
      guard words.count >= 2, let total = Int(words[0]), let counted = Int(words[1]),
        counted >= 0, counted <= total
      else { return }
      let last = words.count > 2 ? try? BlobFolder(String(words[2])) : nil
      (self.total, self.counted, self.last) = (total, last == nil ? 0 : counted, last)
    }

    func write(to store: any BlobStore) throws {
      let text = "\(total) \(counted)" + (last.map { " \($0)" } ?? "")
      try store.put(
        try Self.folder().blob("usage"), contentType: "text/plain", Array(text.utf8),
        at: Moment(seconds: 0))
    }

    /// Counts the next window of folders, and begins a new round after the last folder.
    mutating func advance(in store: any BlobStore) throws {
      candidates = []
      let all = try Self.folder()
      var folders = try store.folders(
        below: all, after: last, limit: RenditionCache.windowFolderCount)
      try count(folders, in: store)
      guard folders.count < RenditionCache.windowFolderCount else { return }
      (total, counted, last) = (counted, 0, nil)
      // The rest of a round may be short: one more window gives enough candidates.
      let known = Set(folders)
      folders = try store.folders(below: all, after: nil, limit: RenditionCache.windowFolderCount)
      try count(folders, in: store, known: known)
    }

    private mutating func count(
      _ folders: [BlobFolder], in store: any BlobStore, known: Set<BlobFolder> = []
    ) throws {
      for folder in folders {
        for entry in try store.entries(of: folder) {
          guard let size = entry.info?.size, let used = entry.used else { continue }
          counted += size
          if known.contains(folder) { continue }
          candidates.append(
            Candidate(path: try folder.blob(entry.name), size: size, used: used))
        }
        last = folder
      }
      total = max(total, counted)
    }

    mutating func add(_ size: Int, in folder: BlobFolder) {
      total = max(0, total + size)
      if let last, !(last < folder) { counted = max(0, counted + size) }
    }

    mutating func remove(_ size: Int, in folder: BlobFolder) { add(-size, in: folder) }

    /// Whether the progress names a folder.
    func names(_ folder: BlobFolder) -> Bool { last == folder }

    /// Begins a new round if the progress names a folder.
    mutating func forget(_ folder: BlobFolder) {
      if names(folder) { (counted, last) = (0, nil) }
    }
  }
}
