/// What can be wrong with the order of chunks of a moving picture.
public enum FrameDamage: Hashable, Sendable {
  /// It ends within a chunk, or without an end.
  case cut
  /// A chunk that is not what its checksum says.
  case badChecksum(chunk: String)
  /// A chunk that is too short or too long.
  case badLength(chunk: String, Int)
  /// A chunk where it must not stand, or once more.
  case misplaced(chunk: String)
  /// A number that is not the one behind the last.
  case wrongNumber(UInt32, expected: UInt32)
  /// A frame that is empty, or does not lie on the canvas.
  case outside(x: UInt32, y: UInt32, width: UInt32, height: UInt32)
  /// A way of disposing or blending that there is not.
  case unknownWay(UInt8)
  /// A frame without pixels.
  case missingPixels
  /// Another number of frames than is said.
  case wrongCount(Int, of: Int)
  /// More frames than are allowed.
  case tooMany(Int)
}

extension FrameDamage: CustomStringConvertible {
  /// What is wrong, in words.
  public var description: String {
    switch self {
    case .cut: "it ends too early"
    case .badChecksum(let chunk): "the checksum of '\(chunk)' is wrong"
    case .badLength(let chunk, let length): "'\(chunk)' has \(length) bytes"
    case .misplaced(let chunk): "'\(chunk)' must not stand here"
    case .wrongNumber(let number, let expected): "number \(number) where \(expected) is next"
    case .outside(let x, let y, let width, let height):
      "a frame of \(width)×\(height) at \(x), \(y) does not lie on the canvas"
    case .unknownWay(let way): "\(way) is no way of disposing or blending"
    case .missingPixels: "a frame has no pixels"
    case .wrongCount(let count, let said): "\(count) frames of \(said)"
    case .tooMany(let count): "\(count) frames are more than allowed"
    }
  }
}
