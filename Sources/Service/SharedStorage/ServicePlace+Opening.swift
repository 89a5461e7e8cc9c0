package import DrawingServices
package import Storage

extension ServicePlace {
  /// The most threads that work with blobs at the same time. Each may hold a lock while it waits for another one.
  private static let lockCount = 64

  /// Opens the service at this place, whose documents, or blobs, or both may be elsewhere than in its folder.
  package func open(
    _ application: Application, for purpose: LocalService.Purpose,
    reportSkipped: @escaping @Sendable (StorageError) -> Void = { _ in }
  ) throws -> ServiceEnvironment {
    if isFolder {
      return try LocalService.open(application, root, for: purpose, reportSkipped: reportSkipped)
    }
    var shared = LocalService.SharedParts()
    if !documents.isEmpty {
      do throws(StorageError) {
        shared.documents = try PostgresDocumentStore(
          documents, indexes: application.indexes, creates: purpose == .creating)
      } catch {
        guard error.problem == .notFound else { throw error }
        throw ServiceError.badRequest(
          "there is no service in \(error.subject); 'pkd store init' with these options creates one"
        )
      }
      shared.locks = try PostgresLocks(documents, limit: Self.lockCount)
    }
    if !blobs.isEmpty {
      shared.blobs = try SharedBlobs.open(blobs, locks: shared.locks ?? LocalService.locks(root))
    }
    return try LocalService.open(
      application, root, for: purpose, sharing: shared, reportSkipped: reportSkipped)
  }
}

/// Blobs by their address.
package enum SharedBlobs {
  /// Opens those of `s3://…`, or of a folder. `locks` must be the same ones for all who change them.
  package static func open(
    _ address: String, locks: any NamedLocks = ProcessLocks()
  ) throws -> any BlobStore {
    guard address.hasPrefix("s3://") else { return try FileBlobStore(address) }
    do {
      let client = ObjectClient(
        try ObjectAddress(address), ObjectClient.Options { LocalService.systemTime() },
        credentials: ObjectCredentials.ofProcess())
      return S3BlobStore(client, locks: locks)
    } catch {
      throw ServiceError.badRequest("\(error)")
    }
  }
}
