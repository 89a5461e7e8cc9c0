import PKDFormat
import Strokes

/// Files of any format: every drawing that a reader accepts goes through all consumers.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ data: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let input = bytes(data, count)
  // Options depend on the bytes, so that a failing input fails again.
  let seed = input.reduce(UInt64(count)) { ($0 ^ UInt64($1)) &* 0x1_0000_01B3 }
  let consumers = Consumers(side: 24, steps: 2, maximumPointCount: 400, seed: seed)
  if let violation = consumers.violation(input) { violated(violation) }
  return 0
}

/// Mutates the chunks, tokens or fields of a file, or its bytes.
@_cdecl("LLVMFuzzerCustomMutator")
public func customMutator(
  _ data: UnsafeMutablePointer<UInt8>, _ count: Int, _ maximum: Int, _ seed: CUnsignedInt
) -> Int {
  mutate(data, count, maximum: maximum, seed: seed) { input, random in
    if var file = ChunkedFile(input), !file.parts.isEmpty {
      for _ in 0...random.below(3) { file.mutate(&random) }
      return file.bytes
    }
    if input.first == UInt8(ascii: "{") {
      var text = JSONTokens(input)
      text.mutate(&random)
      return text.bytes
    }
    guard input.count >= 6, var drawing = [WireNode](input[6...], as: .drawing) else { return nil }
    drawing.mutate(&random)
    return input[..<6] + drawing.encoded
  }
}
