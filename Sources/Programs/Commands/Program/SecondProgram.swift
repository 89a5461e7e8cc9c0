import Glibc

/// Programs that commands start, or replace themselves with.
enum SecondProgram {
  /// The program of the drawing service: its libraries for HTTP, TLS and databases cannot be linked
  /// statically.
  static let service = "pkd-service"

  /// The folder of this program, with its last slash; empty if the system does not report it.
  static var ownFolder: SystemString {
    var path = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = readlink("/proc/self/exe", &path, path.count - 1)
    return SystemString(bytes: path.prefix(max(count, 0)).map { UInt8(bitPattern: $0) }).folder
  }

  /// The remedy for a missing program: in a release it was not copied, in a checkout it was not
  /// built.
  static func remedy(for program: String) -> String {
    "install it beside pkd, or build it: swift build -c release --product \(program)"
  }

  /// The path of a program: beside this one, or in the search path; nil if it is missing.
  static func path(of program: SystemString) -> SystemString? {
    let folders = Console.variable("PATH").utf8.split(separator: UInt8(ascii: ":")).map {
      SystemString(bytes: Array($0) + Array("/".utf8))
    }
    return ([ownFolder] + folders).map { $0 + program.bytes }.first {
      isRegularFile($0) && access($0.cString, X_OK) == 0
    }
  }

  /// Replaces this process by another program, with these arguments. The program is found beside
  /// this one or in the search path. Returns only with an error.
  static func become(_ program: String, _ words: [SystemString]) -> SystemError {
    let beside = ownFolder + Array(program.utf8)
    var list = [strdup(program)] + words.map { strdup($0.cString) } + [nil]
    execv(beside.cString, &list)
    execvp(program, &list)
    for word in list { free(word) }
    return SystemError(
      program,
      reason: "it is missing: \(remedy(for: program))")
  }
}
