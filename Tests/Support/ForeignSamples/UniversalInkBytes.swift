/// A small drawing, written as a file of version 3.0 or 3.1 of Wacom's Universal Ink Model.
struct UniversalInkBytes {
  struct Stroke {
    var (start, end) = (0.0, 1.0)
    var x = [10.0, 10, 20, 30, 40, 40]
    var y = [5.0, 5, 5, 15, 15, 15]
    var sizes = [1.0, 1, 2, 3, 2, 2]
    var color = 0x3366_99CC
    /// Added to the fields of the stroke's message.
    var extra: [UInt8] = []
    /// Added to the fields of the columns' message, which version 3.0 lacks.
    var columns: [UInt8] = []
    /// Fields of the style, with the numbers of version 3.1.
    var style: [(number: Int, value: Double)] = []
    var renderMode: String?
    var sensor: String? = "sensor"
    /// An own brush, of which the file contains only the name.
    var brush: String?
  }

  /// Columns of samples: whole numbers.
  struct Sensor {
    var start: Int? = 1_600_000_000_000
    var times = [100, 110, 130, 140]
    var pressures = [10, 50, 30, 0]
    var altitudes = [120, 120, 100, 100]
    var azimuths = [0, 10, 20, 30]
    var extra: [UInt8] = []
  }

  var strokes = [Stroke()]
  var sensors = ["sensor": Sensor()]
  var brush = "app://demo/vector-brush/Circle"
  var shape: [UInt8] = WacomBytes.field(
    5, text: "will://brush/3.0/shape/Circle?precision=20&radius=0.5")
  var isRaster = false
  var unitScale = 1.0
  /// The clock's units per second.
  var timeResolution = 1000.0
  /// Fields of the matrix.
  var transform: [(number: Int, value: Double)] = []
  /// The indices of the strokes in the tree; nil without a tree.
  var order: [Int]?
  var version: [UInt8] = [3, 1, 0]
  /// Whether columns are differences in hundredths, in version 3.1.
  var isCompressed = true

  private typealias Bytes = WacomBytes

  // MARK: - Parts

  private var isOld: Bool { version[1] == 0 }

  private var input: [UInt8] {
    func channel(_ id: String, _ resolution: Double, _ digits: Int) -> [UInt8] {
      Bytes.field(
        2,
        Bytes.field(1, text: id) + Bytes.field(2, text: "will://input/3.0/channel/\(id)")
          + Bytes.field(4, double: resolution) + Bytes.field(7, integer: digits))
    }
    let channels =
      channel("X", 3779.5, 2) + channel("Timestamp", timeResolution, 0)
      + channel("Pressure", 1, 2) + channel("Altitude", 1, 2) + channel("Azimuth", 1, 2)
    let context = Bytes.field(1, text: "context") + Bytes.field(2, channels)
    let contexts = Bytes.field(1, Bytes.field(1, text: "other")) + Bytes.field(5, context)
    var message = Bytes.field(1, contexts)
    for (id, sensor) in sensors.sorted(by: { $0.key < $1.key }) {
      func column(_ id: String, _ values: [Int]) -> [UInt8] {
        values.isEmpty
          ? [] : Bytes.field(5, Bytes.field(1, text: id) + Bytes.field(2, sums: values))
      }
      message += Bytes.field(
        2,
        Bytes.field(1, text: id) + (sensor.start.map { Bytes.field(4, integer: $0) } ?? [])
          + column("X", [1, 2, 3, 4]) + column("Timestamp", sensor.times)
          + column("Pressure", sensor.pressures) + column("Altitude", sensor.altitudes)
          + column("Azimuth", sensor.azimuths) + sensor.extra)
    }
    return message
  }

  private var brushes: [UInt8] {
    let field = isRaster ? 2 : 1
    return Bytes.field(
      field,
      Bytes.field(1, text: brush)
        + (isRaster ? [] : Bytes.field(2, shape)) + Bytes.field(3, float: 1))
  }

  /// The common brush, and the own brushes of strokes.
  private var brushNames: [String] { [brush] + strokes.compactMap(\.brush) }

  private func brushNumber(of stroke: Stroke) -> Int {
    1 + (stroke.brush.flatMap(brushNames.firstIndex) ?? 0)
  }

  private var matrix: [UInt8] {
    transform.flatMap { Bytes.field($0.number, float: $0.value) }
  }

