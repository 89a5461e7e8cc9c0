import Graphics

/// The data of a path element: relative commands with as few characters as possible.
///
/// Positions are rounded once, not step by step, so that errors do not add up.
struct SVGPathData {
  private(set) var bytes: [UInt8] = []
  /// The number of vertices so far.
  private(set) var vertexCount = 0
  private let numbers: DecimalText
  private var pen = (x: Int64(0), y: Int64(0))
  private var start = (x: Int64(0), y: Int64(0))
  private var command: UInt8 = 0
  /// Whether the last number has a decimal point, so that another one may follow without a space.
  private var hasPoint = false

  init(_ numbers: DecimalText) { self.numbers = numbers }

  /// Appends a contour that begins with a move.
  mutating func append(_ elements: some Sequence<Path.Element>) {
    for element in elements {
      switch element {
      case .move(let to):
        let target = units(to)
        if bytes.isEmpty {
          begin(UInt8(ascii: "M"))
          add(target.x)
          add(target.y)
        } else {
          begin(UInt8(ascii: "m"))
          add(target)
        }
        (pen, start) = (target, target)
        vertexCount += 1
      case .line(let to): addLine(to: units(to))
      case .quadratic(let to, let control):
        begin(UInt8(ascii: "q"))
        let (a, b) = (units(control), units(to))
        add(a)
        add(b)
        pen = b
        vertexCount += 1
      case .cubic(let to, let control1, let control2):
        let (a, b, c) = (units(control1), units(control2), units(to))
        if a == pen, b == pen, c == pen { continue }
        begin(UInt8(ascii: "c"))
        add(a)
        add(b)
        add(c)
        pen = c
        vertexCount += 1
      case .close:
        bytes.append(UInt8(ascii: "z"))
        command = 0
        pen = start
      }
    }
  }

  private mutating func addLine(to target: (x: Int64, y: Int64)) {
    let (dx, dy) = (target.x - pen.x, target.y - pen.y)
    if dx == 0, dy == 0 { return }
    if dy == 0 {
      begin(UInt8(ascii: "h"))
      add(dx)
    } else if dx == 0 {
      begin(UInt8(ascii: "v"))
      add(dy)
    } else {
      begin(UInt8(ascii: "l"))
      add(target)
    }
    pen = target
    vertexCount += 1
  }

  private func units(_ point: Point) -> (x: Int64, y: Int64) {
    (numbers.units(point.x), numbers.units(point.y))
  }

  /// Starts a command; one that is repeated needs no letter.
  private mutating func begin(_ letter: UInt8) {
    guard letter != command else { return }
    bytes.append(letter)
    // Pairs after a move would be lines.
    let isMove = letter == UInt8(ascii: "m") || letter == UInt8(ascii: "M")
    command = isMove ? 0 : letter
    isFirst = true
  }

  private var isFirst = true

  /// Adds a position relative to the pen.
  private mutating func add(_ target: (x: Int64, y: Int64)) {
    add(target.x - pen.x)
    add(target.y - pen.y)
  }

  private mutating func add(_ units: Int64) {
    let isApart = isFirst || units < 0 || (hasPoint && numbers.startsWithPoint(units))
    if !isApart { bytes.append(UInt8(ascii: " ")) }
    hasPoint = numbers.append(units, to: &bytes)
    isFirst = false
  }
}

extension Path {
  /// The path in parts of at most a number of vertices, cut between its contours.
  ///
  /// A contour that has more by itself is a part of its own: outlines are made of pieces that have
  /// far fewer.
  func parts(vertices limit: Int) -> [ArraySlice<Element>] {
    var parts: [ArraySlice<Element>] = []
    var (first, contour) = (0, 0)
    for index in elements.indices {
      if case .move = elements[index] { contour = index }
      if index - first >= limit, contour > first {
        parts.append(elements[first..<contour])
        first = contour
      }
    }
    if first < elements.count { parts.append(elements[first...]) }
    return parts
  }
}
