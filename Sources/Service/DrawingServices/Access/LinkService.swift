import Storage

/// The text that the signatures of a user's links depend on. A new text invalidates all earlier
/// links.
///
/// No caller can read its document; the service itself reads and writes it.
public struct LinkService: Sendable {
  private let environment: ServiceEnvironment

  /// The texts of a service.
  public init(_ environment: ServiceEnvironment) { self.environment = environment }

  private static let field = "text"

  /// The text of a user; nil if no link was made yet.
  public func storedText(of uid: String) throws -> String? {
    let path = try UserPaths(uid).links
    return try environment.documents.read { try $0.readable(path).document }?[Self.field]?.textValue
  }

  /// The text of a user; created on first use.
  public func text(of uid: String) throws -> String {
    if let text = try storedText(of: uid) { return text }
    let path = try UserPaths(uid).links
    return try environment.documents.change(at: environment.now()) { transaction in
      // Another thread may have created it.
      if let text = try transaction.readable(path).document?[Self.field]?.textValue { return text }
      return try write(to: path, transaction)
    }
  }

  /// Creates a new text. Throws unless the caller may delete the files that the links open.
  public func renew(_ uid: String, as caller: Caller) throws {
    let paths = try UserPaths(uid)
    try AccessGate(environment, as: caller)
      .check(.delete, .document(paths.profile, now: nil))
    _ = try environment.documents.change(at: environment.now()) {
      try write(to: try paths.links, $0)
    }
  }

  private func write(
    to path: DocumentPath, _ transaction: any DocumentTransaction
  ) throws -> String {
    let text = environment.newID()
    try transaction.set(path, [Self.field: .text(text)])
    return text
  }
}
