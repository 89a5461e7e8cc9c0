public import Graphics

/// The options of pictures. Images, thumbnails and frames share them.
public struct RenderOptions: Hashable, Sendable {
  /// The size of the picture.
  public var extent: Extent
  /// The part of the canvas to show, in points; nil lets `frame` decide.
  public var region: Rect?
  /// The part of the canvas to show if `region` is nil.
  public var frame: Frame
  /// The space around the frame. A region has none.
  public var margin: Margin
  /// The background below the paper's pattern and the ink.
  public var background: Background
  /// The pattern on the paper; nil for that of the recording (`Recording.Canvas.paper`).
  public var paper: Paper?
  /// Whether the pattern is drawn.
  public var showsPattern: Bool
  /// The look of strokes that were erased, undone or moved away; nil leaves them out.
  public var earlier: Earlier?
  /// The surroundings that ink is shown in.
  public var style: Style
  /// The colour space of the picture.
  public var colorSpace: ColorSpace
  /// The number of bits of each component.
  public var depth: Pixmap.Depth
  /// Whether ink is mixed as encoded values or as linear light.
  public var blending: Blending
  /// The effect of a stroke overlapping itself or its group; nil uses each ink's own rule.
  public var overlap: Overlap?
  /// The number of samples and the tolerance of curves.
  public var quality: Quality
  /// The maximum number of pixels; larger pictures throw an error.
  public var maximumPixels: Int
  /// The maximum number of threads. The picture does not depend on it.
  public var threads: Int
  /// The maximum level of kernels to draw with. The picture does not depend on it.
  package var level = Int32.max
  /// Whether some ink has detail that is lost in few pixels; see `Reduction`.
  package var hasFineInk = true

  /// Options. The defaults suit most pictures.
  public init(
    extent: Extent = .scale(1), region: Rect? = nil, frame: Frame = .automatic,
    margin: Margin = .points(0), background: Background = .page, paper: Paper? = nil,
    showsPattern: Bool = true, earlier: Earlier? = nil,
    style: Style = .light, colorSpace: ColorSpace = .sRGB, depth: Pixmap.Depth = .eight,
    blending: Blending = .encoded, overlap: Overlap? = nil, quality: Quality = .normal,
    maximumPixels: Int = 100_000_000, threads: Int = 1
  ) {
    self.extent = extent
    self.region = region
    self.frame = frame
    self.margin = margin
    self.background = background
    self.paper = paper
    self.showsPattern = showsPattern
    self.earlier = earlier
    self.style = style
    self.colorSpace = colorSpace
    self.depth = depth
    self.blending = blending
    self.overlap = overlap
    self.quality = quality
    self.maximumPixels = maximumPixels
    self.threads = threads
  }
}

extension RenderOptions {
  /// The size of a picture.
  public enum Extent: Hashable, Sendable {
    /// A number of pixels per point, above 0.
    case scale(Double)
    /// A size in pixels; the content is scaled to fit and centred.
    case pixels(width: Int, height: Int)
    /// The length of the longer side, in pixels.
    case longerSide(Int)
  }

  /// The part of the canvas that a picture shows.
  public enum Frame: String, Hashable, Sendable, CaseIterable {
    /// The page if there is one, the content otherwise.
    case automatic
    /// The whole page; an error if there is none.
    case page
    /// The box around the ink.
    case content
  }

  /// The space around the frame of a picture, finite and 0 or more.
  public enum Margin: Hashable, Sendable {
    /// A width in points, around a page or around ink.
    case points(Double)
    /// A part of the ink's longer side. A page has no such margin. Where the size of the picture is
    /// given, tiny ink gets more space, so that it is magnified 4 times at most: a dot stays a dot.
    case partOfInk(Double)

    /// The maximum scale of ink with a margin that is a part of it, in pixels per point.
    static let maximumScale = 4.0

    /// The margin of thumbnails: a page ends where it ends, but ink needs air around it.
    public static let ofThumbnails = Margin.partOfInk(0.06)
  }

  /// The background of a picture.
  public enum Background: Hashable, Sendable {
    /// The recording's background; without one, white, or black in the dark style.
    case page
    /// Transparent pixels.
    case transparent
    /// A colour, used as it is in all styles.
    case color(Color)
    /// A colour on which the ink is visible: the page's own if at least half of the strokes are
    /// visible on it; otherwise white or PencilKit's dark paper (#1C1C1E), whichever differs more
    /// from the strokes.
    case automatic
    /// A sheet of this colour, independent of the page's colour. White ink would be invisible on
    /// light sheets, and black ink on dark ones. So the sheet of the other lightness is used if
    /// fewer than half of the strokes are visible on this one, and more on the other.
    case sheet(Color)
  }

  /// The patterns on paper.
  public enum Paper: String, Hashable, Sendable, CaseIterable {
    case blank, dotted, lined, grid, graph, isometric, staves, cornell
  }

  /// The look of earlier strokes, which are below all other ink.
  public enum Earlier: Hashable, Sendable {
    /// In sienna, with an opacity of a third.
    case sienna
    /// In a colour, used as it is in all styles.
    case color(Color)

    /// The opacity of a colour that has none of its own.
    public static let opacity = 0.34
  }

  /// The surroundings that ink is shown in.
  public enum Style: String, Hashable, Sendable, CaseIterable {
    /// Colours as they are stored; stored colours are meant for light surroundings.
    case light
    /// Light ink on dark paper: colours are converted by `PKInkingTool.convertColor`.
    case dark
    /// Colours as they are stored, on any background.
    case stored
  }

  /// The space in which ink is mixed.
  public enum Blending: String, Hashable, Sendable, CaseIterable {
    /// Encoded values, as PencilKit mixes them.
    case encoded
    /// Linear amounts of light.
    case linear
  }

  /// The effect of ink overlapping ink of its own stroke or group.
  public enum Overlap: String, Hashable, Sendable, CaseIterable {
    /// Overlapping passes add nothing.
    case discard
    /// Overlapping passes of one stroke add up, as separate strokes do.
    case accumulate
    /// Overlapping passes add up to the ink's ceiling.
    case saturate
  }

  /// The precision of edges.
  public enum Quality: String, Hashable, Sendable, CaseIterable {
    /// 8×8 samples a pixel, curves within a tenth of a pixel.
    case draft
    /// 8×8 samples a pixel.
    case normal
    /// 16×16 samples a pixel.
    case fine

    /// The maximum deviation of curves, in pixels.
    var tolerance: Double { self == .draft ? 0.1 : self == .normal ? 0.05 : 0.02 }
    var samples: Int { self == .fine ? 16 : 8 }
  }
}
