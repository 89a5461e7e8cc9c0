public import Rasterization
public import Storage

/// The size and style of a picture of a drawing.
public struct RenditionStyle: Hashable, Sendable {
  /// The longer side in pixels; nil for the scale in the settings.
  public var side: Int?
  /// Whether the ink is adapted to a dark background.
  public var isDark = false
  /// The background.
  public var background = RenderOptions.Background.page
  /// The space around ink that has no page.
  public var margin = RenderOptions.Margin.points(0)
  /// Whether the picture is a square with the drawing in its middle and a margin around the ink.
  public var isSquare = false
  /// The pattern on the paper; nil for that of the recording.
  public var paper: RenderOptions.Paper?
  /// Whether erased, undone and moved ink shows through.
  public var showsEarlier = false

  /// The default size, with light style and the background of the page.
  public init() {}

  /// The maximum length of the longer side, in pixels.
  public static let maximumSide = 8192
}

extension RenderOptions {
  /// Makes the picture a square with the drawing in its middle and a margin around the ink; tiny
  /// ink is not enlarged.
  package mutating func becomeSquare(_ side: Int) {
    extent = .pixels(width: side, height: side)
    margin = .partOfInk(0.05)
  }
}

extension DrawingService {
  /// A picture of a drawing in any size and style, rendered from its recording. Cached pictures are
  /// found by a hash of everything that determines them.
  public func rendition(
    _ style: RenditionStyle, ofDrawing id: String, of uid: String
  ) throws -> [UInt8] {
    if let side = style.side, !(1...RenditionStyle.maximumSide ~= side) {
      throw ServiceError.badRequest(
        "pictures have 1 to \(RenditionStyle.maximumSide) pixels on their longer side")
    }
    let text =
      "\(style.side ?? 0) \(style.isDark) \(style.background) \(environment.settings.imageScale) "
      + "\(environment.settings.maximumPixels) \(style.paper?.rawValue ?? "page") \(style.showsEarlier) "
      + "\(style.margin) \(style.isSquare)"
    return try cached(text, ofDrawing: id, of: uid) { recording in
      var options = RenderOptions(
        extent: style.side.map { .longerSide($0) } ?? .scale(environment.settings.imageScale),
        margin: style.margin, background: style.background,
        threads: environment.settings.threads)
      options.maximumPixels = environment.settings.maximumPixels
      options.style = style.isDark ? .dark : .light
      options.paper = style.paper
      if style.showsEarlier { options.earlier = .sienna }
      if style.isSquare { options.becomeSquare(style.side ?? environment.settings.thumbnailSide) }
      return try maker.picture(
        of: PictureMaker.open(recording.bytes, checksArchive: false), options,
        earlierIn: style.showsEarlier ? recording.bytes : nil)
    }
  }

  /// A result computed from a recording, from the cache or by `make`. The text must contain
  /// everything besides the recording that the result depends on.
  public func cached(
    _ text: String, ofDrawing id: String, of uid: String, _ make: (Blob) throws -> [UInt8]
  ) throws -> [UInt8] {
    let recording = try file(DrawingFiles.recording, ofDrawing: id, of: uid)
    if let bytes = cachedPicture(text, of: recording.info) { return bytes }
    let bytes = try make(recording)
    cache(bytes, as: text, of: recording.info)
    return bytes
  }

  private var renditions: RenditionCache? {
    environment.cache.map { RenditionCache(store: $0, limit: environment.settings.cacheBytes) }
  }

  private func key(_ text: String, of recording: BlobInfo) -> BlobPath? {
    let hash = ContentHash.of(Array("\(Renderer.version) \(text)".utf8))
    return try? Self.renditions(ofRecording: recording.sha256).blob("\(hash).png")
  }

  /// The cached result for a recording; nil if there is none.
  func cachedPicture(_ text: String, of recording: BlobInfo) -> [UInt8]? {
    guard let key = key(text, of: recording) else { return nil }
    return try? renditions?.picture(key, at: environment.now())
  }

  /// Caches a result computed from a recording. Ignores errors: a failing cache must not prevent
  /// showing it.
  func cache(_ bytes: [UInt8], as text: String, of recording: BlobInfo) {
    guard let key = key(text, of: recording) else { return }
    try? renditions?.add(bytes, as: key, at: environment.now())
    // If the drawing was deleted or revised meanwhile, its cached pictures are already deleted,
    // except for this one.
    if (try? environment.blobs.info(recording.path))?.digest != recording.digest {
      _ = try? Self.deleteRenditions(ofRecording: recording.sha256, in: environment.cache)
    }
  }

