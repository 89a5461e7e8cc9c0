import Graphics
import Strokes

extension ByteWriter {
  /// Numbers as floats if that is exact for all of them, else as doubles.
  mutating func numbers(_ numbers: [Double]) {
    let areFloats = numbers.allSatisfy { Double(Float($0)).bitPattern == $0.bitPattern }
    byte(areFloats ? 1 : 0)
    for number in numbers {
      if areFloats {
        littleEndian(UInt64(Float(number).bitPattern), count: 4)
      } else {
        double(number)
      }
    }
  }

  /// A path: the fill rule, the number of elements, a byte for each, then all coordinates.
  mutating func path(_ path: Path) {
    byte(path.fillRule == .evenOdd ? 1 : 0)
    count(path.elements.count)
    var numbers: [Double] = []
    for element in path.elements {
      switch element {
      case .move(let to):
        byte(0)
        numbers += [to.x, to.y]
      case .line(let to):
        byte(1)
        numbers += [to.x, to.y]
      case .quadratic(let to, let control):
        byte(2)
        numbers += [control.x, control.y, to.x, to.y]
      case .cubic(let to, let control1, let control2):
        byte(3)
        numbers += [control1.x, control1.y, control2.x, control2.y, to.x, to.y]
      case .close: byte(4)
      }
    }
    self.numbers(numbers)
  }
}

extension ByteReader {
  mutating func numbers(_ count: Int) throws(PKDError) -> [Double] {
    let start = offset
    let isFloat = try byte()
    guard isFloat <= 1 else { throw PKDError(.notCanonical, at: start) }
    guard count <= remaining / (isFloat == 1 ? 4 : 8) else {
      throw PKDError(.truncated, at: offset)
    }
    var numbers: [Double] = []
    numbers.reserveCapacity(count)
    for _ in 0..<count {
      let start = offset
      let number =
        isFloat == 1 ? Double(Float(bitPattern: UInt32(try littleEndian(4)))) : try double()
      guard number.isFinite else { throw PKDError(.notFinite, at: start) }
      numbers.append(number)
    }
    return numbers
  }

  mutating func path(limits: PKDLimits) throws(PKDError) -> Path {
    let start = offset
    let rule = try byte()
    guard rule <= 1 else { throw PKDError(.unknownValue("fill rule", UInt64(rule)), at: start) }
    let count = try count(limit: limits.pathElements, .pathElements)
    let kinds = try range(count)
    var numberCount = 0
    for kindOffset in kinds {
      guard bytes[kindOffset] <= 4 else {
        throw PKDError(.unknownValue("path element", UInt64(bytes[kindOffset])), at: kindOffset)
      }
      numberCount += [2, 2, 4, 6, 0][Int(bytes[kindOffset])]
    }
    // The first element of a path begins a contour.
    guard count == 0 || bytes[kinds.lowerBound] == 0 else {
      throw PKDError(.unknownValue("path element", UInt64(bytes[kinds.lowerBound])), at: start)
    }
    let numbers = try numbers(numberCount)
    var path = Path(fillRule: rule == 1 ? .evenOdd : .nonZero)
    var next = 0
    func point() -> Point {
      defer { next += 2 }
      return Point(x: numbers[next], y: numbers[next + 1])
    }
    for kindOffset in kinds {
      switch bytes[kindOffset] {
      case 0: path.move(to: point())
      case 1: path.addLine(to: point())
      case 2:
        let control = point()
        path.addQuadratic(to: point(), control: control)
      case 3:
        let (control1, control2) = (point(), point())
        path.addCubic(to: point(), control1: control1, control2: control2)
      default: path.close()
      }
    }
    return path
  }
}

extension AffineTransform {
  var numbers: [Double] { [a, b, c, d, tx, ty] }

  init(numbers v: [Double]) { self.init(a: v[0], b: v[1], c: v[2], d: v[3], tx: v[4], ty: v[5]) }
}

extension StrokeTraits {
  /// Whether any of the fields of `StrokeExtras` is stored.
  var hasExtras: Bool {
    !isDisjoint(with: [.exactBox, .seed, .transform, .mask, .archivedRanges, .part])
  }
}

extension StrokeHead {
  /// Writes the fields that have no column.
  func writeExtras(_ form: StrokeForm, after previous: PreviousHead, into writer: inout ByteWriter)
  {
    let traits = form.traits
    if form.ownsPath, !traits.contains(.milliseconds) { writer.signed(previous.step(to: date)) }
    guard traits.hasExtras else { return }
    let extras = extras ?? StrokeExtras()
    if traits.contains(.exactBox) {
      let box = extras.archivedBox ?? .zero
      writer.numbers([box.minX, box.minY, box.maxX, box.maxY])
    }
    if traits.contains(.seed) { writer.littleEndian(UInt64(extras.seed), count: 4) }
    if traits.contains(.transform) { writer.numbers(extras.transform.numbers) }
    if traits.contains(.mask) { writer.path(extras.mask ?? Path()) }
    if traits.contains(.archivedRanges) {
      let ranges = extras.archivedRanges ?? []
      writer.count(ranges.count)
      writer.numbers(ranges.flatMap { [$0.lowerBound, $0.upperBound] })
    }
    if traits.contains(.part) {
      let part = extras.part ?? .wholePath
      // Not as `double`, since the upper bound of a whole path is infinite.
      writer.littleEndian(part.lowerBound.bitPattern, count: 8)
      writer.littleEndian(part.upperBound.bitPattern, count: 8)
    }
  }

  /// Reads the fields that `writeExtras` writes.
  mutating func readExtras(
    _ form: StrokeForm, after previous: PreviousHead, from reader: inout ByteReader,
    limits: PKDLimits
  ) throws(PKDError) {
    let traits = form.traits
    if form.ownsPath, !traits.contains(.milliseconds) {
      let start = reader.offset
      date = previous.date(step: try reader.signed())
      guard date.secondsSinceReferenceDate.isFinite else { throw PKDError(.notFinite, at: start) }
    }
    guard traits.hasExtras else { return }
    let extras = StrokeExtras()
    self.extras = extras
    if traits.contains(.exactBox) {
      let v = try reader.numbers(4)
      extras.archivedBox = Rect(from: Point(x: v[0], y: v[1]), to: Point(x: v[2], y: v[3]))
    }
    if traits.contains(.seed) { extras.seed = UInt32(try reader.littleEndian(4)) }
    if traits.contains(.transform) {
      extras.transform = AffineTransform(numbers: try reader.numbers(6))
    }
    if traits.contains(.mask) { extras.mask = try reader.path(limits: limits) }
    if traits.contains(.archivedRanges) {
      let count = try reader.count(limit: limits.pathElements, .ranges)
      let v = try reader.numbers(2 * count)
      extras.archivedRanges = (0..<count).map {
        min(v[2 * $0], v[2 * $0 + 1])...max(v[2 * $0], v[2 * $0 + 1])
      }
    }
    if traits.contains(.part) {
      let start = reader.offset
      let lower = Double(bitPattern: try reader.littleEndian(8))
      let upper = Double(bitPattern: try reader.littleEndian(8))
      guard lower.isFinite, upper >= lower else { throw PKDError(.notFinite, at: start) }
      extras.part = lower...upper
    }
  }
}
