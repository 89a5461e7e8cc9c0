import Strokes

/// How an ink looks: numbers alone, so that comparing with PencilKit's own pictures changes tables
/// and no code. Lengths are in points. `docs/inks.md` tells which numbers were measured and which
/// are assumed.
struct InkStyle {
  /// The tables' version: pictures of different versions differ.
  static let version = 1

  /// How the ink meets the ink below it.
  var mix = Mix.over
  /// How much of the mix there is; the rest lies on top.
  var mixing = 1.0
  var body = Body.flat

  enum Mix {
    case over
    /// The darker of both in each channel, so that text below stays readable; in the dark the lighter.
    case darken
    /// As light through two filters; in the dark as two lights.
    case multiply
  }

  enum Body {
    /// One colour from edge to edge.
    case flat
    /// Pigment that sticks to the peaks of a grain.
    case tooth(ToothStyle)
    /// A soft blade whose ink builds up to a ceiling.
    case marker(MarkerStyle)
    /// A broad nib that runs dry in fibres.
    case reed(ReedStyle)
    /// Wet colour that gathers at its rim.
    case wash(WashStyle)
  }
}

/// Two layers of noise with cells of some size, turned against each other.
struct GrainStyle {
  var cells: (fine: Double, coarse: Double)
  /// How much of the fine layer there is.
  var share: Double
  /// Around the middle; what leaves the range is cut off.
  var contrast: Double
}

struct ToothStyle {
  var grain: GrainStyle
  /// Whether the grain is the paper's; otherwise it is the stroke's, and moves with it.
  var isPaper: Bool
  var depth: Double
  var gain: Double
  var cap: Double
  var flow: Double
  /// Whether the nib lays down more in its middle.
  var isRounded: Bool
  var wander: Double
  var wanderCell: Double
  var lanes = 0.0
  var laneWidth = 1.0
  var laneLength = 1.0
  /// How much paler the far side of a tilted lead is.
  var lean = 0.0
}

struct MarkerStyle {
  /// What one pass across the blade lays down.
  var flow: Double
  /// What the blade leaves where it touches down, as a part of that.
  var print: Double
  var featherOut: Double
  var featherIn: Double
  var lanes: Double
  var laneWidth: Double
}

struct ReedStyle {
  var edge: Double
  var depth: Double
  var rough: Double
  var dry: Double
  var fibreWidth: Double
  var fibreLength: Double
}

struct WashStyle {
  var swayA: Double
  var swayB: Double
  /// The smallest cell of the edge's wobble, and the width's part that it is otherwise.
  var wobbleCell: (least: Double, part: Double)
  var edgeOut: Double
  var edgeIn: Double
  var clouds: GrainStyle
  var pigmentCell: Double
  /// How far the rim and the pool reach inwards for a nib of the reference width.
  var rim: Double
  var pool: Double
  var referenceWidth: Double
  var flow: Double
  /// How much stronger it is in the dark, where it would drown.
  var strengthInTheDark: Double
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
}
