/// Why bytes cannot be read as a recording.
public struct PKDError: Error, Hashable, Sendable {
  /// The kind of error.
  public let reason: Reason
  /// The offset in the file at which it was noticed.
  public let offset: Int

  init(_ reason: Reason, at offset: Int) {
    self.reason = reason
    self.offset = offset
  }

  /// The kinds of errors.
  public enum Reason: Hashable, Sendable {
    /// The first bytes are not the signature.
    case notARecording
    /// A transfer as text has damaged the signature: line ends were changed, or the high bit was
    /// cut.
    case damagedAsText
    /// The file needs a reader of a newer major version.
    case newerVersion(major: Int)
    /// The file ends inside a field or chunk.
    case truncated
    /// A chunk's checksum does not match its bytes.
    case checksum(chunk: String)
    /// A chunk of an unknown type that readers must not skip.
    case unknownChunk(String)
    /// A chunk is missing or out of order.
    case misplacedChunk(String)
    /// This number of bytes follows the end of the content.
    case trailingBytes(Int)
    /// A number is not written in its shortest form, or bits that must be 0 are 1.
    case notCanonical
    /// A declared count exceeds the limit.
    case tooMany(Quantity, declared: UInt64, limit: Int)
    /// A number is infinite or not a number.
    case notFinite
    /// A text is not UTF-8.
    case text
    /// A reference is beyond the end of its table.
    case reference(Quantity, index: Int, count: Int)
    /// A field, named here, has an unknown value.
    case unknownValue(String, UInt64)
    /// Entropy-coded values end too early or leave bytes over.
    case entropy
    /// The index contradicts the blocks of strokes.
    case wrongIndex
    /// The tail does not point to the index.
    case wrongTail
    /// The stored box of a stroke, counted from 0, does not contain its ink.
    case wrongBox(stroke: Int)
    /// The boxes of this number of further strokes do not contain their ink.
    case moreWrongBoxes(Int)
  }

  /// The quantities that have a limit.
  public enum Quantity: String, Hashable, Sendable {
    case chunkBytes = "bytes in a chunk"
    case strokes, points, inks, shapes
    case steps = "value steps"
    case events
    case texts
    case textBytes = "bytes of text"
    case pathElements = "elements of a mask"
    case ranges, words, people
    case pointsPerByte = "points for a byte"
    case archiveBytes = "bytes of an archive"
    case canvasPoints = "points of a canvas"
  }
}

extension PKDError: CustomStringConvertible {
  /// The error as a message.
  public var description: String { "\(reason) at byte \(offset)" }
}

extension PKDError.Reason: CustomStringConvertible {
  /// The reason without the offset.
  public var description: String {
    switch self {
    case .notARecording: "not a .pkd recording"
    case .damagedAsText: "a recording that was damaged by a transfer as text"
    case .newerVersion(let major): "the recording needs a reader of version \(major)"
    case .truncated: "the recording ends too early"
    case .checksum(let chunk): "the checksum of the chunk \(chunk) does not match"
    case .unknownChunk(let chunk): "the chunk \(chunk) is not known"
    case .misplacedChunk(let chunk): "the chunk \(chunk) is missing or out of place"
    case .trailingBytes(let count): "\(count) bytes are left over"
    case .notCanonical: "a number is not in its canonical form"
    case .tooMany(let what, let declared, let limit):
      "\(declared) \(what.rawValue), more than the limit of \(limit)"
    case .notFinite: "a number is not finite"
    case .text: "a text is not valid UTF-8"
    case .reference(let what, let index, let count):
      "number \(index) of \(count) \(what.rawValue) does not exist"
    case .unknownValue(let what, let value): "the \(what) \(value) is not known"
    case .entropy: "coded values are damaged"
    case .wrongIndex: "the index contradicts the recording"
    case .wrongTail: "the tail does not point to the index"
    case .wrongBox(let number): "the box of stroke \(number + 1) does not lie around its ink"
    case .moreWrongBoxes(let count):
      "the boxes of \(count) more strokes do not lie around their ink"
    }
  }
}
