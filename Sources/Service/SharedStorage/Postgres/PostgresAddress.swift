import CPostgreSQL
import Glibc
public import Storage

/// The host, database and user of a connection, from a URL such as
/// `postgres://ann@db.example:5432/drawings?sslmode=require`.
///
/// The URL may contain a password. Otherwise libpq reads it from `PGPASSWORD`, or from the file
/// named in `PGPASSFILE`. No description and no error contains it.
public struct PostgresAddress: Sendable, CustomStringConvertible, CustomReflectable {
  /// The URL without password and options.
  public let description: String
  /// The options for libpq, by its keywords.
  let options: [(name: String, value: String)]

  /// Parses a URL. Throws if it is not valid, without libpq's reason, which may quote the password.
  public init(_ url: String) throws(StorageError) {
    let isURL = ["postgres://", "postgresql://"].contains { url.hasPrefix($0) }
    let refusal = StorageError(
      .badValue(
        "not of the form postgres://user@host:port/database; in a password, @ is written %40 and / is %2F"
      ), "URL of the documents")
    guard isURL, !url.utf8.contains(0), let options = Self.parse(url) else { throw refusal }
    self.options = options
    func value(_ name: String) -> String? { options.last { $0.name == name }?.value }
    // If the password contains an @ or a /, libpq takes a part of it for a host, a port or a
    // database.
    let hasStray = ["host", "hostaddr", "dbname", "user"].contains {
      value($0)?.contains("@") ?? false
    }
    let isPort = value("port")?.utf8.allSatisfy { 48...57 ~= $0 || $0 == UInt8(ascii: ",") } ?? true
    guard !hasStray, isPort else { throw refusal }
    let user = value("user").map { "\($0)@" } ?? ""
    let port = value("port").map { ":\($0)" } ?? ""
    let host = value("host") ?? value("hostaddr") ?? ""
    description = "postgres://\(user)\(host)\(port)/\(value("dbname") ?? "")"
  }

  /// Excludes the options, one of which is the password.
  public var customMirror: Mirror { Mirror(self, children: [("description", description)]) }

  private static func parse(_ url: String) -> [(name: String, value: String)]? {
    var message: UnsafeMutablePointer<CChar>?
    guard let list = PQconninfoParse(url, &message) else {
      PQfreemem(message)
      return nil
    }
    defer { PQconninfoFree(list) }
    var options: [(name: String, value: String)] = []
    var next = list
    while let name = next.pointee.keyword {
      if let value = next.pointee.val {
        options.append((String(cString: name), String(cString: value)))
      }
      next += 1
    }
    return options
  }

  /// Starts connecting, with defaults for missing options; nil without memory.
  func start() -> OpaquePointer? {
    var names: [String] = [], values: [String] = []
    // A silently lost connection is noticed within half a minute.
    let defaults = [
      ("application_name", "pentimento"), ("client_encoding", "UTF8"), ("keepalives_idle", "10"),
      ("keepalives_interval", "5"), ("keepalives_count", "3"), ("tcp_user_timeout", "20000"),
    ]
    // Of duplicate keywords libpq uses the last value.
    for (name, value) in defaults + options.map({ ($0.name, $0.value) }) {
      names.append(name)
      values.append(value)
    }
    func copies(_ texts: [String]) -> [UnsafePointer<CChar>?] {
      texts.map { strdup($0).map { UnsafePointer($0) } } + [nil]
    }
    let (names_, values_) = (copies(names), copies(values))
    defer { for copy in names_ + values_ { free(UnsafeMutablePointer(mutating: copy)) } }
    return PQconnectStartParams(names_, values_, 0)
  }
}
