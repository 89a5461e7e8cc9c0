import Graphics
import TestSupport
import Testing

@testable import Strokes

/// Two versions of one recording, continued concurrently.
private struct Histories {
  let base, one, two: Recording

  init(seed: UInt64) {
    var random = RandomInk(seed: seed)
    var base = Recording()
    if random.chance(0.9) { base = random.continued(base, from: 0, count: 0...8) }
    self.base = base
    one = random.continued(base, from: 100 + random.number(0...3))
    two = random.continued(base, from: 100 + random.number(0...3))
  }

  static let seeds = 0..<UInt64(RunLength.count(40, long: 2000))
}

private func words(_ recording: Recording) -> [UInt64] {
  ContentWords { words in
    for event in recording.events { words.add(event) }
    words.add(recording.canvas)
  }.words
}

/// The merged drawing by the rules for drawings.
private func drawing(_ base: Recording?, _ one: Recording, _ two: Recording) -> PKDrawing {
  let isLater = one.isLater(than: two)
  return DrawingMerge(
    base: base?.drawing, earlier: (isLater ? two : one).drawing,
    later: (isLater ? one : two).drawing
  ).merged()
}

extension Recording {
  fileprivate var doNotRunBack: Bool {
    zip(events, events.dropFirst()).allSatisfy { $0.time <= $1.time }
  }
}

struct RecordingMergeTests {
  @Test func `a stroke that came by another way and was erased stays erased`() {
    func stroke(_ seed: UInt64) -> PKStroke {
      var random = RandomInk(seed: seed)
      return random.stroke(pointCount: 2...5)
    }
    func events(_ stroke: PKStroke, at time: Double) -> [Recording.Event] {
      [
        Recording.Event(
          time: Timestamp(secondsSinceReferenceDate: time), action: .strokeBegun(stroke)),
        Recording.Event(
          time: Timestamp(secondsSinceReferenceDate: time + 1), action: .strokeEnded(stroke.id)),
      ]
    }
    let (first, mine, theirs) = (stroke(1), stroke(2), stroke(3))
    let base = Recording(events: events(first, at: 0))
    // One device drew a stroke and received another one, which its author has erased meanwhile.
    let ours = Recording(
      events: base.events + events(mine, at: 10) + events(theirs, at: 20))
    let eraser = PKEraserTool(.vector)
    let there = Recording(
      events: base.events + events(theirs, at: 20) + [
        Recording.Event(
          time: Timestamp(secondsSinceReferenceDate: 30),
          action: .erased(
            eraser, along: PKStrokePath(),
            changes: [StrokeChange(strokeID: theirs.id, replacements: [])]))
      ])
    let merged = Recording.merging(base: base, ours: ours, theirs: there)
    #expect(Set(merged.drawing.strokes.map(\.id)) == [first.id, mine.id])
    #expect(words(merged) == words(Recording.merging(base: base, ours: there, theirs: ours)))
  }

  @Test func `a merged recording does not depend on which side is ours`() {
    for seed in Histories.seeds {
      let h = Histories(seed: seed)
      for base in [h.base, nil] {
        let merged = Recording.merging(base: base, ours: h.one, theirs: h.two)
        #expect(words(merged) == words(Recording.merging(base: base, ours: h.two, theirs: h.one)))
      }
    }
  }

  @Test func `merging an unchanged recording gives the other side`() {
    for seed in Histories.seeds {
      let h = Histories(seed: seed)
      #expect(Recording.merging(base: h.base, ours: h.one, theirs: h.one) == h.one)
      #expect(Recording.merging(base: h.base, ours: h.base, theirs: h.one) == h.one)
      #expect(Recording.merging(base: nil, ours: h.one, theirs: h.base) == h.one)
      #expect(Recording.merging(base: nil, ours: h.two, theirs: h.two) == h.two)
    }
  }

