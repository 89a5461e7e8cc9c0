import CPostgreSQL
import Storage

/// Maps messages of the server or of libpq to problems.
enum PostgresError {
  /// The problem of a five-letter code of the server (SQLSTATE) with its message.
  static func problem(_ code: String, _ message: String) -> StorageError.Problem {
    switch code {
    case "55P03": .locked
    case "53100": .full
    // A read-only transaction, on a standby for example; and missing permission.
    case "25006", "42501": .readOnly
    // Serialization conflicts, deadlocks, and a statement timeout.
    case "40001", "40P01", "57014": .unavailable(message)
    // The server starts or stops, or another program closed our connection.
    case "57P01", "57P02", "57P03", "57P05", "25P03": .unavailable(message)
    case "3D000", "28P01", "28000": .database(message)
    // Damaged data and damaged indexes.
    case _ where code.hasPrefix("XX0") && code != "XX000": .damaged(message)
    // Lost connections, and too many connections or too little memory.
    case _ where code.hasPrefix("08") || code.hasPrefix("53"): .unavailable(message)
    default: .database(message.isEmpty ? "error \(code)" : message)
    }
  }

  /// The problem of a failed attempt to connect. libpq has no code for it, but its verbose message
  /// contains the server's, in any language: `FATAL: 28P01: password authentication failed`.
  static func problem(ofConnecting message: String) -> StorageError.Problem {
    // The last host of a list determines the result. Lines with the position in the server's source
    // are not useful, and indented ones are only hints.
    let lines = message.split(separator: "\n")
      .filter { !$0.hasPrefix("LOCATION:") && !$0.hasPrefix("\t") }
    let line = lines.last { $0.contains(codePattern) } ?? lines.last ?? "no connection"
    if let match = line.firstMatch(of: codePattern) {
      return problem(String(match.output.1), String(line[match.range.upperBound...]))
    }
    // Without the server's code: unreachable, or a permanent problem. A connection that is lost
    // during the TLS handshake counts as unreachable.
    let text = String(line)
    let isLost = text.contains("SYSCALL") || text.contains("closed")
    let isRefusal = ["no password supplied", "SSL", "certificate", "invalid", "authentication"]
      .contains { text.contains($0) }
    return isRefusal && !isLost ? .database(text) : .unavailable(text)
  }

  /// A code after the severity, a word that may have five letters too.
  private static var codePattern: Regex<(Substring, Substring)> {
    #/:[ ]{2}([0-9A-Z]{5}):[ ]/#
  }
}
