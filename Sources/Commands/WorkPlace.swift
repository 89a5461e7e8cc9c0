import DrawingServices
import Files
import Glibc
import Storage

/// Where the drawings of records are, and where their pictures go.
enum WorkPlace: Sendable {
  /// Paths are files of this machine.
  case files
  /// Paths are names of blobs.
  case blobs(any BlobStore)

  /// The bytes of a drawing.
  func bytes(of path: SystemString) throws -> [UInt8] {
    switch self {
    case .files: return try Self.bytes(ofFile: path)
    case .blobs(let store):
      guard let blob = try store.get(BlobPath(path.description)) else {
        throw StorageError(.notFound, path.description)
      }
      return blob.bytes
    }
  }

  /// The bytes of a file, which is not the one that records come from.
  private static func bytes(ofFile path: SystemString) throws -> [UInt8] {
    var (records, file) = (stat(), stat())
    let isRecords =
      fstat(STDIN_FILENO, &records) == 0 && stat(path.cString, &file) == 0
      && file.isSameFile(as: records)
    guard path != .standardStream, !isRecords else {
      throw WorkProblem("a drawing cannot come from the standard input, but as 'bytes'")
    }
    // A pipe that nobody writes to would keep a thread waiting for ever.
    guard isRegularFile(path) || access(path.cString, F_OK) != 0 else {
      throw WorkProblem("\(path) is no file")
    }
    return try readFile(path)
  }

  /// Throws if a picture cannot go there.
  func check(_ output: SystemString) throws {
    let isStream =
      if case .files = self, case .stream = try OutputTarget(output) { true } else { false }
    // A mistaken name must not replace a drawing.
    guard isStream || output.description.lowercased().hasSuffix(".png") else {
      throw WorkProblem("the name of a picture ends with .png")
    }
    switch self {
    case .files:
      // Results go there, and nothing else.
      guard isStream else { return }
      throw WorkProblem(
        "a picture cannot go to the standard output, but come back without 'output'")
    case .blobs: _ = try BlobPath(output.description)
    }
  }

  /// Stores a picture, whole or not at all.
  func put(_ picture: [UInt8], _ output: SystemString) throws {
    switch self {
    case .files:
      // Not durable, as it can be drawn again; what is there under its name is whole.
      try writeFile(to: output, isDurable: false) { file throws(SystemError) in
        try file.write(picture)
      }
    case .blobs(let store):
      try store.put(
        BlobPath(output.description), contentType: "image/png", picture,
        at: LocalService.systemTime())
    }
  }

  /// The first bytes of a picture; none if there is no picture.
  func beginning(of output: SystemString) -> [UInt8] {
    switch self {
    case .files:
      let file = open(output.cString, O_RDONLY | O_CLOEXEC)
      guard file >= 0 else { return [] }
      defer { close(file) }
      var start = [UInt8](repeating: 0, count: Self.beginningCount)
      return Array(start[..<max(read(file, &start, start.count), 0)])
    case .blobs(let store):
      let blob = (try? BlobPath(output.description)).flatMap { try? store.get($0) }
      return Array((blob?.bytes ?? []).prefix(Self.beginningCount))
    }
  }

  private static let beginningCount = 4096
}
