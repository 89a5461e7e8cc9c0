public import JSON
public import Strokes

/// Why a line cannot be read as an event.
public struct EventStreamError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The kind of error.
  public let reason: Reason
  /// The line, counted from 1.
  public let line: Int

  /// The kinds of errors.
  public enum Reason: Hashable, Sendable {
    /// The first line is not a header of this format.
    case noHeader
    /// The text needs a newer reader.
    case newerVersion(Int)
    /// The line is not JSON, or a value does not fit its key.
    case json(JSONError)
    /// A key that the event needs is missing.
    case missing(String)
    /// The name of the event is unknown.
    case unknownEvent(String)
    /// The line refers to a stroke that has not begun.
    case unknownStroke(Identifier)
    /// The line has no stroke, and none is open.
    case noOpenStroke
    /// There are more than a recording can store.
    case tooMany(String, limit: Int)
    /// A line is longer than the limit.
    case lineTooLong(limit: Int)
  }

  /// The error as a message.
  public var description: String {
    let text =
      switch reason {
      case .noHeader:
        "the first line must be {\"format\": \"\(EventStreamWriter.formatName)\", \"version\": 1}"
      case .newerVersion(let version):
        "version \(version) of the events is newer than \(EventStreamWriter.version)"
      case .json(let error): "\(error.reason) at column \(error.offset + 1)"
      case .missing(let key): "the key '\(key)' is missing"
      case .unknownEvent(let name): "the event '\(name)' is not known"
      case .unknownStroke(let id): "there is no stroke \(id)"
      case .noOpenStroke: "no stroke has begun"
      case .tooMany(let what, let limit): "there are more than \(limit) \(what)"
      case .lineTooLong(let limit): "the line is longer than \(limit) bytes"
      }
    return "line \(line): \(text)"
  }
}
