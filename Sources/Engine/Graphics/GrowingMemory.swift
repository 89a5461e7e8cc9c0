import CSystem

extension UnsafeMutablePointer where Pointee: BitwiseCopyable {
  /// Moves the first `count` values into memory for `capacity` of them, and frees the old memory.
  package mutating func grow(keeping count: Int, capacity: Int) {
    let memory = Self.allocate(capacity: capacity)
    // Touching small pages takes longer than filling them.
    memoryUseHugePages(memory, capacity * MemoryLayout<Pointee>.stride)
    UnsafeMutableRawPointer(memory)
      .copyMemory(from: self, byteCount: count * MemoryLayout<Pointee>.stride)
    deallocate()
    self = memory
  }
}
