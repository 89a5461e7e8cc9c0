/// Calls of a body after changes of a store, which end with this.
public final class ChangeObservation: Sendable {
  private let stop: @Sendable () -> Void

  /// An observation that ends by calling a body, which may be called several times.
  package init(_ stop: @escaping @Sendable () -> Void) { self.stop = stop }

  /// Ends the calls. One that has begun may still run.
  public func end() { stop() }

  deinit { stop() }
}

extension DocumentStore {
  /// Nil: this store has to be asked.
  public func observeChanges(
    _ body: @escaping @Sendable (Int64) -> Void
  ) -> ChangeObservation? { nil }
}
