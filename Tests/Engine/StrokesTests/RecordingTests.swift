import Graphics
import TestSupport
import Testing

@testable import Strokes

/// A recording of actions a second apart.
private func recording(_ actions: [Recording.Action]) -> Recording {
  Recording(
    events: actions.enumerated().map {
      Recording.Event(time: .referenceDate + Double($0), action: $1)
    })
}

private let first = stroke(line(points: 3), id: 1)
private let second = stroke(line(y: 30), id: 2)
private let third = stroke(line(y: 60), id: 3)
private let more = path([(110, 5), (120, 9)])
private let shift = AffineTransform(translationX: 5, y: 7)

private func moved(_ stroke: PKStroke) -> PKStroke {
  var stroke = stroke
  stroke.transform = stroke.transform.concatenating(shift)
  return stroke
}

private func grown(_ stroke: PKStroke) -> PKStroke {
  var stroke = stroke
  stroke.path = stroke.path.appending(more)
  return stroke
}

private func strokes(_ actions: [Recording.Action]) -> [PKStroke] {
  recording(actions).drawing.strokes
}

@Suite struct `Applying the events of a recording` {
  @Test func `strokes that are moved to infinity keep finite transforms, which files can hold`() {
    var random = RandomInk(seed: 1)
    let far = AffineTransform(a: 1e200, b: -1e200, c: 1e200, d: 1e200, tx: 1e308, ty: -1e308)
    var recording = Recording(random.drawing(strokeCount: 2...2))
    for _ in 0..<3 {
      recording.events.append(
        Recording.Event(
          time: .referenceDate, action: .moved(recording.drawing.strokes.map(\.id), by: far)))
    }
    for stroke in recording.drawing.strokes { #expect(stroke.transform.isFinite) }
  }

  @Test func `an empty page stays empty`() {
    #expect(strokes([]).isEmpty)
    #expect(strokes([.undone, .redone, .cleared, .strokeEnded(first.id), .undone]).isEmpty)
  }

  @Test func `a stroke begins, grows and ends`() {
    let actions: [Recording.Action] = [
      .strokeBegun(first), .strokeExtended(first.id, by: more),
      .strokeExtended(first.id, by: more), .strokeEnded(first.id),
    ]
    let recording = recording(actions)
    #expect(recording.drawing(after: 1).strokes == [first])
    #expect(recording.drawing(after: 2).strokes == [grown(first)])
    #expect(recording.drawing(after: 3).strokes == [grown(grown(first))])
    #expect(recording.drawing(after: 4) == recording.drawing(after: 3))
    #expect(recording.drawing.strokes.first?.path.map(\.location).last == Point(x: 120, y: 9))
  }

  @Test func `two strokes can grow at the same time, each by its own points`() {
    let actions: [Recording.Action] = [
      .strokeBegun(first), .strokeBegun(second), .strokeExtended(first.id, by: more),
      .strokeExtended(second.id, by: more), .strokeExtended(first.id, by: more),
    ]
    #expect(strokes(actions) == [grown(grown(first)), grown(second)])
  }

  @Test func `points for a missing stroke are ignored`() {
    #expect(strokes([.strokeBegun(first), .strokeExtended(name(9), by: more)]) == [first])
  }

  @Test func `erasing replaces strokes by those in the event`() {
    let pieces = [second.substroke(range: 0...2), second.substroke(range: 5...9)]
    let erased = Recording.Action.erased(
      PKEraserTool(.bitmap), along: PKStrokePath(),
      changes: [
        StrokeChange(strokeID: second.id, replacements: pieces),
        StrokeChange(strokeID: first.id, replacements: []),
        StrokeChange(strokeID: name(99), replacements: [third]),
      ])
    let begun = [first, second, third].map { Recording.Action.strokeBegun($0) }
    #expect(strokes(begun + [erased]) == pieces + [third])
    #expect(strokes(begun + [erased, .undone]) == [first, second, third])
    #expect(strokes(begun + [erased, .undone, .redone]) == pieces + [third])
  }

  @Test func `the event of an eraser has the eraser's changes`() {
    var recording = recording([.strokeBegun(first), .strokeBegun(second)])
    var drawing = recording.drawing
    let way = path([(50, -20), (50, 60)])
    recording.erase(along: way, with: PKEraserTool(.bitmap), at: .referenceDate + 9)
    drawing.erase(along: way, with: PKEraserTool(.bitmap))
    #expect(recording.drawing == drawing)
    #expect(recording.drawing.strokes.count == 4)
    #expect(recording.events.last?.time == .referenceDate + 9)
  }

  @Test func `strokes are moved and cleared, and changing the tool changes nothing`() {
    let begun = [first, second].map { Recording.Action.strokeBegun($0) }
    #expect(strokes(begun + [.moved([second.id], by: shift)]) == [first, moved(second)])
    let movedBack = strokes(begun + [.moved([second.id, name(9)], by: shift), .undone])
    #expect(movedBack == [first, second])
    #expect(strokes(begun + [.cleared]).isEmpty)
    #expect(strokes(begun + [.cleared, .undone]) == [first, second])
    #expect(strokes(begun + [.cleared, .strokeBegun(third)]) == [third])
    #expect(strokes(begun + [.toolChanged(.lasso), .undone]) == [first])
  }
}

@Suite struct `Undoing and redoing` {
  private let begun = [first, second, third].map { Recording.Action.strokeBegun($0) }

