import CMath
import Graphics
import Strokes

/// The pen of perfect-freehand, which Excalidraw, tldraw and others use. Its widths follow from the
/// pressure, or from a pressure simulated by the pen's speed.
struct FreehandPen {
  /// The base width, in the file's units.
  var size: Double
  /// The influence of the pressure on the width; 0 is a constant width.
  var thinning: Double
  /// The smoothing by which the pen lags behind the points; 0 is none.
  var streamline = 0.5
  var easing = Easing.linear
  /// Whether the points have no pressure of their own.
  var simulatesPressure: Bool
  /// The simulated pressure before the first point.
  var firstPressure = 0.25

  /// The function from pressure to radius.
  enum Easing {
    case linear, sine, square, mixed

    func callAsFunction(_ value: Double) -> Double {
      switch self {
      case .linear: value
      case .sine: mathSine(value * .pi / 2)
      case .square: value * value
      case .mixed: 0.65 * value + 0.35 * mathSine(value * .pi / 2)
      }
    }
  }

  /// The drawn width at a pressure from 0 to 1.
  func diameter(at pressure: Double) -> Double {
    guard thinning != 0 else { return size }
    return max(2 * size * easing(0.5 - thinning * (0.5 - pressure)), 0)
  }

  /// Sets the widths of the points. Their `force` is the pressure from 0 to 1 before the call, and
  /// our force afterwards, for which 1 is an average touch.
  func draw(_ points: inout [PKStrokePoint]) {
    guard !simulatesPressure else { return drawBySpeed(&points) }
    for index in points.indices {
      let force = points[index].force
      let pressure = force.isFinite ? min(max(force, 0), 1) : 0.5
      points[index].setWidth(diameter(at: pressure))
      points[index].force = 2 * pressure
    }
  }

  // MARK: - Pressure from speed

  /// The share of the pressure difference that one full step applies.
  private static let rate = 0.275

  private func drawBySpeed(_ points: inout [PKStrokePoint]) {
    let steps = steps(between: points)
    // The first steps determine the pressure at the start of the stroke.
    var pressure = firstPressure
    for step in steps.lazy.filter({ $0 >= 0 }).prefix(10) {
      pressure = (pressure + next(pressure, step)) / 2
    }
    for index in points.indices {
      if steps[index] >= 0 { pressure = next(pressure, steps[index]) }
      points[index].setWidth(diameter(at: pressure))
      points[index].force = 1
    }
  }

  /// The pressure after a step of the pen. Long steps reduce it.
  private func next(_ pressure: Double, _ step: Double) -> Double {
    let speed = min(1, step / size)
    return min(1, pressure + ((1 - speed) - pressure) * speed * Self.rate)
  }

  /// The distance by which the lagging pen moves to each point; -1 if it does not move.
  private func steps(between points: [PKStrokePoint]) -> [Double] {
    let pull = 0.15 + 0.85 * (1 - streamline)
    var steps = [Double](repeating: -1, count: points.count)
    guard var pen = points.first?.location else { return [] }
    steps[0] = 0
    // The pen stays at the start until the points have moved by its width.
    var (isMoving, way) = (false, 0.0)
    for index in points.indices.dropFirst() {
      let isLast = index == points.count - 1
      let point = points[index].location
      let place = isLast ? point : pen + (point - pen) * pull
      let step = place.distance(to: pen)
      guard step > 0, step.isFinite else { continue }
      way += step
      guard isLast || isMoving || way >= size else { continue }
      isMoving = true
      steps[index] = step
      pen = place
    }
    return steps
  }
}

extension PKStrokePoint {
  /// Sets the drawn width of a round pen.
  mutating func setWidth(_ width: Double) { size = Size(width: width, height: width) }
}
