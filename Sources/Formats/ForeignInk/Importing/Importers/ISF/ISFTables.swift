import InkFiles
import CMath
import Graphics
import Strokes

/// The drawing attributes of strokes.
struct ISFAttributes {
  private var color = Color.black
  /// The extent of the tip, in HIMETRIC.
  private(set) var width = 53.0
  private(set) var height = 53.0
  private var (statedWidth, statedHeight): (Double?, Double?)
  private var isRectangle = false
  private var isHighlighter = false
  private var flags: UInt64 = 0

  /// Whether pressure changes the width.
  var followsPressure: Bool { flags & 4 == 0 }

  /// The pen of files that state no attributes.
  init() {}

  /// Reads attributes. A damaged one ends them, since the ones after it cannot be found; the ones
  /// before it are kept.
  init(_ block: ByteCursor, damage: (ImportError) -> Void) {
    var block = block
    do throws(ImportError) {
      while block.remaining > 0 { try read(&block, damage: damage) }
    } catch {
      damage(error)
    }
    // A block without a width means the first version's pen. A pen without a width draws a
    // hairline.
    width = max(statedWidth ?? 25, 1)
    height = max(statedHeight ?? width, 1)
  }

  private mutating func read(
    _ block: inout ByteCursor, damage: (ImportError) -> Void
  ) throws(ImportError) {
    let number = try block.variableLength()
    switch ISFProperty(rawValue: number) {
    case .color:
      let rgb = try block.variableLength()
      color.red = Double(rgb & 0xFF) / 255
      color.green = Double(rgb >> 8 & 0xFF) / 255
      color.blue = Double(rgb >> 16 & 0xFF) / 255
    case .penWidth: statedWidth = try Self.length(&block, damage: damage)
    case .penHeight: statedHeight = try Self.length(&block, damage: damage)
    case .penTip: isRectangle = try block.variableLength() == 1
    case .drawingFlags: flags = try block.variableLength()
    case .transparency:
      color.alpha = 1 - Double(min(try block.variableLength(), 255)) / 255
    case .rasterOperation:
      // The colour of the page and that of the pen are joined bit by bit.
      isHighlighter = try block.uint32() & 0xFF == 9
    case .penStyle, .curveFittingError: _ = try block.variableLength()
    default:
      guard number >= ISFTag.firstProperty else {
        throw block.error(.expected("a drawing attribute"))
      }
      let size = try block.count(try block.variableLength(), of: "bytes of a property")
      try block.skip(size + 1)
    }
  }

  /// A length in HIMETRIC, which thousandths may follow. If these cannot be read, that is damage,
  /// and the length is used without them.
  private static func length(
    _ block: inout ByteCursor, damage: (ImportError) -> Void
  ) throws(ImportError) -> Double {
    let whole = Double(min(try block.variableLength(), 1_000_000))
    var fraction = block
    guard fraction.remaining > 0,
      try fraction.variableLength() == ISFTag.mantissa.rawValue
    else { return whole }
    // The size does not include the byte that names the packing.
    let size = try fraction.count(try fraction.variableLength(), of: "bytes of a fraction")
    let packed = try fraction.part(size + 1)
    block = fraction
    do throws(ImportError) {
      return max(whole + Double(try packed.firstThousandths()) / 1000, 0)
    } catch {
      damage(error)
      return whole
    }
  }

  /// The ink that looks like this.
  var ink: PKInk { (isHighlighter ? ForeignBrush.highlighter : .pen).ink(color) }

  func addNotes(to notes: inout ImportNotes) {
    if isRectangle, !isHighlighter { notes.add("rectangular tips are drawn as ellipses") }
    if !isRectangle, isHighlighter {
      notes.add("round highlighters are drawn with rectangular tips")
    }
    if flags & 1 == 0 {
      notes.add("strokes that are drawn as straight lines between points get curves")
    }
  }
}

/// The channels of a stroke's packets besides x and y.
struct ISFLayout {
  private(set) var hasX = true
  private(set) var hasY = true
  private(set) var properties: [ISFProperty?] = []

  init() {}

  init(_ block: ByteCursor, damage: (ImportError) -> Void) {
    var block = block
    do throws(ImportError) {
      while block.remaining > 0 {
        let number = try block.variableLength()
        switch ISFTag(rawValue: number) {
        case .noX: hasX = false
        case .noY: hasY = false
        // Buttons and properties of the whole stroke follow the packets, and are not read.
        case .buttons, .strokeProperties: return
        default: properties.append(ISFProperty(rawValue: number))
        }
      }
    } catch {
      damage(error)
    }
  }
}

/// The ranges and units of the numbers in packets.
struct ISFMetrics {
  /// The range and the unit of a property.
  struct Metric {
    var range: ClosedRange<Double>
    var unit = Unit.none
    /// The steps in a unit.
    var resolution = 1.0
  }

