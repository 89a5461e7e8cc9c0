package import Strokes

/// What somebody has done at once in a room, as a small recording: events, or without events another
/// paper or size of the page.
package struct RoomEntry {
  /// The events, without the person.
  package let events: [Recording.Event]
  /// The page; only its paper and size matter, and only without events.
  package let canvas: Recording.Canvas

  /// The maximum number of bytes of an entry.
  package static let maximumByteCount = 1 << 19

  /// Events of a person, or without events the page's paper and size.
  package init(_ events: [Recording.Event], on canvas: Recording.Canvas) {
    self.events = events
    self.canvas = events.isEmpty ? canvas.paperAndSize : Recording.Canvas()
  }

  /// Reads an entry. It is a whole recording without damage.
  package init(_ bytes: [UInt8], limits: PKDLimits) throws(PKDError) {
    let reader = try PKDReader(bytes, limits: limits)
    let (recording, damage) = reader.readEvents()
    if let damage = damage ?? reader.damage { throw damage }
    guard reader.isFinished, !reader.lacksEvents else {
      throw PKDError(.truncated, at: bytes.count)
    }
    (events, canvas) = (recording.events, recording.canvas)
  }

  /// The bytes of the entry.
  package func encoded() throws(PKDContentError) -> [UInt8] {
    var events = events
    for index in events.indices { events[index].person = 0 }
    return try PKDWriter.encode(Recording(canvas: canvas, events: events))
  }
}

extension Recording.Canvas {
  private static let paperName = "paper"

  /// The same page without background and other texts.
  fileprivate var paperAndSize: Recording.Canvas {
    var canvas = Recording.Canvas(size: size)
    canvas.setText(text(named: Self.paperName), named: Self.paperName)
    return canvas
  }

  /// Takes over paper and size of another page.
  fileprivate mutating func takePaperAndSize(of other: Recording.Canvas) {
    size = other.size
    setText(other.text(named: Self.paperName), named: Self.paperName)
  }
}

extension PenPage {
  /// Adds an entry of somebody, which a room has ordered at a time.
  package mutating func receive(_ entry: RoomEntry, by person: UInt16, at time: Timestamp) {
    if entry.events.isEmpty {
      var canvas = recording.canvas
      canvas.takePaperAndSize(of: entry.canvas)
      setSize(canvas.size)
      setText(canvas.text(named: "paper"), named: "paper")
    } else {
      receive(entry.events, by: person, at: time)
    }
  }
}

/// The recording of a room: a stored one, and the entries that follow it.
package struct RoomRecording {
  package private(set) var recording: Recording
  private var known: KnownStrokes
  private var page: LivePage

  /// A stored recording, and the people who draw.
  package init(_ recording: Recording, people: [Recording.Person] = []) {
    self.recording = recording
    if !people.isEmpty { self.recording.canvas.people = people }
    known = KnownStrokes(of: recording)
    page = LivePage(canvas: recording.canvas)
    for event in recording.events { page.append(event) }
  }

  /// Adds an entry of somebody, which the room has ordered at a time, as all pages add it.
  package mutating func add(_ entry: RoomEntry, by person: UInt16, at time: Timestamp) {
    if entry.events.isEmpty { recording.canvas.takePaperAndSize(of: entry.canvas) }
    for event in entry.events where known.admit(event, to: page) {
      let event = event.ordered(after: recording.events.last, by: person, at: time)
      page.append(event)
      recording.events.append(event)
    }
  }
}
