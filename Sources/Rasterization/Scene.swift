package import CRasterKernels
package import Graphics

/// Everything that a picture needs, in pixels: what is drawn once it is known how.
package struct Scene {
  /// One stroke: chains that are drawn as one shape, and what with.
  package struct Mark {
    package var paint: RasterPaint
    /// The place of its texture, for inks that have one.
    var texture: Int?
    package var chains: Range<Int>
  }

  package let width: Int
  package let height: Int
  /// What lies below everything, premultiplied.
  package let background: Pixel8
  /// Whether ink is put together on nothing first, because some of it depends on ink below it.
  package private(set) var isIsolated = false
  package private(set) var paths = DevicePaths()
  package private(set) var marks: [Mark] = []
  private(set) var textures: [Texture] = []
  package private(set) var bins: TileBins

  package init(width: Int, height: Int, background: Pixel8) {
    self.width = width
    self.height = height
    self.background = background
    bins = TileBins(width: width, height: height)
  }

  /// Forgets all marks and keeps the memory.
  package mutating func removeAll() {
    paths.removeAll()
    marks.removeAll(keepingCapacity: true)
    textures.removeAll()
    bins.removeAll()
    isIsolated = false
  }

  /// Adds a mark; `chains` adds its chains to the paths.
  package mutating func add(_ paint: RasterPaint, chains: (inout DevicePaths) -> Range<Int>) {
    add(paint, texture: nil, chains: chains)
  }

  /// Adds a mark of an ink with a texture.
  mutating func add(
    _ paint: RasterPaint, texture: Texture?, chains: (inout DevicePaths) -> Range<Int>
  ) {
    let range = chains(&paths)
    guard !range.isEmpty, paint.alpha > 0 else { return }
    for number in range {
      bins.add(paths.chains[number], number: number, mark: marks.count, of: paths)
    }
    marks.append(
      Mark(paint: paint, texture: texture == nil ? nil : textures.count, chains: range))
    if let texture { textures.append(texture) }
    if UInt32(paint.mix) != RasterMixOver.rawValue, background.alpha > 0 { isIsolated = true }
  }
}

/// A premultiplied pixel of 8 bits a component, as it lies in memory.
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
    func byte(_ part: Double) -> UInt8 { UInt8((part * 255).rounded()) }
    self.init(red: byte(parts.x), green: byte(parts.y), blue: byte(parts.z), alpha: byte(parts.w))
  }
}
