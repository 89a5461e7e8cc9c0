import Storage

/// The location of a service: a folder, and optional addresses of a database and a bucket for the
/// parts outside it, which several machines may share.
package struct ServicePlace: Hashable, Sendable {
  /// The folder, which always has the settings, the key and temporary data.
  package let root: String
  /// `postgres://…`; empty for the database in the folder.
  package let documents: String
  /// `s3://…`; empty for the files in the folder.
  package let blobs: String

  package init(_ root: String, documents: String = "", blobs: String = "") {
    (self.root, self.documents, self.blobs) = (root, documents, blobs)
  }

  /// Whether the folder contains all of the service.
  package var isFolder: Bool { documents.isEmpty && blobs.isEmpty }

  private static let documentSchemes = ["postgres://", "postgresql://"]
  private static let blobSchemes = ["s3://"]

  /// Parses `DIR` or `DIR,postgres://…,s3://…`. Throws with a reason for people.
  package init(text: String) throws(ServicePlaceError) {
    // A comma without a following scheme belongs to the preceding part.
    var parts: [String] = []
    for piece in text.split(separator: ",", omittingEmptySubsequences: false) {
      let begins = (Self.documentSchemes + Self.blobSchemes).contains { piece.hasPrefix($0) }
      if let last = parts.indices.last, !begins {
        parts[last] += "," + piece
      } else {
        parts.append(String(piece))
      }
    }
    var (documents, blobs) = ("", "")
    for part in parts.dropFirst() {
      if Self.blobSchemes.contains(where: { part.hasPrefix($0) }) {
        guard blobs.isEmpty else { throw ServicePlaceError("a place has one s3://…") }
        blobs = part
      } else {
        guard documents.isEmpty else { throw ServicePlaceError("a place has one postgres://…") }
        documents = part
      }
    }
    guard !parts[0].isEmpty, !parts[0].contains("://") else {
      // The error does not contain the text, which may hold a password.
      throw ServicePlaceError("a place begins with a folder, which an address may follow")
    }
    self.init(parts[0], documents: documents, blobs: blobs)
  }

  /// This place with the given addresses of database and bucket; nil keeps those of the place.
  package func with(documents: String?, blobs: String?) throws(ServicePlaceError) -> ServicePlace {
    if let documents {
      guard self.documents.isEmpty else { throw ServicePlaceError("a place has one postgres://…") }
      guard Self.documentSchemes.contains(where: { documents.hasPrefix($0) }) else {
        throw ServicePlaceError("documents are at postgres://…")
      }
    }
    if let blobs {
      guard self.blobs.isEmpty else { throw ServicePlaceError("a place has one s3://…") }
      guard Self.blobSchemes.contains(where: { blobs.hasPrefix($0) }) else {
        throw ServicePlaceError("blobs are at s3://…")
      }
    }
    return ServicePlace(
      root, documents: documents ?? self.documents, blobs: blobs ?? self.blobs)
  }
}

/// The reason why a text is not a valid place of a service.
package struct ServicePlaceError: Error, Hashable, Sendable, CustomStringConvertible {
  package let description: String

  package init(_ description: String) { self.description = description }
}
