import CZlib
import PencilKitArchive
import Strokes

/// Archives in any form: `wrd`, with the first byte that databases add, and compressed by gzip or
/// zlib.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ data: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let input = bytes(data, count)
  if isWrd(input) {
    checkArchive(input)
  } else if let message = unpacked(input) {
    checkPacked2018(input, holding: message)
  } else {
    checkOthers(input)
  }
  return 0
}

/// Checks bytes of unknown forms, streams that zlib refuses, and streams whose decompressed size
/// would take the plain decoder too long.
private func checkOthers(_ input: [UInt8]) {
  do throws(PencilKitError) {
    let reader = try PencilKitReader(input)
    guard PencilKitReader.recognizes(input) else {
      violated("an archive that was read is not recognized")
    }
    checkArchive(of: reader.drawing)
    if PencilKitWriter.notes2018Message(reader.drawing) == nil {
      violated("a drawing of 2018 that was read cannot be written")
    }
  } catch {
    guard error.offset >= 0 else { violated("an error at byte \(error.offset)") }
  }
}

/// Mutates an input in a structured way, or its bytes.
@_cdecl("LLVMFuzzerCustomMutator")
public func customMutator(
  _ data: UnsafeMutablePointer<UInt8>, _ count: Int, _ maximum: Int, _ seed: CUnsignedInt
) -> Int {
  mutate(data, count, maximum: maximum, seed: seed) { input, random in
    guard let message = unpacked(input) else { return archive(from: input, &random) }
    return repacked(message, &random)
  }
}

/// A `wrd` archive with a mutated message, and sometimes a mutated header.
private func archive(from input: [UInt8], _ random: inout Randomness) -> [UInt8]? {
  let start = input.first == 1 ? 7 : 6
  guard input.count >= start, var drawing = [WireNode](input[start...], as: .drawing) else {
    return nil
  }
  var header = Array(input[..<start])
  if random.oneIn(4) { header[random.below(start)] = UInt8(truncatingIfNeeded: random.next()) }
  if random.oneIn(4) { header = random.oneIn(2) ? [1] + header : Array(header.dropFirst()) }
  drawing.mutate(&random)
  return header + drawing.encoded
}

/// A compressed message with mutated fields, in a compression that readers must support; sometimes
/// the compressed bytes are damaged.
private func repacked(_ message: [UInt8], _ random: inout Randomness) -> [UInt8]? {
  var changed = message
  if var document = [WireNode](message[...], as: .document2018) {
    document.mutate(&random)
    changed = document.encoded
    if random.oneIn(512) { changed = repeated(document, &random) }
  }
  guard var result = packed(changed, &random) else { return nil }
  switch random.below(8) {
  case 0: return blindlyMutated(result)
  case 1: result.removeLast(min(result.count, 1 + random.below(12)))
  case 2: result += random.bytes(1 + random.below(8))
  default: break
  }
  return result
}

/// The maximum size of repeated fields in bytes: about the amount that the largest input can be
/// compressed from.
private let repetitionLimit = 4 << 20

/// Repeats a field so often that a small input decompresses to a large message: the memory that a
/// reader takes for fields must stay within its limits.
private func repeated(_ document: [WireNode], _ random: inout Randomness) -> [UInt8] {
  var document = document
  document.edit(&random) { siblings, index, random in
    // Fields without a value are the most effective ones: each takes only two bytes.
    if random.oneIn(2) { siblings[index].value = .bytes([]) }
    let copies = min(1 << random.below(22), repetitionLimit / siblings[index].size)
    siblings.insert(contentsOf: repeatElement(siblings[index], count: copies), at: index)
  }
  return document.encoded
}

// MARK: - Packing

private let sizeOfStream = Int32(MemoryLayout<z_stream>.size)
private let unpackedLimit = 1 << 16

private func unpacked(_ bytes: [UInt8]) -> [UInt8]? {
  var stream = z_stream()
  guard inflateInit2_(&stream, 15 + 32, ZLIB_VERSION, sizeOfStream) == Z_OK else { return nil }
  defer { inflateEnd(&stream) }
  return run(&stream, over: bytes, capacity: unpackedLimit) { inflate(&$0, Z_FINISH) }
}

private func packed(_ bytes: [UInt8], _ random: inout Randomness) -> [UInt8]? {
  var stream = z_stream()
  // Adding 16 selects gzip's format, otherwise it is zlib's.
  let windowBits = Int32(9 + random.below(7)) + (random.oneIn(2) ? 16 : 0)
  let strategy = random.pick([Z_DEFAULT_STRATEGY, Z_HUFFMAN_ONLY, Z_FIXED])
  guard
    deflateInit2_(
      &stream, Int32(random.below(10)), Z_DEFLATED, windowBits, 8, strategy, ZLIB_VERSION,
      sizeOfStream) == Z_OK
  else { return nil }
  defer { deflateEnd(&stream) }
  return run(&stream, over: bytes, capacity: bytes.count + 1024) { deflate(&$0, Z_FINISH) }
}

/// The output of one call of zlib; nil if it does not reach the end of the stream.
private func run(
  _ stream: inout z_stream, over bytes: [UInt8], capacity: Int, _ step: (inout z_stream) -> Int32
) -> [UInt8]? {
  var input = bytes
  var output = [UInt8](repeating: 0, count: capacity)
  let left: Int? = input.withUnsafeMutableBufferPointer { input in
    output.withUnsafeMutableBufferPointer { output in
      stream.next_in = input.baseAddress
      stream.avail_in = UInt32(input.count)
      stream.next_out = output.baseAddress
      stream.avail_out = UInt32(output.count)
      return step(&stream) == Z_STREAM_END ? Int(stream.avail_out) : nil
    }
  }
  guard let left else { return nil }
  output.removeLast(left)
  return output
}
