import InkFiles
import CMath
import Graphics
import PencilKitArchive
import Strokes

/// A stroke of Wacom's Universal Ink Model.
struct UniversalInkStroke {
  /// The transform that places its points on the page; nil if there is none.
  var placement: AffineTransform?
  private var (start, end) = (0.0, 0.0)
  private var spline = UniversalInkSpline()
  private var style = UniversalInkStyle()
  private var brush = UniversalInkBrush()
  private var renderMode = ""
  private var sensorID: ArraySlice<UInt8> = []
  /// The sample at which the curve begins, and the samples of all points if they do not follow each
  /// other.
  private var sensorOffset = 0
  private var sensorMapping: [Double] = []
  private let place: Int

  init(
    _ message: ProtobufReader, isVersion30: Bool, _ tables: UniversalInkTables,
    brushes: [ArraySlice<UInt8>: UniversalInkBrush]
  ) throws(ImportError) {
    place = message.offset
    var name: ArraySlice<UInt8> = []
    if isVersion30 {
      try read30(message, &name)
    } else {
      try read31(message, tables, &name)
    }
    brush = brushes[name] ?? UniversalInkBrush(named: name)
  }

  private mutating func read30(
    _ message: ProtobufReader, _ name: inout ArraySlice<UInt8>
  ) throws(ImportError) {
    var message = message
    while let field = try message.next() {
      switch field.number {
      case 2: start = try message.number(field)
      case 3: end = try message.number(field)
      // The columns have other numbers in version 3.1.
      case 4...18: try spline.read(field, number: field.number - 3, of: message)
      case 19: sensorOffset = try message.integer(field)
      case 20: sensorID = try message.data(field)
      case 21: try message.append(integersOf: field, to: &sensorMapping)
      case 22:
        var part = try message.message(field)
        while let field = try part.next() {
          switch field.number {
          case 1: style = try UniversalInkStyle(version30: try part.message(field))
          case 2: name = try part.data(field)
          case 4: renderMode = try part.text(field)
          default: break
          }
        }
      default: break
      }
    }
  }

  private mutating func read31(
    _ message: ProtobufReader, _ tables: UniversalInkTables, _ name: inout ArraySlice<UInt8>
  ) throws(ImportError) {
    var message = message
    var digits = 0
    var compressed: [ProtobufReader] = []
    while let field = try message.next() {
      switch field.number {
      case 2: digits = try message.signed(field)
      case 3: start = try message.number(field)
      case 4: end = try message.number(field)
      case 5:
        var columns = try message.message(field)
        while let field = try columns.next() {
          try spline.read(field, number: field.number, of: columns)
        }
      case 6: compressed.append(try message.message(field))
      case 7: style = tables.styles.item(try message.integer(field)) ?? style
      case 8: style = try UniversalInkStyle(try message.message(field))
      case 9: name = tables.brushNames.item(try message.integer(field)) ?? name
      case 10: name = try message.data(field)
      case 11: renderMode = tables.renderModes.item(try message.integer(field)) ?? renderMode
      case 12: renderMode = try message.text(field)
      case 14: sensorOffset = try message.integer(field)
      case 15: sensorID = try message.data(field)
      case 16: try message.append(integersOf: field, to: &sensorMapping)
      default: break
      }
    }
    // The number of digits may follow the columns.
    for var columns in compressed {
      while let field = try columns.next() {
        try spline.read(differences: field, digits: digits, of: columns)
      }
    }
  }

  // MARK: - Drawing

  /// The stroke with its sensor data.
  func foreignStroke(
    _ sensors: inout UniversalInkSensors, _ notes: inout ImportNotes
  ) throws(ImportError) -> ForeignStroke {
    let count = min(spline[.x].count, spline[.y].count)
    guard count > 0 else { throw ImportError(.missing("the stroke's points"), at: place) }
    if spline[.x].count != spline[.y].count {
      notes.add("coordinates without a partner are left out")
    }
    if spline.hasUnreadColors { notes.add("colours of single points are left out") }
    if spline[.size].isEmpty, style.size == nil {
      notes.add("strokes without a size are 1 unit wide")
    }
    let (color, alphas) = spline.color(style.color, &notes)
    var stroke = ForeignStroke(ink: brush.brush.ink(color))
    stroke.shape = .catmullRom(from: start, to: end)
    let isRound = addPoints(count, to: &stroke)
    if !isRound {
      // This ink draws ellipses that rotate, as the file stores them.
      stroke.ink = PKInk(.fountainPen, color: color, widthLaw: .plain)
      notes.add("turned brushes keep their own angle instead of the pen's")
    }
    if let alphas {
      for index in 0..<min(count, alphas.count) { stroke.points[index].opacity = alphas[index] }
    }
    // A mode that erases the content below.
    if renderMode.hasSuffix("DestinationOut") {
      stroke.isVisible = false
      notes.add("strokes that erase are left out")
    }
    if let samples = sensors.samples(sensorID), samples.count > 0 {
      add(samples, keepingAzimuth: !isRound, to: &stroke, &notes)
    }
    return stroke
  }

