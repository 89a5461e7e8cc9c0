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
    // The uid was checked, and a name that is not valid is a fault of the program that gives it.
    do throws(StorageError) {
      return try profile.collection(name)
    } catch {
      preconditionFailure("a collection has a name that is not valid: \(error)")
    }
  }

  package var drawings: CollectionPath { collection(.drawings) }
  /// How far this device is in step with each place that it synchronizes with; no user can read it.
  var syncPlaces: CollectionPath { collection("sync_places") }
  /// Which recordings those places have; no user can read them.
  var syncInks: CollectionPath { collection("sync_inks") }
  /// What cannot be sent to those places or taken from them now; no user can read it.
  var syncHeld: CollectionPath { collection("sync_held") }
  /// What the service needs to know about a user, and no user can read.
  var secrets: CollectionPath { collection("secrets") }
  /// The drawings whose files are being stored before their documents, by id; no user can read it.
  var begun: CollectionPath { collection("begun") }

  /// What signed links depend on.
  var links: DocumentPath {
    get throws(StorageError) { try secrets.document("links") }
  }

  /// The collections in which the service keeps notes for itself: nothing that a user has said.
  var notes: [CollectionPath] { [secrets, begun, syncPlaces, syncInks, syncHeld] }

  /// The names of the profile's path.
  var names: [Substring] { profile.folder.names }

  /// The folder of the user's files of which only a part has arrived, each in a folder of its own.
  var unfinished: BlobFolder {
    get throws(StorageError) { try BlobFolder("\(FilePlace.unfinished.folder)/\(profile.id)") }
  }

  /// The folder of all drawings' files, in folders of their own.
  var filesOfDrawings: BlobFolder {
    get throws(StorageError) { try BlobFolder("\(drawings)") }
  }

  /// The folder of a drawing's files.
  func folder(ofDrawing id: String) throws(StorageError) -> BlobFolder {
    try drawings.document(id).folder
  }
}

/// Collections that do not belong to one user.
enum Collections {
  static let users = DocumentKind.users.collection
  static let shares = DocumentKind.shares.collection
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
  /// The content type of a file, which its name alone decides.
  package static func contentType(of name: String) -> String {
    name == recording ? "application/octet-stream" : "image/png"
  }
  /// The exclusive limit for the size of a file, in bytes.
  public static let sizeLimit = 10 * 1024 * 1024
}

extension DocumentPath {
  /// The document of the drawing whose files are in a folder; nil if it is not the folder of a drawing.
  init?(ofDrawingIn folder: BlobFolder) {
    let names = folder.names
    // `users/ann/drawings/d1` has files; longer paths may be those of documents, too.
    guard names.count == 4, names[0] == FilePlace.drawings.rawValue, names[2] == "drawings",
      let path = try? DocumentPath(folder.description)
    else { return nil }
    self = path
  }
}
