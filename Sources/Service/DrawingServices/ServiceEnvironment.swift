public import Storage

/// The dependencies of services: application, stores, clock, name generator, settings and access
/// rules.
public struct ServiceEnvironment: Sendable {
  /// The app, with its own kinds of documents.
  public let application: Application
  /// The store of documents.
  public let documents: any DocumentStore
  /// The store of files. With quotas it counts the bytes of users.
  public var blobs: any BlobStore {
    quotas.map { CountedBlobs(environment: self, quotas: $0) } ?? storedBlobs
  }
  /// Like `blobs`, for use within a transaction, where the sum cannot be computed.
  var blobsInTransaction: any BlobStore {
    quotas.map { CountedBlobs(environment: self, quotas: $0, takesSums: false) } ?? storedBlobs
  }
  /// Like `blobs`, for notes about acknowledged data: counted, but never refused.
  package var blobsForNotes: any BlobStore {
    quotas.map { CountedBlobs(environment: self, quotas: $0, refuses: false) } ?? storedBlobs
  }
  /// The store of files without counting.
  let storedBlobs: any BlobStore
  /// The cache of rendered pictures; nil for no cache.
  public let cache: (any BlobStore)?
  /// The access rules for callers other than the operator.
  public let rules: AccessRules
  /// The settings of the operator.
  public package(set) var settings: ServiceSettings
  /// The opaque name of this device, if it synchronizes with others; nil for a server. Every
  /// document that is changed here contains it.
  package var deviceID: String?
  /// Locks for work that one program at a time shall do, such as delivering an event. The holder of
  /// a lock does the work; others continue with something else.
  package var claims: any NamedLocks = ProcessLocks()
  /// The number of bytes that each user may store; nil for no limit.
  package var quotas: UserQuotas?
  /// Disk space for deletions; nil if documents cannot fill a disk of this service.
  package var reserve: DiskReserve?
  /// The clock.
  public let now: @Sendable () -> Moment
  /// Generates a unique name.
  public let newID: @Sendable () -> String
  /// Called for each damaged document that a list has skipped.
  public let reportSkipped: @Sendable (StorageError) -> Void

  /// An environment from its parts, with the rules of the app unless there are others.
  public init(
    _ application: Application, documents: any DocumentStore, blobs: any BlobStore,
    cache: (any BlobStore)? = nil,
    rules: AccessRules? = nil, settings: ServiceSettings = ServiceSettings(),
    now: @escaping @Sendable () -> Moment, newID: @escaping @Sendable () -> String,
    reportSkipped: @escaping @Sendable (StorageError) -> Void = { _ in }
  ) {
    self.application = application
    self.documents = documents
    storedBlobs = blobs
    self.cache = cache
    self.rules = rules ?? application.rules
    self.settings = settings
    self.now = now
    self.newID = newID
    self.reportSkipped = reportSkipped
  }
}

extension ServiceEnvironment {
  /// The time by which moments from clients are judged. A device accepts all supported moments: its
  /// own clock may be slow by days.
  ///
  /// A stored version may be too far in the future because this server's clock was wrong. A later
  /// version must have a later time, so it may be up to one hour ahead of the stored one.
  func judgingTime(at now: Moment, beside stored: Fields? = nil) -> Moment {
    let lead = Application.maximumLeadSeconds
    guard deviceID == nil else { return Moment.supported.upperBound - lead }
    return max(now, (stored?["updatedAt"]?.momentValue ?? now) + 3600 - lead)
  }

  /// Whether a deletion from a device is refused as too far in the future: it would win over every
  /// change until then.
  func isTooFarAhead(_ moment: Moment, at now: Moment, beside stored: Fields?) -> Bool {
    moment > judgingTime(at: now, beside: stored) + Application.maximumLeadSeconds
  }
}

/// The caller of a service.
public enum Caller: Hashable, Sendable {
  /// An external caller who is not signed in.
  case anonymous
  /// A signed-in user, by id, with the access that the rules give.
  case user(String)
  /// The operator on the local machine. Access rules do not apply, schemas do.
  case `operator`
}
