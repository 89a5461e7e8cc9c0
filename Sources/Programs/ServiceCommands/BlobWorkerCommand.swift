import Commands
import DrawingServices
import SharedStorage
import Storage

/// `pkd worker`, extended to the objects of a bucket that `--blobs` names.
let blobWorkerCommand = CommandDefinition(workerCommand) { arguments, _ in
  guard let address = arguments.options[Option.blobs.name] else {
    return try work(arguments, at: .files)
  }
  let store: any BlobStore
  do {
    store = try SharedBlobs.open(address)
  } catch let error as ServiceError {
    throw workerCommand.error("\(error)")
  }
  try work(arguments, at: .blobs(store))
}

extension WorkPlace {
  /// Paths are names of blobs.
  fileprivate static func blobs(_ store: any BlobStore) -> WorkPlace {
    WorkPlace(
      bytes: { path in
        guard let blob = try store.get(BlobPath(path.description)) else {
          throw StorageError(.notFound, path.description)
        }
        return blob.bytes
      },
      check: { output in
        try checkEnding(output)
        _ = try BlobPath(output.description)
      },
      put: { picture, output in
        try store.put(
          BlobPath(output.description), contentType: "image/png", picture,
          at: LocalService.systemTime())
      },
      beginning: { output in
        let blob = (try? BlobPath(output.description)).flatMap { try? store.get($0) }
        return Array((blob?.bytes ?? []).prefix(beginningCount))
      })
  }
}
