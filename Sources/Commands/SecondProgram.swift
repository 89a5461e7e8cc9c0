import Glibc

/// Programs that need libraries which cannot be linked statically.
enum SecondProgram {
  /// Replaces this program by another one, which finds its settings in a pipe: no secret stands in a list of processes.
  /// Returns only with an error.
  static func become(_ program: String, with settings: [UInt8]) -> SystemError {
    var ends: [Int32] = [0, 0]
    guard pipe(&ends) == 0 else { return SystemError(program) }
    // A pipe holds this much, so nobody has to read yet.
    guard settings.count <= 60_000 else {
      return SystemError("the settings", code: E2BIG, exitCode: .usage)
    }
    do throws(SystemError) {
      try writeAll(settings, to: ends[1], program)
    } catch {
      return error
    }
    close(ends[1])
    return become(program, [SystemString(bytes: Array("\(ends[0])".utf8))])
  }

  /// Replaces this program by another one with these words, which stands beside it or in the search path. Returns only
  /// with an error.
  static func become(_ program: String, _ words: [SystemString]) -> SystemError {
    var path = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = readlink("/proc/self/exe", &path, path.count - 1)
    let own = SystemString(bytes: path.prefix(max(count, 0)).map { UInt8(bitPattern: $0) })
    let beside = own.folder + Array(program.utf8)
    var list = [strdup(program)] + words.map { strdup($0.cString) } + [nil]
    execv(beside.cString, &list)
    execvp(program, &list)
    for word in list { free(word) }
    return SystemError(
      program, reason: "it is missing; 'swift build -c release' makes it beside pkd")
  }
}
