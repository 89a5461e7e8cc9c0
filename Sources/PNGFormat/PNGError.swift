/// Why a picture cannot be written as PNG, or why bytes are none.
public struct PNGError: Error, Hashable, Sendable {
  /// What is wrong.
  public enum Problem: Hashable, Sendable {
    /// A picture without pixels, or with more on a side than PNG can say.
    case impossibleExtent(width: Int, height: Int)
    /// A name of a text that is not 1 to 79 printable letters of Latin-1, with single spaces between.
    case badKeyword(String)
    /// A text with the letter zero in it, by its name.
    case badText(String)
    /// More rows than the picture has, or fewer.
    case wrongRowCount(Int, of: Int)
    /// Bytes that do not begin as a PNG does.
    case notPNG
    /// A picture that is larger than allowed.
    case tooLarge(width: Int, height: Int)
    /// More pixels than the file's bytes could hold, however well they were packed.
    case missingPixels(width: Int, height: Int)
    /// What libpng says against the bytes.
    case damaged(String)
    /// What libpng says when it cannot write.
    case failed(String)
    /// A number of frames that no file can say.
    case impossibleFrameCount(Int)
    /// A number of times to be shown that no file can say.
    case impossibleLoopCount(Int)
    /// More frames than were promised, or fewer.
    case wrongFrameCount(Int, of: Int)
    /// A frame, by its number from 0, with a colour that the form of its file cannot say.
    case unforeseenColor(frame: Int)
    /// Frames that do not follow each other as they must.
    case brokenFrames(FrameDamage)
  }

  /// What is wrong.
  public let problem: Problem
  /// At which byte it was noticed; nil where nothing is read.
  public let offset: Int?

  /// An error.
  public init(_ problem: Problem, at offset: Int? = nil) {
    self.problem = problem
    self.offset = offset
  }
}

extension PNGError: CustomStringConvertible {
  /// What is wrong, as a sentence.
  public var description: String {
    let text =
      switch problem {
      case .impossibleExtent(let width, let height): "no PNG has \(width)×\(height) pixels"
      case .badKeyword(let keyword):
        "'\(keyword)' cannot name a text in a PNG: 1 to 79 letters of Latin-1, single spaces between"
      case .badText(let keyword): "the text '\(keyword)' holds the letter zero"
      case .wrongRowCount(let count, let height): "\(count) rows for a picture of \(height)"
      case .notPNG: "not a PNG"
      case .tooLarge(let width, let height): "\(width)×\(height) pixels are more than allowed"
      case .missingPixels(let width, let height):
        "the file is too short for \(width)×\(height) pixels"
      case .damaged(let reason): "damaged PNG: \(reason)"
      case .failed(let reason): "libpng cannot go on: \(reason)"
      case .impossibleFrameCount(let count): "no PNG has \(count) frames"
      case .impossibleLoopCount(let count): "no PNG is shown \(count) times"
      case .wrongFrameCount(let count, let promised): "\(count) frames of \(promised)"
      case .brokenFrames(let damage): "damaged moving PNG: \(damage)"
      case .unforeseenColor(let frame): "frame \(frame) has a colour that was not foreseen"
      }
    return text + (offset.map { " (at byte \($0))" } ?? "")
  }
}
