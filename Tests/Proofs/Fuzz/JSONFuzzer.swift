import InkFiles
import JSON
import ForeignInk
import PencilKitArchive
import Strokes

/// Drawings in the JSON format.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ data: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let input = bytes(data, count)
  let drawing: PKDrawing
  do throws(JSONError) {
    drawing = try JSONDrawingReader.decode(input)
  } catch {
    guard error.offset >= 0, error.offset <= count else {
      violated("an error at byte \(error.offset) of \(count)")
    }
    return 0
  }
  checkJSON(of: drawing)
  checkArchive(of: drawing)
  return 0
}

/// Mutates an input in a structured way, or its bytes.
@_cdecl("LLVMFuzzerCustomMutator")
public func customMutator(
  _ data: UnsafeMutablePointer<UInt8>, _ count: Int, _ maximum: Int, _ seed: CUnsignedInt
) -> Int {
  mutate(data, count, maximum: maximum, seed: seed) { input, random in
    var text = JSONTokens(input)
    for _ in 0...random.below(4) { text.mutate(&random) }
    return text.bytes
  }
}
