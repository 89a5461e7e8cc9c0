import Graphics
import Rasterization
import Replay

// Views: parts of a document as pixels.

/// The open views.
let views = Handles<PageView>()

/// The options of a view, for the memory that others leave.
///
/// It shows a region of the page at the given pixels per point; a width of 0 shows the whole page,
/// or all ink. Style: 0 light, 1 dark, 2 as stored. Paper: its index in `RenderOptions.Paper`, or
/// -1 for the page's own. Background: 0 the page's own, 1 none, 2 a colour, 3 a colour on which the
/// ink is visible, 4 a sheet of a colour, or of the other lightness if less than half of the ink
/// would be visible on it. Earlier strokes: 0 none, 1 in sienna, 2 in a colour. Colours are
/// 0xRRGGBBAA.
///
/// A `side` above 0 is the longer side of the picture in pixels, in place of the scale. `margin` is
/// the space around ink without a page, as a part of its longer side.
func viewOptions(
  _ scale: Double, _ x: Double, _ y: Double, _ width: Double, _ height: Double, _ style: Int32,
  _ paper: Int32, _ background: Int32, _ backgroundColor: UInt32, _ earlier: Int32,
  _ earlierColor: UInt32, _ side: Int32, _ margin: Double
) throws(EngineError) -> RenderOptions {
  let left = viewMemory - views.all.reduce(0) { $0 + $1.byteCount }
  guard left > 0 else { throw .tooLarge }
  var options = RenderOptions(
    extent: side > 0 ? .longerSide(Int(side)) : .scale(scale),
    // A page that leaves the last arguments out gives no numbers.
    margin: margin.isNaN || margin == 0 ? .points(0) : .partOfInk(margin),
    maximumPixels: min(left / PageView.bytesPerPixel, maximumPixels))
  if width != 0 || height != 0 {
    options.region = Rect(x: x, y: y, width: width, height: height)
  }
  options.style = try choice(style)
  options.paper = paper == -1 ? nil : try choice(paper)
  switch background {
  case 0: options.background = .page
  case 1: options.background = .transparent
  case 2: options.background = .color(Color(rgba: backgroundColor))
  case 3: options.background = .automatic
  case 4: options.background = .sheet(Color(rgba: backgroundColor))
  default: throw .invalidArgument
  }
  switch earlier {
  case 0: options.earlier = nil
  case 1: options.earlier = .sienna
  case 2: options.earlier = .color(Color(rgba: earlierColor))
  default: throw .invalidArgument
  }
  return options
}

/// The maximum size of a view, or of a picture in a file.
let maximumPixels = 1 << 24
/// The maximum memory of all views, out of a page's 256 MB.
private let viewMemory = 176 << 20

/// Distributes the memory that views leave over among their caches of layers, which make seeking
/// fast.
func shareMemory() {
  let all = views.all
  let left = viewMemory - all.reduce(0) { $0 + $1.byteCount }
  for view in all { view.limitCache(to: min(left / all.count, viewMemory / 2)) }
}

/// The case with the given index.
func choice<Value: CaseIterable>(_ number: Int32) throws(EngineError) -> Value
where Value.AllCases: RandomAccessCollection {
  guard 0..<Value.allCases.count ~= Int(number) else { throw .invalidArgument }
  return Value.allCases[
    Value.allCases.index(Value.allCases.startIndex, offsetBy: Int(number))]
}

extension Color {
  /// A colour from 0xRRGGBBAA.
  init(rgba: UInt32) {
    func part(_ shift: UInt32) -> Double { Double(rgba >> shift & 255) / 255 }
    self.init(red: part(24), green: part(16), blue: part(8), alpha: part(0))
  }

  /// This colour as 0xRRGGBBAA.
  fileprivate var rgba: UInt32 {
    let color = clamped
    return [color.red, color.green, color.blue, color.alpha]
      .reduce(0) { $0 << 8 | UInt32(clamping: Int(clamping: ($1 * 255).rounded())) }
  }
}

/// Closes a view and frees its pixels. Returns 0.
@_cdecl("viewClose")
public func viewClose(_ handle: Int32) -> Int32 {
  result { () throws(EngineError) in
    try views.remove(handle)
    shareMemory()
    return 0
  }
}

/// Shows the pen's changes of the page, and draws all of it. Returns the number of rectangles that
/// changed.
@_cdecl("viewUpdate")
public func viewUpdate(_ handle: Int32) -> Int32 {
  result { () throws(EngineError) in try views.find(handle).update() }
}

/// The rectangles that the last call changed: for each its left and upper edge, its width and its
/// height. After opening, this is the whole picture.
@_cdecl("viewChanges")
public func viewChanges(_ handle: Int32) -> UnsafePointer<Int32>? {
  (try? views.find(handle))?.changes.start
}

/// The colour below the ink, as 0xRRGGBBAA.
@_cdecl("viewBackground")
public func viewBackground(_ handle: Int32) -> UInt32 {
  (try? views.find(handle))?.background.rgba ?? 0
}

/// The width of the picture in pixels.
@_cdecl("viewWidth")
public func viewWidth(_ handle: Int32) -> Int32 {
  result { () throws(EngineError) in Int32(try views.find(handle).picture.width) }
}

/// The height of the picture in pixels.
@_cdecl("viewHeight")
public func viewHeight(_ handle: Int32) -> Int32 {
  result { () throws(EngineError) in Int32(try views.find(handle).picture.height) }
}

/// The bytes from one row of the picture to the next.
@_cdecl("viewBytesPerRow")
public func viewBytesPerRow(_ handle: Int32) -> Int32 {
  result { () throws(EngineError) in Int32(try views.find(handle).picture.memory.bytesPerRow) }
}

/// The pixels of the picture: premultiplied RGBA. Their address does not change while the view is
/// open.
@_cdecl("viewPixels")
public func viewPixels(_ handle: Int32) -> UnsafeRawPointer? {
  (try? views.find(handle)).map { UnsafeRawPointer($0.picture.memory.base) }
}

/// The left edge of the visible region, in points.
@_cdecl("viewLeft")
public func viewLeft(_ handle: Int32) -> Double { (try? views.find(handle))?.visible.minX ?? 0 }

/// The upper edge of the visible region, in points.
@_cdecl("viewTop")
public func viewTop(_ handle: Int32) -> Double { (try? views.find(handle))?.visible.minY ?? 0 }
