extension UnsafeMutablePointer {
  /// Moves the first `count` values into memory for `capacity` of them, and frees the old memory.
  package mutating func grow(keeping count: Int, capacity: Int) {
    let memory = Self.allocate(capacity: capacity)
    memory.update(from: self, count: count)
    deallocate()
    self = memory
  }
}