  @Test func `the last page is the merged drawing, and times never run back`() {
    var corrections = 0
    for seed in Histories.seeds {
      let h = Histories(seed: seed)
      let merged = Recording.merging(base: h.base, ours: h.one, theirs: h.two)
      let (isRight, isInOrder) = (
        merged.drawing == drawing(h.base, h.one, h.two), merged.doNotRunBack
      )
      #expect(isRight && isInOrder, "seed \(seed)")
      #expect(merged.events.starts(with: h.base.events))
      // Merged events contain no undo, unless only one side changed.
      if ![h.one, h.two].contains(merged) {
        #expect(!merged.events.dropFirst(h.base.events.count).contains { $0.action == .undone })
      }
      let ids = merged.drawing.strokes.map { $0.id }
      #expect(Set(ids).count == ids.count, "seed \(seed)")
      if merged.events.count > h.one.events.count + h.two.events.count - h.base.events.count {
        corrections += 1
      }
    }
    #expect(corrections < Histories.seeds.count / 2)
  }

  @Test func `a side that was written from its drawing is merged by the base`() {
    for seed in Histories.seeds {
      let h = Histories(seed: seed)
      let flat = Recording(h.two.drawing)
      let merged = Recording.merging(base: h.base, ours: h.one, theirs: flat)
      let erased = Set(h.base.drawing.strokes.map { $0.rootID })
        .subtracting(flat.drawing.strokes.map { $0.rootID })
      #expect(merged.drawing.strokes.allSatisfy { !erased.contains($0.rootID) }, "seed \(seed)")
      #expect(words(merged) == words(Recording.merging(base: h.base, ours: flat, theirs: h.one)))
      #expect(merged.doNotRunBack)
    }
  }

  @Test func `three devices end with the same strokes in any order of merging`() {
    for seed in Histories.seeds {
      var random = RandomInk(seed: seed)
      let base = random.continued(Recording(), from: 0, count: 2...6)
      let sides = (0..<3).map { random.continued(base, from: 100 + Double($0) / 2, count: 1...4) }
      func merge(_ a: Recording, _ b: Recording) -> Recording {
        Recording.merging(base: base, ours: a, theirs: b)
      }
      let roots = [
        merge(merge(sides[0], sides[1]), sides[2]), merge(merge(sides[1], sides[2]), sides[0]),
        merge(merge(sides[2], sides[0]), sides[1]),
      ].map { Set($0.drawing.strokes.map { $0.rootID }) }
      #expect(Set(roots).count == 1, "seed \(seed)")
    }
  }

  @Test func `any events in any order are merged, and can be replayed`() {
    for seed in 0..<UInt64(RunLength.count(60, long: 3000)) {
      var random = RandomInk(seed: seed)
      let base = random.recording(eventCount: 0...6)
      let sides = (0..<2).map { _ in
        var side = random.recording(eventCount: 0...10)
        if random.chance(0.8) { side.events.insert(contentsOf: base.events, at: 0) }
        return side
      }
      for given in [base, nil] {
        let merged = Recording.merging(base: given, ours: sides[0], theirs: sides[1])
        #expect(
          words(merged) == words(Recording.merging(base: given, ours: sides[1], theirs: sides[0])))
        let common = zip(sides[0].events, sides[1].events).prefix { $0 == $1 }.count
        // A side that is returned unchanged keeps its times.
        if !sides.contains(where: { $0.events == merged.events }) {
          let isInOrder = Recording(events: Array(merged.events.dropFirst(common))).doNotRunBack
          #expect(isInOrder, "seed \(seed)")
        }
        for count in 0...merged.events.count { _ = merged.drawing(after: count) }
        if given == nil, common > 0 {
          let base = Recording(events: Array(sides[0].events.prefix(common)))
          let isRight = merged.drawing == drawing(base, sides[0], sides[1])
          #expect(isRight, "seed \(seed)")
        }
      }
    }
  }
}

struct RecordingMergeRuleTests {
  private let base = Recording(
    PKDrawing(strokes: [plain(line(y: 0), id: 1), plain(line(y: 20), id: 2)]),
    canvas: Recording.Canvas(metadata: ["title": "old"]))

  private func continued(_ events: [(Double, Recording.Action)]) -> Recording {
    var recording = base
    for (time, action) in events {
      recording.events.append(
        Recording.Event(time: Timestamp(secondsSinceReferenceDate: time), action: action))
    }
    return recording
  }

  private func merged(_ one: Recording, _ two: Recording) -> Recording {
    Recording.merging(base: base, ours: one, theirs: two)
  }

  private func tail(_ recording: Recording) -> ArraySlice<Recording.Event> {
    recording.events.dropFirst(base.events.count)
  }

  private func stroke(_ id: UInt64, at time: Double) -> PKStroke {
    plain(line(y: 60).withCreationDate(Timestamp(secondsSinceReferenceDate: time)), id: id)
  }

