/// Why bytes are not the expected XML, and where.
package struct XMLError: Error, Hashable, CustomStringConvertible {
  /// The reason, without a full stop.
  package let reason: String
  /// The offset of the byte at which it was found.
  package let offset: Int

  package init(_ reason: String, at offset: Int) {
    self.reason = reason
    self.offset = offset
  }

  package var description: String { "\(reason) at byte \(offset)" }
}
