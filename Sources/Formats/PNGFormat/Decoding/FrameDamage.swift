/// The kinds of damage in the chunks of an animation.
public enum FrameDamage: Hashable, Sendable {
  /// The file ends inside of a chunk, or without an `IEND` chunk.
  case cut
  /// The checksum of a chunk does not match its bytes.
  case badChecksum(chunk: String)
  /// A chunk has the wrong length, in bytes.
  case badLength(chunk: String, Int)
  /// A chunk is in the wrong position, or occurs a second time.
  case misplaced(chunk: String)
  /// A sequence number does not follow the previous one.
  case wrongNumber(UInt32, expected: UInt32)
  /// A frame is empty, or not inside of the canvas.
  case outside(x: UInt32, y: UInt32, width: UInt32, height: UInt32)
  /// A disposal or blend method that does not exist.
  case unknownMethod(UInt8)
  /// A frame has no pixels.
  case missingPixels
  /// The number of frames differs from the declared one.
  case wrongCount(Int, of: Int)
  /// The animation has more frames than the limit allows.
  case tooMany(Int)
}

extension FrameDamage: CustomStringConvertible {
  /// The damage in words.
  public var description: String {
    switch self {
    case .cut: "the file is truncated"
    case .badChecksum(let chunk): "the checksum of '\(chunk)' is wrong"
    case .badLength(let chunk, let length): "'\(chunk)' has the wrong length: \(length) bytes"
    case .misplaced(let chunk): "'\(chunk)' is not allowed here"
    case .wrongNumber(let number, let expected): "sequence number \(number), expected \(expected)"
    case .outside(let x, let y, let width, let height):
      "a frame of \(width)×\(height) at \(x), \(y) does not lie on the canvas"
    case .unknownMethod(let method): "\(method) is not a method of disposing or blending"
    case .missingPixels: "a frame has no pixels"
    case .wrongCount(let count, let declared): "\(declared) frames declared, \(count) found"
    case .tooMany(let count): "\(count) frames exceed the limit"
    }
  }
}
