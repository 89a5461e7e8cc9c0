import Graphics

/// Why there is no picture.
public struct RenderError: Error, Hashable, Sendable {
  /// What is wrong.
  public enum Problem: Hashable, Sendable {
    /// A number that is no extent, scale, margin or place.
    case notANumber(String)
    /// An extent that has no pixels.
    case empty(String)
    /// More pixels than allowed, or a side that is too long.
    case tooLarge(width: Double, height: Double, maximumPixels: Int)
    /// There is a page to be framed, but the drawing has none.
    case noPage
    /// A stroke that its source cannot give, counted from 0.
    case unreadable(stroke: Int, reason: String)
  }

  /// What is wrong.
  public let problem: Problem

  /// An error.
  public init(_ problem: Problem) { self.problem = problem }
}

extension RenderError: CustomStringConvertible {
  /// What is wrong, as a sentence.
  public var description: String {
    switch problem {
    case .notANumber(let what): "the \(what) must be a finite number above zero"
    case .empty(let what): "the \(what) is empty"
    case .tooLarge(let width, let height, let maximum):
      "a picture of \(Int(clamping: width))×\(Int(clamping: height)) pixels is more than the "
        + "\(maximum) that are allowed, or longer than \(Framing.longestSide) on a side"
    case .unreadable(let stroke, let reason): "stroke \(stroke + 1) cannot be read: \(reason)"
    case .noPage: "the drawing has no page; frame its content instead"
    }
  }
}
