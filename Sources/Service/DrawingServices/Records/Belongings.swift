package import Storage

/// All that belongs to a user, and where it is: the one list by which the quota counts, an erasure erases and an export
/// exports (decision 53). Whatever is stored for a user has its place here; the files have theirs in `FilePlace`, which
/// is also the list for those who visit the files of all users.
///
///     users/UID                      profile
///     users/UID/…                    its documents, and what the service notes about the user
///     shares, outbox, …              documents that name the user in a field
///     users/UID/drawings/ID/…        files of drawings, and files that were uploaded without a document
///     uploads/UID/…                  files of which only a part has arrived
///     trash/DAY/users/UID/…          files that a sweep has moved there
///     sync/PLACE/…                   on a device, recordings that other places have
///     cache/renditions/…             pictures, by the hash of their recording
struct Belongings {
  let uid: String
  let paths: UserPaths
  private let environment: ServiceEnvironment

  init(of uid: String, in environment: ServiceEnvironment) throws(StorageError) {
    (self.uid, self.environment) = (uid, environment)
    paths = try UserPaths(uid)
  }

  // MARK: - Documents

  /// Documents of a user that are found by one query.
  struct Documents {
    let query: Query
    /// Whether the user gets them: not what the service has noted for itself, such as the keys of links.
    let isExported: Bool
  }

  /// All documents of the user but the profile.
  func documents(in reader: any DocumentReader) throws -> [Documents] {
    try collections(in: reader).map {
      Documents(query: Query($0), isExported: !paths.notes.contains($0))
    } + elsewhere
  }

  /// The collections below the profile that hold documents.
  private func collections(in reader: any DocumentReader) throws -> [CollectionPath] {
    try reader.collections(beginningWith: "\(paths.profile)/", after: nil, limit: .max)
  }

  /// The collections below the profile, whether they hold documents now or did once.
  private var knownCollections: [CollectionPath] {
    environment.application.kinds.filter { $0.owner == .user }.map(paths.collection) + paths.notes
  }

  /// Documents that are not below the profile.
  private var elsewhere: [Documents] {
    environment.application.kinds.compactMap { kind in
      guard case .field(let owner, let order) = kind.owner else { return nil }
      let query = Query(kind.collection).filtered(owner, .equal(.text(uid))).ordered(by: order)
      return Documents(query: query, isExported: kind.isExported)
    }
  }

  // MARK: - Files

  /// The files of a user in one place.
  struct Files {
    let folder: BlobFolder
    /// Whether the user may have only so many bytes of them. What is in the trash the user cannot delete, and only a device
    /// keeps what other places have.
    let isCounted: Bool
  }

  /// All files of the user. `places` are those that a device has synchronized with.
  func files(places: [String]) throws -> [Files] {
    var all = [
      Files(folder: try paths.filesOfDrawings, isCounted: true),
      Files(folder: try paths.unfinished, isCounted: true),
    ]
    let trash = try FilePlace.trash.folder
    var (days, last): ([Substring], BlobFolder?) = ([], nil)
    func add(_ found: [[Substring]]) {
      // trash/DAY/users/UID/drawings/ID
      for names in found where names.dropFirst(2).starts(with: paths.names) {
        if !days.contains(names[1]) { days.append(names[1]) }
      }
    }
    repeat {
      let page = try environment.blobs.folders(below: trash, after: last, limit: 1000)
      add(page.map(\.names))
      last = page.last
    } while last != nil
    add(try environment.blobs.unreachableFolders(below: trash).map { $0.split(separator: "/") })
    all += try days.map {
      Files(folder: try BlobFolder("\(trash)/\($0)/\(paths.profile)"), isCounted: false)
    }
    return all + (try places.map { Files(folder: try InkBases.folder(at: $0), isCounted: false) })
  }

  /// The places that this device has synchronized with for the user.
  func places(in reader: any DocumentReader) throws -> [String] {
    try reader.names(in: paths.syncPlaces, after: nil, limit: .max)
  }

  // MARK: - Sums

  /// What a user has.
  struct Sum {
    var documents = 0
    var files = 0
    var fileBytes = 0
    /// The bytes that count for the quota: of documents, and of files that a user can delete.
    var countedBytes = 0
  }

  /// The bytes that count for the quota.
  func countedBytes() throws -> Int { try documentBytes() + fileBytes() }

  /// Those of documents.
  func documentBytes() throws -> Int {
    try environment.documents.read { try documentBytes(in: $0) }
  }

