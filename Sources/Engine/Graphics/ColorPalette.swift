/// Up to 255 colours that represent all colours of a picture, for forms with 256 at most.
///
/// A picture with at most 255 colours keeps them. Otherwise its colours are put into boxes. The box
/// with the largest sum of squared distances from its mean is split there until there are 255
/// boxes, and each box becomes its mean colour.
public struct ColorPalette: Hashable, Sendable {
  /// The colours, each as `0xRRGGBB`.
  public let colors: [UInt32]
  /// Whether pixels that are less than half opaque are transparent. Otherwise all pixels are
  /// composited on white.
  public let hasClear: Bool
  /// The maximum number of colours. It leaves one index of a byte for transparent pixels.
  public static let maximumColorCount = 255

  /// The colours of a picture, and those of others as far as they fit.
  public init(of picture: Pixmap, and others: [Pixmap] = [], hasClear: Bool = false) {
    var first = ColorCount(hasClear: hasClear)
    first.add(picture)
    var more = ColorCount(hasClear: hasClear)
    for other in others { more.add(other) }
    self.init(first, more)
  }

  /// The colours of the first count, and those of others as far as they fit.
  package init(_ first: ColorCount, _ others: ColorCount) {
    hasClear = first.hasClear
    let known = first.counts.count
    guard known <= Self.maximumColorCount else {
      var all = first.counts
      for (color, count) in others.counts { all[color, default: 0] += count }
      colors = ColorBox.means(of: all, count: Self.maximumColorCount)
      return
    }
    let new = others.counts.filter { first.counts[$0.key] == nil }
    let free = Self.maximumColorCount - known
    let added =
      new.count <= free ? Array(new.keys) : free > 0 ? ColorBox.means(of: new, count: free) : []
    colors = first.counts.keys.sorted() + added.sorted()
  }
}

/// The number of pixels of each colour.
package struct ColorCount {
  /// Whether pixels that are less than half opaque are transparent.
  package let hasClear: Bool
  /// The number of pixels by colour, `0xRRGGBB`.
  package private(set) var counts: [UInt32: Int] = [:]

  package init(hasClear: Bool) { self.hasClear = hasClear }

  /// Adds the pixels of a picture with 8 bits per component; transparent ones do not count.
  package mutating func add(_ picture: Pixmap) {
    for y in 0..<picture.height {
      picture.withRow(y) { row in
        var x = 0
        while x < picture.width {
          let color = SolidColor(row, x, hasClear: hasClear)
          let start = x
          x += 1
          while x < picture.width, SolidColor(row, x, hasClear: hasClear) == color { x += 1 }
          if !color.isClear { counts[color.value, default: 0] += x - start }
        }
      }
    }
  }
}

/// The colour of a pixel without partial opacity: composited on white, or transparent.
package struct SolidColor: Equatable {
  /// `0xRRGGBB`; 0x1000000 for a transparent pixel.
  package let value: UInt32

  /// A transparent pixel.
  package static let clear = SolidColor(value: 0x100_0000)
  @inlinable package var isClear: Bool { value == 0x100_0000 }

  private init(value: UInt32) { self.value = value }

  /// The colour of a pixel in a row with 8 bits per component.
  @inlinable
  package init(_ row: UnsafeRawBufferPointer, _ x: Int, hasClear: Bool) {
    let alpha = UInt32(row[4 * x + 3])
    let (red, green, blue) = (UInt32(row[4 * x]), UInt32(row[4 * x + 1]), UInt32(row[4 * x + 2]))
    if alpha == 255 {
      value = red << 16 | green << 8 | blue
    } else if hasClear {
      guard alpha >= 128 else {
        value = 0x100_0000
        return
      }
      func straight(_ part: UInt32) -> UInt32 { min((part * 255 + alpha / 2) / alpha, 255) }
      value = straight(red) << 16 | straight(green) << 8 | straight(blue)
    } else {
      // The components of a wide-gamut pixel may exceed its opacity.
      func onWhite(_ part: UInt32) -> UInt32 { min(part + 255 - alpha, 255) }
      value = onWhite(red) << 16 | onWhite(green) << 8 | onWhite(blue)
    }
  }
}

