/// The message inside a compressed drawing of Notes before iOS 13. Mutations of the compressed
/// bytes would hardly ever reach it.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ data: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  checkMessage2018(bytes(data, count))
  return 0
}

/// Mutates an input in a structured way, or its bytes.
@_cdecl("LLVMFuzzerCustomMutator")
public func customMutator(
  _ data: UnsafeMutablePointer<UInt8>, _ count: Int, _ maximum: Int, _ seed: CUnsignedInt
) -> Int {
  mutate(data, count, maximum: maximum, seed: seed) { input, random in
    guard var document = [WireNode](input[...], as: .document2018) else { return nil }
    document.mutate(&random)
    return document.encoded
  }
}
