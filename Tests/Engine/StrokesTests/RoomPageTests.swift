import Graphics
import TestSupport
import Testing

@testable import Strokes

/// A page in a room: own events behind the common order, the events and open strokes of others, and
/// undo by person.
struct RoomPageTests {
  private static let now = Timestamp(secondsSinceReferenceDate: 1_000)

  private static func page(_ number: UInt64, as person: UInt16) -> PenPage {
    var page = PenPage(continuing: Recording(), session: Identifier(high: number, low: 0))
    page.join(as: person)
    return page
  }

  private static func samples(_ x: Double, _ y: Double) -> [PenSample] {
    (0..<8).map { PenSample(location: Point(x: x + 10 * Double($0), y: y), time: Double($0) / 100) }
  }

  @discardableResult
  private static func draw(_ page: inout PenPage, _ x: Double, _ y: Double) -> Identifier {
    let id = page.openID
    page.beginStroke(with: PKInkingTool(.pen, width: 4), at: now)
    page.draw(samples(x, y))
    page.end(at: now)
    return id
  }

  /// Sends the waiting events of a page to another one, and puts them into the order.
  private static func exchange(_ from: inout PenPage, to others: inout PenPage) {
    let events = Array(from.waitingEvents)
    from.confirm(events.count, at: now)
    others.receive(events, by: from.person, at: now)
  }

  private static func ids(_ page: PenPage) -> [Identifier] { page.shown.map { $0.stroke.id } }

  @Test func `strokes of others come below own strokes that are not in order yet`() {
    var (ann, bob) = (Self.page(1, as: 0), Self.page(2, as: 1))
    let mine = Self.draw(&ann, 0, 0)
    let key = ann.shown[0].key
    let other = Self.draw(&bob, 0, 50)
    Self.exchange(&bob, to: &ann)
    #expect(Self.ids(ann) == [other, mine])
    // The own stroke is still the one that is on the screen.
    #expect(ann.shown[1].key == key)
    #expect(ann.waitingEvents.count == 2)
    Self.exchange(&ann, to: &bob)
    #expect(Self.ids(ann) == [other, mine] && Self.ids(bob) == [other, mine])
    #expect(ann.waitingEvents.isEmpty)
    #expect(ann.recording.events == bob.recording.events)
    #expect(ann.recording.events.map(\.person) == [1, 1, 0, 0])
  }

  @Test func `everybody undoes only own changes`() {
    var (ann, bob) = (Self.page(1, as: 0), Self.page(2, as: 1))
    let first = Self.draw(&ann, 0, 0)
    Self.exchange(&ann, to: &bob)
    let second = Self.draw(&bob, 0, 50)
    Self.exchange(&bob, to: &ann)
    ann.undo(at: Self.now)
    #expect(Self.ids(ann) == [second])
    #expect(!ann.canUndo && ann.canRedo)
    Self.exchange(&ann, to: &bob)
    #expect(Self.ids(bob) == [second])
    #expect(bob.canUndo && !bob.canRedo)
    ann.redo(at: Self.now)
    // It returns to its place below the other one.
    #expect(Self.ids(ann) == [first, second])
  }

  @Test
  func `undo takes back what others have left of a stroke, and no change that they have overtaken`()
  {
    var (ann, bob) = (Self.page(1, as: 0), Self.page(2, as: 1))
    Self.draw(&ann, 0, 0)
    Self.exchange(&ann, to: &bob)
    bob.beginErasing(with: PKEraserTool(.bitmap, width: 6), at: Self.now)
    bob.erase([PenSample(location: Point(x: 35, y: 0), time: 0)])
    bob.end(at: Self.now)
    #expect(bob.shown.count == 2)
    Self.exchange(&bob, to: &ann)
    ann.undo(at: Self.now)
    #expect(ann.shown.isEmpty)
    ann.redo(at: Self.now)
    #expect(ann.shown.count == 2)
    // Bob's erasure can still be taken back, but not after the remains were moved.
    Self.exchange(&ann, to: &bob)
    ann.selectAll()
    ann.transformSelection(by: AffineTransform(translationX: 1, y: 0), at: Self.now)
    Self.exchange(&ann, to: &bob)
    bob.undo(at: Self.now)
    #expect(bob.shown.count == 2)
    ann.undo(at: Self.now)
    #expect(ann.shown.count == 2)
  }

