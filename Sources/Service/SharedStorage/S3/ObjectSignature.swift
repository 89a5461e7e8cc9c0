import Calendar
import Checksums
import Storage

/// Credentials: a name and a secret, and a token if they are temporary.
package struct ObjectCredentials: Sendable {
  package let name: String
  package let secret: String
  package let token: String?

  package init(name: String, secret: String, token: String? = nil) {
    (self.name, self.secret, self.token) = (name, secret, token)
  }
}

/// Signs requests with AWS Signature Version 4. The HTTP library could sign requests, but not
/// links, and both need the same few steps.
struct ObjectSignature {
  let credentials: ObjectCredentials
  let region: String
  /// The time of the request, as `20261125T120000Z`.
  private let stamp: String

  init(_ credentials: ObjectCredentials, region: String, at moment: Moment) {
    (self.credentials, self.region) = (credentials, region)
    let seconds = moment.microseconds / 1_000_000
    stamp = ISO8601.text(seconds: seconds).filter { $0 != "-" && $0 != ":" }
  }

  /// The placeholder for the hash of an unsigned body: the connection protects it, and stored bytes
  /// have their own hashes.
  static let unsignedBody = "UNSIGNED-PAYLOAD"
  private static let algorithm = "AWS4-HMAC-SHA256"

  /// The header fields for a request. `query` has unescaped names and values.
  func fields(
    _ method: String, host: String, path: String, query: [(name: String, value: String)],
    fields: [(name: String, value: String)], bodyHash: String
  ) -> [(name: String, value: String)] {
    var added = [("x-amz-content-sha256", bodyHash), ("x-amz-date", stamp)]
    if let token = credentials.token { added.append(("x-amz-security-token", token)) }
    let all = [("host", host)] + added + fields.map { ($0.name.lowercased(), $0.value) }
    let signed = all.sorted { $0.0 < $1.0 }
    let names = signed.map(\.0).joined(separator: ";")
    let signature = signature(
      of: request(method, path, query, signed, names: names, bodyHash: bodyHash))
    let authorization =
      "\(Self.algorithm) Credential=\(credentials.name)/\(scope), SignedHeaders=\(names), "
      + "Signature=\(signature)"
    return added.map { (name: $0.0, value: $0.1) } + [("Authorization", authorization)]
  }

  /// The query of a link by which everybody can read an object for some seconds. `query` are
  /// further items.
  func linkQuery(
    host: String, path: String, query: [(name: String, value: String)], seconds: Int
  ) -> String {
    var items = query
    items += [
      ("X-Amz-Algorithm", Self.algorithm), ("X-Amz-Credential", "\(credentials.name)/\(scope)"),
      ("X-Amz-Date", stamp), ("X-Amz-Expires", String(seconds)), ("X-Amz-SignedHeaders", "host"),
    ]
    if let token = credentials.token { items.append(("X-Amz-Security-Token", token)) }
    let signature = signature(
      of: request(
        "GET", path, items, [("host", host)], names: "host", bodyHash: Self.unsignedBody))
    return "\(Self.text(of: items))&X-Amz-Signature=\(signature)"
  }

  /// A query in its sent form: escaped, and sorted by the escaped names.
  static func text(of query: [(name: String, value: String)]) -> String {
    query.map { (escaped($0.name), escaped($0.value)) }.sorted { $0 < $1 }
      .map { "\($0.0)=\($0.1)" }.joined(separator: "&")
  }

  // MARK: - Steps

  private var scope: String { "\(stamp.prefix(8))/\(region)/s3/aws4_request" }

  private func request(
    _ method: String, _ path: String, _ query: [(name: String, value: String)],
    _ fields: [(String, String)], names: String, bodyHash: String
  ) -> String {
    let lines = fields.map { "\($0.0):\($0.1)\n" }.joined()
    return [method, path, Self.text(of: query), lines, names, bodyHash].joined(separator: "\n")
  }

  private func signature(of request: String) -> String {
    let text = [Self.algorithm, stamp, scope, "\(SHA256.of(Array(request.utf8)))"]
      .joined(separator: "\n")
    var key = Array("AWS4\(credentials.secret)".utf8)
    for part in [String(stamp.prefix(8)), region, "s3", "aws4_request"] {
      key = SHA256.authenticate(Array(part.utf8), with: key).bytes
    }
    return "\(SHA256.authenticate(Array(text.utf8), with: key))"
  }

  /// A text with all bytes escaped that may have a meaning in a URL.
  static func escaped(_ text: String, except plain: UInt8? = nil) -> String {
    var result = ""
    for byte in text.utf8 {
      switch byte {
      case plain: result.unicodeScalars.append(.init(byte))
      case 48...57, 65...90, 97...122, 45, 46, 95, 126: result.unicodeScalars.append(.init(byte))
      default:
        let digits = String(byte, radix: 16, uppercase: true)
        result += digits.count == 1 ? "%0\(digits)" : "%\(digits)"
      }
    }
    return result
  }
}
