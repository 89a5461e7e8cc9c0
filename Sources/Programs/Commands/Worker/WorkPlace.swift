import Glibc
import System

/// The storage of records' drawings and pictures.
package struct WorkPlace: Sendable {
  /// The bytes of a drawing.
  package var bytes: @Sendable (_ path: SystemString) throws -> [UInt8]
  /// Throws if the picture cannot be stored under this name.
  package var check: @Sendable (_ output: SystemString) throws -> Void
  /// Stores a picture, whole or not at all.
  package var put: @Sendable (_ picture: [UInt8], _ output: SystemString) throws -> Void
  /// The first bytes of a picture, at least `beginningCount` if it has as many; empty if there is
  /// no picture.
  package var beginning: @Sendable (_ output: SystemString) -> [UInt8]

  package static let beginningCount = 4096

  package init(
    bytes: @escaping @Sendable (SystemString) throws -> [UInt8],
    check: @escaping @Sendable (SystemString) throws -> Void,
    put: @escaping @Sendable ([UInt8], SystemString) throws -> Void,
    beginning: @escaping @Sendable (SystemString) -> [UInt8]
  ) {
    (self.bytes, self.check, self.put, self.beginning) = (bytes, check, put, beginning)
  }

  /// A wrong name must not replace a drawing.
  package static func checkEnding(_ output: SystemString) throws {
    guard output.description.lowercased().hasSuffix(".png") else {
      throw WorkProblem("the name of a picture ends with .png")
    }
  }

  /// The files of this machine.
  package static let files = WorkPlace(
    bytes: bytes(ofFile:),
    check: { output in
      // The standard output is only for results.
      if case .stream = try OutputTarget(output) {
        throw WorkProblem(
          "a picture cannot go to the standard output, but come back without 'output'")
      }
      try checkEnding(output)
    },
    put: { picture, output in
      // Not durable, because it can be drawn again; an existing file of this name is complete.
      try writeFile(to: output, isDurable: false) { file throws(SystemError) in
        try file.write(picture)
      }
    },
    beginning: { output in
      let file = open(output.cString, O_RDONLY | O_CLOEXEC)
      guard file >= 0 else { return [] }
      defer { close(file) }
      var start = [UInt8](repeating: 0, count: beginningCount)
      return Array(start[..<max(read(file, &start, start.count), 0)])
    })

  /// The bytes of a file, which must not be the input of the records.
  private static func bytes(ofFile path: SystemString) throws -> [UInt8] {
    var (records, file) = (stat(), stat())
    let isRecords =
      fstat(STDIN_FILENO, &records) == 0 && stat(path.cString, &file) == 0
      && file.isSameFile(as: records)
    guard path != .standardStream, !isRecords else {
      throw WorkProblem("a drawing cannot come from the standard input, but as 'bytes'")
    }
    // Opening a pipe without a writer would block a thread forever.
    guard isRegularFile(path) || access(path.cString, F_OK) != 0 else {
      throw WorkProblem("\(path) is no file")
    }
    return try readFile(path)
  }
}
