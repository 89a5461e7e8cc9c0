/// Memory that grows, for bytes that kernels write.
final class ByteRoom {
  private(set) var start: UnsafeMutablePointer<UInt8>
  private var capacity: Int
  /// How many bytes were written.
  var count = 0

  init(capacity: Int = 1 << 12) {
    self.capacity = capacity
    start = .allocate(capacity: capacity)
  }

  deinit { start.deallocate() }

  /// Where the next byte goes, with room for some more.
  @inline(__always)
  func end(with more: Int) -> UnsafeMutablePointer<UInt8> {
    if count + more > capacity { grow(to: count + more) }
    return start + count
  }

  /// Moves all bytes but the first ones to the beginning.
  func removeFirst(_ some: Int) {
    start.update(from: start + some, count: count - some)
    count -= some
  }

  /// The beginning, with room for so many bytes in place of those that are there.
  func restart(with count: Int) -> UnsafeMutablePointer<UInt8> {
    self.count = 0
    return end(with: count)
  }

  @inline(never)
  private func grow(to needed: Int) {
    let larger = max(needed, 2 * capacity)
    let memory = UnsafeMutablePointer<UInt8>.allocate(capacity: larger)
    memory.update(from: start, count: count)
    start.deallocate()
    (start, capacity) = (memory, larger)
  }

  func add(_ byte: UInt8) {
    end(with: 1).pointee = byte
    count += 1
  }

  /// Adds a number, its highest byte first.
  func add(_ number: UInt32) {
    UnsafeMutableRawPointer(end(with: 4)).storeBytes(of: number.bigEndian, as: UInt32.self)
    count += 4
  }

  func add(_ bytes: some Collection<UInt8>) {
    _ = UnsafeMutableBufferPointer(start: end(with: bytes.count), count: bytes.count)
      .update(fromContentsOf: bytes)
    count += bytes.count
  }

  /// Sets a number that was left open.
  func set(_ number: UInt32, at place: Int) {
    UnsafeMutableRawPointer(start + place).storeBytes(of: number.bigEndian, as: UInt32.self)
  }
}
