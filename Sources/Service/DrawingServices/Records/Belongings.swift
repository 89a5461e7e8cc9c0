package import Storage

/// All data of a user and its locations: the single list by which the quota counts, an erasure
/// erases and an export exports (decision 53). Every kind of stored user data is listed here, and
/// files in `FilePlace`, which is also used to visit the files of all users.
///
///     users/UID                      profile
///     users/UID/…                    the user's documents, and the service's notes
///     shares, members, outbox, …     documents with the user's id in a field
///     users/UID/drawings/ID/…        files with or without a document
///     uploads/UID/…                  incomplete uploads
///     trash/DAY/users/UID/…          files that a sweep has moved there
///     sync/PLACE/…                   on a device, recordings of other places
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

  /// Documents of a user that one query finds.
  struct Documents {
    let query: Query
    /// Whether the user's export includes them. It excludes the service's own notes, such as the
    /// keys of links.
    let isExported: Bool
  }

  /// All documents of the user except the profile.
  func documents(in reader: any DocumentReader) throws -> [Documents] {
    try collections(in: reader).map {
      Documents(query: Query($0), isExported: !paths.notes.contains($0))
    } + elsewhere + ofOthers
  }

  /// The collections below the profile that hold documents.
  private func collections(in reader: any DocumentReader) throws -> [CollectionPath] {
    try reader.collections(beginningWith: "\(paths.profile)/", after: nil, limit: .max)
  }

  /// The collections below the profile that hold documents now or did once.
  private var knownCollections: [CollectionPath] {
    environment.application.kinds.filter { $0.owner == .user }.map(paths.collection) + paths.notes
  }

  /// Documents that belong to other users and name this one.
  private var ofOthers: [Documents] {
    environment.application.kinds.flatMap { kind in
      kind.others.map { field, order in
        let query = Query(kind.collection).filtered(field, .equal(.text(uid))).ordered(by: order)
        return Documents(query: query, isExported: kind.isExported)
      }
    }
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

  /// The files of a user at one location.
  struct Files {
    let folder: BlobFolder
    /// Whether the quota counts these bytes. It excludes the trash, which the user cannot empty,
    /// and a device's copies of other places' recordings.
    let isCounted: Bool
  }

  /// All files of the user. `places` are the places that a device has synchronized with.
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

  /// The amount of a user's data.
  struct Sum {
    var documents = 0
    var files = 0
    var fileBytes = 0
    /// The bytes that count for the quota: of documents, and of files that a user can delete.
    var countedBytes = 0
  }

  /// The bytes that count for the quota.
  func countedBytes() throws -> Int { try documentBytes() + fileBytes() }

  /// The bytes of the documents.
  func documentBytes() throws -> Int {
    try environment.documents.read { try documentBytes(in: $0) }
  }

  /// The bytes of the files.
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

  /// The amount of all data of a user.
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
    // Files of other programs in the profile's folder; an erasure deletes them. A folder with an
    // invalid name cannot be counted.
    let profile = paths.profile.folder
    sum.files += try environment.blobs.fileNames(in: profile).count
    for folder in [profile, try paths.unfinished] {
      sum.files += try environment.blobs.unreachableFolders(below: folder).count
    }
    return sum
  }

  // MARK: - Erasure

  /// Erases all documents of the user, so that no trace of current or formerly deleted ones
  /// remains. Returns their number, and the locations of files that only these documents contain.
  func eraseDocuments(
    in transaction: any DocumentTransaction
  ) throws -> (count: Int, places: [String]) {
    let places = try places(in: transaction)
    let profile = try transaction.readable(paths.profile)
    var count = profile.document != nil || profile.isDamaged ? 1 : 0
    // A plain deletion would keep the document's name.
    try transaction.erase(paths.profile)
    // Damaged documents must not prevent the deletion.
    for collection in Set(try collections(in: transaction) + knownCollections) {
      count += try transaction.count(Query(collection))
      try transaction.erase(collection)
    }
    try MemberService.noteEnds(ofOwner: uid, in: transaction, environment)
    for documents in elsewhere + ofOthers {
      for document in try environment.documents(documents.query, in: transaction) {
        try transaction.erase(document.path)
        count += 1
      }
    }
    return (count, places)
  }

  /// Deletes all files of the user, whatever names other programs have used. Keeps those of a
  /// drawing that was stored again meanwhile. If some files cannot be deleted, deletes the others
  /// and throws at the end.
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
    // Empty folders would still show that the user existed, so the user's own folders are deleted
    // too.
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

/// The top folders of the file store that may hold a user's files.
package enum FilePlace: String, CaseIterable {
  /// Files of drawings, and files that were uploaded without a document, in
  /// `users/UID/drawings/ID`. Part of backups and verifications.
  case drawings = "users"
  /// Incomplete uploads, in `uploads/UID`. A verification reads them; a backup omits them, since
  /// their program sends them again.
  case unfinished = "uploads"
  /// Files without a document that a sweep has moved away, in `trash/DAY/users/UID/drawings/ID`.
  case trash
  /// On a device, copies of the recordings that other places have, in `sync/PLACE`.
  case devices = "sync"

  /// The folder of all users' files.
  package var folder: BlobFolder {
    get throws(StorageError) { try BlobFolder(rawValue) }
  }
}
