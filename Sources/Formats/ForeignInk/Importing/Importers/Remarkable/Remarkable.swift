import InkFiles
import Compression
import Graphics
import Strokes

/// Reads pages of reMarkable tablets (`.rm`, versions 3, 5 and 6) and notebooks of them (`.rmdoc`).
///
/// Points store the drawn width, which includes the effects of pressure, tilt and speed, so none of
/// these is applied again.
enum RemarkableImporter: InkImporter {
  private static let magic = "reMarkable .lines file, version="
  /// The version is followed by spaces.
  private static let headerSize = 43

  static func recognizes(_ start: FileStart) -> Bool {
    start.has("reMarkable ") || RemarkableNotebook.recognizes(start)
  }

  static func read(_ bytes: [UInt8], _ options: ImportOptions) throws(ImportError) -> ImportedInk {
    if ZipArchive.recognizes(bytes) { return try RemarkableNotebook.read(bytes, options) }
    let (page, version) = try page(bytes, options)
    return ImportedInk([page], version: version)
  }

  /// Reads one page.
  static func page(
    _ bytes: [UInt8], number: Int = 0, _ options: ImportOptions
  ) throws(ImportError) -> (page: ImportedPage, version: Int) {
    var cursor = ByteCursor(bytes)
    guard bytes.starts(with: magic.utf8) else {
      throw cursor.error(
        bytes.starts(with: "reMarkable ".utf8)
          ? .unsupported("a reMarkable page of a version before 3")
          : .expected("the start of a reMarkable page"))
    }
    try cursor.skip(magic.utf8.count)
    let version = Int(try cursor.byte()) - 48
    guard [3, 5, 6].contains(version) else {
      throw ImportError(
        .unsupported("a reMarkable page of an unknown version"), at: magic.utf8.count)
    }
    try cursor.move(to: headerSize)
    let page =
      version == 6
      ? RemarkableScenePage(cursor, number: number, options).page()
      : RemarkableLayerPage(cursor, version: version, number: number, options).page()
    return (page, version)
  }
}

/// The screen of the tablets whose files state no size: 1404 × 1872 pixels, 226 an inch.
enum RemarkableScreen {
  static let size = Size(width: 1404, height: 1872)
  static let unit = 72.0 / 226

}

/// The page in pixels: the screen, extended on all sides as far as there is ink. Ink that crosses
/// an edge by at most half of its width is cut there, as on the tablet's screen.
struct RemarkableExtent {
  private let screen: Rect
  private var low, high: Point

  /// The screen without ink. Coordinates count from its upper left corner.
  init(screen: Size) {
    self.screen = Rect(origin: Point(x: 0, y: 0), size: screen)
    low = Point(x: 0, y: 0)
    high = Point(x: screen.width, y: screen.height)
  }

  /// Grows to the ink of points that are moved by an offset. Points at positions that no page can
  /// have are left out.
  mutating func grow(to points: [PKStrokePoint], movedBy offset: Point) {
    for point in points {
      let place = point.location + offset
      guard abs(place.x) <= Self.reach, abs(place.y) <= Self.reach else { continue }
      let width = max(point.size.width, point.size.height)
      let radius = width.isFinite ? min(max(width / 2, 0), Self.reach) : 0
      if place.x < screen.minX { low.x = min(low.x, place.x - radius) }
      if place.y < screen.minY { low.y = min(low.y, place.y - radius) }
      if place.x > screen.maxX { high.x = max(high.x, place.x + radius) }
      if place.y > screen.maxY { high.y = max(high.y, place.y + radius) }
    }
  }

  private static let reach = 1e6

  /// The offset from the screen to the page, in whole pixels.
  var offset: Point { Point(x: -low.x.rounded(.down), y: -low.y.rounded(.down)) }

  /// The size in points.
  var size: Size {
    let (unit, offset) = (RemarkableScreen.unit, offset)
    return Size(
      width: (high.x.rounded(.up) + offset.x) * unit,
      height: (high.y.rounded(.up) + offset.y) * unit)
  }
}

/// A page of versions 3 and 5: layers of strokes, the lowest first.
struct RemarkableLayerPage {
  private var cursor: ByteCursor
  private let version: Int
  private var builder: PageBuilder

  private static let pointSize = 24

  init(_ cursor: ByteCursor, version: Int, number: Int, _ options: ImportOptions) {
    self.cursor = cursor
    self.version = version
    builder = PageBuilder(
      unit: RemarkableScreen.unit, page: number, fileBytes: cursor.bytes.count, options)
  }

  consuming func page() -> ImportedPage {
    // The page must be known before strokes are placed on it.
    var page = RemarkableExtent(screen: RemarkableScreen.size)
    var measured = copy self
    try? measured.readLayers { _, stroke in
      if stroke.isVisible { page.grow(to: stroke.points, movedBy: Point(x: 0, y: 0)) }
    }
    builder.origin = page.offset
    do throws(ImportError) {
      try readLayers { builder, stroke throws(ImportError) in try builder.add(stroke) }
    } catch {
      builder.add(error)
    }
    return builder.page(size: page.size)
  }

  private mutating func readLayers(
    _ body: (inout PageBuilder, ForeignStroke) throws(ImportError) -> Void
  ) throws(ImportError) {
    for _ in 0..<(try count(of: "layers", bytesEach: 4)) {
      for _ in 0..<(try count(of: "strokes", bytesEach: version == 3 ? 20 : 24)) {
        let stroke = try readStroke()
        try body(&builder, stroke)
      }
    }
  }

  private mutating func count(of what: String, bytesEach: Int) throws(ImportError) -> Int {
    try cursor.count(UInt64(try cursor.uint32()), of: what, bytesEach: bytesEach)
  }

  private mutating func readStroke() throws(ImportError) -> ForeignStroke {
    let tool = RemarkableTool(number: try cursor.uint32())
    let color = RemarkableColor(number: try cursor.uint32())
    // An unknown number, and the tool's set width, which the points already include.
    try cursor.skip(version == 3 ? 8 : 12)
    let count = try count(of: "points", bytesEach: Self.pointSize)
    var stroke = tool.stroke(color, &builder.notes)
    stroke.points.reserveCapacity(count)
    for _ in 0..<count {
      let (x, y) = (try cursor.float32(), try cursor.float32())
      // Speed and direction.
      try cursor.skip(8)
      let width = try cursor.float32()
      stroke.points.append(tool.point(x: x, y: y, width: width, pressure: try cursor.float32()))
    }
    tool.finish(&stroke)
    return stroke
  }
}
