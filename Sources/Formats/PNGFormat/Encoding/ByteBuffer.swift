import Graphics

/// A growing buffer that kernels write into.
final class ByteBuffer {
  private(set) var start: UnsafeMutablePointer<UInt8>
  private var capacity: Int
  /// The number of bytes in use.
  var count = 0

  init(capacity: Int = 1 << 12) {
    self.capacity = capacity
    start = .allocate(capacity: capacity)
  }

  deinit { start.deallocate() }

  /// A pointer to the end, with capacity for `more` bytes.
  @inline(__always)
  func end(with more: Int) -> UnsafeMutablePointer<UInt8> {
    if count + more > capacity { grow(to: count + more) }
    return start + count
  }

  /// Removes bytes from the front; the rest moves down.
  func removeFirst(_ some: Int) {
    start.update(from: start + some, count: count - some)
    count -= some
  }

  /// Discards all bytes; returns the start, with capacity for `count` bytes.
  func restart(with count: Int) -> UnsafeMutablePointer<UInt8> {
    self.count = 0
    return end(with: count)
  }

  @inline(never)
  private func grow(to needed: Int) {
    capacity = max(needed, 2 * capacity)
    start.grow(keeping: count, capacity: capacity)
  }

  func add(_ byte: UInt8) {
    end(with: 1).pointee = byte
    count += 1
  }

  /// Appends a number, big-endian.
  func add(_ number: UInt32) {
    UnsafeMutableRawPointer(end(with: 4)).storeBytes(of: number.bigEndian, as: UInt32.self)
    count += 4
  }

  func add(_ bytes: some Collection<UInt8>) {
    _ = UnsafeMutableBufferPointer(start: end(with: bytes.count), count: bytes.count)
      .update(fromContentsOf: bytes)
    count += bytes.count
  }

  /// Overwrites a number, big-endian.
  func set(_ number: UInt32, at offset: Int) {
    UnsafeMutableRawPointer(start + offset).storeBytes(of: number.bigEndian, as: UInt32.self)
  }
}