/// A set of colours that become one.
private struct ColorBox {
  private var colors: [(color: SIMD3<Double>, weight: Double)]
  private var mean = SIMD3<Double>()
  private var spread = SIMD3<Double>()

  private init(_ colors: [(color: SIMD3<Double>, weight: Double)]) {
    self.colors = colors
    var weight = 0.0
    for color in colors {
      mean += color.color * color.weight
      weight += color.weight
    }
    mean /= max(weight, 1)
    for color in colors {
      let distance = color.color - mean
      spread += distance * distance * color.weight
    }
  }

  /// At most `count` colours that represent all.
  static func means(of counts: [UInt32: Int], count: Int) -> [UInt32] {
    // A fixed order makes the result deterministic; square roots keep large areas from dominating
    // it.
    let all = counts.sorted { $0.key < $1.key }.map { color, count in
      (
        color: SIMD3(Double(color >> 16), Double(color >> 8 & 255), Double(color & 255)),
        weight: Double(count).squareRoot()
      )
    }
    var boxes = [ColorBox(all)]
    while boxes.count < count {
      guard
        let largest = boxes.indices.max(by: { boxes[$0].spread.sum() < boxes[$1].spread.sum() }),
        let halves = boxes[largest].halves
      else { break }
      boxes[largest] = halves.0
      boxes.append(halves.1)
    }
    return Set(boxes.map { $0.color }).sorted()
  }

  /// The colours on both sides of the mean along the axis with the largest variance; nil if there
  /// is only one colour.
  private var halves: (ColorBox, ColorBox)? {
    guard spread.max() > 0 else { return nil }
    let axis = (0..<3).max { spread[$0] < spread[$1] } ?? 0
    let low = colors.filter { $0.color[axis] <= mean[axis] }
    let high = colors.filter { $0.color[axis] > mean[axis] }
    return low.isEmpty || high.isEmpty ? nil : (ColorBox(low), ColorBox(high))
  }

  private var color: UInt32 {
    let rounded = mean.rounded(.toNearestOrAwayFromZero)
    return UInt32(rounded.x) << 16 | UInt32(rounded.y) << 8 | UInt32(rounded.z)
  }
}

/// Finds the nearest colours of a palette. A cache answers most lookups.
package struct PaletteLookup {
  package let palette: ColorPalette
  /// The index of transparent pixels.
  package let clearIndex: UInt8
  private var keys = [UInt32](repeating: .max, count: 4096)
  private var answers = [UInt8](repeating: 0, count: 4096)

  package init(_ palette: ColorPalette) {
    self.palette = palette
    clearIndex = UInt8(min(palette.colors.count, 255))
  }

  /// The index of the nearest colour.
  package mutating func index(of color: SolidColor) -> UInt8 {
    color.isClear ? clearIndex : index(ofColor: color.value)
  }

  /// The index of the colour that is nearest to `0xRRGGBB`.
  package mutating func index(ofColor color: UInt32) -> UInt8 {
    let slot = Int(truncatingIfNeeded: (color &* 0x9E37_79B1) >> 20)
    if keys[slot] == color { return answers[slot] }
    let answer = nearest(to: color)
    keys[slot] = color
    answers[slot] = answer
    return answer
  }

  private func nearest(to color: UInt32) -> UInt8 {
    func parts(_ color: UInt32) -> SIMD4<Int32> {
      SIMD4(Int32(color >> 16), Int32(color >> 8 & 255), Int32(color & 255), 0)
    }
    let wanted = parts(color)
    var best = (index: 0, distance: Int32.max)
    for (index, known) in palette.colors.enumerated() {
      let difference = parts(known) &- wanted
      let distance = (difference &* difference).wrappedSum()
      if distance < best.distance { best = (index, distance) }
    }
    return UInt8(best.index)
  }
}
