/// Why bytes are not a recording, and where.
public struct PKDError: Error, Hashable, Sendable {
  /// What is wrong.
  public let reason: Reason
  /// The byte of the file at which it was found.
  public let offset: Int

  init(_ reason: Reason, at offset: Int) {
    self.reason = reason
    self.offset = offset
  }

  /// What can be wrong.
  public enum Reason: Hashable, Sendable {
    /// The first bytes are not the signature.
    case notARecording
    /// The signature was damaged on the way as texts are: line ends were changed, or the high bit cut.
    case damagedAsText
    /// The file asks for a newer reader.
    case newerVersion(major: Int)
    /// The bytes end inside something.
    case truncated
    /// A chunk's checksum does not fit its bytes.
    case checksum(chunk: String)
    /// A chunk that must be understood is not known.
    case unknownChunk(String)
    /// A chunk stands where it cannot, or is missing where it must be.
    case misplacedChunk(String)
    /// There is something behind the end.
    case trailingBytes(Int)
    /// A number is not written in its shortest form, or bits that must be 0 are not.
    case notCanonical
    /// More is declared than the limits allow.
    case tooMany(Quantity, declared: UInt64, limit: Int)
    /// A number is infinite or not a number.
    case notFinite
    /// Text is not UTF-8.
    case text
    /// A reference points to nothing.
    case reference(Quantity, index: Int, count: Int)
    /// A value is none of those that are known.
    case unknownValue(String, UInt64)
    /// Coded values end too early or leave something over.
    case entropy
    /// The index tells other strokes than there are.
    case wrongIndex
    /// The tail does not point to the index.
    case wrongTail
  }

  /// What is counted.
  public enum Quantity: String, Hashable, Sendable {
    case chunkBytes = "bytes in a chunk"
    case strokes, points, inks, shapes
    case steps = "value steps"
    case events
    case texts
    case textBytes = "bytes of text"
    case pathElements = "elements of a mask"
    case ranges
    case pointsPerByte = "points for a byte"
    case archiveBytes = "bytes of an archive"
    case canvasPoints = "points of a canvas"
  }
}

extension PKDError: CustomStringConvertible {
  /// One sentence for people.
  public var description: String { "\(reason) at byte \(offset)" }
}

extension PKDError.Reason: CustomStringConvertible {
  /// The reason without the place.
  public var description: String {
    switch self {
    case .notARecording: "not a .pkd recording"
    case .damagedAsText: "a recording that was damaged by a transfer as text"
    case .newerVersion(let major): "the recording needs a reader of version \(major)"
    case .truncated: "the recording ends too early"
    case .checksum(let chunk): "the checksum of the chunk \(chunk) does not fit"
    case .unknownChunk(let chunk): "the chunk \(chunk) is not known"
    case .misplacedChunk(let chunk): "the chunk \(chunk) is missing or out of place"
    case .trailingBytes(let count): "\(count) bytes are left over"
    case .notCanonical: "a number is not in its only form"
    case .tooMany(let what, let declared, let limit):
      "\(declared) \(what.rawValue), more than the limit of \(limit)"
    case .notFinite: "a number is not finite"
    case .text: "a text is not valid UTF-8"
    case .reference(let what, let index, let count):
      "number \(index) of \(count) \(what.rawValue)"
    case .unknownValue(let what, let value): "the \(what) \(value) is not known"
    case .entropy: "coded values are damaged"
    case .wrongIndex: "the index does not tell what the recording holds"
    case .wrongTail: "the tail does not point to the index"
    }
  }
}
