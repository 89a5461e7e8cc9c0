import Interchange
import PKDFormat
import Strokes

/// A recording that is to be replayed.
struct ReplayInput {
  let source: any RecordingSource
  /// The bytes of a `.pkd` file that holds all of it.
  let bytes: () throws -> [UInt8]
}

extension Console {
  /// Opens a recording to be replayed; a failure is reported and gives nil.
  ///
  /// Of a sound recording of ours only strokes that are drawn are read. Of anything else, and of what
  /// can be saved of a damaged file, all is.
  mutating func openRecording(
    _ path: SystemString, as format: DrawingFile.Format? = nil
  ) -> ReplayInput? {
    do throws(SystemError) {
      let bytes = try readFile(path)
      if format == nil || format == .pkd, PKDReader.recognizes(bytes),
        let reader = try? PKDReader(bytes), reader.isFinished, reader.damage == nil,
        !reader.lacksEvents
      {
        return ReplayInput(source: reader) { bytes }
      }
      do throws(DrawingFileError) {
        let file = try DrawingFile(bytes, as: format)
        for damage in file.damage {
          fail("\(path): \(damage); what can be read is replayed", .badData)
        }
        let recording = file.recordings[0]
        return ReplayInput(source: RecordedStrokes(recording)) {
          try PKDWriter.encode(recording)
        }
      } catch {
        fail("\(path): \(error)", .badData)
      }
    } catch {
      fail("\(error)", error.exitCode)
    }
    return nil
  }
}
