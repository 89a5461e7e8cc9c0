// The module `Threads` for a page, whose code runs on one thread. Names and meanings are those of
// `Sources/System/Threads`.

/// A value that one thread accesses.
package final class ConditionMutex<Value>: @unchecked Sendable {
  private var value: Value

  /// A mutex with an initial value.
  package init(_ value: Value) { self.value = value }

  /// Calls a body with access to the value.
  package func withLock<Result, Failure: Error>(
    _ body: (inout Value) throws(Failure) -> Result
  ) throws(Failure) -> Result { try body(&value) }

  /// Calls a body that must return a result at once, because no other thread could change the
  /// value.
  package func wait<Result>(until body: (inout Value) -> Result?) -> Result {
    guard let result = body(&value) else {
      preconditionFailure("a page has no thread that could change the value")
    }
    return result
  }

  /// Changes the value.
  package func change(_ body: (inout Value) -> Void) { body(&value) }
}

/// Runs work for several threads one lane after the other, so lanes must not wait for each other.
package enum Lanes {
  /// The number of threads of a page.
  package static var available: Int { 1 }

  /// Calls a body once for every lane.
  package static func run(_ count: Int, _ body: (_ lane: Int) -> Void) {
    for lane in 0..<max(count, 1) { body(lane) }
  }
}