  @Test func `changes are undone in reverse order and redone in order`() {
    let undo = Recording.Action.undone
    #expect(strokes(begun + [undo]) == [first, second])
    #expect(strokes(begun + [undo, undo, undo, undo]).isEmpty)
    #expect(strokes(begun + [undo, undo, .redone]) == [first, second])
    #expect(strokes(begun + [undo, undo, .redone, .redone, .redone]) == [first, second, third])
  }

  @Test func `after a new change there is nothing to redo`() {
    #expect(strokes(begun + [.undone, .cleared, .redone]).isEmpty)
    #expect(
      strokes(begun + [.undone, .moved([first.id], by: shift), .redone]) == [
        moved(first), second,
      ])
  }

  @Test func `an event that changes nothing is not undone, and keeps what can be redone`() {
    let idle: [Recording.Action] = [
      .toolChanged(.lasso), .moved([], by: shift), .moved([name(9)], by: shift),
      .strokeEnded(third.id),
      .erased(PKEraserTool(.vector), along: PKStrokePath(), changes: []),
    ]
    #expect(strokes(begun + idle + [.undone]) == [first, second])
    #expect(strokes(begun + [.undone] + idle + [.redone]) == [first, second, third])
  }

  @Test func `a stroke that has grown keeps its points when it is redone`() {
    let actions: [Recording.Action] = [
      .strokeBegun(first), .strokeExtended(first.id, by: more), .undone, .redone,
    ]
    #expect(strokes(actions) == [grown(first)])
    #expect(recording(actions).drawing(after: 3).strokes.isEmpty)
  }

  @Test func `a stroke that grows after it was moved keeps its points when the move is undone`() {
    let actions: [Recording.Action] = [
      .strokeBegun(first), .moved([first.id], by: shift), .strokeExtended(first.id, by: more),
      .undone,
    ]
    #expect(strokes(actions) == [grown(first)])
  }

  @Test func `several strokes change and are restored to their positions`() {
    let pieces = [0.0, 1, 2].map { second.substroke(range: $0...$0 + 1) }
    let erased = Recording.Action.erased(
      PKEraserTool(.bitmap), along: PKStrokePath(),
      changes: [
        StrokeChange(strokeID: first.id, replacements: []),
        StrokeChange(strokeID: second.id, replacements: pieces),
        StrokeChange(strokeID: third.id, replacements: [third.substroke(range: 0...1)]),
      ])
    let after = pieces + [third.substroke(range: 0...1)]
    #expect(strokes(begun + [erased]) == after)
    #expect(strokes(begun + [erased, .undone]) == [first, second, third])
    #expect(strokes(begun + [erased, .undone, .redone]) == after)
    #expect(strokes(begun + [erased, .cleared, .undone, .undone]) == [first, second, third])
  }

