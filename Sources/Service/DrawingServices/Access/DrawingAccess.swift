package import Storage

/// The role of a caller for one drawing.
package enum DrawingAccess {
  package enum Role: String, Hashable, Sendable {
    /// The owner, or an operator, also of a drawing that is not stored yet.
    case owner
    /// A member who may also change the drawing's ink and title.
    case writer
    /// A member who may read the drawing.
    case reader

    /// Whether the drawing's ink may be changed.
    package var mayDraw: Bool { self != .reader }
  }

  /// The role of a caller; nil for none. Takes up to two readings of documents for other users than
  /// the owner, and none for the owner.
  package static func role(
    of caller: Caller, owner: String, drawing: String, in reader: any DocumentReader
  ) throws -> Role? {
    switch caller {
    case .operator: return .owner
    case .anonymous: return nil
    case .user(let uid):
      if uid.isIdentical(to: owner) { return .owner }
      return switch try role(ofMember: uid, owner, drawing, in: reader) {
      case .writer: .writer
      case .reader: .reader
      case nil: nil
      }
    }
  }

  /// The role of a member; nil for other users. The drawing must be the one that the member was
  /// invited to, not a later one with the same name.
  static func role(
    ofMember uid: String, _ owner: String, _ drawing: String, in reader: any DocumentReader
  ) throws -> AccessRule.Role? {
    let member = try reader.readable(path(ofMember: uid, owner, drawing)).document
    guard let member, let role = member["role"]?.textValue.flatMap(AccessRule.Role.init) else {
      return nil
    }
    let stored = try reader.readable(UserPaths(owner).drawings.document(drawing)).document
    guard let stored, member["drawingCreated"]?.momentValue == stored.created else { return nil }
    return role
  }

  /// The document of a member. Names of owners and drawings have no slash.
  static func path(
    ofMember uid: String, _ owner: String, _ drawing: String
  ) throws(StorageError) -> DocumentPath {
    try Collections.members.document(
      ContentHash.of(Array("\(owner)/\(drawing)/\(uid)".utf8)))
  }
}
