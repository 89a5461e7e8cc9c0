import Strokes

/// How the stored values of a channel are whole numbers: most devices measure on a grid, and what
/// lies on a grid needs far fewer bits than the float that it became.
///
/// Every rule gives back the stored value bit for bit; whoever finds one checks that first.
package enum ValueSteps: Hashable, Sendable {
  /// The bits of the value, in the order of the values: works for all.
  case bits
  /// `offset + step · k`, rounded once to the stored kind.
  case grid(step: Double, offset: Double)
  /// `anchor + step · k`, rounded, and a few units in the last place: the grid of a device that was
  /// stretched by a zoom. Each path has its own anchor.
  case stretched(step: Double)

  /// The grids that so many sources use that files name them by number.
  static let known: [ValueSteps] = [
    .bits,
    .grid(step: 1e-3, offset: 0),  // milliseconds
    .grid(step: 0.1, offset: 0),  // widths of 2018
    .grid(step: 3 / 256, offset: 0), .grid(step: 1 / 64, offset: 0),  // a tablet of 2018
    .grid(step: 1 / 256, offset: 0), .grid(step: 1 / 8, offset: 0), .grid(step: 1 / 2, offset: 0),
    .grid(step: 1, offset: 0), .grid(step: 0.01, offset: 0), .grid(step: 1 / 240, offset: 0),
    .grid(step: 1 / 8000, offset: 0), .stretched(step: 1e-3),
    .grid(step: 16, offset: 0), .grid(step: 32, offset: 0), .grid(step: 64, offset: 0),
  ]
}

extension Double {
  /// The nearest whole number, for all up to 2⁵¹; what is larger stays large. Where the processor's
  /// instruction for rounding cannot be counted on, `rounded` calls the system's library.
  @inline(__always)
  var roundedToEven: Double { (self + 0x1.8p52) - 0x1.8p52 }
}

extension Float {
  /// The bits as a number whose order is that of the values; −0 comes just before 0.
  @inline(__always)
  var ordered: Int32 {
    let bits = Int32(bitPattern: bitPattern)
    return bits < 0 ? bits ^ 0x7FFF_FFFF : bits
  }

  @inline(__always)
  init(ordered: Int32) {
    self.init(bitPattern: UInt32(bitPattern: ordered < 0 ? ordered ^ 0x7FFF_FFFF : ordered))
  }

  /// The value of a grid. Both operations are rounded for themselves, on every machine.
  @inline(__always)
  init(offset: Double, step: Double, number: Int32) { self.init(offset + Double(number) * step) }

  /// A base that lies eighths of a unit in the last place from this anchor.
  @inline(__always)
  func base(eighths: Int32) -> Double {
    Double(self) + Double(eighths) * Double(magnitude.ulp) / 8
  }

  /// The value of a stretched grid.
  @inline(__always)
  init(base: Double, step: Double, number: Int32, correction: Int32) {
    let value = Float(base + Double(number) * step)
    self = correction == 0 ? value : Float(ordered: value.ordered &+ correction)
  }
}

/// A path's values on a stretched grid.
struct StretchedStart: Hashable {
  var anchor: Float
  /// Eighths of a unit in the last place between the anchor and the grid's origin, −4…4.
  var eighths: Int32
}

extension ValueSteps {
  /// Numbers beyond this could not be rounded safely.
  static let largestNumber = 1e9
  static let largestCorrection: Int32 = 3

  /// The numbers of values on a grid, appended to `numbers`; false where one is not exactly there.
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
    // Most grids are refused by the first value, before there is room for numbers.
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

  /// The numbers and corrections of values on a stretched grid; nil where a value is too far off.
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
