public import Strokes

/// Events can be read without points, so a replay reads only the strokes that it draws.
extension PKDReader: RecordingSource {
  /// The stroke that a stroke is a piece of; nil for a whole stroke.
  public func parentID(ofStroke index: Int) -> Identifier? { family(ofStroke: index) }

  /// The events that can be read.
  public var script: RecordingScript { readScript().value }

  /// Decodes the events, and returns the first damage that opening did not find. Ends of strokes
  /// are rounded up to a millisecond; the times of other events are exact.
  public func readScript() -> (value: RecordingScript, damage: PKDError?) {
    if let cachedScript { return cachedScript }
    let script = decodedScript()
    cachedScript = script
    return script
  }

  private func decodedScript() -> (value: RecordingScript, damage: PKDError?) {
    var reader = ScriptReader(base: header.base, limits: limits)
    var damage: PKDError?
    do throws(PKDError) {
      for chunk in eventChunks {
        try reader.read(bytes, in: chunk.payload, of: Records(reader: self))
      }
    } catch {
      damage = error
    }
    var script = RecordingScript(events: reader.events)
    // Strokes without events were drawn one after the other.
    let records = Records(reader: self)
    var clock = eventChunks.isEmpty ? nil : reader.clock
    var lastParent: Identifier?
    for number in reader.next..<strokeCount where number >= recordCount || !isBare(number) {
      let begin = records.begin(ofRecord: number)
      let start = clock?.moment(of: records, notBefore: begin) ?? begin
      script.events.append(RecordingScript.Event(time: start, action: .strokeBegun(number)))
      var next = ScriptClock(start)
      // The pieces of a stroke share its path, whose duration counts once.
      let parent = parentID(ofStroke: number)
      if parent == nil || parent != lastParent { next.draw(number, of: records, from: start) }
      lastParent = parent
      script.events.append(
        RecordingScript.Event(time: next.latest, action: .strokeEnded(id(ofStroke: number))))
      clock = next
    }
    return (script, damage)
  }

  private struct Records: RecordFacts {
    let reader: PKDReader
    var count: Int { reader.recordCount }
    func id(ofRecord number: Int) -> Identifier { reader.id(ofStroke: number) }
    func begin(ofRecord number: Int) -> Timestamp { reader.timeRange(ofStroke: number).lowerBound }
    func roundedDuration(ofRecord number: Int) -> Double {
      let milliseconds = reader.milliseconds(ofStroke: number)
      // Heads store at most this duration.
      return milliseconds < PKStrokePath.maximumMilliseconds
        ? Double(milliseconds) / 1000 : duration(ofRecord: number)
    }
    func duration(ofRecord number: Int) -> Double {
      // Points that cannot be read are damage, which is reported elsewhere.
      (try? reader.stroke(at: number)).map { max($0.path.duration, 0) }
        ?? Double(reader.milliseconds(ofStroke: number)) / 1000
    }
  }
}
