import Strokes

/// How the stored values of a channel become whole numbers. Most devices measure on a grid, and the
/// index of a value on a grid needs far fewer bits than its float.
///
/// Every rule restores the stored value bit for bit; the search for a rule has checked that.
package enum ValueSteps: Hashable, Sendable {
  /// The ordered bits of the value, which works for all values.
  case bits
  /// `offset + step · k`, rounded once to the stored type.
  case grid(step: Double, offset: Double)
  /// `anchor + step · k`, rounded, plus a few units in the last place: the grid of a device, scaled
  /// by a zoom factor. Each path has its own anchor.
  case stretched(step: Double)

  /// The steps of common sources, which are the first rows of every file's table: 16 in the first
  /// version.
  static let known: [ValueSteps] = [
    .bits,
    .grid(step: 1e-3, offset: 0),  // milliseconds
    .grid(step: 0.1, offset: 0),  // widths of 2018
    .grid(step: 3 / 256, offset: 0), .grid(step: 1 / 64, offset: 0),  // a tablet of 2018
    .grid(step: 1 / 256, offset: 0), .grid(step: 1 / 8, offset: 0), .grid(step: 1 / 2, offset: 0),
    .grid(step: 1, offset: 0), .grid(step: 0.01, offset: 0), .grid(step: 1 / 240, offset: 0),
    .grid(step: 1 / 8000, offset: 0), .stretched(step: 1e-3),
    .grid(step: 16, offset: 0), .grid(step: 32, offset: 0), .grid(step: 64, offset: 0),
    .grid(step: 1 / 6, offset: 0),  // means of two or three locations of a finger
    .grid(step: 1 / 24_000_000, offset: 0),  // the clock of Apple's devices
  ]

  /// The rows of these steps.
  static let sixths = 16
  static let clockTicks = 17
}

extension Double {
  /// The nearest whole number, ties to even, of values up to 2⁵¹; larger values stay large. The
  /// standard `rounded` calls the system's library on targets without a rounding instruction.
  @inline(__always)
  var roundedToEven: Double { (self + 0x1.8p52) - 0x1.8p52 }
}

extension Float {
  /// The bits as a number that orders like the values; −0 comes just before 0.
  @inline(__always)
  var ordered: Int32 {
    let bits = Int32(bitPattern: bitPattern)
    return bits < 0 ? bits ^ 0x7FFF_FFFF : bits
  }

  @inline(__always)
  init(ordered: Int32) {
    self.init(bitPattern: UInt32(bitPattern: ordered < 0 ? ordered ^ 0x7FFF_FFFF : ordered))
  }

  /// A value of a grid. Multiplication and addition are rounded separately, on every machine.
  @inline(__always)
  init(offset: Double, step: Double, number: Int32) { self.init(offset + Double(number) * step) }

  /// The base that lies a number of eighths of a unit in the last place from this anchor.
  @inline(__always)
  func base(eighths: Int32) -> Double {
    Double(self) + Double(eighths) * Double(magnitude.ulp) / 8
  }

  /// A value of a stretched grid.
  @inline(__always)
  init(base: Double, step: Double, number: Int32, correction: Int32) {
    let value = Float(base + Double(number) * step)
    self = correction == 0 ? value : Float(ordered: value.ordered &+ correction)
  }
}

/// The origin of a stretched grid in a path.
struct StretchedStart: Hashable {
  var anchor: Float
  /// Eighths of a unit in the last place between the anchor and the grid's origin, −4…4.
  var eighths: Int32
}

extension ValueSteps {
  /// The largest number on a grid: `Int32` holds it, and `roundedToEven` is exact.
  static let largestNumber = 1e9
  static let largestCorrection: Int32 = 3

  /// Appends the numbers of values on a grid to `numbers`. Returns false, and appends nothing, if
  /// the grid does not restore every value exactly.
  static func fit(
    _ values: UnsafeBufferPointer<Float>, step: Double, offset: Double, into numbers: inout [Int32]
  ) -> Bool {
    let inverse = 1 / step
    @inline(__always)
    func number(of value: Float) -> Int32? {
      let quotient = ((Double(value) - offset) * inverse).roundedToEven
      guard abs(quotient) <= largestNumber else { return nil }
      let number = Int32(quotient)
      let isExact =
        Float(offset: offset, step: step, number: number).bitPattern == value.bitPattern
      return isExact ? number : nil
    }
    // Most grids fail at the first value, before `numbers` has to grow.
    guard let first = values.first, number(of: first) != nil else { return values.isEmpty }
    let start = numbers.count
    numbers.append(contentsOf: repeatElement(0, count: values.count))
    let isExact = numbers.withUnsafeMutableBufferPointer { numbers in
      for index in values.indices {
        guard let number = number(of: values[index]) else { return false }
        numbers[start + index] = number
      }
      return true
    }
    if !isExact { numbers.removeLast(values.count) }
    return isExact
  }

  /// Appends the numbers and corrections of values on a stretched grid. Returns nil, and appends
  /// nothing, if a value needs a correction of more than three units.
  static func fitStretched(
    _ values: UnsafeBufferPointer<Float>, step: Double, numbers: inout [Int32],
    corrections: inout [Int32]
  ) -> StretchedStart? {
    let (start, anchor) = (numbers.count, values[0])
    for value in values {
      let quotient = ((Double(value) - Double(anchor)) / step).roundedToEven
      guard abs(quotient) <= 1e8 else {
        numbers.removeLast(numbers.count - start)
        return nil
      }
      numbers.append(Int32(quotient))
    }
    let found = numbers.withUnsafeBufferPointer { numbers -> StretchedStart? in
      let numbers = UnsafeBufferPointer(rebasing: numbers[start...])
      @inline(__always)
      func correction(_ index: Int, _ base: Double) -> Int32 {
        let value = Float(base: base, step: step, number: numbers[index], correction: 0)
        return values[index].ordered &- value.ordered
      }
      var best: (misses: Int, eighths: Int32)?
      for eighths: Int32 in [0, -1, 1, -2, 2, -3, 3, -4, 4] {
        let base = anchor.base(eighths: eighths)
        var misses = 0
        for index in values.indices {
          let off = correction(index, base)
          guard abs(Int(off)) <= Int(largestCorrection) else {
            misses = .max
            break
          }
          if off != 0 { misses += 1 }
          guard misses < best?.misses ?? .max else { break }
        }
        if misses < best?.misses ?? .max { best = (misses, eighths) }
        if misses == 0 { break }
      }
      guard let best else { return nil }
      let base = anchor.base(eighths: best.eighths)
      for index in values.indices { corrections.append(correction(index, base)) }
      return StretchedStart(anchor: anchor, eighths: best.eighths)
    }
    if found == nil { numbers.removeLast(numbers.count - start) }
    return found
  }
}