  @Test func `events of both sides keep their times in a merged recording`() {
    let one = continued([
      (10, .strokeBegun(stroke(4, at: 10))), (12, .strokeEnded(name(4))),
      (20, .moved([name(1)], by: AffineTransform(translationX: 1, y: 1))),
    ])
    let two = continued([(11, .strokeBegun(stroke(5, at: 11))), (13, .strokeEnded(name(5)))])
    let result = merged(one, two)
    #expect(tail(result).map { $0.time.secondsSinceReferenceDate } == [10, 11, 12, 13, 20])
    #expect(result.drawing.strokes.map { $0.id } == [1, 2, 4, 5].map { name($0) })
  }

  @Test func `a merge omits events that a side has undone, and keeps redone ones`() {
    let one = continued([
      (10, .strokeBegun(stroke(4, at: 10))), (11, .strokeEnded(name(4))), (12, .undone),
    ])
    let two = continued([
      (10.5, .strokeBegun(stroke(5, at: 10.5))), (11, .strokeEnded(name(5))), (12, .undone),
      (13, .redone),
    ])
    #expect(tail(merged(one, two)) == tail(two).prefix(2))
  }

  @Test func `undoing an event of the base is merged as an erasure at that time`() {
    let one = continued([(10, .undone), (11, .undone), (12, .redone)])
    let two = continued([(20, .strokeBegun(stroke(5, at: 20))), (21, .strokeEnded(name(5)))])
    let result = merged(one, two)
    #expect(result.drawing.strokes.map { $0.id } == [name(1), name(5)])
    #expect(tail(result).count == 3)
    #expect(tail(result).first?.time.secondsSinceReferenceDate == 10)
  }

  @Test func `merging a cleared page erases only the strokes of that side`() {
    let one = continued([(20, .cleared)])
    let two = continued([(10, .strokeBegun(stroke(5, at: 10))), (11, .strokeEnded(name(5)))])
    #expect(merged(one, two).drawing.strokes.map { $0.id } == [name(5)])
    #expect(!merged(one, two).events.contains { $0.action == .cleared })
  }

  @Test func `a stroke that both sides drew on is drawn once`() {
    let whole = stroke(4, at: 10)
    var begun = whole
    begun.path = whole.path.controlPoints(in: 0..<2)
    func side(_ count: Int) -> Recording {
      continued([
        (10, .strokeBegun(begun)),
        (11, .strokeExtended(name(4), by: whole.path.controlPoints(in: 2..<count))),
        (12, .toolChanged(.lasso)),
      ])
    }
    let common = continued([(10, .strokeBegun(begun))])
    for base in [common, nil] {
      let result = Recording.merging(base: base, ours: side(5), theirs: side(9))
      #expect(result.drawing.strokes.last?.path.count == 9)
    }
  }

  @Test func `a merge ends with a correction where dates and event times disagree`() {
    let one = continued([(10, .strokeBegun(stroke(4, at: 99))), (11, .strokeEnded(name(4)))])
    let two = continued([(20, .strokeBegun(stroke(5, at: 50))), (21, .strokeEnded(name(5)))])
    let result = merged(one, two)
    #expect(result.drawing.strokes.map { $0.id } == [1, 2, 5, 4].map { name($0) })
    #expect(tail(result).count == 5)
    guard case .erased(_, _, let changes) = result.events.last?.action else {
      Issue.record("no correction")
      return
    }
    #expect(changes.count <= 2)
  }

  @Test func `each property of a page is merged by itself`() {
    var (one, two) = (base, base)
    one.canvas.metadata = ["title": "new", "author": "a"]
    two.canvas.size = Size(width: 10, height: 10)
    two.canvas.metadata = ["title": "old", "place": "p"]
    let canvas = merged(one, two).canvas
    #expect(canvas.metadata == ["title": "new", "author": "a", "place": "p"])
    #expect(canvas.size == two.canvas.size)
    #expect(merged(two, one).canvas == canvas)

    two.canvas.metadata = [:]
    #expect(
      Recording.merging(base: nil, ours: two, theirs: base).canvas.metadata == ["title": "old"])
    one.canvas = base.canvas
    one.canvas.background = .white
    #expect(merged(one, two).canvas.metadata == [:])
  }
}
