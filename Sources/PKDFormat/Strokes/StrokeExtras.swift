import Graphics
import Strokes

extension ByteWriter {
  /// Numbers as floats where all of them are some, as doubles elsewhere.
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

  /// A path as its elements: how many, one byte for each, then all coordinates.
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
    let place = offset
    let isFloat = try byte()
    guard isFloat <= 1 else { throw PKDError(.notCanonical, at: place) }
    guard count <= remaining / (isFloat == 1 ? 4 : 8) else {
      throw PKDError(.truncated, at: offset)
    }
    var numbers: [Double] = []
    numbers.reserveCapacity(count)
    for _ in 0..<count {
      let place = offset
      let number =
        isFloat == 1 ? Double(Float(bitPattern: UInt32(try littleEndian(4)))) : try double()
      guard number.isFinite else { throw PKDError(.notFinite, at: place) }
      numbers.append(number)
    }
    return numbers
  }

  mutating func path(limits: PKDLimits) throws(PKDError) -> Path {
    let place = offset
    let rule = try byte()
    guard rule <= 1 else { throw PKDError(.unknownValue("fill rule", UInt64(rule)), at: place) }
    let count = try count(limit: limits.pathElements, .pathElements)
    let kinds = try range(count)
    var numberCount = 0
    for kindPlace in kinds {
      guard bytes[kindPlace] <= 4 else {
        throw PKDError(.unknownValue("path element", UInt64(bytes[kindPlace])), at: kindPlace)
      }
      numberCount += [2, 2, 4, 6, 0][Int(bytes[kindPlace])]
    }
    // A path begins by moving somewhere.
    guard count == 0 || bytes[kinds.lowerBound] == 0 else {
      throw PKDError(.unknownValue("path element", UInt64(bytes[kinds.lowerBound])), at: place)
    }
    let numbers = try numbers(numberCount)
    var path = Path(fillRule: rule == 1 ? .evenOdd : .nonZero)
    var next = 0
    func point() -> Point {
      defer { next += 2 }
      return Point(x: numbers[next], y: numbers[next + 1])
    }
    for kindPlace in kinds {
      switch bytes[kindPlace] {
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
  /// Whether any of the rare values is told.
  var hasExtras: Bool {
    !isDisjoint(with: [.exactBox, .seed, .transform, .mask, .archivedRanges, .part])
  }
}

extension StrokeHead {
  /// Writes what the columns have no place for.
  func writeExtras(_ form: StrokeForm, after chain: HeadChain, into writer: inout ByteWriter) {
    let traits = form.traits
    if form.ownsPath, !traits.contains(.milliseconds) { writer.signed(chain.step(to: date)) }
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
      // The upper end of a whole path is infinite.
      writer.littleEndian(part.lowerBound.bitPattern, count: 8)
      writer.littleEndian(part.upperBound.bitPattern, count: 8)
    }
  }

  /// Reads what `writeExtras` wrote.
  mutating func readExtras(
    _ form: StrokeForm, after chain: HeadChain, from reader: inout ByteReader, limits: PKDLimits
  ) throws(PKDError) {
    let traits = form.traits
    if form.ownsPath, !traits.contains(.milliseconds) {
      let place = reader.offset
      date = chain.date(step: try reader.signed())
      guard date.secondsSinceReferenceDate.isFinite else { throw PKDError(.notFinite, at: place) }
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
      let place = reader.offset
      let lower = Double(bitPattern: try reader.littleEndian(8))
      let upper = Double(bitPattern: try reader.littleEndian(8))
      guard lower.isFinite, upper >= lower else { throw PKDError(.notFinite, at: place) }
      extras.part = lower...upper
    }
  }
}
