public import Strokes

extension PageHistory {
  /// A showing that is no longer on the page, with those that still cover parts of it.
  public struct Earlier: Hashable, Sendable {
    /// The showing in its last position.
    public let showing: Int32
    /// Pieces of it that are still in that position, or that were moved and count as earlier ink in
    /// their new position.
    public let remains: [Int32]
  }

  /// The strokes that were on the page during the first `count` steps and are not there after them,
  /// from back to front, each in its last position.
  ///
  /// A showing and the pieces that erasers left of it share a position. It is an earlier showing if
  /// it is not on the page itself; pieces that are on the page still remain of it. If a showing was
  /// moved away, it is earlier only if it is on the page in its new position; otherwise the new
  /// position is its last.
  public func earlier(afterSteps count: Int) -> [Earlier] {
    // The index of the first showing in each showing's position.
    var places: [Int32] = []
    places.reserveCapacity(showings.count)
    var remains: [[Int32]] = Array(repeating: [], count: showings.count)
    for (number, showing) in editor.showings.enumerated() {
      let origin = showing.move == nil ? showing.replaced : nil
      places.append(origin.map { places[Int($0)] } ?? Int32(number))
    }
    var earlier: [Earlier] = []
    // Showings come after those that they replaced. So when the first showing of a position is
    // reached, all others of that position, and all positions to which they were moved, have been
    // visited.
    for number in showings.indices.reversed() {
      let place = Int(places[number])
      if isShown(number, afterSteps: count) { remains[place].append(Int32(number)) }
      guard place == number, hasBeenShown(number, beforeStep: count),
        !remains[number].contains(Int32(number))
      else { continue }
      earlier.append(Earlier(showing: Int32(number), remains: remains[number].reversed()))
      // This is the last position of its stroke, not the one before the move.
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
