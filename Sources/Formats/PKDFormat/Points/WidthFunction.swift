/// A channel as a function of the width, learned while coding: the last value that was seen with
/// each width. Some inks compute several channels from one hidden speed.
struct WidthFunction {
  /// More widths are not entered, so that decoding stays linear.
  static let capacity = 1024

  /// The ordered bits of widths, ascending, and the value of each.
  private var widths: [Int32] = []
  private var values: [Double] = []
  /// The width that was looked up last, its position, and whether it is entered there.
  private var key: Int32 = 0
  private var position = 0
  private var isKnown = false

  /// The value that was seen with a width, or interpolated between the nearest smaller and larger
  /// width; 0 at first.
  mutating func prediction(at width: Float) -> Double {
    key = width.ordered
    var (low, high) = (0, widths.count)
    while low < high {
      let middle = (low &+ high) / 2
      if widths[middle] < key { low = middle &+ 1 } else { high = middle }
    }
    position = low
    isKnown = low < widths.count && widths[low] == key
    if isKnown || low == 0 { return values.isEmpty ? 0 : values[low] }
    guard low < widths.count else { return values[low - 1] }
    let (left, right) = (
      Double(Float(ordered: widths[low - 1])), Double(Float(ordered: widths[low]))
    )
    let share = (Double(width) - left) / (right - left)
    // The widths −0 and 0 have no distance.
    guard right > left else { return values[low] }
    return values[low - 1] + (values[low] - values[low - 1]) * share
  }

  /// Enters the value of the width that was looked up last.
  mutating func enter(_ value: Double) {
    if isKnown {
      values[position] = value
    } else if widths.count < Self.capacity {
      widths.insert(key, at: position)
      values.insert(value, at: position)
    }
  }
}
