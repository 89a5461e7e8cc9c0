import Graphics
import Strokes

/// A tool in the hand: its ink, how pressing changes the mark, and how it is held.
struct Brush {
  var ink: PKInk
  /// How wide the mark is on the page at the lightest and at the heaviest touch, in points.
  var width: ClosedRange<Double>
  /// The opacity at the lightest and at the heaviest touch.
  var opacity: ClosedRange<Double> = 1...1
  /// The direction in which the tool leans, in radians; a right hand's points to the lower right.
  var azimuth = 0.72
  /// The angle between the tool and the page, in radians.
  var altitude = 1.02
  /// How fast the hand moves where the way is straight, in points a second.
  var speed = 260.0
  /// About how far apart the control points are, in points.
  var step = 3.5
  /// A finger has neither force nor tilt; all it tells is where and when.
  var isFinger = false

  init(_ type: PKInk.InkType, _ color: Color, width: ClosedRange<Double>) {
    ink = PKInk(type, color: color)
    self.width = width
  }

  /// A tool of one width.
  init(_ type: PKInk.InkType, _ color: Color, width: Double) {
    self.init(type, color, width: width...width)
  }

  /// The point size that leaves a mark as wide as a pressure asks for.
  func size(pressure: Double) -> Size {
    let drawn = width.value(at: pressure)
    if ink.inkType == .marker {
      // The blade's long side is the width; its thickness follows from a square size.
      return ink.pencilKitSize(drawing: Size(width: drawn, height: drawn * 0.4375 / 1.225))
    }
    // Pens with a flat nib are as flat as they usually are.
    let ratio = ink.inkType.nibShape.squareRatio
    return ink.pencilKitSize(drawing: Size(width: drawn, height: drawn * ratio))
  }
}

extension Brush {
  func colored(_ color: Color) -> Brush { with { $0.ink.color = color } }
  func wide(_ width: ClosedRange<Double>) -> Brush { with { $0.width = width } }
  func wide(_ width: Double) -> Brush { wide(width...width) }
  func opaque(_ opacity: ClosedRange<Double>) -> Brush { with { $0.opacity = opacity } }

  /// The tool held another way.
  func held(azimuth: Double, altitude: Double = 1.02) -> Brush {
    with {
      $0.azimuth = azimuth
      $0.altitude = altitude
    }
  }

  func moving(at speed: Double, step: Double) -> Brush {
    with {
      $0.speed = speed
      $0.step = step
    }
  }

  /// The same tool drawn with a fingertip: one width, and nothing known of force and tilt.
  var byFinger: Brush {
    with {
      $0.width = $0.width.upperBound...$0.width.upperBound
      $0.opacity = $0.opacity.upperBound...$0.opacity.upperBound
      $0.isFinger = true
    }
  }

  private func with(_ change: (inout Brush) -> Void) -> Brush {
    var brush = self
    change(&brush)
    return brush
  }
}

/// How the pressure runs along a stroke; 1 is a firm touch.
struct Touch {
  /// The pressure towards the beginning and towards the end.
  var from = 0.85
  var to = 0.85
  /// Over how many points the pen lands and leaves.
  var landing = 5.0
  var leaving = 9.0
  /// How much of the pressure is there at the very first and last point.
  var tip = 0.35
  /// What strokes towards the writer add.
  var downstrokes = 0.0
  /// How uneven the pressure is.
  var tremor = 0.1

  /// What writing looks like: firm downwards, light upwards.
  static let writing = Touch(from: 0.55, to: 0.55, leaving: 7, downstrokes: 0.4, tremor: 0.08)
  /// Set down firmly, as on an i.
  static let dot = Touch(from: 0.8, to: 0.7, landing: 0, leaving: 0, tip: 1)
  /// An even line from end to end.
  static let even = Touch(from: 0.7, to: 0.7, tip: 0.8, tremor: 0.12)
  /// Heavy first, then leaving the page slowly, as grass is drawn.
  static let flicked = Touch(from: 1, to: 0.15, landing: 3, leaving: 20, tip: 0.1)
  /// Light, heavy, light, as a leaf is drawn.
  static let swelling = Touch(from: 1, to: 1, landing: 30, leaving: 30, tip: 0.02)
  /// A wide, wet sweep whose ends run out.
  static let washing = Touch(from: 0.8, to: 0.8, landing: 80, leaving: 80, tip: 0.1, tremor: 0.2)
  /// From the lightest touch to the heaviest.
  static let growing = Touch(from: 0, to: 1, landing: 0, leaving: 0, tip: 1, tremor: 0)

  /// The pressure at a place on a way of a length. `heading` is the part of the movement that goes
  /// towards the writer, from −1 to 1.
  func pressure(at place: Double, of length: Double, heading: Double) -> Double {
    let middle = from + (to - from) * (length > 0 ? place / length : 1)
    let landed = landing > 0 ? min(place / landing, 1) : 1
    let staying = leaving > 0 ? min((length - place) / leaving, 1) : 1
    let contact = tip + (1 - tip) * ease(landed) * ease(staying)
    return (middle + downstrokes * heading) * contact
  }
}

/// A step from 0 to 1 that starts and ends gently.
func ease(_ part: Double) -> Double { part * part * (3 - 2 * part) }

extension ClosedRange<Double> {
  /// The number a part of the way through the range.
  func value(at part: Double) -> Double { lowerBound + (upperBound - lowerBound) * part }
}
