import Glibc
import JSON
import System
import Threads

/// Writes results to the standard output, each as soon as it is complete.
final class WorkWriter: Sendable {
  private let isFramed: Bool
  private let lock = ConditionMutex(())

  init(isFramed: Bool) { self.isFramed = isFramed }

  func write(_ result: WorkResult) throws(SystemError) {
    var json = JSONWriter()
    json.object { json in
      switch result.id {
      case .text(let id): json.field("id", id)
      case .number(let id): json.field("id", id)
      }
      if let problem = result.problem { json.field("error", problem) }
      if result.isKnown { json.field("known", true) }
      if result.size > 0 {
        json.field("width", result.width)
        json.field("height", result.height)
        json.field("size", result.size)
        json.field("sha256", result.sha256)
      }
      guard let picture = result.picture else { return }
      if isFramed {
        json.field("byteCount", picture.count)
      } else {
        json.field("png", Base64.encode(picture))
      }
    }
    var bytes = json.bytes
    if isFramed {
      let count = bytes.count
      bytes = (0..<4).map { UInt8(truncatingIfNeeded: count >> (24 - 8 * $0)) } + bytes
      bytes += result.picture ?? []
    } else {
      bytes.append(UInt8(ascii: "\n"))
    }
    try lock.withLock { _ throws(SystemError) in
      try OutputFile(handle: STDOUT_FILENO, name: "standard output").write(bytes)
    }
  }
}