  enum Unit: UInt8 {
    case none, inches, centimetres, degrees, radians, seconds, pounds, grams
  }

  private(set) var pressure = Metric(range: 0...1023)
  private(set) var timerTick = Metric(range: 0...1)
  /// Azimuth and altitude, for tilts.
  private var angles: [ISFProperty: Metric] = [:]

  init() {}

  init(_ block: ByteCursor, damage: (ImportError) -> Void) {
    var block = block
    do throws(ImportError) {
      while block.remaining > 0 {
        let number = try block.variableLength()
        let size = try block.count(try block.variableLength(), of: "bytes of a metric")
        let part = try block.part(size)
        do throws(ImportError) {
          let metric = try Self.metric(part)
          switch ISFProperty(rawValue: number) {
          case .normalPressure: pressure = metric
          case .timerTick: timerTick = metric
          case .some(let property): angles[property] = metric
          case nil: break
          }
        } catch {
          damage(error)
        }
      }
    } catch {
      damage(error)
    }
  }

  /// Fields at the end may be missing.
  private static func metric(_ block: ByteCursor) throws(ImportError) -> Metric {
    var block = block
    let low = Double(try block.signedVariableLength())
    let high = Double(try block.signedVariableLength())
    var metric = Metric(range: min(low, high)...max(low, high))
    guard block.remaining > 0 else { return metric }
    metric.unit = Unit(rawValue: try block.byte()) ?? .none
    guard block.remaining > 0 else { return metric }
    let resolution = try block.float32()
    metric.resolution = resolution.isFinite && resolution > 0 ? resolution : 1
    return metric
  }

  /// The radians in a step of a property.
  func step(of property: ISFProperty) -> Double {
    guard let metric = angles[property] else { return .pi / 1800 }
    switch metric.unit {
    case .radians: return 1 / metric.resolution
    case .degrees: return .pi / 180 / metric.resolution
    // Tablets count tenths of degrees.
    default: return .pi / 1800
    }
  }

  /// The seconds in a tick.
  var tick: Double { timerTick.unit == .seconds ? 1 / timerTick.resolution : 0.001 }
}

extension ByteCursor {
  /// The 16-bit number in a property. The first byte names the packing: none, or numbers of fewer
  /// bits.
  fileprivate func firstThousandths() throws(ImportError) -> Int {
    var data = self
    let code = try data.byte()
    if code == 0 { return Int(Int16(truncatingIfNeeded: try data.uint16())) }
    // The bit 0x20 means that unpacked numbers have 16 bits.
    guard code & 0xE0 == 0x20 else {
      throw error(.unsupported("a fraction whose packing is \(code)"))
    }
    guard let width = Self.packedWidths[Int(code & 0x1F)] else {
      throw error(.unsupported("a fraction whose packing is \(code)"))
    }
    guard data.remaining * 8 >= width else { throw data.error(.truncated) }
    var bits = ISFBits(data)
    return Int(bits.signed(width))
  }

  /// The width of packed numbers by the low bits of the packing: 8 first, then each width from 1
  /// on. A width below eight bits occurs once for each count of numbers that the last byte may have
  /// too many.
  private static let packedWidths: [Int?] = {
    var widths: [Int?] = [8]
    for width in 1...16 {
      widths += [Int?](repeating: width, count: (8 + width - 1) / width)
    }
    return Array((widths + [Int?](repeating: nil, count: 32)).prefix(32))
  }()

  /// A number of variable length whose lowest bit is its sign.
  mutating func signedVariableLength() throws(ImportError) -> Int {
    let value = try variableLength()
    let size = Int(clamping: value >> 1)
    return value & 1 == 0 ? size : -size
  }
}

extension AffineTransform {
  /// The transform of a tag; nil if the tag does not belong to a transform.
  init?(
    isf number: UInt64, _ stream: inout ByteCursor, areDoubles: Bool
  ) throws(ImportError) {
    func next() throws(ImportError) -> Double {
      areDoubles ? try stream.float64() : try stream.float32()
    }
    self = .identity
    let start = stream.offset
    switch ISFTag(rawValue: number) {
    case .transform: (a, b, c, d, tx, ty) = try (next(), next(), next(), next(), next(), next())
    case .isotropicScale: self.init(scale: try next())
    case .anisotropicScale: self.init(scaleX: try next(), y: try next())
    case .rotation:
      let hundredths = try stream.variableLength() % 36_000
      self.init(rotation: Double(hundredths) * .pi / 18_000)
    case .translation: (tx, ty) = try (next(), next())
    case .scaleAndTranslation: (a, d, tx, ty) = try (next(), next(), next(), next())
    default: return nil
    }
    guard isFinite else { throw ImportError(.expected("a finite transform"), at: start) }
  }
}
