import Foundation
import Graphics
import PNGFormat
import Strokes
import TestSupport
import Testing

@testable import Rasterization

/// A random drawing with random options. The same seed gives the same drawing and options.
struct RandomRender {
  let name: String
  let drawing: PKDrawing
  let canvas: Recording.Canvas
  let options: RenderOptions
  let effort: PNGEncoder.Effort

  /// Strokes of one ink on a page with a width in pixels.
  init(ink: PKInk.InkType, width: Int) {
    name = "\(ink.name), \(width) pixels wide"
    var random = RandomInk(seed: UInt64(width))
    // One of four pages is so high that it has several bands.
    let height = random.whole(0...3) == 0 ? random.whole(129...270) : random.whole(1...60)
    let page = Rect(x: 0, y: 0, width: Double(width), height: Double(height))
    // Several threads prepare 140 strokes, one thread prepares a few.
    let strokeCount = random.chance(0.02) ? 140 : random.whole(1...4)
    drawing = PKDrawing(
      strokes: (0..<strokeCount).map { _ in
        random.stroke(PKInk(ink, color: random.color()), over: page)
      })
    canvas = Recording.Canvas(
      size: page.size, background: random.chance() ? random.color() : nil)
    options = RenderOptions(
      background: random.background(),
      paper: random.chance(0.2) ? random.one(of: RenderOptions.Paper.allCases) : .blank,
      style: random.one(of: RenderOptions.Style.allCases),
      depth: random.chance(0.2) ? .sixteen : .eight, threads: random.one(of: [1, 2, 3, 5, 8]))
    effort = random.effort()
  }

  /// A high page with 16 bits a component, whose strokes are far from each other.
  init(highPage seed: UInt64) {
    name = "high page \(seed)"
    var random = RandomInk(seed: seed)
    let (width, height) = (random.whole(1...300), random.whole(300...900))
    drawing = PKDrawing(
      strokes: (0..<random.whole(1...3)).map { _ in
        let top = random.number(0...Double(height))
        return random.stroke(
          random.ink(), over: Rect(x: 0, y: top, width: Double(width), height: 20))
      })
    canvas = Recording.Canvas(size: Size(width: Double(width), height: Double(height)))
    options = RenderOptions(
      background: random.background(), depth: .sixteen,
      blending: random.one(of: RenderOptions.Blending.allCases),
      threads: random.one(of: [1, 2, 3]))
    effort = random.effort()
  }

  /// A high page of greys on a transparent background, which need more than one palette.
  init(greys seed: UInt64) {
    name = "greys \(seed)"
    var random = RandomInk(seed: seed)
    let (width, height) = (random.whole(100...400), random.whole(300...900))
    let inks: [PKInk.InkType] = [.crayon, .pencil, .pen, .watercolor]
    drawing = PKDrawing(
      strokes: (0..<random.whole(2...4)).map { _ in
        let (grey, top) = (random.number(0...1), random.number(0...Double(height)))
        return random.stroke(
          PKInk(random.one(of: inks), color: Color(red: grey, green: grey, blue: grey)),
          over: Rect(x: 0, y: top, width: Double(width), height: 60))
      })
    canvas = Recording.Canvas(size: Size(width: Double(width), height: Double(height)))
    options = RenderOptions(
      background: random.chance()
        ? .transparent : .color(Color(red: 0, green: 0, blue: 0, alpha: 0.25)))
    effort = .fast
  }

