/// Why bytes cannot be decompressed, and at which of them.
package struct InflateError: Error, Hashable {
  /// The kind of error.
  package let reason: Reason
  /// The offset of a compressed byte at or shortly behind the damage.
  package let offset: Int

  init(_ reason: Reason, at offset: Int) {
    self.reason = reason
    self.offset = offset
  }

  package enum Reason: Hashable, Sendable {
    case truncated
    /// The first bytes are neither gzip's nor zlib's.
    case header
    /// The window is larger than deflate allows.
    case windowSize
    case method
    /// A gzip header with flags that have no meaning.
    case headerFlags
    case headerChecksum
    /// A zlib stream that needs a dictionary.
    case dictionary
    case blockType
    case storedLength
    case symbolCount
    /// A repetition of a code's length at the very start, or beyond the end.
    case lengthRepeat
    /// Lengths from which no prefix code can be made, or an incomplete one.
    case lengthCode, literalCode, distanceCode
    case noEndOfBlock
    /// Bits that are no code.
    case literal, distance
    /// A match that starts before the first byte.
    case distanceTooFar
    case checksum, size
    /// More bytes than the caller wants.
    case tooLarge(limit: Int)
  }
}

extension InflateError.Reason: CustomStringConvertible {
  package var description: String {
    switch self {
    case .truncated: "it ends too early"
    case .header: "neither gzip nor zlib"
    case .windowSize: "its window is too large"
    case .method: "an unknown method"
    case .headerFlags: "unknown flags in its header"
    case .headerChecksum: "the checksum of its header is wrong"
    case .dictionary: "it needs a dictionary"
    case .blockType: "a block of an unknown type"
    case .storedLength: "the length of a stored block is wrong"
    case .symbolCount: "a code has too many symbols"
    case .lengthRepeat: "a repeated code length is out of place"
    case .lengthCode: "the code of code lengths is invalid"
    case .literalCode: "a code of literals is invalid"
    case .distanceCode: "a code of distances is invalid"
    case .noEndOfBlock: "a block cannot end"
    case .literal: "bits that are no literal and no length"
    case .distance: "bits that are no distance"
    case .distanceTooFar: "a match starts before the first byte"
    case .checksum: "the checksum is wrong"
    case .size: "the size is wrong"
    case .tooLarge(let limit): "more than \(limit) bytes"
    }
  }
}
