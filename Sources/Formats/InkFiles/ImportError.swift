/// Why a foreign file of ink cannot be read, and where.
public struct ImportError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The kind of error.
  public let reason: Reason
  /// The position of the error.
  public let place: Place

  /// The kinds of errors.
  public enum Reason: Hashable, Sendable {
    /// The bytes end inside a value.
    case truncated
    /// A part that the format needs is missing.
    case missing(String)
    /// A value is wrong. The text describes the expected value.
    case expected(String)
    /// There are more than a drawing of this size can have.
    case tooMany(String, limit: Int)
    /// Compressed bytes are damaged, or too large when decompressed.
    case compression(String)
    /// The text is not well-formed XML or JSON.
    case syntax(String)
    /// A kind of the format that cannot be read.
    case unsupported(String)
    /// A password is needed.
    case locked
  }

  /// A position in a file.
  public enum Place: Hashable, Sendable {
    /// An offset in bytes; in compressed files, of the decompressed bytes.
    case byte(Int)
    /// A line, counted from 1.
    case line(Int)
    /// A part of a container, and an offset in it.
    case part(String, byte: Int)
  }

  package init(_ reason: Reason, at place: Place) {
    self.reason = reason
    self.place = place
  }

  /// The offset in bytes; nil if the position is a line.
  public var offset: Int? {
    switch place {
    case .byte(let offset), .part(_, let offset): offset
    case .line: nil
    }
  }

  package init(_ reason: Reason, at offset: Int) { self.init(reason, at: .byte(offset)) }

  /// The error as a message.
  public var description: String {
    switch place {
    case .byte(let offset): "\(reason) at byte \(offset)"
    case .line(let number): "\(reason) in line \(number)"
    case .part(let part, let offset): "\(reason) at byte \(offset) of \(part)"
    }
  }
}

extension ImportError.Reason: CustomStringConvertible {
  /// The reason as a part of a message.
  public var description: String {
    switch self {
    case .truncated: "the file ends too early"
    case .missing(let part): "\(part) is missing"
    case .expected(let value): "\(value) is expected"
    case .tooMany(let what, let limit): "there are more than \(limit) \(what)"
    case .compression(let text), .syntax(let text): text
    case .unsupported(let kind): "\(kind) cannot be read"
    case .locked: "it is locked by a password"
    }
  }
}
