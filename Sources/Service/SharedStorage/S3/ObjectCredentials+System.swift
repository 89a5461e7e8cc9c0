import Glibc
import Storage
import System
import Threads

/// The reason why there are no credentials.
private struct ObjectCredentialsError: Error, CustomStringConvertible {
  let description: String
}

extension ObjectCredentials {
  /// The credentials of this process, under the usual names: `AWS_ACCESS_KEY_ID`,
  /// `AWS_SECRET_ACCESS_KEY` and `AWS_SESSION_TOKEN`, or the profile `AWS_PROFILE`, by default
  /// `default`, in the file `AWS_SHARED_CREDENTIALS_FILE`. The file is read again after changes, so
  /// that other programs can renew them.
  package static func ofProcess() -> @Sendable () throws -> ObjectCredentials {
    if let name = variable("AWS_ACCESS_KEY_ID"), let secret = variable("AWS_SECRET_ACCESS_KEY") {
      let credentials = ObjectCredentials(
        name: name, secret: secret, token: variable("AWS_SESSION_TOKEN"))
      return { credentials }
    }
    guard let file = variable("AWS_SHARED_CREDENTIALS_FILE") else {
      return {
        throw ObjectCredentialsError(
          description: "set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY")
      }
    }
    let profile = variable("AWS_PROFILE") ?? "default"
    let known = ConditionMutex<(stamp: [Int], credentials: ObjectCredentials)?>(nil)
    return {
      let stamp = stamp(of: file)
      if let known = known.withLock({ $0 }), known.stamp == stamp { return known.credentials }
      let credentials = try read(file, profile)
      known.withLock { $0 = (stamp, credentials) }
      return credentials
    }
  }

  private static func variable(_ name: String) -> String? {
    guard let value = getenv(name).map({ String(cString: $0) }), !value.isEmpty else { return nil }
    return value
  }

  /// A value that changes whenever a file is written.
  private static func stamp(of file: String) -> [Int] {
    var status = stat()
    guard stat(file, &status) == 0 else { return [] }
    return [Int(status.st_ino), Int(status.st_mtim.tv_sec), Int(status.st_mtim.tv_nsec)]
  }

  private static func read(_ file: String, _ profile: String) throws -> ObjectCredentials {
    let handle = Glibc.open(file, O_RDONLY | O_CLOEXEC)
    guard handle >= 0 else { throw ObjectCredentialsError(description: "\(file) cannot be opened") }
    defer { close(handle) }
    let text = String(decoding: try OpenFile.readAll(handle, limit: 1 << 20), as: UTF8.self)
    guard let credentials = parse(text, profile) else {
      throw ObjectCredentialsError(
        description: "\(file) has none in the part [\(profile)]")
    }
    return credentials
  }

  /// The credentials in a profile of a file.
  static func parse(_ text: String, _ profile: String) -> ObjectCredentials? {
    var isInside = false
    var values: [String: String] = [:]
    for line in text.split(whereSeparator: \.isNewline) {
      let line = line.filter { $0 != " " && $0 != "\t" }
      if line.hasPrefix("[") {
        isInside = line == "[\(profile)]"
      } else if isInside, let equals = line.firstIndex(of: "="), !line.hasPrefix("#") {
        values[String(line[..<equals])] = String(line[line.index(after: equals)...])
      }
    }
    guard let name = values["aws_access_key_id"], let secret = values["aws_secret_access_key"]
    else { return nil }
    return ObjectCredentials(name: name, secret: secret, token: values["aws_session_token"])
  }
}
