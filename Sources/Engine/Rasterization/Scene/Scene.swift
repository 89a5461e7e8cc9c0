package import CRasterKernels
package import Graphics

/// The prepared strokes of a picture, in pixels and sorted by tiles: the complete input of
/// painting.
package struct Scene {
  /// One stroke, or several that are wet together: chains that are drawn as one shape.
  package struct Mark {
    /// The colour and mix for pixels of 8 bits.
    package var paint: RasterPaint
    /// The colour and mix for pixels of 16 bits.
    package var deepPaint = RasterDeepPaint()
    /// The indices of its chains in the scene's paths.
    package var chains: Range<Int> = 0..<0
    /// The index of its texture, if the ink has one.
    var texture: Int?
    /// The index of its mask, if an eraser cut it.
    var mask: Int?
    /// Coverages up to this are set to 0.
    var threshold: UInt8 = 0
    /// Whether its chains have several opacities.
    var hasSeveralOpacities = false
    var role = Role.ink

    package init(_ paint: RasterPaint) { self.paint = paint }

    /// The opacity of its ink, from 0 to 1.
    var alpha: Double { Double(deepPaint.alpha) / 65535 }
  }

  /// The use of a mark's coverage.
  enum Role: Hashable {
    /// It is painted.
    case ink
    /// It is subtracted from the earlier stroke with a number, which comes after it.
    case remains(of: Int32)
    /// It is painted, except where remains of the stroke cover it.
    case earlier(Int32)
  }

  /// The background, premultiplied.
  package let background: Pixel8
  package private(set) var paths = DevicePaths()
  package private(set) var marks: [Mark] = []
  private(set) var textures: [Texture] = []
  private(set) var masks: [MaskShape] = []
  package private(set) var bins: TileBins
  /// The number of visits for drawing the marks so far.
  var visits = 0.0
  let kernels: UnsafePointer<RasterKernels>

  /// An empty scene of a size in pixels. It is prepared with the best kernels up to a level.
  package init(width: Int, height: Int, background: Pixel8, level: Int32 = .max) {
    self.background = background
    kernels = rasterKernels(level, 8)
    bins = TileBins(width: width, height: height)
  }

  /// Reserves memory for paths with about this many points.
  func reserve(pointCount: Int) {
    // Mostly, a span between two points is one or two straight pieces.
    paths.round.reserve(2 * pointCount)
  }

  /// Whether the scene takes more than about 10 MB. A page of handwriting takes a tenth of that.
  var isLarge: Bool { bins.runCount > 1 << 18 || paths.pointCount > 1 << 18 }

  /// Removes all marks and keeps the memory.
  package mutating func removeAll() {
    paths.removeAll()
    marks.removeAll(keepingCapacity: true)
    textures.removeAll()
    masks.removeAll()
    bins.removeAll()
    visits = 0
  }

  /// Adds a mark; `chains` appends its chains to the paths and returns their range.
  package mutating func add(_ paint: RasterPaint, chains: (inout DevicePaths) -> Range<Int>) {
    add(Mark(paint), texture: nil, mask: nil, chains: chains)
  }

  /// Adds a mark with its texture and mask.
  mutating func add(
    _ mark: Mark, texture: Texture?, mask: MaskShape?, chains: (inout DevicePaths) -> Range<Int>
  ) {
    let range = chains(&paths)
    guard !range.isEmpty, mark.paint.alpha > 0 || mark.deepPaint.alpha > 0 else { return }
    bin(range, mark: marks.count)
    var mark = mark
    mark.chains = range
    if let texture {
      mark.texture = textures.count
      textures.append(texture)
    }
    if let mask {
      mark.mask = masks.count
      masks.append(mask)
    }
    mark.hasSeveralOpacities = hasSeveralOpacities(range)
    marks.append(mark)
  }

  /// Adds chains to the newest mark, as if its ink were still wet.
  mutating func extendLastMark(_ chains: (inout DevicePaths) -> Range<Int>) {
    let range = chains(&paths)
    guard !range.isEmpty, let last = marks.last else { return }
    bin(range, mark: marks.count - 1)
    let all = last.chains.lowerBound..<range.upperBound
    marks[marks.count - 1].chains = all
    marks[marks.count - 1].hasSeveralOpacities = hasSeveralOpacities(all)
  }

  private mutating func bin(_ range: Range<Int>, mark: Int) {
    for number in range {
      visits += paths.measure(number, in: bins, kernels)
      bins.add(paths.chains[number], number: number, mark: mark, of: paths)
    }
  }

  private func hasSeveralOpacities(_ range: Range<Int>) -> Bool {
    paths.chains[range].contains { $0.opacity != 255 }
  }
}

/// A premultiplied pixel of 8 bits a component, in the byte order of memory.
package struct Pixel8: Hashable, BitwiseCopyable {
  package var red: UInt8
  package var green: UInt8
  package var blue: UInt8
  package var alpha: UInt8

  package init(red: UInt8, green: UInt8, blue: UInt8, alpha: UInt8) {
    self.red = red
    self.green = green
    self.blue = blue
    self.alpha = alpha
  }

  package static let clear = Pixel8(red: 0, green: 0, blue: 0, alpha: 0)
  package static let white = Pixel8(red: 255, green: 255, blue: 255, alpha: 255)
}

extension Pixel8 {
  /// A colour of the picture's space.
  package init(_ color: Color) {
    let parts = color.clamped.premultiplied.components
    func byte(_ part: Double) -> UInt8 { UInt8(clamping: (part * 255).rounded()) }
    self.init(red: byte(parts.x), green: byte(parts.y), blue: byte(parts.z), alpha: byte(parts.w))
  }
}
