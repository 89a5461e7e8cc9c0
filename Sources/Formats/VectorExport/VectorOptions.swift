public import Rasterization
public import Strokes

/// How drawings become files of vectors: SVG and PDF share these options.
public struct VectorOptions: Hashable, Sendable {
  /// The part of the canvas, the background, the paper and the style, as of a picture. Its scale is that of the page:
  /// at 1, a point of the canvas is a point of the page. Quality and threads count for embedded pictures.
  public var picture: RenderOptions
  /// The maximum distance of outlines from the edge of the ink, in points.
  public var tolerance: Double
  /// Whether inks with texture become outlines of one opacity too. Otherwise they are embedded as pictures.
  public var isFlat: Bool
  /// The pixels a point of embedded pictures.
  public var pixelsPerPoint: Double
  /// What the file says about itself.
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

/// What a file says about itself. Nothing is written that is nil; above all, no file holds the moment at which it was
/// written unless it is given, so that the same drawing gives the same bytes.
public struct DocumentInformation: Hashable, Sendable {
  /// The title.
  public var title: String?
  /// Who drew it.
  public var author: String?
  /// What it is about.
  public var subject: String?
  /// Words to find it by.
  public var keywords: String?
  /// When it was drawn.
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
