/// Numbers in a row whose memory stays where it is once all are there, so that kernels and threads
/// can read it without further ado.
final class Column<Element: BitwiseCopyable> {
  private(set) var count = 0
  private var capacity = 64
  private(set) var base: UnsafeMutablePointer<Element>

  init() { base = .allocate(capacity: capacity) }

  init(repeating element: Element, count: Int) {
    capacity = max(count, 1)
    base = .allocate(capacity: capacity)
    base.initialize(repeating: element, count: count)
    self.count = count
  }

  deinit { base.deallocate() }

  @inline(__always)
  func append(_ element: Element) {
    if count == capacity { grow(to: 2 * capacity) }
    (base + count).initialize(to: element)
    count += 1
  }

  /// Adds a number for which there is room.
  @inline(__always)
  func appendReserved(_ element: Element) {
    assert(count < capacity, "more numbers than there is room for")
    (base + count).initialize(to: element)
    count += 1
  }

  /// Makes room for more numbers.
  func reserve(_ more: Int) {
    if count + more > capacity { grow(to: max(count + more, 2 * capacity)) }
  }

  @inline(__always)
  subscript(index: Int) -> Element {
    assert(0..<count ~= index, "a number that the column does not have")
    return base[index]
  }

  @inline(never)
  private func grow(to larger: Int) {
    let memory = UnsafeMutablePointer<Element>.allocate(capacity: larger)
    memory.update(from: base, count: count)
    base.deallocate()
    (base, capacity) = (memory, larger)
  }

  /// Forgets all numbers and keeps the memory.
  func removeAll() { count = 0 }
}
