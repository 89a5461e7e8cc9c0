import LibFuzzer

/// Ends the run: libFuzzer keeps the input and says where it lies.
func violated(_ property: String) -> Never { fatalError("violated: \(property)") }

/// The bytes that libFuzzer hands to a target.
func bytes(_ data: UnsafePointer<UInt8>?, _ count: Int) -> [UInt8] {
  Array(UnsafeBufferPointer(start: data, count: count))
}

/// A small generator: the same numbers for the same seed, as libFuzzer asks of mutators.
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

  /// A number from 0 up to a limit, which it does not reach; 0 for a limit of 0.
  mutating func below(_ limit: Int) -> Int {
    limit > 0 ? Int(truncatingIfNeeded: next() >> 2) % limit : 0
  }

  /// True once in so many times.
  mutating func oneIn(_ count: Int) -> Bool { below(count) == 0 }

  mutating func pick<Value>(_ values: [Value]) -> Value { values[below(values.count)] }

  mutating func bytes(_ count: Int) -> [UInt8] {
    (0..<count).map { _ in UInt8(truncatingIfNeeded: next()) }
  }
}

/// Changes bytes as libFuzzer does, which knows the values that the target has compared with.
func blindlyMutated(_ bytes: [UInt8], room: Int = 16) -> [UInt8] {
  var copy = bytes + [UInt8](repeating: 0, count: room)
  let count = copy.withUnsafeMutableBufferPointer {
    LLVMFuzzerMutate($0.baseAddress, bytes.count, bytes.count + room)
  }
  copy.removeLast(copy.count - count)
  return copy
}

/// The frame of all mutators: one half of the changes is structured, the other blind. Where a
/// structured change is not possible, or too large, a blind one takes its place.
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
