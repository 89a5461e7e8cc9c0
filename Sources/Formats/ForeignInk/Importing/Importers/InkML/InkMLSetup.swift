import Graphics
import Strokes

/// The conversion of traces of one context, format and brush to strokes.
final class InkMLSetup {
  let format: InkMLFormat
  let brush: InkMLBrush
  /// The indices of channels by their names, and those that most traces have.
  let channels: [String: Int]
  let x, y, force, time, width: Int?
  /// Points of 1/72 inch in a unit of x and of y; nil if the file does not state them.
  let lengths: (x: Double?, y: Double?)
  /// The transform from the device's coordinates to the canvas's.
  let transform: AffineTransform?
  /// The axes of the canvas; nil without one.
  let canvas: InkMLFormat?
  /// Points in a unit of the canvas.
  let canvasLength: Double?
  /// The moment from which times count.
  let base: Timestamp?
  /// Points a second, if they are evenly spaced.
  let sampleRate: Double?
  /// Points in a unit of the channel of widths.
  let widthLength: Double?
  /// Seconds in a unit of the channel of times.
  let timeUnit: Double
  /// Whether the file states no format for these traces.
  let isUndeclared: Bool
  /// Whether x and y are hundredths of a millimetre although the file states another resolution.
  let ignoresResolution: Bool

  /// The setup of traces with some references. Where the file states no format, it is `usual`.
  init(
    _ definitions: InkMLDefinitionReader, context: Int?, brush: Int?, format: Int?,
    usual: InkMLFormat = .standard
  ) {
    let surroundings = Self.context(definitions, context)
    let source = surroundings.source.flatMap { definitions.sources[$0] } ?? InkMLSource()
    let candidates = [format, surroundings.format, source.format]
    let found = candidates.lazy.compactMap { $0 }.compactMap { definitions.formats[$0] }.first
    let declared = found.flatMap { $0.channels.isEmpty ? nil : $0 }
    let used = declared ?? usual
    isUndeclared = declared == nil
    self.format = used
    self.brush = Self.brush(definitions, brush ?? surroundings.brush)
    channels = Dictionary(
      used.channels.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { first, _ in first })
    let byName = channels
    (x, y, force) = (byName["X"], byName["Y"], byName["F"])
    (time, width) = (byName["T"], byName["W"])
    func channel(_ name: String) -> InkMLChannel? { byName[name].map { used.channels[$0] } }
    func unit(_ name: String, _ unit: (String) -> Double?) -> Double? {
      guard let channel = channel(name) else { return nil }
      if let resolution = source.resolutions[name], resolution.value > 0,
        let size = unit(resolution.units) ?? unit(channel.units)
      {
        return size / resolution.value
      }
      return unit(channel.units)
    }
    let stated = (unit("X", InkMLUnits.points), unit("Y", InkMLUnits.points))
    if definitions.isMicrosoft {
      // These programs write hundredths of a millimetre, whatever the digitizer's resolution. The
      // boxes that they write beside the traces show this.
      let himetric = 72.0 / 2540
      lengths = (himetric, himetric)
      ignoresResolution = [stated.0, stated.1].contains {
        $0.map { abs($0 / himetric - 1) > 0.01 } ?? false
      }
    } else {
      lengths = stated
      ignoresResolution = false
    }
    let matrix = surroundings.transform.flatMap { definitions.transforms[$0] }
    transform = matrix.flatMap { $0.isIdentity ? nil : $0 }
    canvas = surroundings.canvas.flatMap { definitions.canvases[$0] }
    canvasLength = canvas?.channels.first.flatMap { InkMLUnits.points(in: $0.units) } ?? lengths.x
    base = Self.moment(definitions, surroundings.timestamp)
    sampleRate = source.sampleRate.flatMap { $0 > 0 ? $0 : nil }
    widthLength = unit("W", InkMLUnits.points)
    timeUnit = unit("T", InkMLUnits.seconds) ?? 1e-3
    angleUnits = ["OA", "OE", "OTx", "OTy"].reduce(into: [:]) { units, name in
      guard let channel = channel(name) else { return }
      let resolution = source.resolutions[name]?.value ?? 1
      // Degrees are the default. Radians cannot be as large as the stated maximum.
      let usual = definitions.isMicrosoft || (channel.maximum ?? 0) > 7 ? Double.pi / 180 : 1
      units[name] = (unit(name, InkMLUnits.radians)) ?? usual / (resolution > 0 ? resolution : 1)
    }
  }

  /// Radians in a unit of the channels of angles.
  let angleUnits: [String: Double]

  /// The values that mean the pressures 0 and 1.
  var pressures: ClosedRange<Double>? {
    guard let index = force else { return nil }
    let channel = format.channels[index]
    let low = channel.minimum ?? 0
    let high = channel.maximum ?? (channel.units == "%" ? 100 : 1)
    return low < high ? low...high : nil
  }

  // MARK: - References

  /// A context with the values of the contexts that it refers to.
  private static func context(_ definitions: InkMLDefinitionReader, _ number: Int?) -> InkMLContext
  {
    var result = InkMLContext()
    var next = number
    var steps = 0
    while let number = next, let context = definitions.contexts[number], steps < 32 {
      result.fill(with: context)
      next = context.parent
      steps += 1
    }
    // A brush and a format among the traces apply to each following trace.
    var standing = definitions.current
    (standing.brush, standing.format) = (nil, nil)
    result.fill(with: standing)
    return result
  }

  private static func brush(_ definitions: InkMLDefinitionReader, _ number: Int?) -> InkMLBrush {
    var result = InkMLBrush()
    var next = number
    var steps = 0
    while let number = next, let brush = definitions.brushes[number], steps < 32 {
      result = result.completed(by: brush)
      next = brush.parent
      steps += 1
    }
    return result
  }

  private static func moment(_ definitions: InkMLDefinitionReader, _ number: Int?) -> Timestamp? {
    var seconds = 0.0
    var next = number
    var steps = 0
    while let number = next, let timestamp = definitions.timestamps[number], steps < 32 {
      seconds += timestamp.seconds
      if let time = timestamp.time { return time + seconds }
      next = timestamp.reference
      steps += 1
    }
    return nil
  }
}

extension InkMLContext {
  /// Takes missing values from another context.
  fileprivate mutating func fill(with other: InkMLContext) {
    // A source of its own has a format of its own.
    if source == nil { format = format ?? other.format }
    source = source ?? other.source
    brush = brush ?? other.brush
    timestamp = timestamp ?? other.timestamp
    canvas = canvas ?? other.canvas
    transform = transform ?? other.transform
  }
}
