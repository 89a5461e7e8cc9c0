import CSystem
import Threads

// Swift ends the process when an allocation fails. So a call first allocates the memory that its
// arguments require: if this succeeds, the memory is freed at once, and the call continues. Two
// calls at the same moment may both succeed although there is memory for only one.

/// Throws an error if the system has no memory of this size.
func checkMemory(_ byteCount: Int, for purpose: @autoclosure () -> String) throws(InterfaceError) {
  guard hasMemory(byteCount) else {
    throw InterfaceError(.noMemory, "there is no memory for \(purpose())")
  }
}

/// The number of threads, at most `wanted`, for which there is memory. At least 1, whose memory the
/// caller has checked.
func laneCount(_ wanted: Int, bytesEach: Int) -> Int {
  var count = wanted
  while count > 1, !hasMemory(bytesEach + (count - 1) * (bytesEach + threadBytes)) { count -= 1 }
  return max(count, 1)
}

/// A thread's share of the process's address space: 8 MB for its stack, and 128 MB for its heap, of
/// which glibc gives half back.
private let threadBytes = 136 << 20

private func hasMemory(_ byteCount: Int) -> Bool {
  // Smaller amounts are not worth the time: Swift allocates as much in many other places.
  guard byteCount > 1 << 20 else { return true }
  guard let memory = lazyMemoryCreate(byteCount) else { return false }
  lazyMemoryFree(memory, byteCount)
  return true
}
