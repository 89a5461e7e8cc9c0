import Glibc
import PencilKitArchive
import Strokes

/// The most memory that opening an archive takes, measured in processes that do nothing else.
enum MemoryBenchmarks {
  /// The word on the command line that asks for one such process.
  static let childWord = "memory-of"

  static func figures(_ effort: Effort) -> [Figure] {
    let small = effort.samples < Effort.full.samples
    var archives = [
      (
        "a page of \(small ? "20 thousand" : "a million") points",
        Workloads.handwriting(strokeCount: small ? 835 : 41_667).dataRepresentation()
      )
    ]
    for file in ["apple-notes-color", "inpaint-pencil"] {
      let bytes = contents(of: "../shared/corpus/pkdrawing/\(file).drawing")
      if !bytes.isEmpty { archives.append(("the real \(file)", bytes)) }
    }
    return archives.compactMap { name, bytes in
      let path = "/tmp/pentimento-memory-\(getpid()).drawing"
      guard let file = fopen(path, "w") else { return nil }
      fwrite(bytes, 1, bytes.count, file)
      fclose(file)
      defer { unlink(path) }
      let program = CommandLine.arguments[0]
      guard let peak = Double(output(of: "'\(program)' \(childWord) '\(path)'")) else { return nil }
      let limit = Double(6 * bytes.count + 5_000_000) / 1e6
      return Figure(
        "memory, open \(name) (\(bytes.count / 1000) kB)", "MB", [peak], goal: .atMost(limit))
    }
  }

  /// Opens a file and prints by how many MB the process has grown at most, the file's own bytes
  /// counted too.
  static func printPeak(opening path: String) {
    let before = peak()
    let drawing = try? PKDrawing(data: contents(of: path))
    print(Double(peak() - before) / 1000)
    consume(drawing)
  }

  /// The most memory this process has had so far, in kB.
  private static func peak() -> Int {
    let line = text(of: "/proc/self/status").split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
    return line.flatMap { Int($0.filter(\.isNumber)) } ?? 0
  }
}
