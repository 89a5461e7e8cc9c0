package import Storage

/// The recordings of other places, for each drawing that was synchronized with them. They are kept
/// as merge bases when the drawing is changed here:
///
///     users/UID/sync_inks/PLACE-…             hashes of its recordings, certain or not
///     ROOT/sync/PLACE/DRAWING/HASH.pkd        their bytes, if the stored recording is another one
///
/// A drawing without a hash was never synchronized with the place. Without the bytes, a merge only
/// finds equal strokes in common, so losing the bytes loses no ink.
package struct InkBases {
  private let environment: ServiceEnvironment
  private let paths: UserPaths

  package init(_ environment: ServiceEnvironment, of uid: String) throws {
    self.environment = environment
    paths = try UserPaths(uid)
  }

  /// The recordings of a drawing that a place may have.
  package struct Known: Hashable, Sendable {
    /// The hash of the last recording that the place has confirmed; nil for none.
    package var sha256: String?
    /// The hashes of recordings sent since then without a response, oldest first.
    package var tried: [String] = []

    package init(sha256: String? = nil, tried: [String] = []) {
      (self.sha256, self.tried) = (sha256, tried)
    }

    /// All hashes, oldest first.
    package var hashes: [String] { (sha256.map { [$0] } ?? []) + tried }
  }

  private static let maximumTries = 6

  /// The folder of the recordings that a place has.
  static func folder(at place: String) throws(StorageError) -> BlobFolder {
    try BlobFolder("\(FilePlace.devices.folder)/\(place)")
  }

  private func folder(_ drawing: String, at place: String) throws(StorageError) -> BlobFolder {
    try BlobFolder("\(Self.folder(at: place))/\(drawing)")
  }

  private func file(
    _ sha256: String, of drawing: String, at place: String
  ) throws(StorageError) -> BlobPath {
    try folder(drawing, at: place).blob("\(sha256.prefix(32)).pkd")
  }

  private func document(_ drawing: String, at place: String) throws(StorageError) -> DocumentPath {
    let name = ContentHash.of(Array(drawing.utf8)).prefix(32)
    return try paths.syncInks.document("\(place)-\(name)")
  }

  // MARK: - Hashes

  /// The recordings that a place may have.
  package func known(
    _ drawing: String, at place: String, in reader: any DocumentReader
  ) throws -> Known {
    let document = try reader.readable(document(drawing, at: place)).document
    if let coming = document?["coming"]?.textValue,
      try hasCome(coming, over: document?["over"]?.textValue, drawing, in: reader)
    {
      return Known(sha256: coming)
    }
    return Known(
      sha256: document?["sha256"]?.textValue,
      tried: (document?["tried"]?.listValue ?? []).compactMap(\.textValue))
  }

  /// Whether a recording of a place was stored here, as a replacement or as the first one.
  private func hasCome(
    _ coming: String, over former: String?, _ drawing: String, in reader: any DocumentReader
  ) throws -> Bool {
    let path = try paths.drawings.document(drawing)
    guard let document = try reader.readable(path).document else { return false }
    let all =
      (document["formerRecordings"]?.listValue ?? []).map(\.textValue)
      + [document["recordingSHA256"]?.textValue]
    let start = former.flatMap { all.lastIndex(of: $0) }.map { $0 + 1 } ?? 0
    return all[start...].contains(coming)
  }

  /// Notes that a recording of a place is about to replace another one here. If the program ends
  /// before it notes that the place has it, the recording is still known as the common base.
  package func noteComing(
    _ sha256: String, over former: String?, of drawing: String, at place: String,
    in transaction: any DocumentTransaction
  ) throws {
    let known = try known(drawing, at: place, in: transaction)
    let coming: Fields = ["coming": .text(sha256), "over": former.map { .text($0) }]
    try set(known, of: drawing, at: place, in: transaction, coming)
  }

  /// Notes the recording that a place has; nil if the drawing is deleted.
  package func setKnown(
    _ sha256: String?, of drawing: String, at place: String, in transaction: any DocumentTransaction
  ) throws {
    guard let sha256 else { return try transaction.erase(document(drawing, at: place)) }
    try set(Known(sha256: sha256), of: drawing, at: place, in: transaction)
  }

  /// Notes that a recording is about to be sent. The response may be lost.
  package func noteTry(
    _ sha256: String, of drawing: String, at place: String, in transaction: any DocumentTransaction
  ) throws {
    var known = try known(drawing, at: place, in: transaction)
    guard known.sha256 != sha256, known.tried.last != sha256 else { return }
    known.tried = known.tried.filter { $0 != sha256 }.suffix(Self.maximumTries - 1) + [sha256]
    try set(known, of: drawing, at: place, in: transaction)
  }

  /// Forgets the recordings of a place whose store has returned to an older state.
  package func forgetAll(at place: String, in transaction: any DocumentTransaction) throws {
    for name in try transaction.names(in: paths.syncInks, after: nil, limit: .max)
    where name.hasPrefix("\(place)-") {
      try transaction.erase(paths.syncInks.document(name))
    }
  }

  private func set(
    _ known: Known, of drawing: String, at place: String, in transaction: any DocumentTransaction,
    _ coming: Fields = Fields()
  ) throws {
    let fields: Fields = [
      "sha256": known.sha256.map { .text($0) },
      "tried": known.tried.isEmpty ? nil : .list(known.tried.map { .text($0) }),
    ]
    let (path, then) = (try document(drawing, at: place), fields.merging(coming))
    guard try transaction.readable(path).document?.fields != then else { return }
    try transaction.set(path, then)
  }

  // MARK: - Bytes

  /// Keeps the stored recording of a drawing, which is about to be replaced, for all places that
  /// may have it, except for one.
  func keep(_ recording: BlobPath, exceptFor exception: String?) throws {
    // Programs that started before the first sync do this too.
    guard let drawing = recording.folder.names.last.map(String.init),
      let stored = try environment.blobs.info(recording)?.sha256
    else { return }
    let places = try environment.documents.read { reader in
      try reader.names(in: paths.syncPlaces, after: nil, limit: .max).filter {
        try $0 != exception && known(drawing, at: $0, in: reader).hashes.contains(stored)
      }
    }
    guard !places.isEmpty, let bytes = try environment.blobs.get(recording)?.bytes else { return }
    for place in places { try set(bytes, of: drawing, at: place) }
  }

  /// A recording that a place may have, if it was kept.
  package func base(_ sha256: String, of drawing: String, at place: String) throws -> [UInt8]? {
    let blob = try environment.blobs.get(file(sha256, of: drawing, at: place))
    return blob?.info.sha256 == sha256 ? blob?.bytes : nil
  }

  /// Keeps a recording that a place has.
  package func set(_ bytes: [UInt8], of drawing: String, at place: String) throws {
    let path = try file(ContentHash.of(bytes), of: drawing, at: place)
    guard try environment.blobs.info(path) == nil else { return }
    try environment.blobs.put(
      [BlobContent(path.name, contentType: "application/octet-stream", bytes)], in: path.folder,
      at: environment.now())
  }

  /// Deletes kept recordings of one place that it does not need now, except for one hash.
  package func remove(
    _ drawing: String, at place: String, exceptFor sha256: String? = nil
  ) throws {
    let folder = try folder(drawing, at: place)
    guard let sha256 else {
      try environment.blobs.delete(folder)
      return
    }
    let kept = try file(sha256, of: drawing, at: place).name
    for name in try environment.blobs.fileNames(in: folder)
    where name != kept && name.hasSuffix(".pkd") {
      try environment.blobs.delete(folder.blob(name))
    }
  }
}
