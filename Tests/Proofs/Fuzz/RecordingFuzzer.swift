import Strokes

@testable import PKDFormat

/// Whole `.pkd` files: their content can be written and read again, and writing it once more gives
/// equal bytes.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ data: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let input = bytes(data, count)
  // Below libFuzzer's memory limit, so that an expensive file is refused with an error.
  if let violation = RecordingProperties.violation(input, limits: limits) { violated(violation) }
  return 0
}

private let limits = {
  var limits = PKDLimits()
  limits.archiveBytes = 1 << 16
  return limits
}()

/// Mutates the chunks of a file with correct checksums, or its bytes.
@_cdecl("LLVMFuzzerCustomMutator")
public func customMutator(
  _ data: UnsafeMutablePointer<UInt8>, _ count: Int, _ maximum: Int, _ seed: CUnsignedInt
) -> Int {
  // Blind changes only break checksums: one in sixteen is enough.
  var random = Randomness(seed: seed)
  guard !random.oneIn(16), var file = ChunkedFile(bytes(data, count)), !file.parts.isEmpty else {
    return mutate(data, count, maximum: maximum, seed: seed) { _, _ in nil }
  }
  for _ in 0...random.below(3) { file.mutate(&random) }
  let changed = file.bytes
  guard changed.count <= maximum else { return count }
  data.update(from: changed, count: changed.count)
  return changed.count
}
