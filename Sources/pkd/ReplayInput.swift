import Interchange
import PKDFormat
import Strokes

extension Console {
  /// Opens a recording to be replayed; a failure is reported and gives nil.
  ///
  /// Of a sound recording of ours only strokes that are drawn are read. Of anything else, and of what
  /// can be saved of a damaged file, all is.
  mutating func openRecording(
    _ path: SystemString, as format: DrawingFile.Format? = nil
  ) -> (any RecordingSource)? {
    do throws(SystemError) {
      let bytes = try readFile(path)
      if format == nil || format == .pkd, PKDReader.recognizes(bytes),
        let reader = try? PKDReader(bytes), reader.isFinished, reader.damage == nil,
        !reader.lacksEvents
      {
        return reader
      }
      do throws(DrawingFileError) {
        let file = try DrawingFile(bytes, as: format)
        for damage in file.damage {
          fail("\(path): \(damage); what can be read is replayed", .badData)
        }
        return RecordedStrokes(file.recordings[0])
      } catch {
        fail("\(path): \(error)", .badData)
      }
    } catch {
      fail("\(error)", .failed)
    }
    return nil
  }
}
