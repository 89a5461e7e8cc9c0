/// Archives of the `wrd` form, also behind the byte that databases put before them.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ data: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let input = bytes(data, count)
  // Other first bytes are for the target that takes all forms.
  guard isWrd(input) else { return -1 }
  checkArchive(input)
  return 0
}

/// Changes an input in a structured way, or blindly.
@_cdecl("LLVMFuzzerCustomMutator")
public func customMutator(
  _ data: UnsafeMutablePointer<UInt8>, _ count: Int, _ maximum: Int, _ seed: CUnsignedInt
) -> Int {
  mutate(data, count, maximum: maximum, seed: seed) { input, random in
    let start = input.first == 1 ? 7 : 6
    guard input.count >= start, var drawing = [WireNode](input[start...], as: .drawing) else {
      return nil
    }
    drawing.mutate(&random)
    return input[..<start] + drawing.encoded
  }
}
