import CSystem
import Glibc
import Strokes
import System

/// The machine and the program of a measurement.
package struct Machine: Hashable, Sendable {
  /// Facts by their keys in JSON, in the order of a report.
  package let facts: [Fact]

  package struct Fact: Hashable, Sendable {
    package let key: String
    package let value: String

    package init(key: String, value: String) { (self.key, self.value) = (key, value) }
  }

  package init(facts: [Fact]) { self.facts = facts }

  /// This machine. `program` is the name and version of the measuring program.
  package static func current(program: String) -> Machine {
    let load = text(of: "/proc/loadavg").split(separator: " ").first
    let facts: [(String, String?)] = [
      ("program", program),
      ("processor", processor),
      ("cores", String(onlineCount)),
      ("usable", String(usableCount)), ("instructions", instructions),
      (
        "kernel",
        text(of: "/proc/sys/kernel/osrelease").split(separator: "\n").first.map(String.init)
      ),
      ("compiler", compiler), ("commit", commit), ("date", date), ("load", load.map(String.init)),
    ]
    return Machine(
      facts: facts.compactMap { key, value in value.map { Fact(key: key, value: $0) } })
  }

  /// The instructions with which the inner loops run.
  private static var instructions: String {
    switch instructionLevel() {
    case 0: "those of any processor"
    case 1: "AVX2"
    default: "AVX-512"
    }
  }

  package subscript(key: String) -> String? { facts.first { $0.key == key }?.value }

  /// A line for people.
  package var description: String {
    let cores = self["cores"].map { cores in
      let usable = self["usable"]
      return usable == nil || usable == cores
        ? "\(cores) cores" : "\(usable ?? "") of \(cores) cores"
    }
    let commit = self["commit"].map { "commit \($0)" }
    let parts = [
      self["program"], commit, self["compiler"], self["processor"], self["instructions"], cores,
      self["kernel"].map { "Linux \($0)" }, self["date"],
    ]
    return parts.compactMap(\.self).joined(separator: ", ")
  }

  /// The processor and its cores: the times of two reports are comparable if these are equal.
  package var hardware: String {
    (self["processor"] ?? "an unknown processor") + (self["cores"].map { ", \($0) cores" } ?? "")
      + (self["usable"].flatMap { $0 == self["cores"] ? nil : ", \($0) usable" } ?? "")
  }

  /// The average number of other programs' running processes over the last minute, per processor; 0
  /// if it is unknown.
  package var load: Double {
    (self["load"].flatMap { Double($0) } ?? 0) / Double(max(Self.usableCount, 1))
  }

  private static var processor: String {
    let lines = text(of: "/proc/cpuinfo").split(separator: "\n")
    let name = lines.first { $0.hasPrefix("model name") }?.split(separator: ":").last
    return name.map { String($0.drop { $0 == " " }) } ?? "unknown"
  }

  private static var onlineCount: Int { max(sysconf(Int32(_SC_NPROCESSORS_ONLN)), 1) }

  /// The processors that the kernel allows this process to use: `taskset` or a container may have
  /// limited them.
  private static var usableCount: Int {
    let lines = text(of: "/proc/self/status").split(separator: "\n")
    let list = lines.first { $0.hasPrefix("Cpus_allowed_list:") }?.split(separator: "\t").last
    let ranges = (list ?? "").split(separator: ",").map { range in
      range.split(separator: "-").compactMap { Int($0) }
    }
    let counts = ranges.map { ends in (ends.last ?? 0) - (ends.first ?? 1) + 1 }
    let count = counts.reduce(0, +)
    return count > 0 ? count : onlineCount
  }

  private static var compiler: String {
    #if compiler(>=6.4)
      "Swift 6.4 or newer"
    #elseif compiler(>=6.3)
      "Swift 6.3"
    #else
      "Swift 6.2"
    #endif
  }

  /// The commit of the sources, if the program is in their build folder; with a plus sign if files
  /// differ from it.
  private static var commit: String? {
    var path = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = readlink("/proc/self/exe", &path, path.count)
    guard count > 0 else { return nil }
    let parts = path[..<count].map { UInt8(bitPattern: $0) }.split(
      separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    guard let build = parts.lastIndex(where: { $0.elementsEqual(".build".utf8) }) else {
      return nil
    }
    let folder = Array(parts[..<build].joined(separator: [UInt8(ascii: "/")]))
    func git(_ words: String...) -> String? {
      let all = ["git", "-C"].map { Array($0.utf8) } + [folder] + words.map { Array($0.utf8) }
      return (try? ProcessRun(all, takesOutput: true, timeout: 5)).map {
        String(decoding: $0.output, as: UTF8.self)
      }
    }
    guard let id = git("rev-parse", "--short", "HEAD")?.split(separator: "\n").first else {
      return nil
    }
    let changes = git("status", "--porcelain", "--untracked-files=no") ?? ""
    return id + (changes.isEmpty ? "" : "+")
  }

  /// Today in UTC.
  private static var date: String {
    String(Timestamp(secondsSince1970: Double(time(nil))).iso8601Second?.prefix(10) ?? "")
  }
}

/// The bytes of a file; none if it cannot be read.
package func contents(of path: String) -> [UInt8] {
  let file = open(path, O_RDONLY | O_CLOEXEC)
  guard file >= 0 else { return [] }
  defer { close(file) }
  return (try? OpenFile.readAll(file, limit: .max)) ?? []
}

/// The text of a file; empty if it cannot be read.
package func text(of path: String) -> String { String(decoding: contents(of: path), as: UTF8.self) }
