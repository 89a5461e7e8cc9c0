/// Why a picture cannot be written as PNG, or why bytes cannot be read as one.
public struct PNGError: Error, Hashable, Sendable {
  /// The kinds of errors.
  public enum Problem: Hashable, Sendable {
    /// The picture has no pixels, or a side that is too long for PNG.
    case impossibleExtent(width: Int, height: Int)
    /// A text's keyword is not 1 to 79 printable Latin-1 characters with single spaces between
    /// words.
    case badKeyword(String)
    /// The text with this keyword contains a NUL character.
    case badText(String)
    /// The number of rows differs from the picture's height.
    case wrongRowCount(Int, of: Int)
    /// The bytes do not start with PNG's signature.
    case notPNG
    /// The picture is larger than the limits allow.
    case tooLarge(width: Int, height: Int)
    /// The file is too short for its pixels at deflate's highest compression.
    case missingPixels(width: Int, height: Int)
    /// libpng rejected the bytes, for this reason.
    case damaged(String)
    /// libpng could not write, for this reason.
    case failed(String)
    /// No file can hold this number of frames.
    case impossibleFrameCount(Int)
    /// No file can hold this loop count.
    case impossibleLoopCount(Int)
    /// The number of frames differs from the promised one.
    case wrongFrameCount(Int, of: Int)
    /// A frame, counted from 0, has a colour that the file's pixel form cannot hold.
    case unexpectedColor(frame: Int)
    /// The chunks of an animation are damaged or in the wrong order.
    case brokenFrames(FrameDamage)
  }

  /// The kind of error.
  public let problem: Problem
  /// The offset in bytes at which it was noticed; nil when writing.
  public let offset: Int?

  /// An error, with the offset in the file if bytes were read.
  public init(_ problem: Problem, at offset: Int? = nil) {
    self.problem = problem
    self.offset = offset
  }
}

extension PNGError: CustomStringConvertible {
  /// The error as a message.
  public var description: String {
    let text =
      switch problem {
      case .impossibleExtent(let width, let height): "a PNG cannot have \(width)×\(height) pixels"
      case .badKeyword(let keyword):
        "'\(keyword)' is not a PNG keyword: it must be 1 to 79 Latin-1 characters, single spaces between"
      case .badText(let keyword): "the text '\(keyword)' contains a NUL character"
      case .wrongRowCount(let count, let height): "\(count) rows, but the picture has \(height)"
      case .notPNG: "not a PNG"
      case .tooLarge(let width, let height): "\(width)×\(height) pixels exceed the limit"
      case .missingPixels(let width, let height):
        "the file is too short for \(width)×\(height) pixels"
      case .damaged(let reason): "damaged PNG: \(reason)"
      case .failed(let reason): "libpng failed: \(reason)"
      case .impossibleFrameCount(let count): "a PNG cannot have \(count) frames"
      case .impossibleLoopCount(let count): "a PNG cannot be shown \(count) times"
      case .wrongFrameCount(let count, let promised):
        "\(count) frames, but \(promised) were promised"
      case .brokenFrames(let damage): "damaged animated PNG: \(damage)"
      case .unexpectedColor(let frame):
        "frame \(frame) has a colour that its pixel form cannot hold"
      }
    return text + (offset.map { " (at byte \($0))" } ?? "")
  }
}