  /// Adds the points of the curve; returns whether the brush is round at all of them.
  private func addPoints(_ count: Int, to stroke: inout ForeignStroke) -> Bool {
    let (x, y) = (spline[.x], spline[.y])
    let hasShape =
      spline.hasShape || style.scaleX != style.scaleY
      || brush.extent.width != brush.extent.height || style.offsetX != 0 || style.offsetY != 0
    let scale = placement?.meanScale ?? 1
    var isRound = true
    stroke.points.reserveCapacity(count)
    for index in 0..<count {
      let size = (spline.value(.size, index) ?? style.size ?? 1) * scale
      var point = PKStrokePoint(
        x: x[index], y: y[index], width: size * brush.extent.width * style.scaleX)
      if hasShape {
        let angle = spline.value(.rotation, index) ?? style.rotation
        point.azimuth = angle
        point.size = Size(
          width: size * brush.extent.width * (spline.scale(.scaleX, index) ?? style.scaleX),
          height: size * brush.extent.height * (spline.scale(.scaleY, index) ?? style.scaleY))
        if abs(point.size.width - point.size.height) > 1e-3 * point.size.width { isRound = false }
        // The offset rotates with the brush.
        let (dx, dy) = (
          spline.value(.offsetX, index) ?? style.offsetX,
          spline.value(.offsetY, index) ?? style.offsetY
        )
        if dx != 0 || dy != 0 {
          let (sine, cosine) = (mathSine(angle), mathCosine(angle))
          point.location.x += dx * cosine - dy * sine
          point.location.y += dx * sine + dy * cosine
        }
      }
      if let placement { point.location = point.location.applying(placement) }
      stroke.points.append(point)
    }
    if isRound, hasShape {
      for index in stroke.points.indices { stroke.points[index].azimuth = 0 }
    }
    return isRound
  }

  // MARK: - Sensors

  /// A smoothed curve has this many points more than samples: they follow the last sample.
  private static let smoothingPoints = 8

  /// Adds times, pressures and angles. The first point of a curve only gives its direction; the
  /// second one corresponds to the first sample.
  private func add(
    _ samples: UniversalInkSensors.Samples, keepingAzimuth: Bool, to stroke: inout ForeignStroke,
    _ notes: inout ImportNotes
  ) {
    let count = stroke.points.count
    let offset = min(max(sensorOffset, 0), samples.count - 1)
    let left = samples.count - offset
    let isMapped = !sensorMapping.isEmpty
    let isSpread = !isMapped && count - 2 > left + Self.smoothingPoints
    if isSpread { notes.add("curves with more points than samples share them evenly") }
    let last = Double(samples.count - 1)
    func place(_ index: Int) -> Double {
      if isMapped { return sensorMapping[min(index, sensorMapping.count - 1)] }
      let step = Double(max(index - 1, 0))
      let share = isSpread ? Double(left - 1) / Double(max(count - 3, 1)) : 1
      return Double(offset) + step * share
    }
    stroke.hasTimes = !samples.times.isEmpty
    let first =
      UniversalInkSensors.Samples.value(samples.times, at: min(max(place(0), 0), last)) ?? 0
    if let start = samples.start {
      stroke.start = Timestamp(secondsSince1970: start + min(max(first, -1e9), 1e9))
    }
    for index in 0..<count {
      let sample = min(max(place(index), 0), last)
      func value(_ column: [Double]) -> Double? {
        UniversalInkSensors.Samples.value(column, at: sample)
      }
      if let time = value(samples.times) { stroke.points[index].timeOffset = time - first }
      // The middle of the pen's range counts as an average touch.
      if let pressure = value(samples.pressures) { stroke.points[index].force = 2 * pressure }
      if let altitude = value(samples.altitudes) { stroke.points[index].altitude = altitude }
      if !keepingAzimuth, let azimuth = samples.azimuth(at: sample) {
        stroke.points[index].azimuth = azimuth
      }
    }
  }
}

extension Array {
  /// The element with a number from 1; nil for others.
  fileprivate func item(_ number: Int) -> Element? {
    number >= 1 && number <= count ? self[number - 1] : nil
  }
}
