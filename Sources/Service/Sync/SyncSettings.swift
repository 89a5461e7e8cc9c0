/// The settings of a device's synchronization.
package struct SyncSettings: Hashable, Sendable {
  /// The treatment of check-ins and mood entries that were changed in two places. Drawings are
  /// always merged.
  package var conflicts = ConflictRule.lastWrite
  /// The number of changes in the first page; later pages grow while there are more.
  package var pageSize = 50
  /// Whether the connection is metered: then drawings wait.
  package var isMetered = false
  /// The maximum time between two runs of a watching device, in seconds.
  package var interval = 4.0 * 3600

  package enum ConflictRule: String, CaseIterable, Sendable {
    /// The later change wins.
    case lastWrite = "last-write"
    /// The earlier one becomes a separate entry.
    case keepBoth = "keep-both"
    /// The user decides.
    case ask
  }

  /// The threads that store drawings; they share the flushes of the disk.
  package var threads = 8

  package init() {}
}
