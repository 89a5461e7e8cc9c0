public import Rasterization
public import Strokes

/// The options of vector files, shared by SVG and PDF.
public struct VectorOptions: Hashable, Sendable {
  /// The part of the canvas, the background, the paper and the style, as for a picture. The scale
  /// is that of the page: at 1, a point of the canvas is a point of the page. Quality and threads
  /// apply to embedded pictures.
  public var picture: RenderOptions
  /// The maximum distance of outlines from the edge of the ink, in points.
  public var tolerance: Double
  /// Whether inks with texture become outlines of one opacity too. Otherwise they are embedded as
  /// pictures.
  public var isFlat: Bool
  /// The pixels a point of embedded pictures.
  public var pixelsPerPoint: Double
  /// The file's metadata.
  public var information: DocumentInformation

  /// Options. The defaults suit most drawings.
  public init(
    picture: RenderOptions = RenderOptions(), tolerance: Double = 0.05, isFlat: Bool = false,
    pixelsPerPoint: Double = 2.5, information: DocumentInformation = DocumentInformation()
  ) {
    self.picture = picture
    self.tolerance = tolerance
    self.isFlat = isFlat
    self.pixelsPerPoint = pixelsPerPoint
    self.information = information
  }
}

/// The metadata of a file. Fields that are nil are not written. In particular, the time of writing
/// is never added, so that the same drawing gives the same bytes.
public struct DocumentInformation: Hashable, Sendable {
  /// The title.
  public var title: String?
  /// The author of the drawing.
  public var author: String?
  /// The subject of the drawing.
  public var subject: String?
  /// Keywords for searching.
  public var keywords: String?
  /// The time of drawing.
  public var creationDate: Timestamp?

  /// Information about a file.
  public init(
    title: String? = nil, author: String? = nil, subject: String? = nil, keywords: String? = nil,
    creationDate: Timestamp? = nil
  ) {
    self.title = title
    self.author = author
    self.subject = subject
    self.keywords = keywords
    self.creationDate = creationDate
  }
}
