import DrawingServices
import Files
import Glibc
import JSON
import SharedStores
import Storage

// The program that `pkd migrate` becomes: its libraries for databases and TLS cannot be linked statically, and every other
// command would pay for loading them.

/// Prints a problem and ends the program.
func fail(_ problem: String, _ code: Int32) -> Never {
  tell(problem)
  exit(code)
}

func tell(_ text: String) {
  let line = String(text.filter { !$0.isNewline }.prefix(1000))
  _ = try? OpenFile.writeAll(Array("pkd: \(line)\n".utf8), to: STDERR_FILENO)
}

/// What to do, which `pkd migrate` writes to a pipe.
struct Task {
  var from = ""
  var to = ""
  var printsJSON = false
  var isQuiet = false

  init?(_ file: Int32) {
    defer { close(file) }
    guard let bytes = try? OpenFile.readAll(file, limit: 1 << 20) else { return nil }
    do throws(JSONError) {
      var reader = JSONReader(bytes)
      try reader.object { (name, reader) throws(JSONError) in
        switch name {
        case "from": from = try reader.string()
        case "to": to = try reader.string()
        case "json": printsJSON = try reader.truth()
        case "quiet": isQuiet = try reader.truth()
        default: throw reader.error("not an option")
        }
      }
      try reader.end()
    } catch {
      return nil
    }
  }
}

extension Migration.Result {
  func write(to json: inout JSONWriter) {
    json.object { json in
      json.field("files", files)
      json.field("bytes", bytes)
      json.field("documents", documents)
      json.field("deletions", deletions)
      json.field("known", known)
      json.key("problems")
      json.list { json in
        for problem in problems { json.value("\(problem)") }
      }
    }
  }

  var line: String {
    "\(files) files with \(bytes) bytes, \(documents) documents and \(deletions) deletions were copied; "
      + "\(known) were there already"
  }
}

guard CommandLine.argc == 2, let file = Int32(CommandLine.arguments[1]), let task = Task(file)
else { fail("this program is started by 'pkd migrate'", 2) }
signal(SIGPIPE, SIG_IGN)
signal(SIGXFSZ, SIG_IGN)

do {
  let from: ServicePlace
  let to: ServicePlace
  do {
    (from, to) = (try ServicePlace(task.from), try ServicePlace(task.to))
  } catch {
    fail("\(error)", 2)
  }
  guard from != to else { fail("--from and --to are the same place", 2) }
  let source = try from.open(for: .reading)
  let target = try to.open(for: .creating)
  var last = time(nil)
  let result = try Migration(from: source, to: target).run { result in
    guard !task.isQuiet, !task.printsJSON, time(nil) - last >= 2 else { return }
    last = time(nil)
    tell(result.line)
  }
  try to.takeSettings(from: from)
  var json = JSONWriter()
  result.write(to: &json)
  let text = task.printsJSON ? json.bytes : Array(result.line.utf8)
  if task.printsJSON || !task.isQuiet { try OpenFile.writeAll(text + [10], to: STDOUT_FILENO) }
  for problem in result.problems.prefix(100) { tell("\(problem)") }
  exit(result.problems.isEmpty ? 0 : 1)
} catch {
  fail("\(error)", 1)
}
