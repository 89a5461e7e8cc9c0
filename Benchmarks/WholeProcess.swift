import Glibc

/// Commands of `pkd`, which is built beside this program: `swift build -c release`.
enum WholeProcess {
  /// The program that lies beside this one.
  static let pkd: String = {
    let own = CommandLine.arguments[0]
    return (own.lastIndex(of: "/").map { String(own[...$0]) } ?? "./") + "pkd"
  }()

  static var isThere: Bool { access(pkd, X_OK) == 0 }

  /// The seconds that commands take from start to end, by turns.
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
