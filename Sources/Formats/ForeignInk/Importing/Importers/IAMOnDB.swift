import InkFiles
import Graphics
import Strokes
import XML

/// Reads ink of the IAM On-Line Handwriting Database: text on a whiteboard, where a sensor in a
/// corner measured the position and time of the pen.
enum IAMOnDBImporter: InkImporter {
  static func recognizes(_ start: FileStart) -> Bool {
    start.rootElement == "WhiteboardCaptureSession"
  }

  static func read(_ bytes: [UInt8], _ options: ImportOptions) throws(ImportError) -> ImportedInk {
    let session = WhiteboardSession(fileBytes: bytes.count, options)
    do throws(XMLError) {
      try XMLReader.read(bytes, into: session)
    } catch {
      try session.endEarly(ImportError(error))
    }
    return ImportedInk([session.imported()])
  }
}

/// Collects the strokes while the XML is read.
private final class WhiteboardSession: XMLHandler {
  private var page: PageBuilder
  /// The stroke whose points are read.
  private var stroke: ForeignStroke?
  private var strokeCount = 0
  private var start = 0.0
  private var damagedPoints = 0
  /// The corner of the board that is the farthest from the sensor.
  private var corner = Point(x: 0, y: 0)
  /// The reason why the page cannot be built.
  private var failure: ImportError?

  /// The sensor's unit is not known. With this one, a board of some 7000 units becomes as wide as a
  /// page.
  private static let unit = 0.1
  /// A pen for boards, in points on such a page.
  private static let width = 2.5

  init(fileBytes: Int, _ options: ImportOptions) {
    page = PageBuilder(unit: Self.unit, fileBytes: fileBytes, options)
    page.notes.add("the file states no unit of length: 10 of the sensor's units a point are taken")
    page.notes.add("the file states no width: lines of 2.5 points are taken")
  }

  func begin(_ element: XMLElement) throws(XMLError) {
    switch element.name {
    case "Point":
      guard stroke != nil else { return }
      guard let x = Self.number(element, "x"), let y = Self.number(element, "y") else {
        page.add(ImportError(.expected("a point with x and y"), at: element.offset))
        return
      }
      let time = Self.number(element, "time")
      if stroke?.points.isEmpty == true, let time { begin(at: time) }
      if time == nil { stroke?.hasTimes = false }
      stroke?.points.append(
        PKStrokePoint(x: x, y: y, width: Self.width / Self.unit, time: (time ?? start) - start))
    case "Stroke":
      let color = Self.colors[element["colour"] ?? ""] ?? .black
      stroke = ForeignStroke(ink: ForeignBrush.evenPen.ink(color))
    case "DiagonallyOppositeCoords", "VerticallyOppositeCoords", "HorizontallyOppositeCoords":
      corner.x = max(corner.x, Self.number(element, "x") ?? 0)
      corner.y = max(corner.y, Self.number(element, "y") ?? 0)
    default: break
    }
  }

  func text(_ bytes: UnsafeBufferPointer<UInt8>) throws(XMLError) {}

  func end(_ name: String) throws(XMLError) {
    guard name == "Stroke" else { return }
    do throws(ImportError) {
      try endStroke()
    } catch {
      failure = error
      // Throwing ends the parser.
      throw XMLError(error.description, at: 0)
    }
  }

  /// Keeps the content read before the text ended or was damaged.
  func endEarly(_ error: ImportError) throws(ImportError) {
    if let failure { throw failure }
    try endStroke()
    guard strokeCount > 0 else { throw error }
    page.add(error)
  }

  func imported() -> ImportedPage {
    let size = Size(width: corner.x * Self.unit, height: corner.y * Self.unit)
    let isPage = size.width > 0 && size.height > 0
    return page.page(size: isPage ? size : nil, background: .white)
  }

  /// Begins a stroke at a time in seconds. Large times count from 1970, others from the start of
  /// the session.
  private func begin(at time: Double) {
    start = time
    stroke?.hasTimes = true
    stroke?.start =
      time > 3e8 ? Timestamp(secondsSince1970: time) : .referenceDate + max(time, 0)
  }

  private func endStroke() throws(ImportError) {
    guard let stroke else { return }
    self.stroke = nil
    strokeCount += 1
    try page.add(stroke)
  }

  private static func number(_ element: XMLElement, _ name: String) -> Double? {
    guard var text = element[name] else { return nil }
    return text.withUTF8 { bytes in
      var index = 0
      let value = NumberText.number(in: bytes.span, at: &index)
      return index == bytes.count ? value.flatMap { $0.isFinite ? $0 : nil } : nil
    }
  }

  private static let colors: [String: Color] = [
    "black": .black, "blue": Color(red: 0, green: 0, blue: 1),
    "red": Color(red: 1, green: 0, blue: 0), "green": Color(red: 0, green: 0.5, blue: 0),
  ]
}
