import Glibc

/// A value that one thread at a time may touch, and may wait for. It stands on the system's lock, which
/// the thread sanitizer knows.
final class Monitor<Value>: @unchecked Sendable {
  private let lock = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let change = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
  private var value: Value

  init(_ value: Value) {
    self.value = value
    lock.initialize(to: pthread_mutex_t())
    change.initialize(to: pthread_cond_t())
    pthread_mutex_init(lock, nil)
    pthread_cond_init(change, nil)
  }

  deinit {
    pthread_cond_destroy(change)
    pthread_mutex_destroy(lock)
    change.deallocate()
    lock.deallocate()
  }

  func withLock<Result, Failure: Error>(
    _ body: (inout Value) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    pthread_mutex_lock(lock)
    defer { pthread_mutex_unlock(lock) }
    return try body(&value)
  }

  /// Waits until a body gives something, and lets it be asked again whenever something was changed.
  func wait<Result>(until body: (inout Value) -> Result?) -> Result {
    pthread_mutex_lock(lock)
    defer { pthread_mutex_unlock(lock) }
    while true {
      if let result = body(&value) { return result }
      pthread_cond_wait(change, lock)
    }
  }

  /// Changes the value and wakes those who wait.
  func change(_ body: (inout Value) -> Void) {
    withLock(body)
    pthread_cond_broadcast(change)
  }
}
