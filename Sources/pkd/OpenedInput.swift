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
  mutating func openRecording(
    _ path: SystemString, as format: DrawingFile.Format? = nil
  ) -> ReplayInput? {
    guard let (bytes, file) = open(path, as: format) else { return nil }
    let (source, damage) = file.recordingSource()
    for damage in damage { fail("\(path): \(damage); what can be read is replayed", .badData) }
    let isWhole = file.format == .pkd && damage.isEmpty && file.recordingFacts?.isFinished == true
    return ReplayInput(source: source) {
      isWhole ? bytes : try PKDWriter.encode(file.recording().value)
    }
  }
}
