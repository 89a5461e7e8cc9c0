import Graphics
import PNGFormat

/// PNG, whose checksums are made right after every change, or hardly anything would come by them.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ data: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let input = bytes(data, count)
  let limits = PNGDecoder.Limits(side: 512, memory: 4 << 20, chunk: 1 << 18)
  do throws(PNGError) {
    let image = try PNGDecoder(limits: limits).decode(input)
    guard 1...512 ~= image.width, 1...512 ~= image.height else {
      violated("\(image.width)×\(image.height) pixels")
    }
    let size = image.width * image.height * image.depth.bytesPerPixel
    guard image.components.count == size, size <= limits.memory else {
      violated("\(image.components.count) bytes for \(image.width)×\(image.height) pixels")
    }
    guard image.texts.reduce(0, { $0 + $1.text.utf8.count }) <= 3 * limits.memory else {
      violated("texts beyond the limit")
    }
  } catch {
    guard error.offset.map({ 0...count ~= $0 }) ?? true else { violated("\(error) of \(count)") }
  }
  return 0
}

/// Changes an input in a structured way, or blindly.
@_cdecl("LLVMFuzzerCustomMutator")
public func customMutator(
  _ data: UnsafeMutablePointer<UInt8>, _ count: Int, _ maximum: Int, _ seed: CUnsignedInt
) -> Int {
  mutate(data, count, maximum: maximum, seed: seed) { input, random in
    var chunks = chunks(of: input)
    guard !chunks.isEmpty else { return nil }
    let place = random.below(chunks.count)
    switch random.below(6) {
    case 0: chunks.remove(at: place)
    case 1: chunks.insert(chunks[random.below(chunks.count)], at: place)
    case 2: chunks.swapAt(place, random.below(chunks.count))
    case 3:
      chunks[place].name = random.pick(["PLTE", "tRNS", "IDAT", "tEXt", "zTXt", "iTXt", "pHYs"])
    default: chunks[place].data = blindlyMutated(chunks[place].data)
    }
    var png = RawPNG()
    for chunk in chunks { png.add(chunk.name, chunk.data) }
    return png.bytes
  }
}

/// The chunks that stand in bytes, as far as they are whole.
private func chunks(of bytes: [UInt8]) -> [(name: String, data: [UInt8])] {
  var chunks: [(name: String, data: [UInt8])] = []
  var rest = bytes.dropFirst(RawPNG.signature.count)
  while rest.count >= 12 {
    let length = rest.prefix(4).reduce(0) { $0 << 8 | Int($1) }
    guard length <= rest.count - 12 else { break }
    let name = rest.dropFirst(4).prefix(4).map { $0 < 128 ? $0 : 65 }
    chunks.append((String(decoding: name, as: UTF8.self), Array(rest.dropFirst(8).prefix(length))))
    rest = rest.dropFirst(length + 12)
  }
  return chunks
}
