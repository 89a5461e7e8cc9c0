import InkFiles
import Graphics
import PNGFormat
import Pictures
import Rasterization
import Replay
import Storage
import Strokes
import Threads

/// Opens recordings and renders them.
struct PictureMaker {
  let settings: ServiceSettings
  /// Locked while a large picture is decoded.
  private static let decoding = ConditionMutex(())

  /// Opens an uploaded recording: a PencilKit archive or a `.pkd` file, recognized by content.
  /// `checksArchive` also checks the archive data in a `.pkd` file and reads its words. Rendering
  /// needs neither.
  static func open(
    _ recording: [UInt8], checksArchive: Bool = true
  ) throws(ServiceError) -> OpenedDrawing {
    let format = DrawingFile.Format(recognizingOwn: recording)
    guard format == .pkd || format == .pencilKit else {
      throw .notARecording(firstBytes: Array(recording.prefix(PictureFormat.neededBytes)))
    }
    do throws(DrawingFileError) {
      let file = try DrawingFile(own: recording, as: format)
      let contents = checksArchive ? file.contents() : nil
      let strokes = contents?.strokes ?? file.strokes()
      if let first = strokes.damage.first { throw first }
      return OpenedDrawing(strokes: strokes, canvas: file.canvas, words: contents?.words)
    } catch {
      throw .damagedRecording(error)
    }
  }

  /// The history of a stored recording. Damaged ones are refused.
  static func recording(_ bytes: [UInt8]) throws(ServiceError) -> Recording {
    do throws(DrawingFileError) {
      let contents = try DrawingFile(own: bytes).contents(withArchive: false)
      if let damage = contents.damage.first { throw damage }
      return contents.recording
    } catch {
      throw .damagedRecording(error)
    }
  }

  /// The image of the whole drawing in the scale of the settings, or in the largest smaller size
  /// that stays below the limit for files.
  func image(of opened: OpenedDrawing) throws(ServiceError) -> [UInt8] {
    let extents: [RenderOptions.Extent] = [
      .scale(settings.imageScale), .scale(1), .longerSide(4096), .longerSide(2048),
      .longerSide(1024), .longerSide(512), .longerSide(256), .longerSide(128), .longerSide(32),
    ]
    var problem = ServiceError.notRenderable("no size is small enough")
    for extent in extents {
      do throws(ServiceError) {
        var options = RenderOptions(extent: extent, threads: settings.threads)
        options.maximumPixels = settings.maximumPixels
        let bytes = try picture(of: opened, options)
        if bytes.count < DrawingFiles.sizeLimit { return bytes }
      } catch {
        problem = error
      }
    }
    throw problem
  }

  /// The thumbnail of the drawing. White ink gets dark paper.
  func thumbnail(of opened: OpenedDrawing) throws(ServiceError) -> [UInt8] {
    let extent = RenderOptions.Extent.longerSide(settings.thumbnailSide)
    return try picture(
      of: opened, RenderOptions(extent: extent, margin: .ofThumbnails, background: .automatic))
  }

  /// A picture. With the bytes of the recording, erased, undone and moved ink shows through.
  func picture(
    of opened: OpenedDrawing, _ options: RenderOptions, earlierIn recording: [UInt8]? = nil
  ) throws(ServiceError) -> [UInt8] {
    do {
      let earlier = try recording.map(Self.earlierStrokes) ?? []
      return try Picture(of: opened.strokes, on: opened.canvas, options, earlier: earlier).png()
    } catch {
      throw .notRenderable("\(error)")
    }
  }

  private static func earlierStrokes(of recording: [UInt8]) throws -> [EarlierStroke] {
    let source = try DrawingFile(own: recording).replay().source
    let history = try PageHistory(of: source)
    return try history.earlierStrokes(afterSteps: history.steps.count, in: source)
  }

  /// Throws if an uploaded image is not a valid PNG.
  static func check(image bytes: [UInt8]) throws(ServiceError) {
    guard bytes.starts(with: [0x89, 0x50, 0x4E, 0x47]) else { throw .notAnImage("it is not a PNG") }
    do {
      // A small file may decode to hundreds of megabytes, so large pictures wait for each other.
      if isLarge(png: bytes) {
        try decoding.withLock { _ in _ = try PNGDecoder().decode(bytes) }
      } else {
        _ = try PNGDecoder().decode(bytes)
      }
    } catch {
      throw .notAnImage("\(error)")
    }
  }

  /// Whether the header names more than four million pixels.
  private static func isLarge(png bytes: [UInt8]) -> Bool {
    let sides = [16, 20].map { start in
      bytes.dropFirst(start).prefix(4).reduce(0.0) { $0 * 256 + Double($1) }
    }
    return sides[0] * sides[1] > 4e6
  }
}

/// The decoded strokes of a drawing and its page.
struct OpenedDrawing {
  let strokes: DrawnStrokes
  let canvas: Recording.Canvas
  /// The words in it; nil if no recognizer has run, or if the archive was not checked.
  let words: RecognizedText?

  /// When the first stroke was drawn; nil if unknown.
  var firstMoment: Moment? {
    let dates = strokes.strokes.map { $0.path.creationDate.secondsSince1970 }
    // Some programs write the start of 1970 or of 2001 for an unknown date.
    let known = dates.filter { $0 > 1_000_000_000 && $0 < 32_503_680_000 }
    return known.min().map { Moment(microseconds: Int64(clamping: ($0 * 1e6).rounded())) }
  }
}
