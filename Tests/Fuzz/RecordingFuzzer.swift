import Strokes

@testable import PKDFormat

/// Whole `.pkd` files: what is read can be written and read again, and then becomes equal bytes.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ data: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let input = bytes(data, count)
  // Less than what libFuzzer allows, so that a file that costs much is told by what it asked for.
  if let violation = RecordingProperties.violation(input, limits: limits) { violated(violation) }
  return 0
}

private let limits = {
  var limits = PKDLimits()
  limits.archiveBytes = 1 << 16
  return limits
}()

/// Changes a file in a structured way, so that checksums stay sound, or blindly.
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
