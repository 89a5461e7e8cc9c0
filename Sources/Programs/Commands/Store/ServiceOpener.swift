package import DrawingServices
package import Storage

/// How this program opens services.
package struct ServiceOpener: Sendable {
  package typealias Open =
    @Sendable (
      ServicePlace, LocalService.Purpose,
      _ reportSkipped: @escaping @Sendable (StorageError) -> Void
    ) throws -> ServiceEnvironment

  /// Whether it has no libraries for databases and buckets.
  let opensFoldersOnly: Bool
  private let body: Open
  /// Opens blobs alone: those of a folder, or of `s3://…`.
  let openBlobs: @Sendable (String) throws -> any BlobStore

  /// Opens services wherever they are.
  package init(
    _ body: @escaping Open, openBlobs: @escaping @Sendable (String) throws -> any BlobStore
  ) {
    (opensFoldersOnly, self.body, self.openBlobs) = (false, body, openBlobs)
  }

  private init() {
    opensFoldersOnly = true
    body = { try LocalService.open($0.root, for: $1, reportSkipped: $2) }
    openBlobs = { try FileBlobStore($0) }
  }

  /// Opens services in folders. A command for others becomes the program that has the libraries.
  package static let folders = ServiceOpener()

  func open(
    _ place: ServicePlace, for purpose: LocalService.Purpose,
    reportSkipped: @escaping @Sendable (StorageError) -> Void = { _ in }
  ) throws -> ServiceEnvironment {
    try body(place, purpose, reportSkipped)
  }
}

extension Option {
  static let documents = Option(
    "documents", value: "URL", help: "Documents in PostgreSQL: postgres://USER@HOST/DATABASE.")
  static let blobs = Option(
    "blobs", value: "URL", help: "Files in a bucket: s3://BUCKET/PREFIX?region=…&endpoint=….")
}

extension Arguments {
  /// The service that `--root`, `--documents` and `--blobs` name.
  func servicePlace() throws(ServicePlaceError) -> ServicePlace {
    try ServicePlace(text: options[Option.root.name] ?? "pentimento-data")
      .with(documents: options[Option.documents.name], blobs: options[Option.blobs.name])
  }
}
