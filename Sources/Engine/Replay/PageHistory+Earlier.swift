public import Strokes

extension PageHistory {
  /// A showing that is no longer on the page, with those that still cover parts of it.
  public struct Earlier: Hashable, Sendable {
    /// The showing as it last lay there.
    public let showing: Int32
    /// Pieces of it that lie there still, or that lay elsewhere later, and count as earlier ink there.
    public let remains: [Int32]
  }

  /// What was on the page during the first `count` steps and is not there after them, from back to front:
  /// each stroke where it last lay.
  ///
  /// A showing and the pieces that erasers left of it lie in one place. It is an earlier showing if it is not
  /// on the page itself; the pieces that are there still remain of it. A showing that was moved away is only an
  /// earlier one if it is on the page where it was moved to: otherwise it last lay there.
  public func earlier(afterSteps count: Int) -> [Earlier] {
    // The index of the showing that was first in each showing's place.
    var places: [Int32] = []
    places.reserveCapacity(showings.count)
    var remains: [[Int32]] = Array(repeating: [], count: showings.count)
    for (number, showing) in editor.showings.enumerated() {
      let origin = showing.move == nil ? showing.replaced : nil
      places.append(origin.map { places[Int($0)] } ?? Int32(number))
    }
    var earlier: [Earlier] = []
    // Showings come after those that they replaced. So when the first showing of a place is reached, all
    // others of the place, and the places to which they were moved, have been.
    for number in showings.indices.reversed() {
      let place = Int(places[number])
      if isShown(number, afterSteps: count) { remains[place].append(Int32(number)) }
      guard place == number, hasBeenShown(number, beforeStep: count),
        !remains[number].contains(Int32(number))
      else { continue }
      earlier.append(Earlier(showing: Int32(number), remains: remains[number].reversed()))
      // Its stroke last lay here, and not where it was moved from.
      if let origin = editor.showings[number].replaced {
        remains[Int(places[Int(origin)])].append(origin)
      }
    }
    return earlier.sorted { showings[Int($0.showing)].rank < showings[Int($1.showing)].rank }
  }

  /// The strokes of `earlier(afterSteps:)`, read from the source.
  public func earlierStrokes(
    afterSteps count: Int, in source: some RecordingSource
  ) throws(ReplayError) -> [EarlierStroke] {
    try strokes(of: earlier(afterSteps: count), in: source)
  }

  package func strokes(
    of list: [Earlier], in source: some RecordingSource
  ) throws(ReplayError) -> [EarlierStroke] {
    var strokes: [EarlierStroke] = []
    for earlier in list {
      var remains: [PKStroke] = []
      for showing in earlier.remains {
        remains.append(try stroke(ofShowing: Int(showing), in: source))
      }
      strokes.append(
        EarlierStroke(try stroke(ofShowing: Int(earlier.showing), in: source), remains: remains))
    }
    return strokes
  }
}
