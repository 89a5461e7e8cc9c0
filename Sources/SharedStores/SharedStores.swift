package import DrawingServices
import ObjectStorage
import PostgresStorage
package import Storage

/// The stores of a service that are not in its folder: documents in PostgreSQL, blobs in a bucket, or both. Several machines
/// may use the same ones.
package struct SharedStores: Hashable, Sendable {
  /// `postgres://…`; empty for the database in the folder.
  package var documents: String
  /// `s3://…`; empty for the folder.
  package var blobs: String

  package init(documents: String = "", blobs: String = "") {
    (self.documents, self.blobs) = (documents, blobs)
  }

  package var isEmpty: Bool { documents.isEmpty && blobs.isEmpty }

  /// The most threads that work with blobs at the same time. Each may hold a lock while it waits for another one.
  private static let lockCount = 64

  /// Opens the service whose folder has its settings and key, and what it keeps for a while.
  package func open(
    _ root: String, for purpose: LocalService.Purpose,
    reportSkipped: @escaping @Sendable (StorageError) -> Void = { _ in }
  ) throws -> ServiceEnvironment {
    guard !isEmpty else {
      return try LocalService.open(root, for: purpose, reportSkipped: reportSkipped)
    }
    let documents =
      documents.isEmpty
      ? nil : try PostgresDocumentStore(documents, indexes: Collections.indexes)
    var blobs: (any BlobStore)?
    if !self.blobs.isEmpty {
      let options = ObjectClient.Options { LocalService.systemTime() }
      let locks: any BlobLocks =
        try self.documents.isEmpty
        ? FileLocks("\(root)/locks")
        : PostgresLocks(self.documents, limit: Self.lockCount)
      blobs = S3BlobStore(
        ObjectClient(
          try ObjectAddress(self.blobs), options, credentials: ObjectCredentials.ofProcess()),
        locks: locks)
    }
    return try LocalService.open(
      root, for: purpose, sharing: documents, blobs, reportSkipped: reportSkipped)
  }
}
