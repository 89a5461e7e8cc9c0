import Strokes

@testable import PKDFormat

/// The entropy decoder alone: the first bytes say which columns there are, as blocks have them and
/// as they do not, the others are the segment. Numbers that were read are written and read again.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ data: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let input = bytes(data, count)
  guard let layout = SymbolLayout(input) else { return -1 }
  let guardWord: UInt32 = 0xA5A5_A5A5
  var values = [UInt32](repeating: guardWord, count: layout.valueCount + 1)
  var decoder = SegmentDecoder()
  do throws(PKDError) {
    try decoder.decode(
      input, in: layout.segment, columns: layout.columns, lanes: layout.lanes, into: &values)
  } catch {
    guard error.offset == layout.segment.lowerBound else { violated("an error elsewhere") }
    return 0
  }
  guard values[layout.valueCount] == guardWord else { violated("more was read than asked for") }
  var segment = Segment()
  for column in layout.columns {
    segment.add(column.kind, companion: column.companion) { $0 += values[column.range] }
  }
  var writer = ByteWriter()
  var encoder = SegmentEncoder()
  encoder.encode(segment, lanes: layout.lanes, into: &writer)
  var again = [UInt32](repeating: 0, count: layout.valueCount)
  do throws(PKDError) {
    try decoder.decode(
      writer.bytes, in: writer.bytes.indices, columns: layout.columns, lanes: layout.lanes,
      into: &again)
  } catch {
    violated("a segment that was written cannot be read: \(error)")
  }
  guard again[...] == values.dropLast() else { violated("numbers change when they are written") }
  return 0
}

/// Changes the numbers of a segment and writes them anew, or the bytes blindly.
@_cdecl("LLVMFuzzerCustomMutator")
public func customMutator(
  _ data: UnsafeMutablePointer<UInt8>, _ count: Int, _ maximum: Int, _ seed: CUnsignedInt
) -> Int {
  mutate(data, count, maximum: maximum, seed: seed) { input, random in
    guard let layout = SymbolLayout(input), layout.valueCount > 0 else { return nil }
    var values = [UInt32](repeating: 0, count: layout.valueCount)
    var decoder = SegmentDecoder()
    // What cannot be read begins with numbers all the same: those before the fault.
    _ = Result { () throws(PKDError) in
      try decoder.decode(
        input, in: layout.segment, columns: layout.columns, lanes: layout.lanes, into: &values)
    }
    for _ in 0...random.below(6) {
      let place = random.below(values.count)
      switch random.below(5) {
      case 0: values[place] = UInt32(truncatingIfNeeded: random.next())
      case 1: values[place] = UInt32(random.below(40))
      case 2: values[place] = 1 << UInt32(random.below(32))
      case 3: values[place] = values[random.below(values.count)]
      default:
        for index in place..<min(place + random.below(64), values.count) {
          values[index] = random.pick([0, 0, 1, .max])
        }
      }
    }
    var segment = Segment()
    for column in layout.columns {
      segment.add(column.kind, companion: column.companion) { $0 += values[column.range] }
    }
    var writer = ByteWriter()
    var encoder = SegmentEncoder()
    encoder.encode(segment, lanes: layout.lanes, into: &writer)
    return input[..<layout.segment.lowerBound] + writer.bytes
  }
}

/// Which columns a segment has.
private struct SymbolLayout {
  var lanes: Int
  var columns: [SymbolColumn] = []
  var valueCount = 0
  let segment: Range<Int>

  /// A reader's limit holds the numbers that a segment can ask for to the bytes that it has.
  private static let mostForByte = PKDLimits().pointsPerByte

  init?(_ bytes: [UInt8]) {
    guard bytes.count >= 2 else { return nil }
    lanes = bytes[0] & 1 == 0 ? 1 : 4
    let columnCount = Int(bytes[1] % 16)
    guard bytes.count >= 2 + 3 * columnCount else { return nil }
    segment = 2 + 3 * columnCount..<bytes.count
    let kinds = SymbolKind.allCases
    for number in 0..<columnCount {
      let row = 2 + 3 * number
      let kind = kinds[Int(bytes[row] & 0x7F) % kinds.count]
      // Longer columns only take longer.
      let length = (Int(bytes[row + 1]) | Int(bytes[row + 2]) << 8) & 0x3FF
      let count = min(length, Self.mostForByte * segment.count)
      // Only columns of kinds that are not sparse have companions.
      let hasCompanion = bytes[row] & 0x80 != 0 && !kind.isSparse
      let companion = columns.last { $0.range.count == count }
      columns.append(
        SymbolColumn(
          kind: kind, range: valueCount..<valueCount + count,
          companion: hasCompanion ? companion?.range.lowerBound : nil))
      valueCount += count
    }
  }
}
