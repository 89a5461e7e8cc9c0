import Graphics

/// A drawing cannot be rendered.
public struct RenderError: Error, Hashable, Sendable {
  /// The reasons for which a drawing cannot be rendered.
  public enum Problem: Hashable, Sendable {
    /// The named option (scale, margin or region) is not finite, or is negative where it must not
    /// be.
    case notANumber(String)
    /// The named option (region or picture) has no area.
    case empty(String)
    /// The picture has more pixels than allowed, or a side that is too long.
    case tooLarge(width: Double, height: Double, maximumPixels: Int)
    /// Drawing the ink would visit more pixels than a picture of its size, or all frames together,
    /// may take.
    case tooMuchWork(maximumVisits: Double)
    /// The options ask for the page, but the drawing has none.
    case noPage
    /// The source cannot decode a stroke, whose index counts from 0.
    case unreadable(stroke: Int, reason: String)
  }

  /// The reason.
  public let problem: Problem

  /// The maximum side of a picture in pixels, whatever the options allow.
  package static var maximumSide: Int { Framing.maximumSide }

  /// An error for a reason.
  public init(_ problem: Problem) { self.problem = problem }
}

extension RenderError: CustomStringConvertible {
  /// The problem, for people. Strokes are counted from 1.
  public var description: String {
    switch problem {
    case .notANumber(let what): "the \(what) must be a finite number above zero"
    case .empty(let what): "the \(what) is empty"
    case .tooLarge(let width, let height, let maximum):
      "a picture of \(Int(clamping: width))×\(Int(clamping: height)) pixels is more than the "
        + "\(maximum) that are allowed, or longer than \(Framing.maximumSide) on a side"
    case .tooMuchWork(let maximum):
      "its nibs are so wide, or its points so many in one place, that drawing them would visit more than "
        + "\(Int(clamping: maximum)) pixels, the limit here"
    case .unreadable(let stroke, let reason): "stroke \(stroke + 1) cannot be read: \(reason)"
    case .noPage: "the drawing has no page; frame its content instead"
    }
  }
}
