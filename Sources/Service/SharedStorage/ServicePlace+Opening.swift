package import DrawingServices
package import Storage

extension ServicePlace {
  /// The maximum number of threads that process blobs in parallel. Each may hold a lock while it
  /// waits for another one.
  private static let lockCount = 64

  /// Opens the service at this place. Its documents or blobs or both may be outside its folder.
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

/// Opens blobs by their address.
package enum SharedBlobs {
  /// Opens the blobs at `s3://…`, or in a folder. All programs that change them must use the same
  /// `locks`.
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
