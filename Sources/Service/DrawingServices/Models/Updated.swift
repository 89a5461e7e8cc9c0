/// The result of an update: the last write wins, by the `updatedAt` of the writers.
public struct Updated<Value: Sendable>: Sendable {
  /// The stored value after the update.
  public let value: Value
  /// Whether the update was applied; false if the stored value was newer.
  public let isApplied: Bool

  init(_ value: Value, isApplied: Bool) {
    self.value = value
    self.isApplied = isApplied
  }

  /// The result with a transformed value.
  public func map<Other>(_ transform: (Value) -> Other) -> Updated<Other> {
    Updated<Other>(transform(value), isApplied: isApplied)
  }
}
