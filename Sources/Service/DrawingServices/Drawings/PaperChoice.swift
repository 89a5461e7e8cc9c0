public import Graphics
public import Strokes

/// Two papers for small pictures, of which a drawing gets the one on which its ink is seen: white ink is lost on the
/// sheets of light pages, and black ink on those of dark ones.
public struct PaperChoice: Hashable, Sendable {
  /// The paper that drawings get unless there is a reason.
  public var usual: Color
  /// The other one.
  public var other: Color

  /// A choice of two opaque colours in sRGB.
  public init(usual: Color, other: Color) {
    (self.usual, self.other) = (usual, other)
  }

  /// The paper for a drawing: the usual one if half of the strokes are seen on it or no more are on the other one.
  public func paper(for drawing: PKDrawing, isDark: Bool) -> Color {
    let inks = drawing.strokes.map { stroke in
      let color = stroke.ink.color
      return (isDark ? PKInkingTool.convertColor(color, from: .light, to: .dark) : color)
        .converted(to: .sRGB).clamped
    }
    let seen = inks.count { $0.isSeen(on: usual) }
    guard 2 * seen < inks.count else { return usual }
    return inks.count { $0.isSeen(on: other) } > seen ? other : usual
  }
}

extension Color {
  /// Whether lines of this colour are seen on a paper: by lightness, in the ratio that accessible pages count with, or by
  /// their hue. Nearly black lines on the dark sheet of the pages (1.3) are not seen, nor are those of `#DDDDDD` on the
  /// light one; yellow ones are.
  fileprivate func isSeen(on paper: Color) -> Bool {
    let mixed = premultiplied.over(paper.premultiplied).straight
    let lights = [mixed.luminance + 0.05, paper.luminance + 0.05]
    if max(lights[0], lights[1]) / min(lights[0], lights[1]) >= 1.35 { return true }
    let (own, ground) = (mixed.perceived, paper.perceived)
    let (a, b) = (own.a - ground.a, own.b - ground.b)
    return (a * a + b * b).squareRoot() >= 0.025
  }

  /// The share of white's light, from 0 to 1.
  private var luminance: Double {
    let light = linear.components * SIMD3(0.2126, 0.7152, 0.0722)
    return light.x + light.y + light.z
  }
}
