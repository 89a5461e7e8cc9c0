import Interchange
import PKDFormat
import Strokes

/// A recording to replay.
struct ReplayInput {
  let source: any RecordingSource
  /// A `.pkd` file with the whole recording: the input itself, or an encoded copy.
  let bytes: () throws -> [UInt8]
}

extension Console {
  /// Reads and decodes a file. Reports a failure and returns nil.
  mutating func open(
    _ path: SystemString, as format: DrawingFile.Format? = nil
  ) -> (bytes: [UInt8], file: DrawingFile)? {
    do throws(SystemError) {
      let bytes = try readFile(path)
      do throws(DrawingFileError) {
        return (bytes, try DrawingFile(bytes, as: format))
      } catch {
        fail("\(path): \(error)", .badData)
      }
    } catch {
      fail("\(error)", error.exitCode)
    }
    return nil
  }

  /// Opens a recording to replay. Reports a failure and returns nil.
  mutating func openRecording(
    _ path: SystemString, as format: DrawingFile.Format? = nil
  ) -> ReplayInput? {
    guard let (bytes, file) = open(path, as: format) else { return nil }
    let (source, damage) = file.recordingSource()
    for damage in damage {
      fail("\(path): \(damage); only the readable part is replayed", .badData)
    }
    let isWhole = file.format == .pkd && damage.isEmpty && file.recordingFacts?.isFinished == true
    return ReplayInput(source: source) {
      isWhole ? bytes : try PKDWriter.encode(file.recording().value)
    }
  }
}
