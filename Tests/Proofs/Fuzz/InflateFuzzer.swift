import CZlib
import Compression

private let limit = 1 << 14

// Reused memory, because allocating it would take longer than everything else.
nonisolated(unsafe) private var output = [UInt8](repeating: 0, count: 2 * limit)
// zlib's state has a pointer to its stream, which must not move.
nonisolated(unsafe) private let inflating = {
  let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
  stream.initialize(to: z_stream())
  let status = inflateInit2_(stream, 15, ZLIB_VERSION, CInt(MemoryLayout<z_stream>.size))
  guard status == Z_OK else { violated("zlib cannot start") }
  return stream
}()

/// Compressed streams. An even first byte precedes a whole stream, an odd one precedes deflate
/// blocks, to which a frame with a correct checksum is added.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ data: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let input = bytes(data, count)
  guard let kind = input.first else { return 0 }
  let rest = Array(input.dropFirst())
  if kind % 2 == 0 {
    check(rest, against: inflated(rest, windowBits: 15 + 32)?.bytes)
  } else if let (bytes, used) = inflated(rest, windowBits: -15) {
    check([0x78, 0x01] + rest[..<used] + adler(bytes), against: bytes)
  } else {
    check([0x78, 0x01] + rest, against: nil)
  }
  return 0
}

private func check(_ stream: [UInt8], against expected: [UInt8]?) {
  do throws(InflateError) {
    let found = try Inflate.inflate(stream, limit: limit)
    guard found == expected else {
      violated("\(found.count) bytes in place of \(expected.map { "\($0.count)" } ?? "none")")
    }
  } catch {
    guard expected == nil else { violated("a stream is refused: \(error)") }
    guard 0...stream.count ~= error.offset else { violated("an error at byte \(error.offset)") }
  }
}

/// The bytes of a stream by zlib, and the number of consumed bytes; nil if it is damaged or too
/// long.
private func inflated(_ stream: [UInt8], windowBits: CInt) -> (bytes: [UInt8], used: Int)? {
  guard inflateReset2(inflating, windowBits) == Z_OK else { return nil }
  var input = stream
  let status = input.withUnsafeMutableBufferPointer { input in
    output.withUnsafeMutableBufferPointer { output in
      inflating.pointee.next_in = input.baseAddress
      inflating.pointee.avail_in = CUnsignedInt(input.count)
      inflating.pointee.next_out = output.baseAddress
      inflating.pointee.avail_out = CUnsignedInt(limit + 1)
      return inflate(inflating, Z_FINISH)
    }
  }
  guard status == Z_STREAM_END, inflating.pointee.total_out <= CUnsignedLong(limit) else {
    return nil
  }
  return (Array(output[..<Int(inflating.pointee.total_out)]), Int(inflating.pointee.total_in))
}

private func adler(_ bytes: [UInt8]) -> [UInt8] {
  let sum = bytes.withUnsafeBufferPointer { adler32(1, $0.baseAddress, CUnsignedInt($0.count)) }
  return (0..<4).map { UInt8(truncatingIfNeeded: sum >> (24 - 8 * $0)) }
}

/// Mutates the decompressed bytes and compresses them again in another way, or flips bits of the
/// codes.
@_cdecl("LLVMFuzzerCustomMutator")
public func customMutator(
  _ data: UnsafeMutablePointer<UInt8>, _ count: Int, _ maximum: Int, _ seed: CUnsignedInt
) -> Int {
  mutate(data, count, maximum: maximum, seed: seed) { input, random in
    guard input.count > 1 else { return nil }
    if random.oneIn(2) {
      var flipped = input
      for _ in 0...random.below(3) {
        flipped[1 + random.below(input.count - 1)] ^= 1 << UInt8(random.below(8))
      }
      return flipped
    }
    let isWhole = input[0] % 2 == 0
    guard
      let (bytes, _) = inflated(Array(input.dropFirst()), windowBits: isWhole ? 47 : -15)
    else { return nil }
    let mutated = random.oneIn(3) ? bytes + bytes : blindlyMutated(bytes)
    let changed = Array(mutated.prefix(limit))
    return [input[0]]
      + deflated(changed, windowBits: isWhole ? random.pick([10, 26]) : -10, &random)
  }
}

private func deflated(
  _ bytes: [UInt8], windowBits: CInt, _ random: inout Randomness
) -> [UInt8] {
  var state = z_stream()
  let strategy = random.pick([Z_DEFAULT_STRATEGY, Z_HUFFMAN_ONLY, Z_FIXED, Z_RLE, Z_FILTERED])
  guard
    deflateInit2_(
      &state, CInt(random.below(10)), Z_DEFLATED, windowBits, 1, strategy, ZLIB_VERSION,
      CInt(MemoryLayout<z_stream>.size)) == Z_OK
  else { return [] }
  defer { deflateEnd(&state) }
  var input = bytes
  // A flush ends a block.
  let cut = random.oneIn(2) ? random.below(bytes.count) : 0
  input.withUnsafeMutableBufferPointer { input in
    output.withUnsafeMutableBufferPointer { output in
      state.next_in = input.baseAddress
      state.next_out = output.baseAddress
      state.avail_out = CUnsignedInt(output.count)
      if cut > 0 {
        state.avail_in = CUnsignedInt(cut)
        _ = deflate(&state, Z_FULL_FLUSH)
      }
      state.avail_in = CUnsignedInt(input.count - Int(state.total_in))
      _ = deflate(&state, Z_FINISH)
    }
  }
  return Array(output[..<Int(state.total_out)])
}
