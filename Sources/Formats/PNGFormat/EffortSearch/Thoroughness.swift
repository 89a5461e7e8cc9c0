import CPNGKernels

/// The thoroughness of the search for smaller tokens.
struct Thoroughness {
  /// The number of candidates that are tried per position, and the match length that ends the
  /// search.
  var depth: UInt32
  var enough: UInt32
  /// Whether matches may start at every byte. Otherwise those of RGB start at pixels; with RGBA it
  /// is mostly alpha alone that differs, so every byte is tried anyway.
  var isByByte: Bool
  /// The number of tokens between positions at which blocks may start.
  var tokensPerMark: Int
  /// The maximum number of rounds. If it is one, a sample of the pieces is parsed first to estimate
  /// the costs of tokens.
  var rounds: Int
  /// Whether the first round assumes the costs of tokens without short runs.
  var triesWithoutRuns = false

  static let small = Self(
    depth: 4, enough: 24, isByByte: false, tokensPerMark: 2048, rounds: 1)
  static let best = Self(
    depth: 256, enough: 258, isByByte: true, tokensPerMark: 512, rounds: 12)

  /// The number of tokens above which a stretch is large.
  private static let manyTokens = 1 << 16

  /// The passes of a search. Each starts with the result of the previous one.
  func passes(_ form: PixelForm, tokenCount: Int) -> [Self] {
    guard isByByte else {
      // A grey background is the most frequent byte, so as a literal it costs hardly more than its
      // share of a run.
      var pass = self
      pass.triesWithoutRuns = form == .grey
      return [pass]
    }
    let first = Self.small.passes(form, tokenCount: tokenCount)
    var other = self
    switch form {
    case .grey, .greyPalette, .opacityPalette:
      guard tokenCount > Self.manyTokens else {
        other.triesWithoutRuns = true
        return first + [self, other]
      }
      // Soft edges hardly ever repeat, so a shallow search suffices.
      (other.depth, other.rounds) = (24, 2)
      return [other]
    case .rgb:
      // Pixels repeat as a whole; bytes between them are tried once the costs are known.
      (other.depth, other.rounds, other.isByByte) = (64, 2, false)
      return first + [other, self]
    default: return first + [self]
    }
  }

  /// The kernel's parameters; rows have `stride` bytes, and the first byte is in column `phase`.
  func search(
    _ bytes: UnsafePointer<UInt8>, first: Int, _ form: PixelForm, stride: Int, phase: Int
  ) -> PNGSearch {
    let perPixel = form.bytesPerPixel
    let step = isByByte || form != .rgb ? 1 : perPixel
    // Few matches start inside of long runs; skipping them loses little.
    return PNGSearch(
      bytes: bytes, first: first, phase: phase, stride: stride, perPixel: UInt32(perPixel),
      step: UInt32(step), hashed: step == 1 ? 4 : 6, depth: depth, enough: enough,
      longRun: isByByte ? 40 : 12, runTail: isByByte ? 10 : 4, entersLongRuns: isByByte ? 1 : 0)
  }
}
