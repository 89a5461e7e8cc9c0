import Graphics
import Rasterization
import Strokes

/// The drawing commands of a page, of a form or of an appearance, in points of the canvas.
struct PDFContent {
  private(set) var bytes: [UInt8] = []
  /// The graphics states that the commands use, in the order of their names, and the images.
  private(set) var states: [PDFState] = []
  private(set) var images: [Int] = []
  private let numbers = DecimalText(decimals: 2)
  private let fine = DecimalText(decimals: 4)
  private var fill: Color?
  private var stroke: Color?
  private var state = PDFState(opacity: 1000, mix: .over)
  private var width: Double?
  private var hasRoundEnds = false

  /// Appends a line of commands.
  mutating func add(_ text: String) {
    bytes += text.utf8
    bytes.append(0x0A)
  }

  /// Maps the canvas to the page.
  mutating func map(_ transform: AffineTransform) {
    let values = [transform.a, transform.b, transform.c, transform.d, transform.tx, transform.ty]
    add(values.map(DecimalText(decimals: 8).text).joined(separator: " ") + " cm")
  }

  /// Fills a rectangle.
  mutating func fill(_ rect: Rect, _ color: Color) {
    use(PDFState(color.alpha, .over))
    useFill(color)
    add(
      [rect.minX, rect.minY, rect.width, rect.height].map(fine.text).joined(separator: " ")
        + " re f")
  }

  /// Draws the lines and dots of a paper.
  mutating func add(_ layer: PictureGround.PaperLines) {
    guard !layer.lines.isEmpty else { return }
    use(PDFState(layer.color.alpha, .over))
    useStroke(layer.color, layer.width)
    var path = Path()
    for line in layer.lines {
      guard let first = line.first else { continue }
      path.move(to: first)
      if line.count == 1 { path.addLine(to: first + Point(x: 0.01, y: 0)) }
      for point in line.dropFirst() { path.addLine(to: point) }
    }
    add(path, from: (0, 0))
    add("S")
  }

  /// The commands that paint the path of a mark in the colour of the moment.
  static func painting(_ mark: VectorMark) -> [UInt8] {
    var content = PDFContent()
    switch mark.shape {
    case .area(let path): content.add(path, then: "f")
    case .line(let path, _): content.add(path, then: "S")
    case .picture: break
    }
    return content.bytes
  }

  /// Draws a mark by the commands that paint its path; `image` is the number of its image if it is
  /// a picture.
  mutating func add(_ mark: VectorMark, by painting: [UInt8], image: Int?) {
    use(PDFState(mark.opacity, mark.mix))
    switch mark.shape {
    case .area:
      useFill(mark.color)
      bytes += painting
    case .line(_, let width):
      useStroke(mark.color, width)
      bytes += painting
    case .picture(let picture):
      guard let image else { return }
      images.append(image)
      let box = picture.box
      let values = [box.width, 0, 0, -box.height, box.minX, box.maxY].map(fine.text)
      add("q \(values.joined(separator: " ")) cm /I\(image) Do Q")
    }
  }

  private mutating func useFill(_ color: Color) {
    guard fill != color else { return }
    fill = color
    add(color.components + " rg")
  }

  private mutating func useStroke(_ color: Color, _ width: Double) {
    if !hasRoundEnds { add("1 J 1 j") }
    hasRoundEnds = true
    if stroke != color { add(color.components + " RG") }
    stroke = color
    if self.width != width { add("\(numbers.text(width)) w") }
    self.width = width
  }

  private mutating func use(_ new: PDFState) {
    guard new != state else { return }
    state = new
    if !states.contains(new) {
      let place = states.firstIndex { new.name.utf8.lexicographicallyPrecedes($0.name.utf8) }
      states.insert(new, at: place ?? states.count)
    }
    add("/\(new.name) gs")
  }

  /// Paints a path. Coordinates are relative to its first point, because PDF has no relative
  /// commands. This makes a page of handwriting a seventh smaller.
  private mutating func add(_ path: Path, then command: String) {
    guard path.elements.count > 4, case .move(let first)? = path.elements.first else {
      add(path, from: (0, 0))
      return add(command)
    }
    let origin = (x: numbers.units(first.x), y: numbers.units(first.y))
    bytes += "q 1 0 0 1 ".utf8
    add(origin)
    add("cm")
    add(path, from: origin)
    add(command + " Q")
  }

  private mutating func add(_ path: Path, from origin: (x: Int64, y: Int64)) {
    var pen = (x: Int64(0), y: Int64(0))
    func units(_ point: Point) -> (x: Int64, y: Int64) {
      (numbers.units(point.x) - origin.x, numbers.units(point.y) - origin.y)
    }
    for element in path.elements {
      switch element {
      case .move(let to):
        pen = units(to)
        add(pen)
        add("m")
      case .line(let to):
        pen = units(to)
        add(pen)
        add("l")
      case .quadratic(let to, let control):
        let middle = units(control)
        let end = units(to)
        let (x, y) = ((2 * middle.x + pen.x) / 3, (2 * middle.y + pen.y) / 3)
        add((x, y))
        add(((2 * middle.x + end.x) / 3, (2 * middle.y + end.y) / 3))
        add(end)
        add("c")
        pen = end
      case .cubic(let to, let control1, let control2):
        let (a, b, end) = (units(control1), units(control2), units(to))
        if a == pen, b == pen, end == pen { continue }
        if a != pen { add(a) }
        if a == pen || b != end { add(b) }
        add(end)
        add(a == pen ? "v" : b == end ? "y" : "c")
        pen = end
      case .close: bytes += [UInt8(ascii: "h"), 0x0A]
      }
    }
  }

  private mutating func add(_ point: (x: Int64, y: Int64)) {
    numbers.append(point.x, to: &bytes)
    bytes.append(0x20)
    numbers.append(point.y, to: &bytes)
    bytes.append(0x20)
  }
}

/// An opacity and a way to mix, as a graphics state.
struct PDFState: Hashable {
  /// In thousandths.
  let opacity: Int
  let mix: InkPaint.Mix

  init(opacity: Int, mix: InkPaint.Mix) { (self.opacity, self.mix) = (opacity, mix) }

  init(_ opacity: Double, _ mix: InkPaint.Mix) {
    self.init(opacity: Int(clamping: (min(max(opacity, 0), 1) * 1000).rounded()), mix: mix)
  }

  /// The name as a resource.
  var name: String { "\(mix.pdfName)\(opacity)" }

  /// The dictionary.
  var dictionary: String {
    let alpha = DecimalText(decimals: 3).text(Double(opacity) / 1000)
    return "<</ca \(alpha)/CA \(alpha)/BM/\(mix.pdfName)>>"
  }
}

extension InkPaint.Mix {
  /// The name of the blend mode.
  var pdfName: String {
    switch self {
    case .over: "Normal"
    case .darken: "Darken"
    case .lighten: "Lighten"
    case .multiply: "Multiply"
    case .screen: "Screen"
    }
  }
}

extension Color {
  /// Red, green and blue as PDF writes them.
  var components: String {
    let numbers = DecimalText(decimals: 3)
    return [red, green, blue].map(numbers.text).joined(separator: " ")
  }
}
