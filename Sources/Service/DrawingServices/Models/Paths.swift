package import Storage

/// The paths of the documents of one user. The initializer checks the uid.
package struct UserPaths {
  package let profile: DocumentPath

  package init(_ uid: String) throws(StorageError) {
    profile = try DocumentKind.users.collection.document(uid)
  }

  /// The user's documents of a kind.
  package func collection(_ kind: DocumentKind) -> CollectionPath { collection(kind.name) }

  private func collection(_ name: String) -> CollectionPath {
    // The uid was checked; an invalid name of a kind is a bug in the calling program.
    do throws(StorageError) {
      return try profile.collection(name)
    } catch {
      preconditionFailure("a collection has a name that is not valid: \(error)")
    }
  }

  package var drawings: CollectionPath { collection(.drawings) }
  /// The synchronization state for each place that this device synchronizes with. No user can read
  /// it.
  var syncPlaces: CollectionPath { collection("sync_places") }
  /// The recordings that those places have. No user can read them.
  var syncInks: CollectionPath { collection("sync_inks") }
  /// Changes that cannot be sent to those places or accepted from them now. No user can read them.
  var syncHeld: CollectionPath { collection("sync_held") }
  /// The service's private data about a user. No user can read it.
  var secrets: CollectionPath { collection("secrets") }
  /// The drawings whose files are being stored before their documents, by id; no user can read it.
  var begun: CollectionPath { collection("begun") }

  /// The rooms of the drawings, and the entries of their logs. No user can read them here.
  var rooms: CollectionPath { collection("rooms") }
  var roomEntries: CollectionPath { collection("room_entries") }
  /// The drawings of others that the user is a member of, so that these are changes of the user's
  /// own documents, and their ends too. The roles in `members` count.
  var memberships: CollectionPath { collection("memberships") }

  /// The text that signed links depend on.
  var links: DocumentPath {
    get throws(StorageError) { try secrets.document("links") }
  }

  /// The collections with the service's own notes, which no export contains: a recording takes in what
  /// the log of a room holds.
  var notes: [CollectionPath] {
    [secrets, begun, rooms, roomEntries, syncPlaces, syncInks, syncHeld, memberships]
  }

  /// The names of the profile's path.
  var names: [Substring] { profile.folder.names }

  /// The folder of the user's incomplete uploads, each in its own folder.
  var unfinished: BlobFolder {
    get throws(StorageError) { try BlobFolder("\(FilePlace.unfinished.folder)/\(profile.id)") }
  }

  /// The folder with the files of all drawings, each drawing in its own folder.
  var filesOfDrawings: BlobFolder {
    get throws(StorageError) { try BlobFolder("\(drawings)") }
  }

  /// The folder of a drawing's files.
  func folder(ofDrawing id: String) throws(StorageError) -> BlobFolder {
    try drawings.document(id).folder
  }
}

/// The paths of one drawing. The initializer checks the uid and the drawing's name.
struct DrawingPaths {
  let user: UserPaths
  let document: DocumentPath
  let folder: BlobFolder
  let recording: BlobPath
  let image: BlobPath

  init(_ id: String, of uid: String) throws(StorageError) {
    user = try UserPaths(uid)
    document = try user.drawings.document(id)
    folder = document.folder
    recording = try folder.blob(DrawingFiles.recording)
    image = try folder.blob(DrawingFiles.image)
  }

  /// The note that files are being stored.
  var note: DocumentPath { get throws(StorageError) { try user.begun.document(document.id) } }

  /// The metadata of the files.
  var metadata: [DocumentPath] {
    get throws(StorageError) { try user.metadata(ofFilesIn: folder) }
  }

  func file(_ name: String) throws(StorageError) -> BlobPath { try folder.blob(name) }
}

/// Collections that do not belong to one user.
enum Collections {
  static let users = DocumentKind.users.collection
  static let shares = DocumentKind.shares.collection
  static let members = DocumentKind.members.collection
  static let invitations = DocumentKind.invitations.collection
  static let outbox = DocumentKind.events.collection
  /// Users whose deletion was begun and whose files may remain; no user can read them.
  static let erasures = DocumentKind("erasures", of: .nobody).collection
}

/// The files of a drawing.
public enum DrawingFiles {
  /// The image of the whole drawing.
  public static let image = "image.png"
  /// The recording with the bytes of its upload: a PencilKit archive or a `.pkd` file.
  public static let recording = "recording.pkd"
  /// A small image of the drawing.
  public static let thumbnail = "thumbnail.png"
  /// The names of all three files.
  public static let names = [image, recording, thumbnail]
  /// The content type of a file, which depends only on its name.
  package static func contentType(of name: String) -> String {
    name == recording ? "application/octet-stream" : "image/png"
  }
  /// The exclusive limit for the size of a file, in bytes.
  public static let sizeLimit = 10 * 1024 * 1024
}

extension DocumentPath {
  /// The document of the drawing whose files are in a folder; nil if it is not the folder of a
  /// drawing.
  init?(ofDrawingIn folder: BlobFolder) {
    let names = folder.names
    // `users/ann/drawings/d1` has files; longer paths may also be those of documents.
    guard names.count == 4, names[0] == FilePlace.drawings.rawValue, names[2] == "drawings",
      let path = try? DocumentPath(folder.description)
    else { return nil }
    self = path
  }
}