  @Test func `a long random history agrees with copies of whole pages`() {
    var random = RandomInk(seed: 25)
    var (page, undo, redo) = ([PKStroke](), [[PKStroke]](), [[PKStroke]]())
    var actions: [Recording.Action] = []
    for step in 0..<300 {
      switch random.whole(0...5) {
      case 0, 1:
        let new = stroke(line(points: 2), id: UInt64(step))
        actions.append(.strokeBegun(new))
        undo.append(page)
        (page, redo) = (page + [new], [])
      case 2 where !page.isEmpty:
        let ids = page.filter { _ in random.chance() }.map(\.id)
        actions.append(.moved(ids, by: shift))
        guard !ids.isEmpty else { break }
        undo.append(page)
        (page, redo) = (page.map { ids.contains($0.id) ? moved($0) : $0 }, [])
      case 3 where page.count > 12:
        actions.append(.cleared)
        undo.append(page)
        (page, redo) = ([], [])
      case 4:
        actions.append(.undone)
        guard let last = undo.popLast() else { break }
        redo.append(page)
        page = last
      case 5:
        actions.append(.redone)
        guard let last = redo.popLast() else { break }
        undo.append(page)
        page = last
      default: break
      }
      if step.isMultiple(of: 25) { #expect(strokes(actions) == page) }
    }
    #expect(strokes(actions) == page)
  }

  @Test func `an eraser changes a growing page as it changes the whole drawing`() {
    var random = RandomInk(seed: 26)
    let eraser = PKEraserTool(.bitmap, width: 12)
    var page = LivePage()
    var events: [Recording.Event] = []
    var changeCount = 0
    for step in 0..<120 {
      let ids = page.drawing.strokes.map(\.id)
      let action: Recording.Action
      switch random.whole(0...6) {
      case 0, 1, 2: action = .strokeBegun(stroke(line(y: random.number(0...40)), id: UInt64(step)))
      case 3 where !ids.isEmpty:
        action = .strokeExtended(ids[random.whole(0...ids.count - 1)], by: more)
      case 4: action = .moved(ids.filter { _ in random.chance() }, by: shift)
      case 5: action = .undone
      default:
        let way = path([(20, 0), (20, random.number(0...40))])
        let changes = page.changes(erasingAlong: way, with: eraser)
        #expect(
          changes == Recording(events: events).drawing.changes(erasingAlong: way, with: eraser))
        changeCount += changes.count
        action = .erased(eraser, along: way, changes: changes)
      }
      events.append(Recording.Event(time: .referenceDate + Double(step), action: action))
      page.append(events[step])
    }
    #expect(changeCount > 20)
    #expect(page.drawing == Recording(events: events).drawing)
  }
}

@Suite struct `Time in a recording` {
  @Test func `the drawing at a time has the events that are not later`() {
    let recording = recording([.strokeBegun(first), .strokeBegun(second), .cleared])
    #expect(recording.drawing(at: .referenceDate + -0.1).strokes.isEmpty)
    #expect(recording.drawing(at: .referenceDate).strokes == [first])
    #expect(recording.drawing(at: .referenceDate + 1.5).strokes == [first, second])
    #expect(recording.drawing(at: .referenceDate + 99).strokes.isEmpty)
    #expect(recording.drawing(after: -3).strokes.isEmpty)
    #expect(recording.drawing(after: 99) == recording.drawing)
  }

  @Test func `a recording made from a drawing gives that drawing, and its events are in order`() {
    var random = RandomInk(seed: 26)
    for _ in 0..<20 {
      let drawing = random.drawing(strokeCount: 0...8, pointCount: 0...10)
      let recording = Recording(drawing)
      #expect(recording.drawing == drawing)
      #expect(recording.events.count == 2 * drawing.strokes.count)
      let times = recording.events.map(\.time)
      #expect(times == times.sorted())
    }
  }

  @Test func `the time of a cut stroke's pieces counts once`() {
    var drawing = PKDrawing(strokes: [stroke(line(), id: 1)])
    drawing.strokes = (0..<4).map {
      drawing.strokes[0].substroke(range: Double($0)...Double($0) + 1)
    }
    let events = Recording(drawing).events
    let duration = drawing.strokes[0].path.duration
    expectClose((events.last?.time ?? .referenceDate) - events[0].time, duration, within: 1e-6)
  }

  @Test func `a stroke ends with its last point, and later dates are kept`() {
    let later = stroke(line().withCreationDate(.referenceDate + 50))
    let earlier = stroke(line().withCreationDate(.referenceDate + 20))
    let times = Recording(PKDrawing(strokes: [later, earlier, later])).events.map(\.time)
    let expected = [50, 50.1, 50.1, 50.2, 50.2, 50.3]
    for (time, seconds) in zip(times, expected) {
      expectClose(time - .referenceDate, seconds, within: 1e-6)
    }
  }

  @Test func `five thousand strokes are applied quickly`() {
    let short = line(length: 9, points: 2)
    let drawing = PKDrawing(strokes: (0..<5000).map { stroke(short, id: $0) })
    var recording = Recording(drawing, canvas: Recording.Canvas(metadata: ["title": "Ink"]))
    #expect(recording.drawing.strokes.count == 5000)
    recording.events.append(
      Recording.Event(time: .referenceDate, action: .moved([name(7)], by: shift)))
    #expect(recording.drawing.strokes[7].transform == shift)
  }
}
