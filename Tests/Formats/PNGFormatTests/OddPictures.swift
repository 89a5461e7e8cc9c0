import Graphics
import TestSupport

/// Pictures that are hard to encode, each for another reason.
enum OddPicture: String, CaseIterable {
  case blank, onePixel, noise, greyNoise, fewColors, twoHundredFiftySix, twoHundredFiftySeven
  case stripes, columns, ink, coloredInk, grain, oneInk, clearInk, everyAlpha, greysAndClear
  case lastPixel, solidRows, repeats, squared

  /// The picture of a size; the seed selects a variant.
  func pixmap(_ width: Int, _ height: Int, seed: UInt64, isDark: Bool = false) -> Pixmap {
    var random = SplitMix64(seed: seed)
    let paper: Pixel = isClear ? .clear : isDark ? Pixel(0, 0, 0) : Pixel(255, 255, 255)
    let picture = Pixmap(width: width, height: height)
    for y in 0..<height { for x in 0..<width { picture.set(x, y, paper) } }
    draw(into: picture, &random)
    return picture
  }

  private var isClear: Bool {
    switch self {
    case .oneInk, .clearInk, .everyAlpha, .greysAndClear: true
    default: false
    }
  }

  private func draw(into picture: Pixmap, _ random: inout SplitMix64) {
    let (width, height) = (picture.width, picture.height)
    func each(_ pixel: (Int, Int) -> Pixel) {
      for y in 0..<height { for x in 0..<width { picture.set(x, y, pixel(x, y)) } }
    }
    func byte(_ range: ClosedRange<Int> = 0...255) -> Int { Int.random(in: range, using: &random) }
    switch self {
    case .blank: break
    case .onePixel: picture.set(byte() % width, byte() % height, Pixel(byte(), byte(), byte()))
    case .lastPixel: picture.set(width - 1, height - 1, Pixel(1, 2, 3))
    case .noise: each { _, _ in Pixel(byte(), byte(), byte()) }
    case .greyNoise:
      each { _, _ in
        let grey = byte()
        return Pixel(grey, grey, grey)
      }
    case .fewColors:
      let colors = (0..<byte(2...17)).map { _ in Pixel(byte(), byte(), byte()) }
      each { _, _ in colors[byte() % colors.count] }
    case .twoHundredFiftySix, .twoHundredFiftySeven:
      let count = self == .twoHundredFiftySix ? 256 : 257
      each { x, y in
        let index = (x + y * width) % count
        return Pixel(index & 255, 255 - index / 2, index >> 8 & 1)
      }
    case .stripes:
      let period = byte(1...70)
      each { x, y in (x + y * width) / period % 2 == 0 ? Pixel(255, 255, 255) : Pixel(9, 0, 200) }
    case .columns:
      let period = byte(1...20)
      each { x, _ in x % period == 0 ? Pixel(x & 255, 7, 7) : Pixel(255, 255, 255) }
    case .solidRows:
      let colors = (0..<height).map { _ in Pixel(byte(), byte(), byte()) }
      each { _, y in colors[y / 3] }
    case .repeats:
      let some = (0..<byte(3...400)).map { _ in Pixel(byte(), byte(), byte()) }
      each { x, y in some[(x + y * (width + 5)) % some.count] }
    case .squared:
      let side = byte(5...25)
      each { x, y in
        x % side == 0 || y % side == 0 ? Pixel(180, 190, 200) : Pixel(255, 255, 255)
      }
      draw((20, 20, 20), into: picture, &random)
    case .ink, .coloredInk, .oneInk, .clearInk:
      for _ in 0..<byte(1...6) {
        let ink = self == .ink || self == .oneInk ? (20, 20, 20) : (byte(), byte(), byte())
        draw(ink, into: picture, &random)
      }
    case .grain:
      let greys = (0..<100).map { Pixel($0 * 2, $0 * 2, $0 * 2 + $0 % 3) }
      each { _, _ in greys[byte() % 100] }
    case .everyAlpha: each { x, y in Pixel(255, 128, 3).under((x + y * 3) & 255) }
    case .greysAndClear: each { x, y in Pixel(x & 255, x & 255, x & 255).under(y * 7 & 255) }
    }
  }

  /// A wandering line with soft edges.
  private func draw(_ ink: (Int, Int, Int), into picture: Pixmap, _ random: inout SplitMix64) {
    var (x, y) = (
      Double.random(in: 0..<Double(picture.width), using: &random),
      Double.random(in: 0..<Double(picture.height), using: &random)
    )
    let radius = Double.random(in: 0.5...5, using: &random)
    for _ in 0..<60 {
      x += Double.random(in: -3...3.5, using: &random)
      y += Double.random(in: -3...3, using: &random)
      for row in Int(y - radius - 1)...Int(y + radius + 1) where 0..<picture.height ~= row {
        for column in Int(x - radius - 1)...Int(x + radius + 1) where 0..<picture.width ~= column {
          let (dx, dy) = (Double(column) - x, Double(row) - y)
          let cover = min(max(radius + 0.5 - (dx * dx + dy * dy).squareRoot(), 0), 1)
          let alpha = Int((cover * 255).rounded())
          let below = picture.pixel(column, row)
          guard alpha > below.distance(isClear: isClear) else { continue }
          let over = Pixel(ink.0, ink.1, ink.2).under(alpha)
          picture.set(column, row, isClear ? over : over.over(below))
        }
      }
    }
  }

  /// A premultiplied pixel of 8 bits.
  struct Pixel: Equatable {
    var parts: SIMD4<UInt8>
    static let clear = Pixel(parts: SIMD4())

    init(parts: SIMD4<UInt8>) { self.parts = parts }
    init(_ red: Int, _ green: Int, _ blue: Int) {
      parts = SIMD4(UInt8(red), UInt8(green), UInt8(blue), 255)
    }

    func under(_ alpha: Int) -> Pixel {
      var pixel = self
      for part in 0..<4 { pixel.parts[part] = UInt8((Int(parts[part]) * alpha + 127) / 255) }
      return pixel
    }

    func over(_ below: Pixel) -> Pixel {
      var pixel = self
      let rest = 255 - Int(parts.w)
      for part in 0..<4 { pixel.parts[part] += UInt8((Int(below.parts[part]) * rest + 127) / 255) }
      return pixel
    }

    func distance(isClear: Bool) -> Int { isClear ? Int(parts.w) : 0 }
  }
}

extension Pixmap {
  func set(_ x: Int, _ y: Int, _ pixel: OddPicture.Pixel) {
    (memory.base + y * memory.bytesPerRow + 4 * x)
      .storeBytes(of: pixel.parts, as: SIMD4<UInt8>.self)
  }

  func pixel(_ x: Int, _ y: Int) -> OddPicture.Pixel {
    OddPicture.Pixel(
      parts: (memory.base + y * memory.bytesPerRow + 4 * x).load(as: SIMD4<UInt8>.self))
  }

  /// The same picture with flags of the groups that differ from its first pixel.
  var tiled: TiledPicture { TiledPicture(picture: self) }
}
