import DrawingServer
import DrawingServices
import Glibc
import JSON
import System

// The program that `pkd serve` starts. It is one of its own because its libraries for HTTP and TLS cannot be linked
// statically, and every other command would pay for loading them.

/// Prints a problem and ends the program.
func fail(_ problem: String, _ code: Int32) -> Never {
  _ = try? OpenFile.writeAll(Array("pkd: \(problem)\n".utf8), to: STDERR_FILENO)
  exit(code)
}

/// The settings, which `pkd serve` writes to a pipe: an object of texts by the names of the settings.
func readSettings(_ file: Int32) -> ServerSettings? {
  defer { close(file) }
  guard let bytes = try? OpenFile.readAll(file, limit: 1 << 20) else { return nil }
  var settings = ServerSettings()
  do throws(JSONError) {
    var reader = JSONReader(bytes)
    try reader.object { (name, reader) throws(JSONError) in
      let text = try reader.string()
      guard let setting = ServerSetting.all.first(where: { $0.name == name }),
        setting.put(text, into: &settings)
      else { throw reader.error("not a setting") }
    }
    try reader.end()
  } catch {
    return nil
  }
  return settings
}

guard CommandLine.argc == 2, let file = Int32(CommandLine.arguments[1]),
  let settings = readSettings(file)
else { fail("this program is started by 'pkd serve'", 2) }
signal(SIGPIPE, SIG_IGN)
signal(SIGXFSZ, SIG_IGN)
do {
  try ServerRun(settings).carryOut { url in
    _ = try? OpenFile.writeAll(Array("\(url)\n".utf8), to: STDOUT_FILENO)
  }
} catch let problem as ServerProblem {
  fail("\(problem)", 2)
} catch {
  fail("\(error)", 1)
}
