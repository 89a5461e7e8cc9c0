public import Strokes

/// What happened can be known without reading points: a replay reads only strokes that it draws.
extension PKDReader: RecordingSource {
  /// The stroke that a stroke is a piece of, if it is one.
  public func parentID(ofStroke index: Int) -> Identifier? { family(ofStroke: index) }

  /// What happened. Lengths of strokes are right to a millisecond.
  public var script: RecordingScript {
    var reader = ScriptReader(base: header.base, limits: limits)
    do throws(PKDError) {
      for log in logs { try reader.read(bytes, in: log.payload, of: Records(reader: self)) }
    } catch {
      note(error)
    }
    var script = RecordingScript(events: reader.events)
    // Strokes of which nothing is told were drawn one after the other.
    var now = logs.isEmpty ? nil : reader.now
    var lastParent: Identifier?
    for number in reader.next..<strokeCount where number >= recordCount || !isBare(number) {
      let range = timeRange(ofStroke: number)
      let start = max(now ?? range.lowerBound, range.lowerBound)
      script.events.append(RecordingScript.Event(time: start, action: .begun(number)))
      // The pieces of a stroke share its path, which took its time only once.
      let parent = parentID(ofStroke: number)
      let isNextPiece = parent != nil && parent == lastParent
      lastParent = parent
      let end = isNextPiece ? start : start + (range.upperBound - range.lowerBound)
      script.events.append(
        RecordingScript.Event(time: end, action: .ended(id(ofStroke: number))))
      now = end
    }
    return script
  }

  private struct Records: RecordFacts {
    let reader: PKDReader
    var count: Int { reader.recordCount }
    func id(ofRecord number: Int) -> Identifier { reader.id(ofStroke: number) }
    func begin(ofRecord number: Int) -> Timestamp { reader.timeRange(ofStroke: number).lowerBound }
    func end(ofRecord number: Int) -> Timestamp { reader.timeRange(ofStroke: number).upperBound }
  }
}
