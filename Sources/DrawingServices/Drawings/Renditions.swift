import Graphics
import Rasterization
import Storage

/// What a picture of a drawing should be like.
public struct RenditionStyle: Hashable, Sendable {
  /// The longer side in pixels; nil for twice the page's points.
  public var side: Int?
  /// Whether it is shown in the dark.
  public var isDark = false
  /// Whether nothing lies below the ink.
  public var isTransparent = false

  /// A picture as large as the page asks for, in the light.
  public init() {}

  /// No rendition is larger on a side.
  public static let longestSide = 8192
}

extension DrawingService {
  /// A drawing as a picture of any size and style, rendered from its recording. Pictures that were asked
  /// for before come from the cache, by a hash of what went into them.
  public func rendition(
    _ style: RenditionStyle, ofDrawing id: String, of uid: String
  ) throws -> [UInt8] {
    if let side = style.side, !(1...RenditionStyle.longestSide ~= side) {
      throw ServiceError.badRequest(
        "pictures have 1 to \(RenditionStyle.longestSide) pixels on their longer side")
    }
    let recording = try file(DrawingFiles.recording, ofDrawing: id, of: uid)
    let key = cacheKey(style, of: recording.info)
    let cache = environment.cache.map {
      RenditionCache(store: $0, limit: environment.settings.cacheBytes)
    }
    if let bytes = try? key.flatMap({ try cache?.picture($0, at: environment.now()) }) {
      return bytes
    }
    var options = RenderOptions(
      extent: style.side.map { .longerSide($0) } ?? .scale(environment.settings.imageScale),
      threads: environment.settings.threads)
    options.maximumPixels = environment.settings.maximumPixels
    options.style = style.isDark ? .dark : .light
    options.background = style.isTransparent ? .transparent : .page
    let bytes = try maker.picture(
      of: try PictureMaker.open(recording.bytes, checksArchive: false), options)
    // A picture that cannot be kept can be shown all the same.
    if let key {
      try? cache?.keep(bytes, as: key, at: environment.now())
      // Whoever took the drawing away meanwhile did not see this picture.
      if (try? environment.blobs.info(recording.info.path)) == nil {
        _ = try? Self.forgetRenditions(ofRecording: recording.info.sha256, in: environment.cache)
      }
    }
    return bytes
  }

  private func cacheKey(_ style: RenditionStyle, of recording: BlobInfo) -> BlobPath? {
    let text =
      "\(Renderer.version) \(style.side ?? 0) \(style.isDark) "
      + "\(style.isTransparent) \(environment.settings.imageScale) "
      + "\(environment.settings.maximumPixels)"
    let hash = ContentHash.of(Array(text.utf8))
    return try? Self.renditions(ofRecording: recording.sha256).blob("\(hash).png")
  }

  /// Where the pictures of a recording are cached.
  private static func renditions(ofRecording hash: String) throws(StorageError) -> BlobFolder {
    try BlobFolder("renditions/\(hash.prefix(2))/\(hash)")
  }

  /// Takes away what is cached of a drawing that is gone. One of the same recording is rendered again.
  static func forgetRenditions(
    of record: DrawingRecord, in cache: (any BlobStore)?
  ) throws {
    guard let hash = record.document["recordingSHA256"]?.textValue else { return }
    try forgetRenditions(ofRecording: hash, in: cache)
  }

  static func forgetRenditions(
    ofRecording hash: String, in cache: (any BlobStore)?
  ) throws {
    guard let cache else { return }
    try RenditionCache(store: cache, limit: 0).delete(renditions(ofRecording: hash))
  }

  /// What became of pictures that were rendered again.
  public struct Rerendering: Hashable, Sendable {
    /// Pictures that differ from those before.
    public var changed = 0
    /// Pictures that are as they were.
    public var same = 0

    /// None so far.
    public init() {}
  }

  /// Renders a drawing's thumbnail again, and its image if that was rendered here or `replacesImage`, and
  /// brings the links to its files up to date. What is as it should be is not touched.
  @discardableResult
  public func rerender(
    _ id: String, of uid: String, replacesImage: Bool = false
  ) throws -> Rerendering {
    let paths = try UserPaths(uid)
    let (path, folder) = (try paths.drawings.document(id), try paths.folder(ofDrawing: id))
    let record = try drawing(id, of: uid)
    let recording = try file(DrawingFiles.recording, ofDrawing: id, of: uid)
    let drawn = try PictureMaker.open(recording.bytes, checksArchive: false)
    var pictures = [(DrawingFiles.thumbnail, try maker.thumbnail(of: drawn))]
    let makesImage = replacesImage || record.hasRenderedImage
    if makesImage { pictures.append((DrawingFiles.image, try maker.image(of: drawn))) }

    var result = Rerendering()
    var contents: [BlobContent] = []
    for (name, bytes) in pictures {
      let blob = try folder.blob(name)
      try gate.check(.update, .blob(blob, size: bytes.count))
      // What is damaged is as good as not there.
      let stored = (try? environment.blobs.get(blob))?.bytes
      if stored == bytes {
        result.same += 1
      } else {
        contents.append(BlobContent(name, contentType: "image/png", bytes))
        result.changed += 1
      }
    }
    // Where files are found may have changed, too.
    let links = links(to: folder)
    let tellsMore =
      links.all.contains { record.document[$0.0] != $0.1 } || makesImage && !record.hasRenderedImage
    guard tellsMore || !contents.isEmpty else { return result }
    return try gate.change { transaction in
      // Another drawing may have got its name meanwhile, with pictures of its own.
      guard record.isSame(as: try transaction.transaction.document(path)) else {
        return Rerendering()
      }
      if !contents.isEmpty {
        try environment.blobs.put(contents, in: folder, at: transaction.moment)
      }
      if tellsMore {
        try transaction.stampedUpdate(
          path,
          links.merging([
            "imageIsRendered": .bool(makesImage),
            "imageSHA256": makesImage ? .null : record.document["imageSHA256"],
          ]))
      }
      return result
    }
  }
}