  /// A drawing with random options of all kinds.
  init(seed: UInt64) {
    name = "seed \(seed)"
    var random = RandomInk(seed: seed)
    let region = random.region()
    var options = RenderOptions(
      extent: random.extent(of: region), region: random.chance(0.7) ? region : nil,
      frame: random.one(of: RenderOptions.Frame.allCases),
      margin: .points(random.chance(0.3) ? random.number(0...40) : 0),
      background: random.background(),
      paper: random.one(of: RenderOptions.Paper.allCases), showsPattern: random.chance(0.4),
      style: random.one(of: RenderOptions.Style.allCases),
      colorSpace: random.one(of: ColorSpace.allCases),
      depth: random.chance(0.2) ? .sixteen : .eight,
      blending: random.one(of: RenderOptions.Blending.allCases),
      overlap: random.chance(0.3) ? random.one(of: RenderOptions.Overlap.allCases) : nil,
      quality: random.one(of: RenderOptions.Quality.allCases), maximumPixels: 150_000,
      threads: random.one(of: [1, 2, 3, 5, 8]))
    if random.chance(0.03) { options.margin = .points(random.one(of: [1e9, 1e150, 1e308])) }
    self.options = options
    let strokeCount = random.chance(0.02) ? 140 : random.whole(0...5)
    drawing = PKDrawing(
      strokes: (0..<strokeCount).map { _ in
        var stroke = random.stroke(random.ink(), over: region)
        if random.chance(0.1) { stroke.transform = random.transform() }
        if random.chance(0.15) { stroke.mask = random.mask(over: stroke, contourCount: 1) }
        return stroke
      })
    canvas = Recording.Canvas(
      size: random.chance(0.6)
        ? Size(width: random.number(1...400), height: random.number(1...400)) : nil,
      background: random.chance() ? random.color() : nil)
    effort = random.effort()
  }

  /// Writes the picture to a file as the command does, decodes it, and compares its pixels with
  /// those that one thread draws into memory. Returns false if the options are refused.
  func check() throws -> Bool {
    let rendering: Rendering
    do throws(RenderError) {
      rendering = try Renderer(options).rendering(of: drawing, on: canvas)
    } catch {
      #expect(!"\(error)".isEmpty)
      return false
    }
    var plain = options
    plain.threads = 1
    let picture = try Renderer(plain).picture(of: drawing, on: canvas)
    let image = try PNGDecoder().decode(try file(of: rendering))
    if !image.shows(picture) { Issue.record("other pixels: \(self)") }
    return true
  }

  /// The file that this number of threads writes.
  func file(threads: Int) throws -> [UInt8] {
    var options = options
    options.threads = threads
    return try file(of: try Renderer(options).rendering(of: drawing, on: canvas), threads: threads)
  }

  private func file(of rendering: Rendering, threads: Int? = nil) throws -> [UInt8] {
    let properties = PNGProperties(
      width: rendering.width, height: rendering.height, depth: options.depth,
      colorSpace: options.colorSpace, isOpaque: rendering.background.alpha == 1,
      scale: rendering.scale)
    var bytes: [UInt8] = []
    try PNGEncoder(effort: effort, threads: threads ?? options.threads).encode(
      rendering, properties
    ) {
      bytes += $0
    }
    return bytes
  }
}

extension RandomRender: CustomStringConvertible {
  var description: String {
    "\(name), \(drawing.strokes.count) strokes on \(canvas), \(effort), \(options)"
  }
}

// MARK: - Random values

extension RandomInk {
  fileprivate mutating func one<Value>(of values: [Value]) -> Value {
    values[whole(0...values.count - 1)]
  }

  fileprivate mutating func effort() -> PNGEncoder.Effort {
    switch whole(0...19) {
    case 1...3: .small
    case 4: .best
    default: .fast
    }
  }

  fileprivate mutating func background() -> RenderOptions.Background {
    var color = color()
    switch whole(0...4) {
    case 0: return .transparent
    case 1: return .color(color)
    case 2:
      color.alpha = 1
      return .color(color)
    default: return .page
    }
  }

