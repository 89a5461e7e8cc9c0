import Threads

/// Objects that a page identifies by positive numbers. Numbers of closed objects are reused.
final class Handles<Object: AnyObject & SendableMetatype>: Sendable {
  private let objects = ConditionMutex<[Object?]>([])

  /// Keeps an object and returns its number.
  func add(_ object: Object) -> Int32 {
    objects.withLock { objects in
      let index = objects.firstIndex { $0 == nil } ?? objects.count
      if index == objects.count { objects.append(nil) }
      objects[index] = object
      return Int32(index + 1)
    }
  }

  func find(_ number: Int32) throws(EngineError) -> Object {
    // The smallest integer has no predecessor.
    guard number > 0 else { throw .unknownHandle }
    let found = objects.withLock { objects in
      objects.indices.contains(Int(number) - 1) ? objects[Int(number) - 1] : nil
    }
    guard let found else { throw .unknownHandle }
    return found
  }

  /// All objects that are open.
  var all: [Object] { objects.withLock { $0.compactMap { $0 } } }

  func remove(_ number: Int32) throws(EngineError) {
    _ = try find(number)
    objects.withLock { $0[Int(number) - 1] = nil }
  }
}
