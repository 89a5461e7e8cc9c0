import Graphics
import Strokes

/// A drawing tool: its ink, the effect of pressure on the mark, and the angles at which it is held.
struct Brush {
  var ink: PKInk
  /// The width of the mark at the lightest and at the heaviest touch, in points.
  var width: ClosedRange<Double>
  /// The strength at the lightest and at the heaviest touch, from 0 to 1.
  var strength: ClosedRange<Double> = 1...1
  /// The direction in which the tool leans, in radians; to the lower right for a right hand.
  var azimuth = 0.72
  /// The angle between the tool and the page, in radians.
  var altitude = 1.02
  /// The speed of the hand on straight lines, in points per second.
  var speed = 260.0
  /// The approximate distance between control points, in points.
  var step = 3.5
  /// Whether this is a finger, which has neither force nor tilt, only locations and times.
  var isFinger = false

  init(_ type: PKInk.InkType, _ color: Color, width: ClosedRange<Double>) {
    ink = PKInk(type, color: color)
    self.width = width
  }

  /// A tool of one width.
  init(_ type: PKInk.InkType, _ color: Color, width: Double) {
    self.init(type, color, width: width...width)
  }

  /// The opacity that a file stores for a pressure. Soft inks store the opacity of one of many
  /// overlapping dabs: captured pencils have 0.09 to 0.2 at ordinary pressure.
  func opacity(pressure: Double) -> Double {
    let strength = strength.value(at: pressure)
    switch ink.inkType {
    case .pencil, .crayon, .watercolor: return 0.03 + 0.19 * strength
    default: return strength
    }
  }

  /// The point size for which the mark has the width of a pressure.
  func size(pressure: Double) -> Size {
    let drawn = width.value(at: pressure)
    if ink.inkType == .marker {
      // The blade's long side is the width; its thickness follows from a square size.
      return ink.pencilKitSize(drawing: Size(width: drawn, height: drawn * 0.4375 / 1.225))
    }
    // The usual ratio of flat nibs.
    let ratio = ink.inkType.nibShape.squareRatio
    return ink.pencilKitSize(drawing: Size(width: drawn, height: drawn * ratio))
  }
}

extension Brush {
  func colored(_ color: Color) -> Brush { with { $0.ink.color = color } }
  func wide(_ width: ClosedRange<Double>) -> Brush { with { $0.width = width } }
  func wide(_ width: Double) -> Brush { wide(width...width) }
  func strong(_ strength: ClosedRange<Double>) -> Brush { with { $0.strength = strength } }

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

  /// The same tool drawn with a fingertip: one width, no force and no tilt.
  var byFinger: Brush {
    with {
      $0.width = $0.width.upperBound...$0.width.upperBound
      $0.strength = $0.strength.upperBound...$0.strength.upperBound
      $0.isFinger = true
    }
  }

  private func with(_ change: (inout Brush) -> Void) -> Brush {
    var brush = self
    change(&brush)
    return brush
  }
}

/// The pressure along a stroke; 1 is a firm touch.
struct Touch {
  /// The pressure at the beginning and at the end.
  var from = 0.85
  var to = 0.85
  /// The distances in points over which the pen lands and leaves.
  var landing = 5.0
  var leaving = 9.0
  /// The fraction of the pressure at the first and at the last control point.
  var tip = 0.35
  /// The additional pressure of movements towards the writer.
  var downstrokes = 0.0
  /// The amount of random variation.
  var tremor = 0.1

  /// Handwriting: firm downwards, light upwards.
  static let writing = Touch(from: 0.55, to: 0.55, leaving: 7, downstrokes: 0.4, tremor: 0.08)
  /// A firm dot, as on an i.
  static let dot = Touch(from: 0.8, to: 0.7, landing: 0, leaving: 0, tip: 1)
  /// An even line from end to end.
  static let even = Touch(from: 0.7, to: 0.7, tip: 0.8, tremor: 0.12)
  /// Heavy first, then fading, for grass.
  static let flicked = Touch(from: 1, to: 0.15, landing: 3, leaving: 20, tip: 0.1)
  /// Light, heavy, light, for leaves.
  static let swelling = Touch(from: 1, to: 1, landing: 30, leaving: 30, tip: 0.02)
  /// A wide, wet sweep whose ends run out.
  static let washing = Touch(from: 0.8, to: 0.8, landing: 80, leaving: 80, tip: 0.1, tremor: 0.2)
  /// From the lightest touch to the heaviest.
  static let growing = Touch(from: 0, to: 1, landing: 0, leaving: 0, tip: 1, tremor: 0)

  /// The pressure at a distance along a line of a length. `heading` is the part of the movement
  /// that goes towards the writer, from −1 to 1.
  func pressure(at distance: Double, of length: Double, heading: Double) -> Double {
    let middle = from + (to - from) * (length > 0 ? distance / length : 1)
    let landed = landing > 0 ? min(distance / landing, 1) : 1
    let staying = leaving > 0 ? min((length - distance) / leaving, 1) : 1
    let contact = tip + (1 - tip) * ease(landed) * ease(staying)
    return (middle + downstrokes * heading) * contact
  }
}

/// A step from 0 to 1 that starts and ends gently.
func ease(_ part: Double) -> Double { part * part * (3 - 2 * part) }

extension ClosedRange<Double> {
  /// The number at a fraction of the range.
  func value(at part: Double) -> Double { lowerBound + (upperBound - lowerBound) * part }
}
