/// Content that a `.pkd` file cannot store, because readers would refuse the file.
public struct PKDContentError: Error, Hashable, Sendable {
  /// The kind of error.
  public let reason: Reason
  /// The position of the error.
  public let place: Place

  init(_ reason: Reason, _ place: Place) {
    self.reason = reason
    self.place = place
  }

  /// The kinds of errors.
  public enum Reason: Hashable, Sendable {
    /// A value, named here, is infinite or not a number.
    case notFinite(String)
    /// A count exceeds the default limit of readers.
    case tooMany(PKDError.Quantity, count: Int, limit: Int)
    /// The page has a side that is negative or above the limit, in points.
    case canvasSide(limit: Double)
  }

  /// The position of an error.
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
  /// The error as a message.
  public var description: String { "a recording cannot store \(reason) \(place)" }
}

extension PKDContentError.Reason: CustomStringConvertible {
  /// The reason alone.
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
  /// The position as a phrase such as "in stroke 3".
  public var description: String {
    switch self {
    case .canvas: "on the page"
    case .stroke(let number): "in stroke \(number)"
    case .event(let number): "in event \(number)"
    case .file: "in the file"
    }
  }
}
