public import Storage

/// What services stand on: where things are kept, what time it is, what new things are called, and who
/// may do what.
public struct ServiceEnvironment: Sendable {
  /// Where documents are kept.
  public let documents: any DocumentStore
  /// Where files are kept.
  public let blobs: any BlobStore
  /// Where pictures are kept that can be drawn again; nil for nowhere.
  public let cache: (any BlobStore)?
  /// Who may do what.
  public let rules: AccessRules
  /// What operators may choose.
  public let settings: ServiceSettings
  /// What time it is.
  public let now: @Sendable () -> Moment
  /// A name that nothing has had before.
  public let newID: @Sendable () -> String
  /// Hears of documents that are damaged and that a list passed over.
  public let passOver: @Sendable (StorageError) -> Void

  /// An environment.
  public init(
    documents: any DocumentStore, blobs: any BlobStore, cache: (any BlobStore)? = nil,
    rules: AccessRules = .drawingServices, settings: ServiceSettings = ServiceSettings(),
    now: @escaping @Sendable () -> Moment, newID: @escaping @Sendable () -> String,
    passOver: @escaping @Sendable (StorageError) -> Void = { _ in }
  ) {
    self.documents = documents
    self.blobs = blobs
    self.cache = cache
    self.rules = rules
    self.settings = settings
    self.now = now
    self.newID = newID
    self.passOver = passOver
  }
}

/// Who asks for something.
public enum Caller: Hashable, Sendable {
  /// Somebody from outside who is not signed in.
  case nobody
  /// Somebody from outside who is signed in: the rules say what they may do.
  case user(String)
  /// Whoever runs the service, on its own machine. The rules are not for them, but fields are checked
  /// all the same.
  case `operator`
}