  /// A region of a page: usually a small one, sometimes far away, tiny, or between pixels.
  fileprivate mutating func region() -> Rect {
    let (width, height) = (number(1...130), number(1...260))
    switch whole(0...11) {
    case 0: return Rect(x: number(-1e9...1e9), y: number(-1e9...1e9), width: width, height: height)
    case 1: return Rect(x: 1e6, y: -1e6, width: width.rounded(), height: height.rounded())
    case 2: return Rect(x: number(0...300), y: 0, width: 1e-9, height: number(1e-9...1e-3))
    case 3:
      let far = one(of: [1e12, -1e18, 1e150, -1e300])
      return Rect(x: far, y: number(-9...9), width: one(of: [1, 1e9, 1e300]), height: height)
    default:
      let isWhole = chance()
      let (x, y) = (number(-60...300), number(-60...300))
      return isWhole
        ? Rect(x: x.rounded(), y: y.rounded(), width: width.rounded(), height: height.rounded())
        : Rect(x: x, y: y, width: width, height: height)
    }
  }

  /// The extent of a picture, whose sides usually have at most a few hundred pixels.
  fileprivate mutating func extent(of region: Rect) -> RenderOptions.Extent {
    switch whole(0...9) {
    case 0, 1: .pixels(width: whole(1...130), height: whole(1...260))
    case 2: .longerSide(whole(1...300))
    case 3: .scale(number(0.001...1))
    case 4: .scale(one(of: [1e-300, 1e-9, 50, 1e9]))
    case 5...7: .scale(1)
    default: .scale(number(0.5...2))
    }
  }

  /// A stroke that crosses a region of a page, or comes near it.
  fileprivate mutating func stroke(_ ink: PKInk, over page: Rect) -> PKStroke {
    let reach = max(page.width, page.height) * 0.2
    let widest = chance(0.04) ? 200 : one(of: [1.5, 8, 8, 30])
    let isFlat = chance()
    let points = (0..<whole(1...6)).map { index in
      let width = number(0.2...widest)
      return PKStrokePoint(
        location: Point(
          x: number(page.minX - reach...page.maxX + reach),
          y: number(page.minY - reach...page.maxY + reach)),
        timeOffset: Double(index) / 60,
        size: Size(width: width, height: chance(0.8) ? width : number(0...width)),
        opacity: chance(0.7) ? 1 : number(0...2), force: number(0...4),
        azimuth: isFlat ? 0 : number(-3.1...3.1), altitude: isFlat ? .pi / 2 : number(0...1.57))
    }
    return PKStroke(
      ink: ink,
      path: PKStrokePath(
        controlPoints: points, creationDate: Timestamp(secondsSinceReferenceDate: 0)),
      transform: .identity, mask: nil,
      randomSeed: UInt32.random(in: 0...UInt32.max, using: &generator), id: identifier(),
      renderGroupID: chance(0.2) ? Identifier.zero : nil)
  }
}

// MARK: - Comparing

extension PNGImage {
  /// Whether the image has exactly the pixels of a picture: its straight components multiplied by
  /// their alpha are the picture's premultiplied components.
  func shows(_ picture: Pixmap) -> Bool {
    guard width == picture.width, height == picture.height, depth == picture.depth else {
      return false
    }
    let maximum: UInt64 = depth == .eight ? 255 : 65_535
    func premultiplied(_ straight: UInt64, _ alpha: UInt64) -> UInt64 {
      (straight * alpha * 2 + maximum) / (2 * maximum)
    }
    let rowBytes = width * depth.bytesPerPixel
    return components.withUnsafeBytes { components in
      (0..<height).allSatisfy { y in
        picture.withRow(y) { row in
          let straight = UnsafeRawBufferPointer(
            rebasing: components[y * rowBytes..<(y + 1) * rowBytes])
          func part(_ bytes: UnsafeRawBufferPointer, _ number: Int) -> UInt64 {
            depth == .eight
              ? UInt64(bytes[number])
              : UInt64(bytes.loadUnaligned(fromByteOffset: 2 * number, as: UInt16.self))
          }
          return (0..<4 * width).allSatisfy { number in
            let value = part(straight, number)
            let alpha = number % 4 == 3 ? maximum : part(straight, number | 3)
            return premultiplied(value, alpha) == part(row, number)
          }
        }
      }
    }
  }
}
