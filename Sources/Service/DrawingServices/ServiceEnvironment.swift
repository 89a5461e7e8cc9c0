public import Storage

/// The dependencies of services: the app that they are for, stores, clock, name generator, settings and access rules.
public struct ServiceEnvironment: Sendable {
  /// The app, which has kinds of documents of its own.
  public let application: Application
  /// The store of documents.
  public let documents: any DocumentStore
  /// The store of files. With quotas it counts the bytes of users.
  public var blobs: any BlobStore {
    quotas.map { CountedBlobs(environment: self, quotas: $0) } ?? storedBlobs
  }
  /// The same within a transaction, where no sum can be taken.
  var blobsInTransaction: any BlobStore {
    quotas.map { CountedBlobs(environment: self, quotas: $0, takesSums: false) } ?? storedBlobs
  }
  /// The same for notes about what was acknowledged already, which count and are not refused.
  package var blobsForNotes: any BlobStore {
    quotas.map { CountedBlobs(environment: self, quotas: $0, refuses: false) } ?? storedBlobs
  }
  /// The store of files that does the work.
  let storedBlobs: any BlobStore
  /// The cache of rendered pictures; nil for no cache.
  public let cache: (any BlobStore)?
  /// The access rules for callers other than the operator.
  public let rules: AccessRules
  /// The settings of the operator.
  public package(set) var settings: ServiceSettings
  /// The opaque name of this device, if it synchronizes with others; nil for a server. It is noted in every document that
  /// is changed here.
  package var deviceID: String?
  /// Locks for work that one program at a time shall do, such as delivering an event: whoever has its lock does it, and the
  /// others go on with something else.
  package var claims: any NamedLocks = ProcessLocks()
  /// How many bytes each user may store; nil for any number.
  package var quotas: UserQuotas?
  /// Room on the disk for deletions; nil if no disk of this service can be full of documents.
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
  /// The time by which moments from clients are judged. That of a device may be slow by days, so it is not asked.
  ///
  /// A stored version may lie too far ahead itself, by a clock of this server that was wrong. What follows it must be
  /// later, so it may be an hour later than that.
  func judgingTime(at now: Moment, beside stored: Fields? = nil) -> Moment {
    let lead = Application.maximumLeadSeconds
    guard deviceID == nil else { return Moment.supported.upperBound - lead }
    return max(now, (stored?["updatedAt"]?.momentValue ?? now) + 3600 - lead)
  }

  /// Whether a deletion by a device lies so far ahead that it is not taken: it would win over every change until then.
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
