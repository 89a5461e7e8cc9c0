public import Graphics

/// How a drawing becomes a picture: the one set of options that images, thumbnails and frames share.
public struct RenderOptions: Hashable, Sendable {
  /// How large the picture is.
  public var extent: Extent
  /// The part of the page to show, in points; nil for what `frame` says.
  public var region: Rect?
  /// What the picture shows where no region is given.
  public var frame: Frame
  /// Room around what is shown where no region is given, in points.
  public var margin: Double
  /// What lies below the ink.
  public var background: Background
  /// The pattern on the paper.
  public var paper: Paper
  /// Whether the paper's pattern is drawn.
  public var showsPattern: Bool
  /// The surroundings that ink is shown in.
  public var style: Style
  /// What the components of pixels mean.
  public var colorSpace: ColorSpace
  /// How many bits each component has.
  public var depth: Pixmap.Depth
  /// Whether ink is mixed as encoded values or as light.
  public var blending: Blending
  /// How ink meets itself and its group; nil for what each ink does.
  public var overlap: Overlap?
  /// How exact edges are.
  public var quality: Quality
  /// More pixels than these are refused.
  public var maximumPixels: Int
  /// How many threads draw; the picture is the same for any number.
  public var threads: Int
  /// The best kernels to draw with; the picture is the same for any.
  package var level = Int32.max

  /// Options; all of them have values that are right for most.
  public init(
    extent: Extent = .scale(1), region: Rect? = nil, frame: Frame = .automatic,
    margin: Double = 0, background: Background = .page, paper: Paper = .blank,
    showsPattern: Bool = true,
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
  /// How large a picture is.
  public enum Extent: Hashable, Sendable {
    /// So many pixels a point.
    case scale(Double)
    /// Exactly so many pixels; what is shown is fitted and centred.
    case pixels(width: Int, height: Int)
    /// So many pixels on the longer side.
    case longerSide(Int)
  }

  /// What a picture shows.
  public enum Frame: String, Hashable, Sendable, CaseIterable {
    /// The page where there is one, the content otherwise.
    case automatic
    /// The whole page.
    case page
    /// The box around the ink.
    case content
  }

  /// What lies below the ink.
  public enum Background: Hashable, Sendable {
    /// What the recording says, white or, in the dark, black where it says nothing.
    case page
    /// Nothing.
    case transparent
    /// A colour.
    case color(Color)
  }

  /// The patterns on paper.
  public enum Paper: String, Hashable, Sendable, CaseIterable {
    case blank, dotted, lined, grid, graph, isometric, staves, cornell
  }

  /// The surroundings that ink is shown in.
  public enum Style: String, Hashable, Sendable, CaseIterable {
    /// Colours as they are stored, which is for light surroundings.
    case light
    /// Light ink on dark paper: colours go through `PKInkingTool.convertColor`.
    case dark
    /// Colours as they are stored, on whatever background.
    case stored
  }

  /// How ink is mixed.
  public enum Blending: String, Hashable, Sendable, CaseIterable {
    /// As the numbers in the file, as PencilKit does.
    case encoded
    /// As light.
    case linear
  }

  /// How ink meets ink of its own stroke or group.
  public enum Overlap: String, Hashable, Sendable, CaseIterable {
    /// Once covered is covered.
    case discard
    /// Every pass counts as if it were a stroke of its own.
    case accumulate
    /// Passes add up to a ceiling.
    case saturate
  }

  /// How exact edges are.
  public enum Quality: String, Hashable, Sendable, CaseIterable {
    /// 8×8 samples a pixel, curves within a tenth of a pixel.
    case draft
    /// 8×8 samples a pixel.
    case normal
    /// 16×16 samples a pixel.
    case fine

    /// How far curves may be off, in pixels.
    var tolerance: Double { self == .draft ? 0.1 : self == .normal ? 0.05 : 0.02 }
    var samples: Int { self == .fine ? 16 : 8 }
  }
}