  /// Those of files.
  func fileBytes() throws -> Int {
    var sum = 0
    for files in [try paths.filesOfDrawings, try paths.unfinished] {
      try environment.blobs.forEachFolder(below: files) { sum += $1.reduce(0) { $0 + $1.size } }
    }
    return sum
  }

  private func documentBytes(in reader: any DocumentReader) throws -> Int {
    var sum = try reader.byteCount(inCollectionsBeginningWith: "\(paths.profile)/")
    sum += try reader.readable(paths.profile).document?.fields.bytes.count ?? 0
    for documents in elsewhere {
      var cursor: Query.Cursor?
      repeat {
        let page = try reader.page(documents.query.page(500, after: cursor))
        sum += page.documents.reduce(0) { $0 + $1.fields.bytes.count + $1.id.utf8.count }
        cursor = page.cursor
      } while cursor != nil
    }
    return sum
  }

  /// All that a user has.
  func sum() throws -> Sum {
    var sum = Sum()
    let places = try environment.documents.read { reader in
      let profile = try reader.readable(paths.profile)
      if profile.document != nil || profile.isDamaged { sum.documents += 1 }
      for documents in try documents(in: reader) {
        sum.documents += try reader.count(documents.query)
      }
      sum.countedBytes = try documentBytes(in: reader)
      return try self.places(in: reader)
    }
    for files in try files(places: places) {
      try environment.blobs.forEachFolder(below: files.folder) { _, found in
        let bytes = found.reduce(0) { $0 + $1.size }
        sum.files += found.count
        sum.fileBytes += bytes
        if files.isCounted { sum.countedBytes += bytes }
      }
    }
    // What other programs have stored there: an erasure deletes it. Under a name that is none nothing can be counted.
    let profile = paths.profile.folder
    sum.files += try environment.blobs.fileNames(in: profile).count
    for folder in [profile, try paths.unfinished] {
      sum.files += try environment.blobs.unreachableFolders(below: folder).count
    }
    return sum
  }

  // MARK: - Erasure

  /// Erases all documents of the user, so that no trace of current or formerly deleted ones remains, and returns their
  /// number and the places of files that only they name.
  func eraseDocuments(
    in transaction: any DocumentTransaction
  ) throws -> (count: Int, places: [String]) {
    let places = try places(in: transaction)
    let profile = try transaction.readable(paths.profile)
    var count = profile.document != nil || profile.isDamaged ? 1 : 0
    // A deletion would leave the name.
    try transaction.erase(paths.profile)
    // Damaged documents must not prevent the deletion.
    for collection in Set(try collections(in: transaction) + knownCollections) {
      count += try transaction.count(Query(collection))
      try transaction.erase(collection)
    }
    for documents in elsewhere {
      for document in try environment.documents(documents.query, in: transaction) {
        try transaction.erase(document.path)
        count += 1
      }
    }
    return (count, places)
  }

  /// Deletes all files of the user, under whatever names other programs have stored them. A drawing that was stored again
  /// meanwhile keeps its own. What cannot be deleted keeps nothing else, and is thrown at the end.
  func eraseFiles(places: [String]) throws {
    var failure: (any Error)?
    func erase(_ folder: BlobFolder, except keeps: (BlobFolder) throws -> Bool) {
      do {
        try environment.blobs.deleteTree(folder, except: keeps)
      } catch {
        failure = failure ?? error
      }
    }
    let drawings = try paths.filesOfDrawings
    // Empty folders would still show that the user existed, so those of the user themselves go, too.
    erase(paths.profile.folder) { folder in
      guard DocumentPath(ofDrawingIn: folder) != nil else { return false }
      do {
        try environment.deleteFiles(in: folder)
      } catch {
        failure = failure ?? error
      }
      return true
    }
    for files in try files(places: places) where files.folder != drawings {
      erase(files.folder) { _ in false }
    }
    if let failure { throw failure }
  }
}

/// The places of the store of files where something of a user may lie.
package enum FilePlace: String, CaseIterable {
  /// Files of drawings, and files that were uploaded without a document, in `users/UID/drawings/ID`. A backup has them,
  /// and a verification reads them.
  case drawings = "users"
  /// Files of which only a part has arrived, in `uploads/UID`. A verification reads them; a backup leaves them out, as
  /// their program sends them again.
  case unfinished = "uploads"
  /// Files without a document that a sweep has moved away, in `trash/DAY/users/UID/drawings/ID`.
  case trash
  /// On a device, the recordings that other places have, in `sync/PLACE`.
  case devices = "sync"

  /// The folder of all users' files.
  package var folder: BlobFolder {
    get throws(StorageError) { try BlobFolder(rawValue) }
  }
}
