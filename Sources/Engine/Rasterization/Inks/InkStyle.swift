import Strokes

/// The look of an ink. It consists of numbers only, so that a comparison with PencilKit's own
/// pictures changes tables and no code. Lengths are in points. `docs/rendering.md` lists the measured
/// and the assumed numbers.
struct InkStyle {
  /// The blend mode towards the ink below.
  var mix = Mix.over
  /// The share of the ink that is blended by `mix`, from 0 to 1; the rest is painted on top.
  var mixing = 1.0
  /// The power to which a colour's opacity is raised: 2 for its square.
  var opacityPower = 1
  /// The share of that opacity that one pass of a flat ink adds.
  var pass = 1.0
  /// Whether coverage up to the first point's threshold is dropped.
  var hasThreshold = true
  /// The amount of ink that a nib deposits.
  var flow = FlowLaw()
  /// The paleness of the far side of a tilted lead, from 0 (none) to 1.
  var lean = 0.0
  /// The number of pixels by which a nib may grow within a segment. It is small for blades, which
  /// have sharp edges. Watercolor needs no limit: its kernel interpolates the edge between both
  /// ends.
  var growth: Float = 4
  /// The minimum length of a segment as a multiple of the nib's smaller half extent. A quarter
  /// deviates from the curve by less than the width of a soft edge.
  var stepPart = 0.25
  /// The maximum of that length, in pixels.
  var maximumStep = Double.infinity
  /// The distance over which the hand's tremor is smoothed: a multiple of the nib's height, with a
  /// limit in points.
  var steadiness = (part: 0.0, limit: 0.0)
  /// The ink of a tap, a nib that touches the paper and hardly moves.
  var tap = Tap.dot
  /// The texture inside the shape; nil for one colour from edge to edge.
  var texture: TextureStyle?

  enum Mix {
    case over
    /// The darker of both in each channel, so that text below stays readable. In the dark style,
    /// the lighter.
    case darken
    /// The product, as of light through two filters. In the dark style, the sum of two lights
    /// (screen).
    case multiply
  }

  /// The ink of a tap. Kernels deposit ink along a segment, and a tap has none.
  enum Tap {
    /// The ink of a nib at rest.
    case dot
    /// The ink of a step of 0.7 times the nib's smaller half extent.
    case step
    /// No extra ink.
    case nothing
  }
}

/// The ink that a nib deposits for an opacity o, in passes: `o'·(base + rise·o)` with `o' = 1 − (1
/// − o)ⁿ`.
///
/// A file stores the strength of one dab of many that overlap: captured pencils have 0.09 to 0.2 at
/// ordinary pressure. About n dabs cover each point of the path.
struct FlowLaw {
  /// The number n of dabs that overlap.
  var dabs = 1
  /// The ink of the lowest opacities, and the increase with opacity. The increase distinguishes
  /// half and full opacity where nearly all is covered.
  var base = 1.0
  var rise = 0.0
  /// The minimum of o' for any opacity.
  var floor = 0.0
  /// Nibs narrower than `nib` points deposit more, up to `part` more.
  var thinBoost = (nib: 0.0, part: 0.0)

  /// The flow of a nib of a drawn width in points.
  func flow(opacity: Double, width: Double) -> Double {
    let opacity = min(max(opacity, 0), 1)
    var rest = 1.0
    for _ in 0..<dabs { rest *= 1 - opacity }
    let reached = floor * min(1, opacity * 20) + (1 - floor) * (1 - rest)
    let room = thinBoost.nib > 0 ? min(width / thinBoost.nib, 1) : 1
    return reached * (base + rise * opacity)
      * (1 + thinBoost.part * (1 - room * room * (3 - 2 * room)))
  }
}

/// The kinds of texture, each defined in its ink's file.
enum TextureStyle {
  /// Pigment that sticks to the peaks of a grain.
  case tooth(ToothStyle)
  /// A soft blade whose ink builds up to a ceiling.
  case marker(MarkerStyle)
  /// A broad nib that runs dry in fibres.
  case reed(ReedStyle)
  /// Wet colour that gathers at its rim.
  case wash(WashStyle)
}

extension InkStyle {
  /// The style of an ink; unknown ones look like pen.
  static func of(_ ink: PKInkingTool.InkType) -> InkStyle {
    switch ink {
    case .pen, .monoline, .fountainPen, .other: InkStyle()
    case .pencil: pencil
    case .crayon: crayon
    case .marker: marker
    case .reed: reed
    case .watercolor: watercolor
    }
  }

  /// The style of a stroke: that of its ink, unless its nib has another shape.
  static func of(_ stroke: PKStroke) -> InkStyle {
    stroke.hasRoundHighlighter ? roundHighlighter : of(stroke.ink.inkType)
  }
}

extension InkStyle {
  /// Whether an ink has detail that is lost in few pixels: grain, or a flat nib.
  static func isFine(_ ink: PKInkingTool.InkType) -> Bool {
    switch ink {
    case .pen, .monoline, .other: false
    case .fountainPen, .pencil, .crayon, .marker, .reed, .watercolor: true
    }
  }
}
