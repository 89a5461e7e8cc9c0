import Graphics
import PNGFormat

/// PNG files. Mutations keep checksums correct; otherwise hardly any input would pass them.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ data: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let input = bytes(data, count)
  let limits = PNGDecoder.Limits(side: 512, memory: 4 << 20, chunk: 1 << 18, frames: 64)
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
  readFrames(of: input, PNGDecoder(limits: limits))
  return 0
}

/// Reads all frames of a moving picture, and composes them on a canvas.
private func readFrames(of input: [UInt8], _ decoder: PNGDecoder) {
  do throws(PNGError) {
    let frames = try decoder.frames(of: input)
    var count = 0
    do throws(PNGReadingError<Never>) {
      try frames.forEachCanvas { image, control in
        count += 1
        let rectangle = control.rectangle
        guard
          image.width == frames.width, image.height == frames.height, !rectangle.isEmpty,
          rectangle.union(PixelRect(width: image.width, height: image.height)).width == image.width
        else { violated("\(rectangle) of \(image.width)×\(image.height) pixels") }
        let size = image.width * image.height * image.depth.bytesPerPixel
        guard image.components.count == size, 4 * size <= decoder.limits.memory else {
          violated("\(image.components.count) bytes of a canvas")
        }
      }
      guard count == frames.controls.count, count <= decoder.limits.frames else {
        violated("\(count) frames of \(frames.controls.count)")
      }
    } catch {
      guard case .picture(let error) = error, error.offset.map({ 0...input.count ~= $0 }) ?? true
      else { violated("\(error)") }
    }
  } catch {
    guard error.offset.map({ 0...input.count ~= $0 }) ?? true else { violated("\(error)") }
  }
}

/// Mutates an input in a structured way, or its bytes.
@_cdecl("LLVMFuzzerCustomMutator")
public func customMutator(
  _ data: UnsafeMutablePointer<UInt8>, _ count: Int, _ maximum: Int, _ seed: CUnsignedInt
) -> Int {
  mutate(data, count, maximum: maximum, seed: seed) { input, random in
    var chunks = chunks(of: input)
    guard !chunks.isEmpty else { return nil }
    let index = random.below(chunks.count)
    switch random.below(7) {
    case 6: number(&chunks)
    case 0: chunks.remove(at: index)
    case 1: chunks.insert(chunks[random.below(chunks.count)], at: index)
    case 2: chunks.swapAt(index, random.below(chunks.count))
    case 3:
      chunks[index].name = random.pick([
        "PLTE", "tRNS", "IDAT", "tEXt", "zTXt", "iTXt", "pHYs", "acTL", "fcTL", "fdAT",
      ])
    default: chunks[index].data = blindlyMutated(chunks[index].data)
    }
    var png = RawPNG()
    for chunk in chunks { png.add(chunk.name, chunk.data) }
    return png.bytes
  }
}

/// Renumbers the chunks of frames, so that another order of them is valid.
private func number(_ chunks: inout [(name: String, data: [UInt8])]) {
  var number: UInt32 = 0
  for index in chunks.indices where ["fcTL", "fdAT"].contains(chunks[index].name) {
    chunks[index].data = RawPNG.big(number) + chunks[index].data.dropFirst(4)
    number += 1
  }
}

/// The chunks of a file, up to the first incomplete one.
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
