import Graphics

/// Text of an SVG while it is written, with numbers as short as they can be.
struct SVGText {
  private(set) var bytes: [UInt8] = []
  /// How many decimals lengths have.
  let decimals: Int
  private let unit: Double

  /// No coordinate is larger, whatever a drawing says.
  private static let farthest = 1e6

  init(decimals: Int) {
    self.decimals = decimals
    unit = (0..<decimals).reduce(1) { unit, _ in unit * 10 }
  }

  mutating func add(_ text: String) { bytes += text.utf8 }

  /// A length in points.
  func number(_ value: Double) -> String { Self.text(units(value), decimals) }

  /// Seconds or parts of a whole.
  static func number(_ value: Double, decimals: Int) -> String {
    let unit = (0..<decimals).reduce(1.0) { unit, _ in unit * 10 }
    let value = value.isFinite ? min(max(value, -1e12), 1e12) : 0
    return text(Int(clamping: (value * unit).rounded()), decimals)
  }

  private func units(_ value: Double) -> Int {
    // In this order what is no number becomes a limit.
    Int(clamping: (min(max(-Self.farthest, value), Self.farthest) * unit).rounded())
  }

  /// A number of units without needless zeros: `-.5`.
  private static func text(_ units: Int, _ decimals: Int) -> String {
    let digits = String(units.magnitude)
    let padded = String(repeating: "0", count: max(decimals - digits.count, 0)) + digits
    var fraction = padded.suffix(decimals)
    while fraction.last == "0" { fraction.removeLast() }
    let whole = padded.dropLast(decimals)
    let text = fraction.isEmpty ? String(whole) : "\(whole).\(fraction)"
    return text.isEmpty ? "0" : (units < 0 ? "-" : "") + text
  }

  /// A path's data: steps from point to point. Contours with coordinates that are no numbers are left
  /// out.
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
        let place = (x: units(point.x), y: units(point.y))
        guard let from = last else {
          text += "M\(Self.text(place.x, decimals)) \(Self.text(place.y, decimals))"
          last = place
          continue
        }
        guard place != from else { continue }
        append(place.x - from.x)
        append(place.y - from.y)
        last = place
      }
      if !steps.isEmpty { text += "l" + steps }
      if isClosed { text += "z" }
    }
    return text
  }
}

extension [Point] {
  /// The points without those that lie nearly on the way between others; the first and last stay.
  func simplified(tolerance: Double) -> [Int] {
    guard count > 2 else { return Array<Int>(indices) }
    var isKept = [Bool](repeating: false, count: count)
    isKept[0] = true
    isKept[count - 1] = true
    var spans = [(0, count - 1)]
    while let (from, to) = spans.popLast() {
      guard to - from > 1 else { continue }
      let (a, b) = (self[from], self[to])
      let way = b - a
      let length = way.dot(way)
      var farthest = (index: from + 1, distance: -1.0)
      for index in from + 1..<to {
        let offset = self[index] - a
        let share = length > 0 ? Swift.min(Swift.max(offset.dot(way) / length, 0), 1) : 0
        let apart = offset - way * share
        let distance = apart.dot(apart)
        if distance > farthest.distance { farthest = (index, distance) }
      }
      guard farthest.distance > tolerance * tolerance else { continue }
      isKept[farthest.index] = true
      spans += [(from, farthest.index), (farthest.index, to)]
    }
    return indices.filter { isKept[$0] }
  }
}
