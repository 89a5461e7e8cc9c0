import Storage

/// Pictures that can be drawn again, up to a number of bytes. Those used longest ago go first: of all where
/// there are few, of a handful that the hashes choose where there are many, so that keeping a picture
/// costs the same however many there are.
///
/// A small file says how many bytes there are, and how far a count of them has come that goes on with
/// every picture that is kept. So a number that is wrong, after a crash for example, is right again after
/// one round.
struct RenditionCache {
  let store: any BlobStore
  let limit: Int

  /// So many folders are looked at whenever a picture is kept.
  private static let window = 16
  /// So many times more where much has to go for one large picture.
  private static let mostWindows = 32

  /// A picture, which counts as used now.
  func picture(_ path: BlobPath, at moment: Moment) throws(StorageError) -> [UInt8]? {
    guard let blob = try store.get(path) else { return nil }
    // Where nothing can be written, pictures are good all the same.
    _ = try? store.noteUse(of: path, at: moment)
    return blob.bytes
  }

  /// Keeps a picture; one for which there is no space among those in use is not kept.
  func keep(_ bytes: [UInt8], as path: BlobPath, at moment: Moment) throws {
    guard bytes.count <= limit else { return }
    try store.alone {
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
        guard windows < Self.mostWindows else {
          return try state.write(to: store)
        }
        windows += 1
        try state.advance(in: store)
      }
      state.add(bytes.count - replaced, in: path.folder)
      // First, so that no picture lies there uncounted if the program dies.
      try state.write(to: store)
      try store.put(path, contentType: "image/png", bytes, at: moment)
      _ = try? store.noteUse(of: path, at: moment)
    }
  }

  /// Deletes the pictures in a folder.
  func delete(_ folder: BlobFolder) throws {
    guard try !store.entries(of: folder).isEmpty else { return }
    try store.alone {
      let size = try store.entries(of: folder).reduce(0) { $0 + ($1.info?.size ?? 0) }
      try store.delete(folder)
      var state = try State(in: store)
      state.remove(size, in: folder)
      try state.write(to: store)
    }
  }

  /// How many bytes there are, and how far they were counted.
  private struct State {
    /// The bytes of all pictures, as far as is known.
    private(set) var total = 0
    /// The bytes up to and with the folder that was counted last.
    private var counted = 0
    /// The folder that was counted last; nil at the start of a round.
    private var last: BlobFolder?
    /// What lies in the folders that were just counted.
    private(set) var candidates: [Candidate] = []

    struct Candidate {
      let path: BlobPath
      let size: Int
      let used: Moment
    }

    private static func folder() throws(StorageError) -> BlobFolder {
      try BlobFolder("renditions")
    }

    /// What was written last; nothing counted where that is damaged or missing.
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

    /// Counts some more folders, from the start again behind the last one.
    mutating func advance(in store: any BlobStore) throws {
      candidates = []
      let all = try Self.folder()
      var folders = try store.folders(below: all, after: last, limit: RenditionCache.window)
      try count(folders, in: store)
      guard folders.count < RenditionCache.window else { return }
      (total, counted, last) = (counted, 0, nil)
      // Few that are left at the end of a round would be all there is to choose from.
      let known = Set(folders)
      folders = try store.folders(below: all, after: nil, limit: RenditionCache.window)
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
  }
}
