/// Predicts the next value of a channel from the values before it.
struct ValuePredictor {
  /// Whether steps are predicted by their running mean, as those of a clock, instead of by the
  /// last.
  let isSteady: Bool
  private var last: Float = 0
  private var step = 0.0
  private var count = 0

  init(isSteady: Bool) { self.isSteady = isSteady }

  /// The prediction of the second and all later values; a value that is not finite is replaced by
  /// the last value.
  @inline(__always)
  var prediction: Float {
    let sum = Float(Double(last) + step)
    return sum.isFinite ? sum : last
  }

  @inline(__always)
  mutating func add(_ value: Float) {
    let newest = Double(value) - Double(last)
    if count > 0 { step = isSteady && count > 1 ? step + (newest - step) / 16 : newest }
    last = value
    count &+= 1
  }
}

extension Double {
  /// The number of the point of a grid that is nearest to a value; nil if it is too large to be
  /// computed exactly.
  @inline(__always)
  static func index(of value: Float, step: Double, offset: Double) -> Double? {
    let index = ((Double(value) - offset) / step).roundedToEven
    return abs(index) <= ValueSteps.largestNumber ? index : nil
  }
}

/// The numbers of a path's channel whose values are predicted: each is the difference of the value
/// from its prediction, on a grid if it lies on one, else in bits.
struct PredictedNumbers {
  /// For each of the first points, 1 if its value is not on the grid. Points behind these have
  /// values that are too coarse for the grid, and no flags. Empty without a grid.
  private(set) var flags: [UInt32] = []
  /// The numbers of all points but the first, as zigzags: of those on the grid, and of the others.
  private(set) var indices: [UInt32] = []
  private(set) var bits: [UInt32] = []

  init(_ values: UnsafeBufferPointer<Float>, isSteady: Bool, steps: ValueSteps) {
    guard case .grid(let step, let offset) = steps else {
      bits = Self.bits(values, isSteady: isSteady)
      return
    }
    var predictor = ValuePredictor(isSteady: isSteady)
    var flagCount = 0
    flags.reserveCapacity(values.count)
    indices.reserveCapacity(values.count)
    for index in values.indices {
      let (value, prediction) = (values[index], index == 0 ? 0 : predictor.prediction)
      predictor.add(value)
      var number: Int32?
      if Double(prediction.magnitude.ulp) < step {
        flagCount = index + 1
        number = Self.number(value, prediction, step: step, offset: offset)
      }
      flags.append(number == nil ? 1 : 0)
      guard index > 0 else { continue }
      if let number {
        indices.append(number.zigzagged)
      } else {
        bits.append((value.ordered &- prediction.ordered).zigzagged)
      }
    }
    flags.removeLast(values.count - flagCount)
  }

  /// The numbers of values without a grid.
  private static func bits(_ values: UnsafeBufferPointer<Float>, isSteady: Bool) -> [UInt32] {
    var predictor = ValuePredictor(isSteady: isSteady)
    guard let first = values.first else { return [] }
    predictor.add(first)
    return values.dropFirst().map { value in
      let prediction = predictor.prediction
      predictor.add(value)
      return (value.ordered &- prediction.ordered).zigzagged
    }
  }

  /// The number of the first value, which is on the grid: the distance from the first value of the
  /// path before, or from 0 if that is too far away.
  static func firstNumber(_ value: Float, after last: Float, step: Double, offset: Double) -> Int32
  {
    let index = Double.index(of: value, step: step, offset: offset) ?? 0
    return Int32(index - (Double.index(of: last, step: step, offset: offset) ?? 0))
  }

  /// The distance on a grid from a prediction to a value; nil if the value does not lie on the
  /// grid.
  static func number(
    _ value: Float, _ prediction: Float, step: Double, offset: Double
  ) -> Int32? {
    guard let index = Double.index(of: value, step: step, offset: offset),
      Float(offset + index * step).bitPattern == value.bitPattern,
      let predicted = Double.index(of: prediction, step: step, offset: offset)
    else { return nil }
    return Int32(index - predicted)
  }
}
