/// Up to 255 colours that stand for all of a picture, for forms that know no more.
///
/// A picture of no more colours keeps them. Otherwise boxes around colours are split where they are
/// farthest from their mean, as often as there is room.
public struct ColorPalette: Hashable, Sendable {
  /// The colours, each as `0xRRGGBB`.
  public let colors: [UInt32]
  /// Whether what is less than half opaque is clear; otherwise everything lies on white.
  public let hasClear: Bool
  /// More colours than these there never are, so that one number of a byte stays for none.
  public static let maximumColorCount = 255

  /// The colours of a picture, and as far as there is room those of others.
  public init(of picture: Pixmap, and others: [Pixmap] = [], hasClear: Bool = false) {
    var first = ColorCount(hasClear: hasClear)
    first.note(picture)
    var more = ColorCount(hasClear: hasClear)
    for other in others { more.note(other) }
    self.init(first, more)
  }

  package init(_ first: ColorCount, _ others: ColorCount) {
    hasClear = first.hasClear
    let known = first.counts.count
    guard known <= Self.maximumColorCount else {
      let all = first.counts.merging(others.counts) { $0 + $1 }
      colors = ColorBox.means(of: all, count: Self.maximumColorCount)
      return
    }
    let new = others.counts.filter { first.counts[$0.key] == nil }
    let room = Self.maximumColorCount - known
    let added =
      new.count <= room ? Array(new.keys) : room > 0 ? ColorBox.means(of: new, count: room) : []
    colors = first.counts.keys.sorted() + added.sorted()
  }
}

/// How often colours occur.
package struct ColorCount {
  package let hasClear: Bool
  package private(set) var counts: [UInt32: Int] = [:]

  package init(hasClear: Bool) { self.hasClear = hasClear }

  /// Counts the colours of a picture of 8 bits a component.
  package mutating func note(_ picture: Pixmap) {
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

/// The colour of a pixel where there is no opacity: on white, or clear.
package struct SolidColor: Equatable {
  /// `0xRRGGBB`; one more than all of them for what is clear.
  package let value: UInt32

  package static let clear = SolidColor(value: 0x100_0000)
  @inlinable package var isClear: Bool { value == 0x100_0000 }

  private init(value: UInt32) { self.value = value }

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
      // A wide pixel may be brighter than it is opaque.
      func onWhite(_ part: UInt32) -> UInt32 { min(part + 255 - alpha, 255) }
      value = onWhite(red) << 16 | onWhite(green) << 8 | onWhite(blue)
    }
  }
}

/// Colours that become one.
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

  /// Few colours for many.
  static func means(of counts: [UInt32: Int], count: Int) -> [UInt32] {
    // In a fixed order, and with large areas not counting for all there is.
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
    return Set(boxes.map(\.color)).sorted()
  }

  /// Both sides of the mean along the widest axis; nil where there is one colour.
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

/// Finds the nearest colours of a palette, most of which were asked for before.
package struct PaletteLookup {
  package let palette: ColorPalette
  /// The number that stands for no colour.
  package let clearIndex: UInt8
  private var keys = [UInt32](repeating: .max, count: 4096)
  private var answers = [UInt8](repeating: 0, count: 4096)

  package init(_ palette: ColorPalette) {
    self.palette = palette
    clearIndex = UInt8(min(palette.colors.count, 255))
  }

  /// The number of the colour that is nearest.
  package mutating func index(of color: SolidColor) -> UInt8 {
    color.isClear ? clearIndex : index(ofColor: color.value)
  }

  /// The number of the colour that is nearest to `0xRRGGBB`.
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
      let way = parts(known) &- wanted
      let distance = (way &* way).wrappedSum()
      if distance < best.distance { best = (index, distance) }
    }
    return UInt8(best.index)
  }
}
