import DrawingServices
import Glibc
import JSON
import Storage
import Sync
import SyncOverHTTP
import System
import WebClient

// The program that `pkd sync` becomes if the other place is a server: its libraries for HTTP and TLS cannot be linked
// statically, and every other command would pay for loading them.

/// Prints a problem and ends the program.
func fail(_ problem: String, _ code: Int32) -> Never {
  _ = try? OpenFile.writeAll(Array("pkd: \(problem)\n".utf8), to: STDERR_FILENO)
  exit(code)
}

/// The task, which `pkd sync` writes to a pipe.
func readTask(_ file: Int32) -> SyncTask? {
  defer { close(file) }
  guard let bytes = try? OpenFile.readAll(file, limit: 1 << 20) else { return nil }
  return (try? Fields(bytes: bytes)).map { SyncTask($0) }
}

guard CommandLine.argc == 2, let file = Int32(CommandLine.arguments[1]), let task = readTask(file)
else { fail("this program is started by 'pkd sync'", 2) }
signal(SIGPIPE, SIG_IGN)
signal(SIGXFSZ, SIG_IGN)

var options = WebConnection.Options(silenceSeconds: 120)
options.certificates = task.certificates.isEmpty ? nil : task.certificates
do {
  if !task.tokenFile.isEmpty { _ = try SyncTask.token(inFile: task.tokenFile) }
  let peer = try ServerPeer(task.remote, of: task.uid, options) { task.currentToken }
  let run = try SyncRun(task, with: peer) { line, isResult in
    guard isResult || !task.isQuiet else { return }
    let bytes = Array((isResult ? "\(line)\n" : "pkd: \(line)\n").utf8)
    _ = try? OpenFile.writeAll(bytes, to: isResult ? STDOUT_FILENO : STDERR_FILENO)
  }
  if task.watches {
    let (options, task) = (options, task)
    try run.watch { tell in
      let stream = try ServerPeer(task.remote, of: task.uid, options) { task.currentToken }
      try stream.listen { hasChanged in
        tell(hasChanged)
        return true
      }
    }
  }
  exit(try run.carryOutOnce())
} catch let problem as SyncProblem {
  fail(String(problem.description.filter { !$0.isNewline }.prefix(500)), problem.exitCode)
} catch {
  fail("\(error)", SyncProblem(.local, "").exitCode)
}
