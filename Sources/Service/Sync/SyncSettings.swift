/// How a device synchronizes.
package struct SyncSettings: Hashable, Sendable {
  /// What happens if a check-in or mood entry was changed in two places. Drawings are merged in any case.
  package var conflicts = ConflictRule.lastWrite
  /// How many changes the first page has; later ones grow while there is more.
  package var pageSize = 50
  /// Whether the connection is expensive: drawings wait.
  package var isMetered = false
  /// How often changes are fetched while nobody asks for them, in seconds.
  package var interval = 4.0 * 3600

  package enum ConflictRule: String, CaseIterable, Sendable {
    /// The later change counts.
    case lastWrite = "last-write"
    /// The earlier one becomes an entry of its own.
    case keepBoth = "keep-both"
    /// Somebody decides.
    case ask
  }

  /// The threads that store drawings; they share the flushes of the disk.
  package var threads = 8

  package init() {}
}
