import InkFiles
import CMath
import Graphics
import Strokes

/// The packets of a stroke: the tablet's measurements at each point.
struct ISFPackets {
  private var x: [Int32] = []
  private var y: [Int32] = []
  private var others: [ISFProperty: [Int32]] = [:]

  /// A stroke takes a hundred times its bytes in memory at worst, so it may have no more points
  /// than this.
  private static let pointLimit: UInt64 = 1 << 20

  /// The properties that are used.
  private static let used: Set<ISFProperty> = [
    .timerTick, .normalPressure, .tiltX, .tiltY, .azimuth, .altitude,
  ]

  /// Reads a stroke without its properties, which come last. If x and y can be read but other
  /// values cannot, the points are kept and the damage is returned.
  mutating func read(_ block: ByteCursor, _ layout: ISFLayout) throws(ImportError) -> ImportError? {
    var block = block
    let start = block.offset
    let number = try block.variableLength()
    // Each point takes at least a bit.
    guard number <= min(UInt64(block.remaining) * 8, Self.pointLimit) else {
      throw ImportError(
        .tooMany(
          "points of a stroke", limit: min(block.remaining * 8, Int(Self.pointLimit))),
        at: start)
    }
    let count = Int(number)
    for key in others.keys { others[key]?.removeAll(keepingCapacity: true) }
    x.removeAll(keepingCapacity: true)
    y.removeAll(keepingCapacity: true)
    guard count > 0 else { return nil }
    if layout.hasX {
      try Self.read(&x, count, &block)
    } else {
      x.append(contentsOf: repeatElement(0, count: count))
    }
    if layout.hasY {
      try Self.read(&y, count, &block)
    } else {
      y.append(contentsOf: repeatElement(0, count: count))
    }
    do throws(ImportError) {
      try readOthers(count, &block, layout)
      return nil
    } catch {
      return error
    }
  }

  private mutating func readOthers(
    _ count: Int, _ block: inout ByteCursor, _ layout: ISFLayout
  ) throws(ImportError) {
    // Properties behind the last one that is used need not be read.
    let end = layout.properties.lastIndex { $0.map(Self.used.contains) ?? false } ?? -1
    var ignored: [Int32] = []
    for property in layout.properties.prefix(end + 1) {
      guard let property, Self.used.contains(property) else {
        ignored.removeAll(keepingCapacity: true)
        try Self.read(&ignored, count, &block)
        continue
      }
      var values = others.removeValue(forKey: property) ?? []
      values.removeAll(keepingCapacity: true)
      try Self.read(&values, count, &block)
      others[property] = values
    }
  }

  /// Whether the stroke has values of a property.
  func has(_ property: ISFProperty) -> Bool { !(others[property] ?? []).isEmpty }

  // MARK: - Points

  /// The points, in the file's units.
  func points(_ attributes: ISFAttributes, _ metrics: ISFMetrics) -> [PKStrokePoint] {
    let template = PKStrokePoint(
      location: .zero, timeOffset: 0,
      size: Size(width: attributes.width, height: attributes.height), opacity: 1, force: 1,
      azimuth: 0, altitude: .pi / 2)
    var points = [PKStrokePoint](repeating: template, count: x.count)
    for index in points.indices {
      points[index].location = Point(x: Double(x[index]), y: Double(y[index]))
    }
    press(&points, attributes, metrics.pressure.range)
    lean(&points, metrics)
    if let ticks = values(.timerTick) {
      for index in points.indices {
        points[index].timeOffset = (Double(ticks[index]) - Double(ticks[0])) * metrics.tick
      }
    }
    return points
  }

  private func values(_ property: ISFProperty) -> [Int32]? {
    others[property].flatMap { $0.isEmpty ? nil : $0 }
  }

  /// Half of the maximum pressure draws the width of the tip; no pressure draws half of it.
  private func press(
    _ points: inout [PKStrokePoint], _ attributes: ISFAttributes, _ range: ClosedRange<Double>
  ) {
    guard let values = values(.normalPressure), range.lowerBound < range.upperBound else { return }
    let scale = 1 / (range.upperBound - range.lowerBound)
    for index in points.indices {
      let pressure = min(max((Double(values[index]) - range.lowerBound) * scale, 0), 1)
      points[index].force = 2 * pressure
      if attributes.followsPressure {
        points[index].size = points[index].size * (0.5 + pressure)
      }
    }
  }

  /// Sets the angles, which are stored as two tilts or as azimuth and altitude.
  private func lean(_ points: inout [PKStrokePoint], _ metrics: ISFMetrics) {
    if let first = values(.tiltX), let second = values(.tiltY) {
      let (stepX, stepY) = (metrics.step(of: .tiltX), metrics.step(of: .tiltY))
      for index in points.indices {
        let (tiltX, tiltY) = (Double(first[index]) * stepX, Double(second[index]) * stepY)
        let (x, y) = (
          mathSine(tiltX) / mathCosine(tiltX), mathSine(tiltY) / mathCosine(tiltY)
        )
        points[index].azimuth = mathArcTangent(y, x)
        points[index].altitude = mathArcTangent(1, (x * x + y * y).squareRoot())
      }
    }
    if let values = values(.azimuth) {
      let step = metrics.step(of: .azimuth)
      for index in points.indices {
        // Clockwise from the top of the tablet.
        let angle = Double(values[index]) * step - .pi / 2
        points[index].azimuth = mathRemainder(angle, 2 * .pi)
      }
    }
    if let values = values(.altitude) {
      let step = metrics.step(of: .altitude)
      // The eraser end of the pen has negative altitudes.
      for index in points.indices { points[index].altitude = abs(Double(values[index])) * step }
    }
  }

