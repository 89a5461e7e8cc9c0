import Commands
import DrawingServices
import Glibc
import JSON
import Storage

extension StoreSession {
  /// Deletes all data of a user after a confirmation.
  func deleteEverything(
    of uid: String, _ environment: ServiceEnvironment, _ console: inout Console
  ) throws {
    let service = UserService(environment, as: caller)
    let holdings = try service.holdings(of: uid)
    guard !holdings.isEmpty else {
      return console.fail("\(uid): no data of this user is stored", .failed)
    }
    let what =
      "\(holdings.documents.counting("document")) and \(holdings.files.counting("file")) "
      + "(\(holdings.bytes.counting("byte")))"
    if arguments.has("dry-run") {
      if printsJSON {
        return try console.print { json in
          json.object { json in
            json.field("documents", holdings.documents)
            json.field("files", holdings.files)
            json.field("bytes", holdings.bytes)
            json.field("dryRun", true)
          }
        }
      }
      return try console.print("would delete \(what) of \(uid)")
    }
    if !arguments.has("yes") {
      guard isatty(STDIN_FILENO) == 1, isatty(STDERR_FILENO) == 1 else {
        throw error(
          "\(what) of \(uid) would be deleted permanently; give --yes, or --dry-run to see")
      }
      console.warn("\(what) of \(uid) will be deleted permanently. Type yes to continue:")
      guard readLine() == "yes" else {
        return console.fail("nothing was deleted", .failed)
      }
    }
    let count = try environment.makingRoom { try service.deleteEverything(of: uid) }
    if printsJSON {
      return try console.print { json in
        json.object { json in
          json.field("documents", count)
          json.field("files", holdings.files)
          json.field("bytes", holdings.bytes)
          json.field("dryRun", false)
        }
      }
    }
    console.note("\(count.counting("document")) of \(uid) deleted, with all files")
  }
}
