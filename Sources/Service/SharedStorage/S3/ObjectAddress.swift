import HTTP

/// The location of a bucket and its access options:
/// `s3://BUCKET/PREFIX?endpoint=https://…&region=…`.
package struct ObjectAddress: Hashable, Sendable, CustomStringConvertible {
  package let bucket: String
  /// The prefix of all keys: empty, or a path with a final slash.
  package let prefix: String
  /// The server's URL, without a final slash.
  package let endpoint: String
  package let region: String
  /// Whether the bucket is part of the host name instead of the path, as AWS prefers.
  package let isInHost: Bool

  /// Parses an address. Throws with a reason for people.
  package init(_ text: String) throws(ObjectAddressError) {
    guard text.hasPrefix("s3://") else { throw .init("it begins with 's3://'") }
    let parts = text.dropFirst(5).split(
      separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    let path = parts[0].split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
    bucket = String(path[0])
    guard Self.isBucket(bucket) else {
      throw .init("a bucket has 3 to 63 small letters, digits, '.' and '-'")
    }
    let names = path.count > 1 ? path[1].split(separator: "/") : []
    guard names.allSatisfy({ Self.isPlain($0) && $0 != "." && $0 != ".." }) else {
      throw .init("a prefix has only letters, digits, '.', '_', '-' and '/'")
    }
    prefix = names.map { "\($0)/" }.joined()
    var options: [String: String] = [:]
    let target: RequestTarget
    do {
      target = try RequestTarget(Array("/?\(parts.count > 1 ? parts[1] : "")".utf8))
    } catch {
      throw .init("its options are not valid")
    }
    for item in target.query {
      guard ["endpoint", "region", "style"].contains(item.name) else {
        throw .init("it has an option other than 'endpoint', 'region' and 'style'")
      }
      options[item.name] = item.value
    }
    region = options["region"] ?? "us-east-1"
    guard Self.isPlain(region) else { throw .init("a region has only letters, digits and '-'") }
    let named = options["endpoint"]
    var server = named ?? "https://s3.\(region).amazonaws.com"
    while server.hasSuffix("/") { server.removeLast() }
    guard server.hasPrefix("https://") || server.hasPrefix("http://"), !server.contains("@") else {
      throw .init("an endpoint begins with 'https://' or 'http://', and names no user")
    }
    endpoint = server
    switch options["style"] {
    case nil: isInHost = named == nil && !bucket.contains(".")
    case "host": isInHost = true
    case "path": isInHost = false
    default: throw .init("a style is 'path' or 'host'")
    }
  }

  /// The base URL of requests.
  package var base: String {
    guard isInHost else { return endpoint }
    let scheme = endpoint.prefix(endpoint.hasPrefix("https:") ? 8 : 7)
    return "\(scheme)\(bucket).\(endpoint.dropFirst(scheme.count))"
  }

  /// The host with its port, as in the `Host` field.
  package var host: String {
    String(base.dropFirst(base.hasPrefix("https:") ? 8 : 7).prefix { $0 != "/" })
  }

  /// The path of an object, or of the bucket for an empty key. Escapes characters of other
  /// programs' keys.
  package func path(_ key: String) -> String {
    let escaped = ObjectSignature.escaped(key, except: UInt8(ascii: "/"))
    return isInHost ? "/\(escaped)" : "/\(bucket)/\(escaped)"
  }

  package var description: String { "s3://\(bucket)/\(prefix)" }

  private static func isBucket(_ text: String) -> Bool {
    func isInner(_ byte: UInt8) -> Bool {
      97...122 ~= byte || 48...57 ~= byte || byte == 45 || byte == 46
    }
    return 3...63 ~= text.utf8.count && text.utf8.allSatisfy(isInner)
      && text.utf8.first != 45 && text.utf8.first != 46
  }

  private static func isPlain(_ text: some StringProtocol) -> Bool {
    !text.isEmpty
      && text.utf8.allSatisfy {
        97...122 ~= $0 || 65...90 ~= $0 || 48...57 ~= $0 || [45, 46, 95].contains($0)
      }
  }
}

/// The reason why a text is not a valid bucket address.
package struct ObjectAddressError: Error, Hashable, Sendable, CustomStringConvertible {
  package let description: String

  init(_ description: String) { self.description = "an address of objects: \(description)" }
}
