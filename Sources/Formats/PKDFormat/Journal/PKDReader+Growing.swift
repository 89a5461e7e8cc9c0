import Strokes

// What recordings that grow need to know of the bytes that they have.

extension PKDReader {
  /// The offset at which the last complete chunk ends.
  package var completeEnd: Int { validEnd }
  /// Whether the recording has the latest version of the format; only such ones can be continued.
  package var isLatestVersion: Bool { header.version == .latest }
  /// Damage besides an incomplete end, as crashes leave one.
  package var seriousDamage: PKDError? { isTorn ? nil : damage }

  /// What is needed to write the same recording again; a stroke without an end may be ended.
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

/// The whole content of a file, with what the model does not have.
package struct RewritableRecording {
  let recording: Recording
  let residue: ArchiveResidue?
  let unknownChunks: [(type: ChunkType, payload: ArraySlice<UInt8>)]
  let profile: PKDProfile

  /// The bytes of the same recording as `PKDWriter` writes it.
  package func encoded() throws(PKDContentError) -> [UInt8] {
    try PKDWriter.encode(
      recording, residue: residue, keeping: unknownChunks,
      options: PKDWriter.Options(profile: profile))
  }
}
