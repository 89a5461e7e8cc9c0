import Graphics

/// A growable array of plain values. Its memory does not move once all values are appended, so
/// kernels and threads can read it through `base`.
final class Column<Element: BitwiseCopyable> {
  // Checking each access for overlaps would take longer than the access.
  @exclusivity(unchecked) private(set) var count = 0
  @exclusivity(unchecked) private(set) var capacity = 64
  @exclusivity(unchecked) private(set) var base: UnsafeMutablePointer<Element>

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

  /// Appends an element; the caller has reserved capacity for it.
  @inline(__always)
  func appendReserved(_ element: Element) {
    assert(count < capacity, "more elements than capacity was reserved for")
    (base + count).initialize(to: element)
    count += 1
  }

  /// Reserves capacity for additional elements.
  func reserve(_ additional: Int) {
    if count + additional > capacity { grow(to: max(count + additional, 2 * capacity)) }
  }

  @inline(__always)
  subscript(index: Int) -> Element {
    assert(0..<count ~= index, "the index is out of range")
    return base[index]
  }

  @inline(never)
  private func grow(to larger: Int) {
    base.grow(keeping: count, capacity: larger)
    capacity = larger
  }

  /// Removes an element; the last one takes its place.
  @inline(__always)
  func removeMoving(_ index: Int) {
    count -= 1
    base[index] = base[count]
  }

  /// Removes all elements and keeps the memory.
  func removeAll() { count = 0 }
}
