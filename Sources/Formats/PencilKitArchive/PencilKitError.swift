/// Why bytes cannot be read as a PencilKit drawing, and at which byte.
public struct PencilKitError: Error, Hashable, Sendable {
  /// The kind of error.
  public let reason: Reason
  /// The offset in bytes at which it was found. In a compressed drawing it counts bytes of the
  /// inflated message, except for errors of the compression itself.
  public let offset: Int

  init(_ reason: Reason, at offset: Int) {
    self.reason = reason
    self.offset = offset
  }

  /// The kinds of errors.
  public enum Reason: Hashable, Sendable {
    /// The first bytes belong to none of the known forms.
    case notADrawing
    /// The bytes end inside a header, field or number.
    case truncated
    /// A number has more than ten bytes or does not fit into 64 bits.
    case numberTooLong
    /// A field number is 0, or does not fit into the 29 bits that protobuf allows.
    case fieldNumber(UInt64)
    /// A field has a wire type that no archive uses.
    case wireType(Int)
    /// A field has another wire type than its number requires.
    case unexpectedWireType(field: String)
    /// A length points beyond the end of its message.
    case lengthBeyondEnd(declared: UInt64, available: Int)
    /// A field has the wrong size, in bytes.
    case size(field: String, expected: Int, actual: Int)
    /// A required field is missing.
    case missing(field: String)
    /// A number is infinite or not a number.
    case notFinite(field: String)
    /// Text is not UTF-8.
    case text(field: String)
    /// The points have unknown channels, whose bits the mask holds.
    case unknownChannels(mask: UInt64)
    /// A channel is given both once for all points and for each point.
    case repeatedChannels(mask: UInt64)
    /// The points have no locations.
    case noLocations
    /// The declared number of points is not the number that the bytes hold.
    case pointCount(declared: UInt64, bytes: Int, bytesPerPoint: Int)
    /// A stroke names an ink that the table does not have.
    case inkIndex(UInt64, tableSize: Int)
    /// There are more strokes, or pieces of long strokes, than a drawing of this size can have.
    case tooMuch
    /// The compressed bytes are damaged.
    case compression(String)
    /// The inflated message would be larger than the limit, in bytes.
    case tooLarge(limit: Int)
  }
}

extension PencilKitError: CustomStringConvertible {
  /// The reason and the offset, for people to read.
  public var description: String { "\(reason) at byte \(offset)" }
}

extension PencilKitError.Reason: CustomStringConvertible {
  /// The reason without the offset.
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
      "\(declared) points of \(bytesPerPoint) bytes are declared, but there are \(bytes) bytes"
    case .inkIndex(let index, let tableSize):
      "a stroke uses ink \(index) of a table of \(tableSize)"
    case .tooMuch: "there are more strokes than a file of this size can describe"
    case .compression(let text): "the compressed drawing is damaged (\(text))"
    case .tooLarge(let limit): "the drawing is larger than \(limit) bytes"
    }
  }
}
