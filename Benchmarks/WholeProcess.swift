import Glibc
import Measurement

/// Runs commands of `pkd`, which must have been built beside this program by
/// `swift build -c release`.
enum WholeProcess {
  /// The path of `pkd` beside this program.
  static let pkd: String = {
    let own = CommandLine.arguments[0]
    return (own.lastIndex(of: "/").map { String(own[...$0]) } ?? "./") + "pkd"
  }()

  static var isBuilt: Bool { access(pkd, X_OK) == 0 }

  /// The seconds that commands take from start to end, in alternating runs. Failed runs are
  /// reported and do not count.
  static func turns(_ count: Int, _ commands: [[String]]) -> [[Double]] {
    var samples = commands.map { _ in [Double]() }
    for _ in 0..<count {
      for (index, words) in commands.enumerated() {
        do {
          let run = try ProcessRun(([pkd] + words).map { Array($0.utf8) })
          samples[index].append(run.taken.seconds)
        } catch {
          print("pkd \(words.joined(separator: " ")): \(error)")
        }
      }
    }
    return samples
  }

  /// The peak memory of a command in MB; nil after reporting a failure.
  static func peak(_ words: [String]) -> Double? {
    do {
      let command = ([pkd] + words).map { Array($0.utf8) }
      return Double(try PeakMemory.bytes(of: command, launcher: command[0])) / 1e6
    } catch {
      print("pkd \(words.joined(separator: " ")): \(error)")
      return nil
    }
  }
}
