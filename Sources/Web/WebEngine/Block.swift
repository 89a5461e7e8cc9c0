/// Values at an address that the page can read, for as long as the block lives.
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
