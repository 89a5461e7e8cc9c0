/// Why something cannot be kept in a `.pkd` file, and what: readers would refuse such a file.
public struct PKDContentError: Error, Hashable, Sendable {
  /// What is wrong.
  public let reason: Reason
  /// Where it was found.
  public let place: Place

  init(_ reason: Reason, _ place: Place) {
    self.reason = reason
    self.place = place
  }

  /// What can be wrong.
  public enum Reason: Hashable, Sendable {
    /// A number of something is infinite or not a number.
    case notFinite(String)
    /// There is more than readers take, unless they are told otherwise.
    case tooMany(PKDError.Quantity, count: Int, limit: Int)
    /// The page has a side below 0, or above the limit.
    case canvasSide(limit: Double)
  }

  /// Where something can be wrong.
  public enum Place: Hashable, Sendable {
    /// The page.
    case canvas
    /// A stroke or a path, counted from 0 in the order of the events.
    case stroke(Int)
    /// An event, counted from 0.
    case event(Int)
    /// The file as a whole.
    case file
  }
}

extension PKDContentError: CustomStringConvertible {
  /// One sentence for people.
  public var description: String { "a recording cannot keep this: \(reason) \(place)" }
}

extension PKDContentError.Reason: CustomStringConvertible {
  /// The reason without the place.
  public var description: String {
    switch self {
    case .notFinite(let what): "a \(what) that is not finite"
    case .tooMany(let what, let count, let limit):
      "\(count) \(what.rawValue), more than the limit of \(limit)"
    case .canvasSide(let limit): "a side that is not from 0 to \(Int(limit)) points long"
    }
  }
}

extension PKDContentError.Place: CustomStringConvertible {
  /// The place in words.
  public var description: String {
    switch self {
    case .canvas: "on the page"
    case .stroke(let number): "in stroke \(number)"
    case .event(let number): "in event \(number)"
    case .file: "in the file"
    }
  }
}
