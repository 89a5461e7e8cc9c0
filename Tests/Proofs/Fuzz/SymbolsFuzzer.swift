import Strokes

@testable import PKDFormat

/// The entropy decoder alone: the first bytes define the columns, possibly ones that no block has;
/// the others are the segment. Decoded numbers are encoded and decoded again.
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
  guard values[layout.valueCount] == guardWord else {
    violated("the decoder wrote beyond the last column")
  }
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

/// Mutates the numbers of a segment and encodes them again, or mutates the bytes.
@_cdecl("LLVMFuzzerCustomMutator")
public func customMutator(
  _ data: UnsafeMutablePointer<UInt8>, _ count: Int, _ maximum: Int, _ seed: CUnsignedInt
) -> Int {
  mutate(data, count, maximum: maximum, seed: seed) { input, random in
    guard let layout = SymbolLayout(input), layout.valueCount > 0 else { return nil }
    var values = [UInt32](repeating: 0, count: layout.valueCount)
    var decoder = SegmentDecoder()
    // If decoding fails, the numbers before the failure are used.
    _ = Result { () throws(PKDError) in
      try decoder.decode(
        input, in: layout.segment, columns: layout.columns, lanes: layout.lanes, into: &values)
    }
    for _ in 0...random.below(6) {
      let start = random.below(values.count)
      switch random.below(5) {
      case 0: values[start] = UInt32(truncatingIfNeeded: random.next())
      case 1: values[start] = UInt32(random.below(40))
      case 2: values[start] = 1 << UInt32(random.below(32))
      case 3: values[start] = values[random.below(values.count)]
      default:
        for index in start..<min(start + random.below(64), values.count) {
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

/// The columns of a segment.
private struct SymbolLayout {
  var lanes: Int
  var columns: [SymbolColumn] = []
  var valueCount = 0
  let segment: Range<Int>

  /// Bounds the numbers of a segment by the bytes that it has, as readers do.
  private static let maximumPerByte = PKDLimits().pointsPerByte

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
      // Longer columns would find nothing new and take longer.
      let length = (Int(bytes[row + 1]) | Int(bytes[row + 2]) << 8) & 0x3FF
      let count = min(length, Self.maximumPerByte * segment.count)
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