  // MARK: - Packing

  /// Reads the values of a property. The first byte names the packing.
  private static func read(
    _ values: inout [Int32], _ count: Int, _ block: inout ByteCursor
  ) throws(ImportError) {
    let start = block.offset
    let kind = try block.byte()
    var bits = ISFBits(block)
    values.reserveCapacity(count)
    switch kind {
    case 0..<0x40:
      let width = kind & 0x1F == 0 ? 32 : Int(kind & 0x1F)
      guard block.remaining * 8 >= count * width else { throw block.error(.truncated) }
      for _ in 0..<count { values.append(bits.signed(width)) }
      if kind & 0x20 != 0 { values.addDifferences() }
    case 0x80..<0x88:
      let code = ISFHuffman.codes[Int(kind & 7)]
      var (last, step): (Int32, Int32) = (0, 0)
      for _ in 0..<count {
        guard let change = code.next(&bits) else { throw block.error(.truncated) }
        step &+= change
        last &+= step
        values.append(last)
      }
    default: throw ImportError(.unsupported("a packing of points that is \(kind)"), at: start)
    }
    try block.move(to: bits.offset)
  }
}

extension [Int32] {
  /// Replaces second differences by their values.
  fileprivate mutating func addDifferences() {
    var (last, step): (Int32, Int32) = (0, 0)
    for index in indices {
      step &+= self[index]
      last &+= step
      self[index] = last
    }
  }
}

/// Reads bits, the highest of each byte first.
struct ISFBits {
  private let bytes: ArraySlice<UInt8>
  /// The next byte that is not in the buffer.
  private var next: Int
  /// The bits that were read ahead, from the highest down; the others are zero.
  private var buffer: UInt64 = 0
  /// The number of bits in the buffer.
  private(set) var count = 0

  init(_ cursor: ByteCursor) {
    bytes = cursor.bytes
    next = cursor.offset
  }

  /// The offset of the first byte of which no bit was taken.
  var offset: Int { next - count / 8 }

  /// Reads ahead, so that there are 57 bits or all that the bytes have.
  @inline(__always) mutating func fill() {
    while count <= 56, next < bytes.endIndex {
      buffer |= UInt64(bytes[next]) << UInt64(56 - count)
      next += 1
      count += 8
    }
  }

  /// The number of one bits in front.
  var leadingOnes: Int { (~buffer).leadingZeroBitCount }

  /// Takes 0 to 32 bits, which must be there.
  @inline(__always) mutating func take(_ width: Int) -> UInt32 {
    let value = width == 0 ? 0 : UInt32(truncatingIfNeeded: buffer >> UInt64(64 - width))
    buffer <<= UInt64(width)
    count -= width
    return value
  }

  /// A number in two's complement, whose bits must be there.
  @inline(__always) mutating func signed(_ width: Int) -> Int32 {
    fill()
    let shift = Int32(32 - width)
    return (Int32(bitPattern: take(width)) << shift) >> shift
  }
}

/// One of the Huffman codes of the format. Leading ones, ended by a zero, give the number of bits
/// that follow. The lowest of these is the sign.
struct ISFHuffman {
  /// The number of following bits, by the number of leading ones.
  private let widths: [Int]
  /// The smallest magnitude, by the number of leading ones.
  private let sizes: [Int32]

  private init(_ widths: [Int]) {
    self.widths = widths
    var sizes: [Int32] = [0]
    var size: Int32 = 1
    for width in widths.dropFirst() {
      sizes.append(size)
      size &+= Int32(truncatingIfNeeded: 1 << (width - 1))
    }
    self.sizes = sizes
  }

  static let codes = [
    ISFHuffman([0, 1, 2, 4, 6, 8, 12, 16, 24, 32]),
    ISFHuffman([0, 1, 1, 2, 4, 8, 12, 16, 24, 32]),
    ISFHuffman([0, 1, 1, 1, 2, 4, 8, 14, 22, 32]),
    ISFHuffman([0, 2, 2, 3, 5, 8, 12, 16, 24, 32]),
    ISFHuffman([0, 3, 4, 5, 8, 12, 16, 24, 32]),
    ISFHuffman([0, 4, 6, 8, 12, 16, 24, 32]),
    ISFHuffman([0, 6, 8, 12, 16, 24, 32]),
    ISFHuffman([0, 7, 8, 12, 16, 24, 32]),
  ]

  /// The next number; nil if the bits end before, or if the number has more than 32 bits.
  @inline(__always) func next(_ bits: inout ISFBits) -> Int32? {
    bits.fill()
    let ones = bits.leadingOnes
    guard ones < widths.count, bits.count > ones + widths[ones] else { return nil }
    _ = bits.take(ones + 1)
    let value = bits.take(widths[ones])
    let size = sizes[ones] &+ Int32(bitPattern: value >> 1)
    return value & 1 == 0 ? size : 0 &- size
  }
}
