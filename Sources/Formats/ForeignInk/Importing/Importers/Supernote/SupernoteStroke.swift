import InkFiles
import CMath
import Graphics
import Strokes

/// A stroke of a Supernote page, including erased strokes and those of erasers.
struct SupernoteStroke {
  private let pen: Int
  private let color: Int
  /// The width that the pen is set to, in pixels.
  private let thickness: Double
  private let kind: Kind
  let layer: Int
  /// Whether an eraser or a cut removed the stroke.
  private let isRemoved: Bool
  /// The positions of the pen, in pixels of the page.
  private let locations: [Point]
  private let pressures: [UInt16]
  /// Tilts along both axes, in hundredths of a degree; empty, or one for each point.
  private let tilts: [SIMD2<Int16>]
  private let outline: DrawnOutline

  private enum Kind {
    case ink, line, mark
  }

  private static let headSize = 208
  private static let layerOffset = 44
  /// The size of the head, the counts of the lists, and the fields between them.
  static let minimumSize = headSize + 4

  /// The layer in the head of a record; 0 if that is cut.
  static func layer(of record: ByteCursor) -> Int {
    var head = record
    do throws(ImportError) {
      try head.skip(layerOffset)
      return try head.int32()
    } catch {
      return 0
    }
  }

  init(_ record: inout ByteCursor, on page: Size) throws(ImportError) {
    var head = try record.part(Self.headSize)
    pen = try head.uint32()
    color = try head.uint32()
    thickness = Double(try head.uint32()) / 100
    try head.skip(28)
    let inkClass = try head.int32()
    layer = try head.int32()
    let text = try head.take(52).prefix { $0 != 0 }
    try head.skip(28)
    let (unitHeight, unitWidth) = (try head.uint32(), try head.uint32())
    kind =
      text.elementsEqual("straightLine".utf8) ? .line : inkClass == 5000 ? .ink : .mark
    guard unitHeight > 0, unitWidth > 0 else {
      throw head.error(.expected("the size of the digitizer"))
    }
    try Self.skipList(&record, bytesEach: 24)
    let count = try Self.count(&record, bytesEach: 8)
    var locations: [Point] = []
    locations.reserveCapacity(count)
    // The last unit of the digitizer is the middle of the last pixel. Its x axis runs from right to
    // left.
    let scaleX = (page.width - 1) / Double(unitWidth)
    let scaleY = (page.height - 1) / Double(unitHeight)
    for _ in 0..<count {
      let (y, x) = (Double(try record.uint32()), Double(try record.uint32()))
      locations.append(Point(x: page.width - 1 - x * scaleX, y: y * scaleY))
    }
    self.locations = locations
    var pressures: [UInt16] = []
    for _ in 0..<(try Self.count(&record, bytesEach: 2)) {
      pressures.append(try record.littleEndian())
    }
    self.pressures = pressures
    var tilts: [SIMD2<Int16>] = []
    for _ in 0..<(try Self.count(&record, bytesEach: 4)) {
      tilts.append(SIMD2(try record.littleEndian(), try record.littleEndian()))
    }
    self.tilts = tilts.count == count ? tilts : []
    for size in [1, 8, 4] { try Self.skipList(&record, bytesEach: size) }
    isRemoved = try record.int32() < 0
    try record.skip(48)
    try Self.skipList(&record, bytesEach: 4)
    try record.skip(10)
    outline = try DrawnOutline(&record)
  }

  private static func count(
    _ record: inout ByteCursor, bytesEach: Int
  ) throws(ImportError) -> Int {
    try record.count(UInt64(try record.uint32()), of: "values of a stroke", bytesEach: bytesEach)
  }

  private static func skipList(_ record: inout ByteCursor, bytesEach: Int) throws(ImportError) {
    try record.skip(try count(&record, bytesEach: bytesEach) * bytesEach)
  }

  // MARK: - Drawing

  /// The pressure of an average touch: about half of the maximum.
  private static let averagePressure = 2047.5

  private enum Pen {
    case needle, marker, ink, calligraphy, none, unknown
  }

  private var penKind: Pen {
    switch pen {
    case 10: .needle
    case 5, 11: .marker
    case 1, 16: .ink
    case 15: .calligraphy
    // Erasers and the lasso.
    case 3, 4, 9: .none
    default: .unknown
    }
  }

  /// The stroke as it is drawn.
  func foreignStroke(isHidden: Bool, _ notes: inout ImportNotes) -> ForeignStroke {
    let isInk = kind != .mark && penKind != .none
    var stroke = ForeignStroke(
      shape: kind == .line ? .polygon : .samples, ink: brush.ink(ink(&notes)),
      isVisible: isInk && !isRemoved && !isHidden)
    if kind == .mark, penKind != .none, !isRemoved {
      notes.add("boxes of headings, links and stars are left out")
    }
    if penKind == .unknown, stroke.isVisible { notes.add("unknown pens are drawn as an ink pen") }
    stroke.points.reserveCapacity(locations.count)
    let widths = stroke.isVisible ? widths(&notes) : []
    for index in locations.indices {
      var point = PKStrokePoint(
        x: locations[index].x, y: locations[index].y,
        width: index < widths.count ? widths[index] : thickness,
        // Lines of the ruler have no pressure.
        force: index < pressures.count && kind == .ink
          ? Double(pressures[index]) / Self.averagePressure : 1)
      if index < tilts.count { point.altitude = Self.altitude(tilts[index]) }
      stroke.points.append(point)
    }
    return stroke
  }

  private var brush: ForeignBrush {
    switch penKind {
    case .needle: .evenPen
    case .marker: .marker
    case .calligraphy: .fountainPen
    case .ink, .none, .unknown: .pen
    }
  }

  private func ink(_ notes: inout ImportNotes) -> Color {
    // Markers use the next higher number for a colour.
    switch color {
    case 0, 1: return .black
    case 48, 157, 158: return Color(white: 157.0 / 255)
    case 80, 81, 201, 202: return Color(white: 201.0 / 255)
    case 254, 255: return .white
    default:
      notes.add("unknown colours are drawn as a grey of their number")
      return Color(white: Double(min(color, 255)) / 255)
    }
  }

  private func widths(_ notes: inout ImportNotes) -> [Double] {
    switch penKind {
    case .needle: return []
    case .marker:
      guard let mean = outline.evenWidth(along: locations) else { return [] }
      return [Double](repeating: mean, count: locations.count)
    case .ink, .calligraphy, .none, .unknown: break
    }
    if let widths = outline.widths(along: locations, about: thickness) { return widths }
    notes.add("widths of strokes without an outline are estimated by their pressure")
    let ratio = pen == 1 ? 1.8 : pen == 15 ? 0.38 : 0.77
    let mean =
      pressures.isEmpty ? 0 : pressures.reduce(0) { $0 + Double($1) } / Double(pressures.count)
    return locations.indices.map { index in
      let share = index < pressures.count && mean > 0 ? Double(pressures[index]) / mean : 1
      return thickness * ratio * share + DrawnOutline.margin
    }
  }

  private static func altitude(_ tilt: SIMD2<Int16>) -> Double {
    func tangent(_ hundredths: Int16) -> Double {
      let angle = Double(max(-8900, min(hundredths, 8900))) / 18_000 * .pi
      return mathSine(angle) / mathCosine(angle)
    }
    let (a, b) = (tangent(tilt.x), tangent(tilt.y))
    return mathArcTangent(1, (a * a + b * b).squareRoot())
  }
}
