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
    if count == capacity { grow() }
    (base + count).initialize(to: element)
    count += 1
  }

  @inline(__always)
  subscript(index: Int) -> Element {
    assert(0..<count ~= index, "a number that the column does not have")
    return base[index]
  }

  @inline(never)
  private func grow() {
    let larger = UnsafeMutablePointer<Element>.allocate(capacity: 2 * capacity)
    larger.update(from: base, count: count)
    base.deallocate()
    (base, capacity) = (larger, 2 * capacity)
  }

  /// Forgets all numbers and keeps the memory.
  func removeAll() { count = 0 }
}
