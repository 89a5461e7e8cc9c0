import InkFiles
import Glibc
import Graphics
import ForeignInk
import JSON
import Measurement
import PKDFormat
import PNGFormat
import Pictures
import Rasterization
import Strokes

/// `pkd doctor`: the installation's available and missing parts, and a test of each.
let doctorCommand = CommandDefinition(
  name: "doctor",
  summary: "Show what this installation has and lacks, and whether it works.",
  operands: "",
  operandCount: 0...0,
  options: [.json],
  examples: [
    ("pkd doctor", "A table, with what each missing program is needed for."),
    ("pkd doctor --json", "The same for programs, and for reports of faults."),
  ]
) { arguments, console in
  let findings = Findings()
  try console.printAlways(
    arguments.has(Option.json.name) ? findings.json : findings.table(console))
  for test in findings.tests {
    if let problem = test.problem { console.fail("\(test.name): \(problem)", .failed) }
  }
}

/// The findings of the doctor.
private struct Findings {
  /// A program that some commands start.
  struct Helper {
    let name: String
    let purpose: String
    /// Instructions for installing it.
    let remedy: String
    /// Its path; nil if it is missing.
    let path: SystemString?

    init(_ name: String, for purpose: String, remedy: String) {
      (self.name, self.purpose, self.remedy) = (name, purpose, remedy)
      path = SecondProgram.path(of: SystemString(bytes: Array(name.utf8)))
    }

    /// A second program of this package.
    init(second name: String, for purpose: String) {
      self.init(name, for: purpose, remedy: SecondProgram.remedy(for: name))
    }
  }

  /// The result of a test.
  struct Test {
    let name: String
    /// The problem; nil if the test passed.
    let problem: String?

    init(_ name: String, _ body: () throws -> String?) {
      self.name = name
      do { problem = try body() } catch { problem = "\(error)" }
    }
  }

  let machine = Machine.current(program: Version.text)
  let helpers = [
    Helper(second: SecondProgram.service, for: "'pkd store', 'pkd serve', 'pkd sync'"),
    Helper("ffmpeg", for: "replays as .mp4 and .webm", remedy: "apt install ffmpeg"),
    Helper("man", for: "the manual page", remedy: "apt install man-db"),
  ]
  let tests = [
    Test("draw, write and read a picture") { try Self.pictureProblem() },
    Test("write and read a recording") {
      let drawing = DemoDrawing.recording.drawing
      let bytes = try PKDWriter.encode(DemoDrawing.recording)
      return try DrawingFile(bytes).strokes().drawing == drawing
        ? nil : "what was read differs from what was written"
    },
    Test("time zones") {
      access("/usr/share/zoneinfo/Asia/Taipei", R_OK) == 0
        ? nil : "they are missing: apt install tzdata"
    },
    Test("temporary files") {
      do throws(SystemError) {
        let file = try Console.temporaryFile()
        defer { close(file) }
        try writeAll([0], to: file, Console.temporaryFolder)
        return nil
      } catch {
        return "\(error)"
      }
    },
  ]

  /// The number of files that may be open at once: a server needs one for each connection.
  var openFiles: Int {
    var limit = rlimit()
    getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    return Int(clamping: limit.rlim_cur)
  }

  private static func pictureProblem() throws -> String? {
    let recording = DemoDrawing.recording
    let drawn = try Picture(of: recording.drawing, on: recording.canvas)
    let picture = try PNGDecoder().decode(drawn.png())
    return picture.width == drawn.width && Set(picture.components).count > 16
      ? nil : "the picture that was read is not the one that was drawn"
  }

  var json: String {
    var json = JSONWriter()
    json.object { json in
      json.field("version", Version.number)
      json.field("commit", Version.commit.isEmpty ? nil : Version.commit)
      for key in ["processor", "kernel", "compiler"] {
        json.field(key, machine[key] ?? "")
      }
      for key in ["cores", "usable"] {
        json.field(key, machine[key].flatMap { Int($0) } ?? 0)
      }
      json.field("instructions", machine["instructions"] ?? "")
      json.field("openFiles", openFiles)
      json.list("programs", helpers) { json, helper in
        json.object { json in
          json.field("name", helper.name)
          json.field("path", helper.path?.description)
          json.field("purpose", helper.purpose)
        }
      }
      json.list("tests", tests) { json, test in
        json.object { json in
          json.field("name", test.name)
          json.field("problem", test.problem)
        }
      }
    }
    return String(decoding: json.bytes, as: UTF8.self)
  }

  func table(_ console: Console) -> String {
    var rows = [
      ("program", Version.text),
      ("machine", "\(machine.hardware), Linux \(machine["kernel"] ?? "")"),
      ("loops", machine["instructions"] ?? ""),
      ("open files", "\(openFiles)"),
    ]
    for helper in helpers {
      rows.append(
        (
          helper.name,
          helper.path.map { "\($0)" } ?? "missing; for \(helper.purpose): \(helper.remedy)"
        ))
    }
    for test in tests { rows.append((test.name, test.problem == nil ? "works" : "does not work")) }
    let width = rows.map(\.0.count).max() ?? 0
    return rows.map { console.dim($0.0.padded(to: width)) + "  " + $0.1.printable }
      .joined(separator: "\n")
  }
}
