import Graphics
import Strokes
import TestSupport
import Testing

@testable import Replay

@Suite struct PageHistoryTests {
  @Test func `the page after every event equals that of plain lists`() throws {
    var random = RandomInk(seed: 41)
    var pageCount = 0
    for _ in 0..<1500 {
      var recording = random.recording(eventCount: 0...24)
      // Plain lists know one person.
      for index in recording.events.indices { recording.events[index].person = 0 }
      for count in 0...recording.events.count {
        let part = Recording(events: Array(recording.events.prefix(count)))
        let source = RecordedStrokes(part)
        let history = try PageHistory(of: source)
        let page = try history.page(afterSteps: history.steps.count).map {
          try history.stroke(ofShowing: Int($0), in: source)
        }
        let plain = PlainPage(part.events).strokes
        #expect(page == plain, "\(part.events.map { "\($0.action)".prefix(18) })")
        #expect(part.drawing.strokes == plain)
        if page != plain { return }
        pageCount += 1
      }
    }
    #expect(pageCount > 5000)
  }

  @Test func `the page after some steps does not depend on what follows`() throws {
    var random = RandomInk(seed: 42)
    for _ in 0..<400 {
      let recording = random.recording(eventCount: 4...30)
      let history = try PageHistory(of: RecordedStrokes(recording))
      for count in 0...recording.events.count {
        // Consecutive pieces of a stroke are drawn in one step.
        let next = recording.events[count...].first { event in
          switch event.action {
          case .strokeEnded, .strokeExtended, .toolChanged: false
          default: true
          }
        }
        if case .strokeBegun? = next?.action { continue }
        let part = Recording(events: Array(recording.events.prefix(count)))
        let shorter = try PageHistory(of: RecordedStrokes(part))
        let steps = shorter.steps.count
        #expect(
          history.page(afterSteps: steps).map { history.showings[Int($0)].stroke }
            == shorter.page(afterSteps: steps).map { shorter.showings[Int($0)].stroke })
      }
    }
  }

  @Test func `events that refer to missing strokes are skipped and reported`() throws {
    let stroke = PKStroke(ink: PKInk(.pen), path: PKStrokePath())
    let recording = Recording(events: [
      .init(time: .referenceDate, action: .strokeBegun(stroke)),
      .init(time: .referenceDate, action: .moved([Identifier()], by: .identity)),
      .init(time: .referenceDate, action: .strokeExtended(Identifier(), by: PKStrokePath())),
      .init(
        time: .referenceDate,
        action: .erased(
          PKEraserTool(.vector), along: PKStrokePath(),
          changes: [StrokeChange(strokeID: Identifier(), replacements: [])])),
      .init(time: .referenceDate, action: .undone),
    ])
    let history = try PageHistory(of: RecordedStrokes(recording))
    #expect(history.gaps.map(\.event) == [1, 2, 3])
    #expect(history.gapCount == 3)
    // An event that changed nothing is not undone. The beginning of the stroke is undone instead.
    #expect(history.page(afterSteps: history.steps.count).isEmpty)
  }

  @Test func `a hundred thousand strokes with the same identifier are drawn and cleared`() throws {
    let stroke = PKStroke(ink: PKInk(.pen), path: PKStrokePath(), id: .zero)
    var events = [Recording.Event](
      repeating: .init(time: .referenceDate, action: .strokeBegun(stroke)), count: 100_000)
    for _ in 0..<20 {
      events.append(.init(time: .referenceDate, action: .cleared))
      events.append(.init(time: .referenceDate, action: .undone))
    }
    let history = try PageHistory(of: RecordedStrokes(Recording(events: events)))
    #expect(history.page(afterSteps: history.steps.count).count == 100_000)
    #expect(history.page(afterSteps: history.steps.count - 1).isEmpty)
  }

  @Test func `thousands of strokes with the same identifier are moved as fast as others`() throws {
    let stroke = PKStroke(ink: PKInk(.pen), path: PKStrokePath(), id: .zero)
    let other = PKStroke(ink: PKInk(.pen), path: PKStrokePath())
    var events = [Recording.Event](
      repeating: .init(time: .referenceDate, action: .strokeBegun(stroke)), count: 60_000)
    events.append(.init(time: .referenceDate, action: .strokeBegun(other)))
    for _ in 0..<20 {
      events.append(.init(time: .referenceDate, action: .moved([.zero], by: .identity)))
    }
    let history = try PageHistory(of: RecordedStrokes(Recording(events: events)))
    #expect(history.page(afterSteps: history.steps.count).count == 60_001)
    #expect(Recording(events: events).drawing.strokes.last?.id == other.id)
  }

  @Test func `a recording that changes too many strokes is refused`() throws {
    let stroke = PKStroke(ink: PKInk(.pen), path: PKStrokePath(), id: .zero)
    var events = [Recording.Event](
      repeating: .init(time: .referenceDate, action: .strokeBegun(stroke)), count: 20_000)
    for _ in 0..<300 {
      events.append(.init(time: .referenceDate, action: .cleared))
      events.append(.init(time: .referenceDate, action: .undone))
    }
    let source = RecordedStrokes(Recording(events: events))
    #expect(throws: ReplayError.tooManyChanges(limit: PageEditor.maximumChanges)) {
      try PageHistory(of: source)
    }
  }
}
