public import PKDFormat
public import Strokes
public import System

/// Reads a recording while it is being written. Bytes of complete chunks are read only once.
public struct PKDFollower {
  /// The path of the file.
  public var path: String { file.path }
  /// Whether the recording is finished. It may be continued later.
  public var isFinished: Bool { recording.isFinished }
  /// The page; nil until the file's header is complete.
  public var canvas: Recording.Canvas? { recording.canvas }

  private let file: DurableFile
  private var recording: GrowingRecording

  /// Follows a file, which must exist and may be empty.
  public init(_ path: String, limits: PKDLimits = PKDLimits()) throws(PKDFileError) {
    try self.init(path, limits: limits, in: MachineFiles())
  }

  init(_ path: String, limits: PKDLimits, in system: any FileSystem) throws(PKDFileError) {
    file = try DurableFile(path, for: .reading, in: system)
    recording = GrowingRecording(limits: limits)
  }

  /// The events since the last call, so that all returned events together are the recording so far.
  /// A stroke that is being drawn begins with the points that it has and is extended by later
  /// calls. The file stores its mask and group only when it ends, so they are missing until then.
  ///
  /// Throws `PKDFileError` if the file cannot be read, and `PKDError` if it is not a recording. An
  /// incomplete chunk at the end is not an error, since it may be complete a moment later.
  public mutating func poll() throws -> [Recording.Event] {
    try recording.read(try file.bytes(from: recording.nextOffset))
  }
}
