/// An observation of a store's changes, which ends when this is released.
public final class ChangeObservation: Sendable {
  private let stop: @Sendable () -> Void

  /// An observation that ends by calling a body, which may be called several times.
  package init(_ stop: @escaping @Sendable () -> Void) { self.stop = stop }

  /// Ends the observation. A running call may continue.
  public func end() { stop() }

  deinit { stop() }
}

extension DocumentStore {
  /// Nil: this store has to be polled.
  public func observeChanges(
    _ body: @escaping @Sendable (Int64) -> Void
  ) -> ChangeObservation? { nil }
}
