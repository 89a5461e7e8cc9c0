/// What came of an update: the last write wins, by the `updatedAt` that the writers gave.
public struct Updated<Value: Sendable>: Sendable {
  /// What is stored now.
  public let value: Value
  /// Whether the update is part of it. It is not where a newer one was stored before.
  public let isApplied: Bool

  init(_ value: Value, isApplied: Bool) {
    self.value = value
    self.isApplied = isApplied
  }

  /// The same of something that is made of the value.
  public func map<Other>(_ transform: (Value) -> Other) -> Updated<Other> {
    Updated<Other>(transform(value), isApplied: isApplied)
  }
}
