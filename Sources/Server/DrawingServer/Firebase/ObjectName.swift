import DrawingServices
import HTTP
import Storage

/// The name of an object in Firebase Storage, which here is always a file of a drawing:
/// `users/ann/drawings/d1/image.png`.
struct ObjectName: Hashable, Sendable {
  let uid: String
  let id: String
  let file: String

  var text: String { "users/\(uid)/drawings/\(id)/\(file)" }

  /// The maximum length of a name in bytes, as in Google Cloud Storage.
  static let maximumByteCount = 1024

  /// Parses a decoded name. Names of other objects can be valid, but no rule grants access to them.
  init(_ text: String, _ caller: Caller) throws(Refusal) {
    let parts = try Self.parts(text)
    guard parts.count == 5, parts[0] == "users", parts[2] == "drawings" else {
      throw .noRule(for: caller)
    }
    (uid, id, file) = (UserName.of(parts[1], inRequestBy: caller), parts[3], parts[4])
  }

  /// The parts of a name or of a prefix without its last slash.
  static func parts(_ text: String) throws(Refusal) -> [String] {
    let parts = text.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    guard text.utf8.count <= maximumByteCount,
      text.utf8.allSatisfy({ $0 >= 32 && $0 != 127 }),
      parts.allSatisfy({
        !$0.isEmpty && !$0.elementsEqual(".".utf8) && !$0.elementsEqual("..".utf8)
      })
    else {
      throw Refusal(
        400, "bad-name",
        "A name has 1 to \(maximumByteCount) bytes, and no part that is empty or leads elsewhere.")
    }
    return parts.map { String(Substring($0)) }
  }
}

extension Refusal {
  /// The refusal of a path without any access rule.
  static func noRule(for caller: Caller) -> Refusal {
    caller == .anonymous
      ? .noToken
      : Refusal(403, "not-allowed", "Nobody may do this.")
  }
}