  private func message(_ stroke: Stroke, _ index: Int) -> [UInt8] {
    let sensor = stroke.sensor.map { Bytes.field(isOld ? 20 : 15, text: $0) } ?? []
    let columns: [(number: Int, values: [Double])] = [
      (1, stroke.x), (2, stroke.y), (8, stroke.sizes),
    ]
    if isOld {
      let lists = columns.filter { !$0.values.isEmpty }.flatMap {
        Bytes.field($0.number + 3, floats: $0.values)
      }
      let components = (0..<4).map { Double(stroke.color >> (24 - 8 * $0) & 255) / 255 }
      func wrapped(_ number: Int, _ value: Double) -> [UInt8] {
        Bytes.field(number, value == 0 ? [] : Bytes.field(1, float: value))
      }
      var style = (0..<4).flatMap { wrapped($0 + 2, components[$0]) } + wrapped(7, 0)
      for (number, value) in stroke.style {
        style += wrapped([1: 2, 2: 1, 3: 6, 4: 7, 5: 8, 7: 11, 8: 12][number] ?? number, value)
      }
      let mode = stroke.renderMode.map { Bytes.field(4, text: $0) } ?? []
      let range = Bytes.field(2, float: stroke.start) + Bytes.field(3, float: stroke.end)
      let look = Bytes.field(1, style) + Bytes.field(2, text: stroke.brush ?? brush) + mode
      let parts: [[UInt8]] = [
        Bytes.field(1, text: "stroke \(index)"), range, lists, stroke.extra, sensor,
        Bytes.field(22, look),
      ]
      return Array(parts.joined())
    }
    let lists = columns.filter { !$0.values.isEmpty }.flatMap { number, values in
      isCompressed
        ? Bytes.field(number, sums: values.map { Int(($0 * 100).rounded()) })
        : Bytes.field(number, floats: values)
    }
    let mode = stroke.renderMode == nil ? [] : Bytes.field(11, integer: index + 1)
    return Bytes.field(1, text: "stroke \(index)") + Bytes.field(3, float: stroke.start)
      + Bytes.field(4, float: stroke.end)
      + Bytes.field(isCompressed ? 6 : 5, lists + stroke.columns)
      + Bytes.field(7, integer: index + 1) + Bytes.field(9, integer: brushNumber(of: stroke)) + mode
      + stroke.extra
      + sensor
      // After the field that it divides.
      + Bytes.field(2, signed: 0x22222)
  }

  private var ink: [UInt8] {
    var message: [UInt8] = []
    for (index, stroke) in strokes.enumerated() {
      message += Bytes.field(1, self.message(stroke, index))
      guard !isOld else { continue }
      let style = stroke.style.flatMap { Bytes.field($0.number, float: $0.value) }
      message += Bytes.field(6, Bytes.field(1, signed: stroke.color) + style)
      message += Bytes.field(5, text: stroke.renderMode ?? "")
    }
    message += Bytes.field(2, float: unitScale)
    if !isOld { message += brushNames.flatMap { Bytes.field(4, text: $0) } }
    if !isOld, !transform.isEmpty { message += Bytes.field(3, matrix) }
    return message
  }

  private var tree: [UInt8] {
    guard let order else { return [] }
    let root = Bytes.field(1, integer: 0) + Bytes.field(2, text: "root")
    return Bytes.field(
      2,
      ([root] + order.map { Bytes.field(1, integer: 1) + Bytes.field(3, integer: $0) })
        .flatMap { Bytes.field(2, $0) })
  }

  // MARK: - Files

  var chunks: [(name: String, bytes: [UInt8])] {
    if isOld {
      var object = Bytes.field(1, input) + Bytes.field(2, ink) + Bytes.field(3, brushes)
      if let order {
        object += Bytes.field(4, Bytes.field(1, text: "root") + Bytes.field(2, integer: 0))
        for index in order {
          object += Bytes.field(
            4,
            Bytes.field(1, text: "node") + Bytes.field(2, integer: 1)
              + (index > 0 ? Bytes.field(3, integer: index) : []) + Bytes.field(4, integer: 2))
        }
      }
      if !transform.isEmpty { object += Bytes.field(7, matrix) }
      return [("HEAD", version), ("DATA", object)]
    }
    let parts = [("INPT", input), ("BRSH", brushes), ("INKD", ink), ("INKS", tree)]
    let head = version + [0] + parts.flatMap { _ in version + [1, 0, 0, 0, 0] }
    return [("HEAD", head)] + parts
  }

  var file: [UInt8] { Bytes.riff("UINK", chunks) }
}
