import Glibc

/// Runs commands of `pkd`, which must have been built beside this program: `swift build -c release`.
enum WholeProcess {
  /// The path of `pkd` beside this program.
  static let pkd: String = {
    let own = CommandLine.arguments[0]
    return (own.lastIndex(of: "/").map { String(own[...$0]) } ?? "./") + "pkd"
  }()

  static var isBuilt: Bool { access(pkd, X_OK) == 0 }

  /// The seconds that commands take from start to end, in alternating runs.
  static func turns(_ count: Int, _ commands: [String]) -> [[Double]] {
    var samples = commands.map { _ in [Double]() }
    for _ in 0..<count {
      for (index, command) in commands.enumerated() {
        let start = now()
        _ = output(of: "'\(pkd)' \(command) 2>&1")
        samples[index].append(now() - start)
      }
    }
    return samples
  }
}
