/// Values at an address that the page can read, valid for the lifetime of the block.
final class Block<Element> {
  let count: Int
  private let memory: UnsafeMutablePointer<Element>

  init(_ elements: [Element]) {
    count = elements.count
    memory = .allocate(capacity: max(count, 1))
    memory.initialize(from: elements, count: count)
  }

  deinit {
    memory.deinitialize(count: count)
    memory.deallocate()
  }

  var start: UnsafePointer<Element> { UnsafePointer(memory) }
}
