import Strokes

@testable import PKDFormat

/// Damaged `.pkd` files: the repaired file is intact, and has everything that a plain reader finds.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ data: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let input = bytes(data, count)
  if let violation = SalvageProperties.violation(input, limits: limits) { violated(violation) }
  return 0
}

private let limits = {
  var limits = PKDLimits()
  limits.archiveBytes = 1 << 16
  return limits
}()

/// Mutates the chunks of a file with correct checksums, then damages its bytes.
@_cdecl("LLVMFuzzerCustomMutator")
public func customMutator(
  _ data: UnsafeMutablePointer<UInt8>, _ count: Int, _ maximum: Int, _ seed: CUnsignedInt
) -> Int {
  mutate(data, count, maximum: maximum, seed: seed) { input, random in
    var changed = input
    if random.oneIn(2), var file = ChunkedFile(input), !file.parts.isEmpty {
      for _ in 0...random.below(3) { file.mutate(&random) }
      // The bytes behind the last readable chunk stay.
      changed = file.bytes + input.dropFirst(ChunkedFile(input)?.bytes.count ?? 0)
    }
    for _ in 0..<random.below(4) { damage(&changed, &random) }
    return changed
  }
}

/// Damages a file in the ways of disks, transfers and crashes.
private func damage(_ bytes: inout [UInt8], _ random: inout Randomness) {
  guard bytes.count > Signature.bytes.count else { return }
  let borders = chunkBorders(bytes)
  // At any byte, or where a chunk begins.
  func offset(_ random: inout Randomness) -> Int {
    let any = Signature.bytes.count + random.below(bytes.count - Signature.bytes.count)
    return random.oneIn(2) ? any : min(random.pick(borders), bytes.count - 1)
  }
  let start = offset(&random)
  let run = start..<min(start + 1 + random.below(40), bytes.count)
  switch random.below(8) {
  case 0: bytes[start] ^= 1 << UInt8(random.below(8))
  case 1: bytes.removeSubrange(start...)
  case 2: bytes.removeSubrange(run)
  case 3: bytes.replaceSubrange(run, with: [UInt8](repeating: 0, count: run.count))
  case 4: bytes.insert(contentsOf: random.bytes(1 + random.below(20)), at: start)
  case 5:
    let (from, to) = (offset(&random), offset(&random))
    bytes.insert(contentsOf: bytes[min(from, to)..<max(from, to)], at: start)
  case 6:
    let end = offset(&random)
    bytes.removeSubrange(min(start, end)..<max(start, end))
  default: bytes.replaceSubrange(run, with: random.bytes(run.count))
  }
}

/// The offsets at which chunks begin, up to the first unreadable one.
private func chunkBorders(_ bytes: [UInt8]) -> [Int] {
  var borders = [Signature.bytes.count]
  var walker = ChunkWalker(bytes)
  while let chunk = try? walker.next(limits: limits) { borders.append(chunk.end) }
  return borders
}
