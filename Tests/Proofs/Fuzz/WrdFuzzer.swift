/// Archives in the `wrd` form, with or without the first byte that databases add.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ data: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let input = bytes(data, count)
  // `AnyFormFuzzer` tests other first bytes.
  guard isWrd(input) else { return -1 }
  checkArchive(input)
  return 0
}

/// Mutates an input in a structured way, or its bytes.
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
