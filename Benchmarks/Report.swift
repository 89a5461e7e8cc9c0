import JSON
import Glibc

/// Figures, with the machine, compiler and commit that they were measured on.
struct Report {
  let figures: [Figure]

  /// A readable table; figures that miss their goal are marked.
  var table: String {
    let width = figures.map(\.name.count).max() ?? 0
    return figures.map { figure in
      let name = figure.name + String(repeating: " ", count: width - figure.name.count)
      guard figure.sampleCount > 0 else { return "\(name)  not measured: not installed" }
      var line = "\(name)  \(Self.short(figure.value)) \(figure.unit)"
      if figure.sampleCount > 1 { line += "  ±\(Self.short(figure.spread * 100)) %" }
      switch figure.goal {
      case .atLeast(let limit): line += "  (goal: at least \(Self.short(limit))"
      case .atMost(let limit): line += "  (goal: at most \(Self.short(limit))"
      case nil: return line
      }
      return line + (figure.goal?.isMet(by: figure.value) == false ? ", MISSED)" : ")")
    }.joined(separator: "\n")
  }

  /// The figures in JSON, with machine, compiler and commit.
  var json: [UInt8] {
    var json = JSONWriter()
    json.object(long: true) { json in
      for (name, value) in Self.surroundings {
        json.key(name)
        json.value(value)
      }
      json.key("figures")
      json.list(long: true) { json in
        for figure in figures where figure.sampleCount > 0 {
          json.object { json in
            json.key("name")
            json.value(figure.name)
            json.key("value")
            json.value(figure.value)
            json.key("unit")
            json.value(figure.unit)
            json.key("spread")
            json.value(figure.spread)
            json.key("samples")
            json.value(figure.sampleCount)
            switch figure.goal {
            case .atLeast(let limit):
              json.key("atLeast")
              json.value(limit)
            case .atMost(let limit):
              json.key("atMost")
              json.value(limit)
            case nil: break
            }
          }
        }
      }
    }
    json.finish()
    return json.bytes
  }

  private static var surroundings: [(String, String)] {
    let processor =
      text(of: "/proc/cpuinfo").split(separator: "\n")
      .first { $0.hasPrefix("model name") }?.split(separator: ":").last.map(String.init)
      ?? "unknown"
    #if compiler(>=6.4)
      let compiler = "Swift 6.4 or newer"
    #elseif compiler(>=6.3)
      let compiler = "Swift 6.3"
    #else
      let compiler = "Swift 6.2"
    #endif
    return [
      ("processor", String(processor.drop(while: { $0 == " " }))),
      ("cores", String(sysconf(Int32(_SC_NPROCESSORS_ONLN)))),
      ("compiler", compiler),
      ("commit", output(of: "git rev-parse --short HEAD 2>/dev/null")),
      ("date", output(of: "date -u +%Y-%m-%d")),
    ]
  }

  private static func short(_ value: Double) -> String {
    let unit = abs(value) >= 100 ? 1.0 : abs(value) >= 10 ? 10 : 100
    let text = ((value * unit).rounded() / unit).description
    return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
  }
}

/// The bytes of a file; none if it cannot be read.
func contents(of path: String) -> [UInt8] {
  guard let file = fopen(path, "r") else { return [] }
  defer { fclose(file) }
  return rest(of: file)
}

private func rest(of file: UnsafeMutablePointer<FILE>) -> [UInt8] {
  var bytes: [UInt8] = []
  var chunk = [UInt8](repeating: 0, count: 1 << 16)
  while true {
    let count = fread(&chunk, 1, chunk.count, file)
    if count == 0 { return bytes }
    bytes += chunk[..<count]
  }
}

func text(of path: String) -> String { String(decoding: contents(of: path), as: UTF8.self) }

/// The first line that a shell command prints, without the line break.
func output(of command: String) -> String {
  guard let pipe = popen(command, "r") else { return "" }
  defer { pclose(pipe) }
  return String(decoding: rest(of: pipe), as: UTF8.self).split(separator: "\n").first
    .map(String.init) ?? ""
}

/// Calls a body with the path of a temporary file with some bytes, which is deleted afterwards.
func withTemporaryFile<Result>(_ bytes: [UInt8], _ body: (String) -> Result) -> Result {
  let path = "/tmp/pentimento-benchmark-\(getpid())"
  if let file = fopen(path, "w") {
    fwrite(bytes, 1, bytes.count, file)
    fclose(file)
  }
  defer { unlink(path) }
  return body(path)
}
