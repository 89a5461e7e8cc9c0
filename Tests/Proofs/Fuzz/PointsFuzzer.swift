import Strokes

@testable import PKDFormat

/// The writer of points: the input is the points of a few paths, which must be the same after
/// writing and reading them. Rules for each channel put values on grids, near the values before
/// them, and on functions of the width, so that every kind of row is chosen.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ data: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  var input = PointInput(bytes(data, count))
  var drawing = PKDrawing()
  while drawing.strokes.count < 20, let columns = input.next() {
    let date = Timestamp(secondsSinceReferenceDate: 8e8 + Double(drawing.strokes.count))
    drawing.strokes.append(
      PKStroke(
        ink: PKInk(.pen), path: PKStrokePath(columns: columns, creationDate: date),
        id: Identifier(high: 1, low: UInt64(drawing.strokes.count))))
  }
  guard !drawing.strokes.isEmpty else { return -1 }
  if let violation = RecordingProperties.roundTripViolation(Recording(drawing)) {
    violated(violation)
  }
  return 0
}

/// Points from bytes.
private struct PointInput {
  private var bytes: ArraySlice<UInt8>
  private let varying: PointChannels
  private let rules: [UInt8]

  init(_ bytes: [UInt8]) {
    self.bytes = bytes.dropFirst(15)
    let mask = bytes.prefix(2).reversed().reduce(0) { $0 << 8 | UInt16($1) }
    varying = PointChannels(rawValue: mask & 0x1FFF | 3)
    rules = Array(bytes.dropFirst(2).prefix(13)) + [UInt8](repeating: 0, count: 13)
  }

  /// The points of the next path; nil at the end.
  mutating func next() -> PointColumns? {
    guard let first = bytes.popFirst() else { return nil }
    let count = Int(first) + 1
    var floats: [Float] = []
    var words: [UInt16] = []
    var widths: [Float] = []
    for channel in PointChannel.allCases {
      let length = varying.contains(channel) ? count : 1
      if channel.isFloat {
        let column = self.floats(length, rule: rules[channel.rawValue] % 7, widths)
        if channel == .width { widths = column }
        floats += column
      } else {
        let isFunction = rules[channel.rawValue] % 7 == 6 && widths.count == length
        words += (0..<length).map { index in
          isFunction
            ? UInt16(
              clamping: Int((widths[index].magnitude.isLess(than: 1e4) ? widths[index] : 0) * 9))
              &+ UInt16(byte() & 1)
            : UInt16(byte()) << 8 | UInt16(byte())
        }
      }
    }
    return PointColumns(
      count: count, scale: .current, varying: varying, present: .all, floats: floats, words: words)
  }

  private mutating func byte() -> UInt8 { bytes.popFirst() ?? 0 }

  private mutating func floats(_ count: Int, rule: UInt8, _ widths: [Float]) -> [Float] {
    var (last, slope) = (Float(100), Float(0))
    return (0..<count).map { index in
      switch rule {
      case 0:
        let bits = (0..<4).reduce(0 as UInt32) { bits, _ in bits << 8 | UInt32(byte()) }
        last = Float(bitPattern: bits)
      case 1: last = Float((600 + Double(Int8(bitPattern: byte()))) / 6)
      case 2: last = Float(Double(index * 199_000 + Int(byte()) * 16) / 24_000_000)
      case 3:
        // A few units in the last place away from a line.
        slope += Float(Int8(bitPattern: byte())) / 64
        last += slope
      case 4:
        let number = byte()
        last = number < 128 ? Float((3 * Double(index) + Double(number)) / 6) : last + 0.1
      case 5: last = Float(byte()) / 2
      default: last = index < widths.count ? widths[index] * 3 + Float(byte() & 1) : 0
      }
      if !last.isFinite { last = 0 }
      return last
    }
  }
}
