import Graphics

/// Writes the text of an SVG with numbers as short as possible.
struct SVGText {
  private(set) var bytes: [UInt8] = []
  /// The number of decimals of lengths.
  let decimals: Int
  private let unit: Double

  /// The limit of coordinates; larger ones are clamped.
  private static let maximumCoordinate = 1e6

  init(decimals: Int) {
    self.decimals = decimals
    unit = (0..<decimals).reduce(1) { unit, _ in unit * 10 }
  }

  mutating func add(_ text: String) { bytes += text.utf8 }

  /// A length in points.
  func number(_ value: Double) -> String { Self.text(units(value), decimals) }

  /// A number of seconds, or a fraction.
  static func number(_ value: Double, decimals: Int) -> String {
    let unit = (0..<decimals).reduce(1.0) { unit, _ in unit * 10 }
    let value = value.isFinite ? min(max(value, -1e12), 1e12) : 0
    return text(Int(clamping: (value * unit).rounded()), decimals)
  }

  private func units(_ value: Double) -> Int {
    // The order of the arguments makes a NaN one of the limits.
    Int(
      clamping: (min(max(-Self.maximumCoordinate, value), Self.maximumCoordinate) * unit).rounded())
  }

  /// A number of units as text without needless zeros, such as `-.5`.
  private static func text(_ units: Int, _ decimals: Int) -> String {
    let digits = String(units.magnitude)
    let padded = String(repeating: "0", count: max(decimals - digits.count, 0)) + digits
    var fraction = padded.suffix(decimals)
    while fraction.last == "0" { fraction.removeLast() }
    let whole = padded.dropLast(decimals)
    let text = fraction.isEmpty ? String(whole) : "\(whole).\(fraction)"
    return text.isEmpty ? "0" : (units < 0 ? "-" : "") + text
  }

  /// The data of a path with relative coordinates. Contours with a coordinate that is not finite
  /// are left out.
  func data(of contours: [[Point]], isClosed: Bool) -> String {
    var text = ""
    for contour in contours where contour.allSatisfy(\.isFinite) {
      var last: (x: Int, y: Int)?
      var steps = ""
      var hasDot = true
      func append(_ units: Int) {
        let number = Self.text(units, decimals)
        let isApart =
          steps.isEmpty || number.hasPrefix("-") || (hasDot && number.hasPrefix("."))
        steps += isApart ? number : " " + number
        hasDot = number.contains(".")
      }
      for point in contour {
        let target = (x: units(point.x), y: units(point.y))
        guard let from = last else {
          text += "M\(Self.text(target.x, decimals)) \(Self.text(target.y, decimals))"
          last = target
          continue
        }
        guard target != from else { continue }
        append(target.x - from.x)
        append(target.y - from.y)
        last = target
      }
      if !steps.isEmpty { text += "l" + steps }
      if isClosed { text += "z" }
    }
    return text
  }
}

extension [Point] {
  /// The indices of the points that remain when points within a tolerance of the line between their
  /// neighbours are left out, by the method of Ramer, Douglas and Peucker. The first and last stay.
  func simplified(tolerance: Double) -> [Int] {
    guard count > 2 else { return Array<Int>(indices) }
    var isKept = [Bool](repeating: false, count: count)
    isKept[0] = true
    isKept[count - 1] = true
    var spans = [(0, count - 1)]
    while let (from, to) = spans.popLast() {
      guard to - from > 1 else { continue }
      let (a, b) = (self[from], self[to])
      let line = b - a
      let squaredLength = line.dot(line)
      var farthest = (index: from + 1, distance: -1.0)
      for index in from + 1..<to {
        let offset = self[index] - a
        let share =
          squaredLength > 0 ? Swift.min(Swift.max(offset.dot(line) / squaredLength, 0), 1) : 0
        let normal = offset - line * share
        let distance = normal.dot(normal)
        if distance > farthest.distance { farthest = (index, distance) }
      }
      guard farthest.distance > tolerance * tolerance else { continue }
      isKept[farthest.index] = true
      spans += [(from, farthest.index), (farthest.index, to)]
    }
    return indices.filter { isKept[$0] }
  }
}