  @Test func `an erasure that came too late erases what others have left of its strokes`() {
    var (ann, bob) = (Self.page(1, as: 0), Self.page(2, as: 1))
    Self.draw(&ann, 0, 0)
    Self.exchange(&ann, to: &bob)
    func erase(_ page: inout PenPage, at x: Double) {
      page.beginErasing(with: PKEraserTool(.bitmap, width: 6), at: Self.now)
      page.erase([PenSample(location: Point(x: x, y: 0), time: 0)])
      page.end(at: Self.now)
    }
    erase(&ann, at: 20)
    erase(&bob, at: 50)
    let late = Array(ann.waitingEvents)
    // Bob was faster.
    Self.exchange(&bob, to: &ann)
    ann.confirm(late.count, at: Self.now)
    bob.receive(late, by: 0, at: Self.now)
    #expect(ann.waitingEvents.count == 1)
    Self.exchange(&ann, to: &bob)
    #expect(ann.shown.count == 3)
    #expect(ann.recording.events == bob.recording.events)
    #expect(
      PKDrawing(strokes: ann.shown.map(\.stroke)) == PKDrawing(strokes: bob.shown.map(\.stroke)))
  }

  @Test func `open strokes of others are shown from sample to sample, until their event comes`() {
    var (ann, bob) = (Self.page(1, as: 0), Self.page(2, as: 1))
    let tool = PKInkingTool(.pen, width: 4)
    let name = bob.openID
    bob.beginStroke(with: tool, at: Self.now)
    bob.draw(Self.samples(0, 0))
    ann.showOther(name, with: tool, tolerance: CurveFit().tolerance, at: Self.now)
    #expect(ann.openStrokes.isEmpty)
    let samples = Self.samples(0, 0)
    ann.drawOther(name, Array(samples[..<3]), from: 0)
    // Twice, late, and after a gap.
    ann.drawOther(name, Array(samples[..<3]), from: 0)
    ann.drawOther(name, Array(samples[5...]), from: 5)
    ann.drawOther(name, Array(samples[1...]), from: 1)
    ann.drawOther(Identifier(high: 9, low: 9), samples, from: 0)
    ann.drawOther(name, samples, from: -1)
    #expect(ann.openStrokes == bob.openStrokes)
    ann.beginStroke(with: tool, at: Self.now)
    ann.draw(Self.samples(0, 90))
    #expect(ann.openStrokes.count == 2 && ann.openStrokes[0].id == name)
    bob.end(at: Self.now)
    Self.exchange(&bob, to: &ann)
    #expect(ann.openStrokes.map(\.id) == [ann.openID])
    #expect(Self.ids(ann) == [name])
    // A finished stroke cannot be open again.
    ann.showOther(name, with: tool, tolerance: nil, at: Self.now)
    ann.drawOther(name, samples, from: 0)
    #expect(ann.openStrokes.count == 1)
  }

  @Test func `events with names of known strokes do not count`() {
    var (ann, bob) = (Self.page(1, as: 0), Self.page(2, as: 1))
    let name = Self.draw(&ann, 0, 0)
    Self.exchange(&ann, to: &bob)
    let other = PKStroke(
      ink: PKInk(.pen, color: .black), path: PKStrokePath(controlPoints: []), id: name)
    let count = bob.recording.events.count
    let time = Self.now
    bob.receive(
      [
        Recording.Event(time: time, action: .strokeBegun(other)),
        Recording.Event(
          time: time,
          action: .erased(
            PKEraserTool(.vector), along: PKStrokePath(),
            changes: [StrokeChange(strokeID: Identifier(high: 5, low: 5), replacements: [other])])),
        Recording.Event(time: time, action: .edited([], above: [other], below: [])),
      ], by: 3, at: time)
    #expect(bob.recording.events.count == count)
    // But a stroke may replace itself.
    bob.receive(
      [
        Recording.Event(
          time: time,
          action: .edited(
            [StrokeChange(strokeID: name, replacements: [other])], above: [], below: []))
      ], by: 3, at: time)
    #expect(bob.recording.events.count == count + 1)
  }

  @Test func `wrong clocks neither run ahead of the room nor back`() {
    var page = Self.page(1, as: 0)
    func receive(_ seconds: Double, at now: Double) {
      page.receive(
        [Recording.Event(time: Timestamp(secondsSinceReferenceDate: seconds), action: .cleared)],
        by: 1, at: Timestamp(secondsSinceReferenceDate: now))
    }
    receive(500, at: 1_000)
    receive(9e9, at: 1_001)
    receive(-9e9, at: 1_002)
    #expect(page.recording.events.map(\.time.secondsSinceReferenceDate) == [500, 1_001, 1_001])
  }

  @Test func `a recording by person has the colours of those who drew, also in pieces`() {
    var (ann, bob) = (Self.page(1, as: 0), Self.page(2, as: 1))
    Self.draw(&ann, 0, 0)
    Self.exchange(&ann, to: &bob)
    Self.draw(&bob, 0, 50)
    bob.beginErasing(with: PKEraserTool(.bitmap, width: 6), at: Self.now)
    bob.erase([PenSample(location: Point(x: 35, y: 0), time: 0)])
    bob.end(at: Self.now)
    var recording = bob.recording
    #expect(recording.coloredByPerson() == recording)
    let (red, blue) = (
      Color(red: 1, green: 0, blue: 0, alpha: 1), Color(red: 0, green: 0, blue: 1, alpha: 1)
    )
    recording.canvas.people = [
      .init(number: 1, name: "Bob B.", color: blue), .init(number: 0, name: "", color: red),
    ]
    #expect(recording.canvas.people.map(\.name) == ["", "Bob B."])
    #expect(recording.canvas.people.map(\.color) == [red, blue])
    let colors = recording.coloredByPerson().drawing.strokes.map(\.ink.color)
    #expect(colors == [red, red, blue])
  }
}