  /// The folder for cached pictures of a recording.
  private static func renditions(ofRecording hash: String) throws(StorageError) -> BlobFolder {
    try BlobFolder("renditions/\(hash.prefix(2))/\(hash)")
  }

  /// Deletes the cached pictures of a deleted drawing. Pictures of another drawing with the same
  /// recording are rendered again.
  static func deleteRenditions(
    of record: DrawingRecord, in cache: (any BlobStore)?
  ) throws {
    for hash in record.recordings { try deleteRenditions(ofRecording: hash, in: cache) }
  }

  static func deleteRenditions(
    ofRecording hash: String, in cache: (any BlobStore)?
  ) throws {
    guard let cache else { return }
    try RenditionCache(store: cache, limit: 0).delete(renditions(ofRecording: hash))
  }

  /// The result of rendering pictures again.
  public struct Rerendering: Hashable, Sendable {
    /// The number of pictures that have changed.
    public var changed = 0
    /// The number of pictures that are the same.
    public var same = 0

    /// A result with no pictures.
    public init() {}
  }

  /// Renders the thumbnail of a drawing again, and its image if the service has rendered it or
  /// `replacesImage`. Without `replacesImage`, an image that waits for its first reader is not
  /// rendered. Updates the links to its files. Does not write files and documents that would not
  /// change.
  @discardableResult
  public func rerender(
    _ id: String, of uid: String, replacesImage: Bool = false
  ) throws -> Rerendering {
    let paths = try UserPaths(uid)
    let (path, folder) = (try paths.drawings.document(id), try paths.folder(ofDrawing: id))
    var record = try drawing(id, of: uid)
    let recording = try file(DrawingFiles.recording, ofDrawing: id, of: uid)
    let drawn = try PictureMaker.open(recording.bytes, checksArchive: false)
    var pictures = [(DrawingFiles.thumbnail, try maker.thumbnail(of: drawn))]
    let isRendered = replacesImage || record.hasRenderedImage
    let rendersImage =
      try isRendered
      && (replacesImage || !record.rendersImageLater
        || environment.blobs.fileNames(in: folder).contains(DrawingFiles.image))
    if rendersImage { pictures.append((DrawingFiles.image, try maker.image(of: drawn))) }

    var result = Rerendering()
    var contents: [BlobContent] = []
    for (name, bytes) in pictures {
      let blob = try folder.blob(name)
      try gate.check(.update, .blob(blob, size: bytes.count))
      // A damaged file counts as missing.
      let stored = (try? environment.blobs.get(blob))?.bytes
      if stored == bytes {
        result.same += 1
      } else {
        contents.append(BlobContent(name, contentType: "image/png", bytes))
        result.changed += 1
      }
    }
    if !record.hasRenderedImage, contents.contains(where: { $0.name == DrawingFiles.image }) {
      guard let noted = try noteRenderedImage(of: record) else { return Rerendering() }
      record = noted
    }
    // The base URL may have changed, too.
    let links = links(to: folder)
    let changesDocument =
      links.all.contains { record.document[$0.0] != $0.1 }
      || isRendered && !record.hasRenderedImage
    guard changesDocument || !contents.isEmpty else { return result }
    return try gate.change { transaction in
      // Meanwhile another drawing may have got the same name, or this one another image, which
      // stays.
      guard record.isSameWithImage(as: try transaction.stored(path)) else { return Rerendering() }
      if !contents.isEmpty {
        // A revision may have replaced the recording. It stores the thumbnail itself.
        guard
          try environment.blobsInTransaction.put(
            contents, deleting: [], beside: recording.info, at: transaction.moment) != nil
        else { return Rerendering() }
      }
      if changesDocument {
        try transaction.stampedUpdate(
          path,
          links.merging([
            "imageIsRendered": .bool(isRendered),
            "imageSHA256": isRendered ? .null : record.document["imageSHA256"],
          ]))
      }
      return result
    }
  }

  /// Notes in the document of a drawing that the service renders its image, before an uploaded one
  /// is replaced: a crash must not leave a document with the hash of a missing image. Nil if the
  /// drawing or its image has changed.
  private func noteRenderedImage(of record: DrawingRecord) throws -> DrawingRecord? {
    try gate.change { transaction in
      let path = record.document.path
      guard record.isSameWithImage(as: try transaction.stored(path)) else { return nil }
      return DrawingRecord(
        try transaction.stampedUpdate(path, ["imageIsRendered": true, "imageSHA256": .null]).value)
    }
  }
}
