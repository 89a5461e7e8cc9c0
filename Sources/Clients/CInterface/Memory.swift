import CSystem
import Threads

// Swift ends the process when it gets no memory. So what a call needs by its arguments is asked for before it begins: if
// the system has it, it is given back at once, and the call goes on. Two calls at the same moment may each see what is
// enough for one.

/// Throws an error if the system has no memory of this size.
func checkMemory(_ byteCount: Int, for purpose: @autoclosure () -> String) throws(InterfaceError) {
  guard hasMemory(byteCount) else {
    throw InterfaceError(.noMemory, "there is no memory for \(purpose())")
  }
}

/// The number of threads, of those that a caller wants, that there is memory for; at least 1, whose own need the caller
/// has checked.
func laneCount(_ wanted: Int, bytesEach: Int) -> Int {
  var count = wanted
  while count > 1, !hasMemory(bytesEach + (count - 1) * (bytesEach + threadBytes)) { count -= 1 }
  return max(count, 1)
}

/// What a thread takes of the addresses of a process: 8 MB for its stack, and 128 MB for its heap, of which glibc gives
/// half back.
private let threadBytes = 136 << 20

private func hasMemory(_ byteCount: Int) -> Bool {
  // Smaller amounts are not worth the time: Swift needs as much at many other places.
  guard byteCount > 1 << 20 else { return true }
  guard let memory = lazyMemoryCreate(byteCount) else { return false }
  lazyMemoryFree(memory, byteCount)
  return true
}
