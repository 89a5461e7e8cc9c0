import Rasterization
import Strokes

/// The steps at which the page has ink whose colour depends on the ink below it.
struct MixingInks {
  /// The number of showings of such ink after each step. Empty if it is not needed: if there never
  /// are any, or if the last page has some, which decides for all steps.
  private var counts: [Int32] = []
  private let isMixedInTheEnd: Bool

  init(_ history: PageHistory, _ source: some RecordingSource) {
    var mixes: [Int: Bool] = [:]
    func isMixing(_ showing: Int32) -> Bool {
      let stroke = history.showings[Int(showing)].stroke
      if let known = mixes[stroke] { return known }
      let answer = PaintedPage.mixes(source.ink(ofStroke: stroke))
      mixes[stroke] = answer
      return answer
    }
    var count: Int32 = 0
    counts.reserveCapacity(history.steps.count + 1)
    counts.append(0)
    for step in history.steps.indices {
      for showing in history.added(in: step) where isMixing(showing) { count += 1 }
      for showing in history.removed(in: step) where isMixing(showing) { count -= 1 }
      counts.append(count)
    }
    isMixedInTheEnd = count > 0
    if isMixedInTheEnd || !mixes.values.contains(true) { counts = [] }
  }

  /// Whether such ink comes and goes, so that pages are composited in both ways.
  var comeAndGo: Bool { !counts.isEmpty }

  /// Whether the page is composited as one isolated group after some steps. If the last page has
  /// such ink, all pages are, so that nothing changes on the way.
  func areOnPage(afterSteps count: Int) -> Bool {
    isMixedInTheEnd || (count < counts.count && counts[count] > 0)
  }
}
