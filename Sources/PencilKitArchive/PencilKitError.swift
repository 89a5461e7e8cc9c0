/// Why bytes are not a drawing of PencilKit's, and where.
public struct PencilKitError: Error, Hashable, Sendable {
  /// What is wrong.
  public let reason: Reason
  /// The byte at which it was found. In a compressed drawing it counts in the unpacked message.
  public let offset: Int

  init(_ reason: Reason, at offset: Int) {
    self.reason = reason
    self.offset = offset
  }

  /// What can be wrong.
  public enum Reason: Hashable, Sendable {
    /// The first bytes are none of the known forms.
    case notADrawing
    /// The bytes end inside something.
    case truncated
    /// A number has more than ten bytes or does not fit into 64 bits.
    case numberTooLong
    /// A field number is 0 or larger than any message has.
    case fieldNumber(UInt64)
    /// A field's kind is none that is in use.
    case wireType(Int)
    /// A field is of another kind than its place in the message asks for.
    case unexpectedWireType(field: String)
    /// A length points beyond the end of its message.
    case lengthBeyondEnd(declared: UInt64, available: Int)
    /// A field has a size that it cannot have.
    case size(field: String, expected: Int, actual: Int)
    /// A field that everything depends on is not there.
    case missing(field: String)
    /// A number is infinite or not a number.
    case notFinite(field: String)
    /// Text is not UTF-8.
    case text(field: String)
    /// The points have channels of which nothing is known.
    case unknownChannels(mask: UInt64)
    /// A channel is given both once for all points and for each.
    case repeatedChannels(mask: UInt64)
    /// The points have no location of their own.
    case noLocations
    /// The number of points is not what the bytes hold.
    case pointCount(declared: UInt64, bytes: Int, bytesPerPoint: Int)
    /// A stroke names an ink that the table does not have.
    case inkIndex(UInt64, tableSize: Int)
    /// There are more strokes, or pieces of long ones, than any drawing of this size has.
    case tooMuch
    /// The compressed bytes are damaged.
    case compression(String)
    /// The message would be larger than the limit.
    case tooLarge(limit: Int)
  }
}

extension PencilKitError: CustomStringConvertible {
  /// One sentence for people.
  public var description: String { "\(reason) at byte \(offset)" }
}

extension PencilKitError.Reason: CustomStringConvertible {
  /// The reason without the place.
  public var description: String {
    switch self {
    case .notADrawing: "not a PencilKit drawing"
    case .truncated: "the drawing ends too early"
    case .numberTooLong: "a number is too long"
    case .fieldNumber(let number): "a field cannot have the number \(number)"
    case .wireType(let type): "a field has the unknown kind \(type)"
    case .unexpectedWireType(let field): "the \(field) is of the wrong kind"
    case .lengthBeyondEnd(let declared, let available):
      "a length of \(declared) bytes, but only \(available) are left"
    case .size(let field, let expected, let actual):
      "the \(field) should take \(expected) bytes, not \(actual)"
    case .missing(let field): "the \(field) is missing"
    case .notFinite(let field): "the \(field) is not a finite number"
    case .text(let field): "the \(field) is not valid UTF-8"
    case .unknownChannels(let mask):
      "the points have unknown channels (mask 0x\(String(mask, radix: 16)))"
    case .repeatedChannels(let mask):
      "channels are given twice (mask 0x\(String(mask, radix: 16)))"
    case .noLocations: "the points have no locations"
    case .pointCount(let declared, let bytes, let bytesPerPoint):
      "\(declared) points of \(bytesPerPoint) bytes cannot be \(bytes) bytes"
    case .inkIndex(let index, let tableSize):
      "a stroke uses ink \(index), but there are \(tableSize)"
    case .tooMuch: "there are more strokes than a file of this size can describe"
    case .compression(let text): "the compressed drawing is damaged (\(text))"
    case .tooLarge(let limit): "the drawing is larger than \(limit) bytes"
    }
  }
}
