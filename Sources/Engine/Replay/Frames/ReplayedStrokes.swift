import Rasterization
import Strokes

/// The strokes of a replay, independent of their source.
struct ReplayedStrokes {
  /// Reads the stroke of a showing.
  let read: (Int32) throws(RenderError) -> PKStroke
  /// Reads the earlier strokes that show through.
  let earlier: ([PageHistory.Earlier]) throws(RenderError) -> [EarlierStroke]
  /// Whether a showing is drawn as one with the one right below it.
  let isWet: (_ upper: Int32, _ lower: Int32) -> Bool

  init(_ history: PageHistory, _ source: some RecordingSource) {
    read = { showing throws(RenderError) in try history.read(showing, in: source) }
    earlier = { list throws(RenderError) in
      do throws(ReplayError) {
        return try history.strokes(of: list, in: source)
      } catch {
        throw RenderError(error)
      }
    }
    isWet = { upper, lower in
      source.isWet(history.showings[Int(upper)].stroke, on: history.showings[Int(lower)].stroke)
    }
  }
}

extension PageHistory {
  /// The stroke of a showing.
  func read(_ showing: Int32, in source: some RecordingSource) throws(RenderError) -> PKStroke {
    do throws(ReplayError) {
      return try stroke(ofShowing: Int(showing), in: source)
    } catch {
      throw RenderError(error)
    }
  }
}

extension RenderError {
  /// A recording that cannot be replayed cannot be drawn.
  fileprivate init(_ error: ReplayError) {
    let problem: Problem =
      switch error {
      case .unreadable(let stroke, let reason): .unreadable(stroke: stroke, reason: reason)
      case .tooManyChanges: .unreadable(stroke: 0, reason: error.description)
      }
    self.init(problem)
  }
}
