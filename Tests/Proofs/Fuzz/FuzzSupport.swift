import LibFuzzer

/// Ends the run: libFuzzer stores the input and prints its path.
func violated(_ property: String) -> Never { fatalError("violated: \(property)") }

/// The input of a target as an array.
func bytes(_ data: UnsafePointer<UInt8>?, _ count: Int) -> [UInt8] {
  Array(UnsafeBufferPointer(start: data, count: count))
}

/// A random generator. libFuzzer requires mutators to give the same result for the same seed.
struct Randomness: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt32) { state = UInt64(seed) }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }

  /// A number that is at least 0 and below a limit; 0 for a limit of 0.
  mutating func below(_ limit: Int) -> Int {
    limit > 0 ? Int(truncatingIfNeeded: next() >> 2) % limit : 0
  }

  /// True with a probability of 1 in `count`.
  mutating func oneIn(_ count: Int) -> Bool { below(count) == 0 }

  mutating func pick<Value>(_ values: [Value]) -> Value { values[below(values.count)] }

  mutating func bytes(_ count: Int) -> [UInt8] {
    (0..<count).map { _ in UInt8(truncatingIfNeeded: next()) }
  }
}

/// Mutates bytes with libFuzzer's own mutator, which also tries values from the target's
/// comparisons. The result is at most `growth` bytes longer.
func blindlyMutated(_ bytes: [UInt8], growth: Int = 16) -> [UInt8] {
  var copy = bytes + [UInt8](repeating: 0, count: growth)
  let count = copy.withUnsafeMutableBufferPointer {
    LLVMFuzzerMutate($0.baseAddress, bytes.count, bytes.count + growth)
  }
  copy.removeLast(copy.count - count)
  return copy
}

/// The common part of all mutators: one half of the mutations is structured, the other one is made
/// by libFuzzer, which also replaces structured mutations that are impossible or too large.
func mutate(
  _ data: UnsafeMutablePointer<UInt8>, _ count: Int, maximum: Int, seed: UInt32,
  _ structured: ([UInt8], inout Randomness) -> [UInt8]?
) -> Int {
  var random = Randomness(seed: seed)
  guard random.oneIn(2), let changed = structured(bytes(data, count), &random),
    !changed.isEmpty, changed.count <= maximum
  else { return LLVMFuzzerMutate(data, count, maximum) }
  data.update(from: changed, count: changed.count)
  return changed.count
}
