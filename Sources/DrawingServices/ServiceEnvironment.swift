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

  /// An environment.
  public init(
    documents: any DocumentStore, blobs: any BlobStore, cache: (any BlobStore)? = nil,
    rules: AccessRules = .drawingServices, settings: ServiceSettings = ServiceSettings(),
    now: @escaping @Sendable () -> Moment, newID: @escaping @Sendable () -> String
  ) {
    self.documents = documents
    self.blobs = blobs
    self.cache = cache
    self.rules = rules
    self.settings = settings
    self.now = now
    self.newID = newID
  }
}

/// What operators may choose.
public struct ServiceSettings: Hashable, Sendable {
  /// What stands before the path of a file in the documents' links.
  public var baseURL = "file:"
  /// The longer side of thumbnails, in pixels.
  public var thumbnailSide = 256
  /// Pixels a point of images that are rendered here.
  public var imageScale = 2.0
  /// No picture has more pixels; larger pages are rendered smaller.
  public var maximumPixels = 25_000_000
  /// How long, in seconds, what looks left behind is left alone.
  public var orphanAge: Int64 = 3600
  /// How many check-ins are celebrated.
  public var milestones = [10, 30, 50, 100, 365]
  /// How many days the gallery reaches back.
  public var galleryDays = 90
  /// How many days cards reach back where there are no check-ins.
  public var orphanCardDays = 7
  /// How many bytes of pictures that can be drawn again are kept; those used longest ago go first.
  public var cacheBytes = 1 << 30
  /// How many threads render a picture.
  public var threads = 1

  /// The values that are right for most.
  public init() {}
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
