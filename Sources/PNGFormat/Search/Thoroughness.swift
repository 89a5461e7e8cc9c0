import CPNGKernels

/// How hard smaller tokens are looked for.
struct Thoroughness {
  /// How many places are tried, and which length is enough.
  var depth: UInt32
  var enough: UInt32
  /// Whether every byte may begin something, or only pixels where they are red, green and blue; with an
  /// opacity beside them it is mostly that alone which differs.
  var isByByte: Bool
  /// How fine blocks are split.
  var tokensPerMark: Int
  /// How often a way is chosen at most; where only once, some of it is chosen before to see what tokens
  /// cost.
  var rounds: Int
  /// Whether it begins with what tokens cost if short runs are told as bytes.
  var doubtsRuns = false

  static let small = Self(
    depth: 4, enough: 24, isByByte: false, tokensPerMark: 2048, rounds: 1)
  static let best = Self(
    depth: 256, enough: 258, isByByte: true, tokensPerMark: 512, rounds: 12)

  /// More tokens than this are many.
  private static let manyTokens = 1 << 16

  /// What is done one after the other, each beginning with what the last one found.
  func passes(_ form: PixelForm, tokenCount: Int) -> [Self] {
    guard isByByte else {
      // A grey background is the most frequent byte, which costs hardly more than a part of a run.
      var pass = self
      pass.doubtsRuns = form == .greys
      return [pass]
    }
    let first = Self.small.passes(form, tokenCount: tokenCount)
    var other = self
    switch form {
    case .greys, .turnedGreys, .opacities:
      guard tokenCount > Self.manyTokens else {
        other.doubtsRuns = true
        return first + [self, other]
      }
      // Soft edges are hardly ever the same, so that less is worth looking for.
      (other.depth, other.rounds) = (24, 2)
      return [other]
    case .solids:
      // Pixels are repeated as such; what is between them is looked at when it is known what that costs.
      (other.depth, other.rounds, other.isByByte) = (64, 2, false)
      return first + [other, self]
    default: return first + [self]
    }
  }

  /// What to search for where a row has so many bytes and the first one's place is such a column.
  func search(
    _ bytes: UnsafePointer<UInt8>, first: Int, _ form: PixelForm, stride: Int, phase: Int
  ) -> PNGSearch {
    let perPixel = form.bytesPerPixel
    let step = isByByte || form != .solids ? 1 : perPixel
    // Inside of long runs hardly anything is worth beginning; a little is lost by looking at less.
    return PNGSearch(
      bytes: bytes, first: first, phase: phase, stride: stride, perPixel: UInt32(perPixel),
      step: UInt32(step), hashed: step == 1 ? 4 : 6, depth: depth, enough: enough,
      longRun: isByByte ? 40 : 12, runTail: isByByte ? 10 : 4, isPatient: isByByte ? 1 : 0)
  }
}
