import CSystem

/// Memory that is lent to callers, for as long as the block lives.
final class Block<Element: BitwiseCopyable>: @unchecked Sendable {
  let count: Int
  let base: UnsafeMutablePointer<Element>
  private let byteCount: Int

  /// Memory for some elements, which the caller initializes.
  init(uninitialized count: Int) throws(InterfaceError) {
    byteCount = max(count, 1) * MemoryLayout<Element>.stride
    guard let memory = lazyMemoryCreate(byteCount) else {
      throw InterfaceError(.noMemory, "there is no memory for a result of \(byteCount) bytes")
    }
    self.count = count
    base = memory.bindMemory(to: Element.self, capacity: max(count, 1))
  }

  convenience init(_ elements: some Collection<Element>) throws(InterfaceError) {
    try self.init(uninitialized: elements.count)
    _ = UnsafeMutableBufferPointer(start: base, count: count).initialize(fromContentsOf: elements)
  }

  /// The elements of several lists, one after the other, each changed by a body.
  convenience init<Part>(
    _ parts: [Part], _ elements: (Part) -> [Element], changing change: (Element, Int) -> Element
  ) throws(InterfaceError) {
    try self.init(uninitialized: parts.reduce(0) { $0 + elements($1).count })
    var next = base
    for (index, part) in parts.enumerated() {
      for element in elements(part) {
        next.initialize(to: change(element, index))
        next += 1
      }
    }
  }

  /// The elements of several lists, one after the other.
  convenience init<Part>(
    _ parts: [Part], _ elements: (Part) -> [Element]
  ) throws(InterfaceError) {
    try self.init(uninitialized: parts.reduce(0) { $0 + elements($1).count })
    var next = base
    for part in parts {
      elements(part).withUnsafeBufferPointer { source in
        guard let start = source.baseAddress else { return }
        next.initialize(from: start, count: source.count)
        next += source.count
      }
    }
  }

  deinit { lazyMemoryFree(base, byteCount) }
}

extension Block<CChar> {
  /// A text as C stores it: up to its first zero byte.
  convenience init(text: String) throws(InterfaceError) {
    try self.init(text.utf8.prefix { $0 != 0 }.map { CChar(bitPattern: $0) } + [0])
  }
}

/// A text that a caller passes; nil for null.
func text(_ pointer: UnsafePointer<CChar>?) -> String? { pointer.map { String(cString: $0) } }
