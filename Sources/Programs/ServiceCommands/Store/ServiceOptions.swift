import Commands
import DrawingServices

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
