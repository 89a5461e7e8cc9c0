import InkFiles
import CMath
import Graphics
import Strokes

/// A pen of a reMarkable tablet.
enum RemarkableTool {
  case fineliner, mechanicalPencil, ballpoint, calligraphy, marker, pencil, paintbrush
  case highlighter, shader
  case eraser, areaEraser
  case unknown

  /// Newer tablets have second numbers for the pens of the first one.
  init(number: Int) {
    switch number {
    case 0, 12: self = .paintbrush
    case 1, 14: self = .pencil
    case 2, 15: self = .ballpoint
    case 3, 16: self = .marker
    case 4, 17: self = .fineliner
    case 5, 18: self = .highlighter
    case 6: self = .eraser
    case 7, 13: self = .mechanicalPencil
    case 8: self = .areaEraser
    case 21: self = .calligraphy
    case 23: self = .shader
    default: self = .unknown
    }
  }

  private var brush: ForeignBrush {
    switch self {
    case .fineliner: .evenPen
    case .mechanicalPencil, .pencil: .pencil
    case .calligraphy: .fountainPen
    case .marker: .marker
    case .paintbrush: .paintbrush
    case .highlighter: .highlighter
    case .ballpoint, .shader, .eraser, .areaEraser, .unknown: .pen
    }
  }

  /// A stroke of this pen without points.
  func stroke(_ color: RemarkableColor, _ notes: inout ImportNotes) -> ForeignStroke {
    var drawn = color.color(highlights: self == .highlighter)
    if drawn == nil {
      notes.add("unknown colours are drawn black")
      drawn = .black
    }
    switch self {
    case .unknown: notes.add("unknown pens are drawn as a ballpoint")
    case .eraser: notes.add("strokes of the eraser are drawn white")
    case .areaEraser: notes.add("strokes of the area eraser are left out")
    case .shader where color.stated == nil:
      // With a colour of the palette, a shader has the alpha of shaders with a stated colour.
      drawn?.alpha = RemarkableColor.shaderAlpha
    default: break
    }
    return ForeignStroke(
      ink: brush.ink(self == .eraser ? .white : drawn ?? .black),
      isVisible: self != .areaEraser)
  }

  /// A point of this pen. Pressures are from 0 to 1; an average touch is assumed to have 0.5.
  func point(x: Double, y: Double, width: Double, pressure: Double) -> PKStrokePoint {
    var point = PKStrokePoint(x: x, y: y, width: width, force: 2 * pressure)
    // Graphite gets lighter at low pressure.
    if self == .pencil { point.opacity = min(max(0.6 + 1.2 * pressure, 0), 1) }
    return point
  }

  /// Sets the values of points that depend on their neighbours.
  func finish(_ stroke: inout ForeignStroke) {
    // A highlighter is a blade across the direction of the stroke, so that its ends are flat.
    guard self == .highlighter else { return }
    let count = stroke.points.count
    var azimuth = 0.0
    for index in 0..<count {
      let way =
        stroke.points[min(index + 1, count - 1)].location
        - stroke.points[max(index - 1, 0)].location
      if way.isFinite, way.length > 0 {
        let turn = mathRemainder(mathArcTangent(way.y, way.x) - azimuth, 2 * .pi)
        // Angles continue without a jump at half a turn, since they are interpolated between
        // points.
        azimuth += turn
        if abs(azimuth) > 3 * .pi { azimuth = mathRemainder(azimuth, 2 * .pi) }
      }
      stroke.points[index].azimuth = azimuth
      let width = stroke.points[index].size.width
      stroke.points[index].size.width = max(width * Self.bladeRatio, min(width, Self.leastBlade))
    }
  }

  /// The thickness of the highlighter's blade relative to its width.
  static let bladeRatio = 0.125
  /// The length of blade that gives the marker's ink its full opacity: 5 points, in the tablet's
  /// pixels.
  private static let leastBlade = 5 / RemarkableScreen.unit
}

/// A colour of a reMarkable tablet.
struct RemarkableColor {
  let number: Int
  /// The colour that the stroke itself states, which only newer tablets write.
  var stated: Color?

  init(number: Int, stated: Color? = nil) {
    self.number = number
    self.stated = stated
  }

  /// A colour from the bytes blue, green, red and alpha, from the lowest to the highest.
  static func color(blueGreenRedAlpha value: UInt32) -> Color {
    func part(_ shift: UInt32) -> Double { Double(value >> shift & 0xFF) / 255 }
    return Color(red: part(16), green: part(8), blue: part(0), alpha: part(24))
  }

  /// The alpha that tablets state for the shader.
  static let shaderAlpha = 64.0 / 255

  /// The colour of the stroke; nil if it is unknown.
  func color(highlights: Bool) -> Color? {
    if let stated { return stated }
    if highlights {
      // Colour 9 needs a stated colour. Without one, the palette's first colour is used.
      switch number {
      case 3, 9: return Self.hexadecimal(0xFFED75)
      case 4, 10: return Self.hexadecimal(0xA9FA5C)
      case 5: return Self.hexadecimal(0xFF55CF)
      default: break
      }
    }
    switch number {
    case 0, 9: return .black
    case 1: return Color(white: 144.0 / 255)
    case 2: return .white
    case 3: return Self.hexadecimal(0xFFED75)
    case 4: return Self.hexadecimal(0xA9FA5C)
    case 5: return Self.hexadecimal(0xFF55CF)
    case 6: return Self.hexadecimal(0x4E69C9)
    case 7: return Self.hexadecimal(0xB33E39)
    case 8: return Color(white: 125.0 / 255)
    case 10: return Self.hexadecimal(0xA1D87D)
    case 11: return Self.hexadecimal(0x8BD0E5)
    case 12: return Self.hexadecimal(0xB782CD)
    case 13: return Self.hexadecimal(0xF7E851)
    default: return nil
    }
  }

  private static func hexadecimal(_ value: UInt32) -> Color {
    color(blueGreenRedAlpha: 0xFF00_0000 | value)
  }
}
