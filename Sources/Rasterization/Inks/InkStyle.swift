import Strokes

/// How an ink looks: numbers alone, so that comparing with PencilKit's own pictures changes tables
/// and no code. Lengths are in points. `docs/inks.md` says which numbers were measured and which are
/// assumed.
struct InkStyle {
  /// The tables' version: pictures of different versions differ.
  static let version = 1

  /// How the ink meets the ink below it.
  var mix = Mix.over
  /// The share of the mix, from 0 to 1; the rest lies on top.
  var mixing = 1.0
  /// How often a colour's opacity counts: 2 for its square.
  var opacityPower = 1
  /// Whether the first point's threshold leaves out coverage up to it.
  var hasThreshold = true
  /// What a nib lays down where its opacity is 1, in passes.
  var flow = 1.0
  /// How much paler the far side of a tilted lead is, from 0 for not at all to 1.
  var lean = 0.0
  /// The pixels by which a nib may grow within a segment. Blades have sharp edges; wet colour finds its
  /// edge between both ends by itself.
  var growth: Float = 4
  /// What a nib leaves that only touches down.
  var tap = Tap.dot
  /// What the ink leaves besides its shape; nil for one colour from edge to edge.
  var texture: TextureStyle?

  enum Mix {
    case over
    /// The darker of both in each channel, so that text below stays readable; in the dark the lighter.
    case darken
    /// As light through two filters; in the dark as two lights.
    case multiply
  }

  /// What a nib leaves that only touches down.
  enum Tap {
    /// What it leaves where it rests.
    case dot
    /// What it leaves on a step of some of its thickness.
    case step
    /// Nothing more than every nib leaves.
    case nothing
  }
}

/// The kinds of texture, each in the file of the ink that has it.
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
}
