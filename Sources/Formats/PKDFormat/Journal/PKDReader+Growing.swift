import Strokes

// The properties of a file that growing recordings need.

extension PKDReader {
  /// The offset at which the last complete chunk ends.
  package var completeEnd: Int { validEnd }
  /// Whether the recording has the latest version of the format; only such ones can be continued.
  package var isLatestVersion: Bool { header.version == .latest }
  /// Damage besides an incomplete end, as crashes leave one.
  package var seriousDamage: PKDError? { isTorn ? nil : damage }

  /// The content for writing the same recording again. `isEnding` adds the end of an unfinished
  /// stroke.
  package func rewritable(
    endingStroke isEnding: Bool = false
  ) throws(PKDError) -> RewritableRecording {
    let (original, damage) = readRecording()
    var recording = original
    let residue = try readResidue()
    if let damage { throw damage }
    if isEnding, let stroke = live?.whole {
      let now = max(recording.events.last?.time ?? .referenceDate, stroke.path.lastMoment)
      recording.events.append(Recording.Event(time: now, action: .strokeEnded(stroke.id)))
    }
    return RewritableRecording(
      recording: recording, residue: residue, unknownChunks: unknownChunks, profile: profile)
  }
}

/// The whole content of a file, including the parts that the model does not represent.
package struct RewritableRecording {
  let recording: Recording
  let residue: ArchiveResidue?
  let unknownChunks: [(type: ChunkType, payload: ArraySlice<UInt8>)]
  let profile: PKDProfile

  /// The bytes of the same recording as `PKDWriter` writes it.
  package func encoded() throws(PKDContentError) -> [UInt8] {
    try PKDWriter.encode(
      RecordList(recording), of: recording, residue: residue, keeping: unknownChunks,
      options: PKDWriter.Options(profile: profile))
  }
}
