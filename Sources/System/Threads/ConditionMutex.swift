import CSystem
package import Glibc
import Synchronization

/// A value behind a mutex with a condition variable: one thread at a time may access it, and a
/// thread may wait for a change. Uses pthreads, which the thread sanitizer understands.
package final class ConditionMutex<Value>: @unchecked Sendable {
  @usableFromInline let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
  @usableFromInline var value: Value
  /// The number of changes.
  private let version = Atomic(0)

  /// A mutex with an initial value.
  package init(_ value: Value) {
    self.value = value
    mutex.initialize(to: pthread_mutex_t())
    condition.initialize(to: pthread_cond_t())
    pthread_mutex_init(mutex, nil)
    pthread_cond_init(condition, nil)
  }

  deinit {
    pthread_cond_destroy(condition)
    pthread_mutex_destroy(mutex)
    condition.deallocate()
    mutex.deallocate()
  }

  /// Calls a body with exclusive access to the value. Wakes no waiting threads. Inlined, because
  /// generic code for any type takes longer than most bodies.
  @inlinable
  package func withLock<Result, Failure: Error>(
    _ body: (inout Value) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return try body(&value)
  }

  /// Waits until a body returns a result. Calls it at once, and again after each `change`. For a
  /// moment it waits without sleeping: waking a thread takes longer than many of the parts into
  /// which work is divided.
  package func wait<Result>(until body: (inout Value) -> Result?) -> Result {
    let seen = version.load(ordering: .acquiring)
    if let result = withLock(body) { return result }
    for _ in 0..<pausesBeforeSleep {
      if version.load(ordering: .relaxed) != seen { break }
      threadPause()
    }
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    while true {
      if let result = body(&value) { return result }
      pthread_cond_wait(condition, mutex)
    }
  }

  /// Changes the value and wakes one waiting thread, for changes that only one of them can use.
  package func changeForOne(_ body: (inout Value) -> Void) {
    withLock(body)
    version.add(1, ordering: .releasing)
    pthread_cond_signal(condition)
  }

  /// Changes the value and wakes all waiting threads.
  package func change(_ body: (inout Value) -> Void) {
    withLock(body)
    version.add(1, ordering: .releasing)
    pthread_cond_broadcast(condition)
  }
}

/// The number of pauses before a waiting thread sleeps, together some 20 µs. Waking a thread of a
/// virtual machine takes longer.
private let pausesBeforeSleep = 1000
