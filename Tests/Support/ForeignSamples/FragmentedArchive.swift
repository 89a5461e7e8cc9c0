/// A PencilKit archive with strokes that the pixel eraser has cut, that a lasso has moved and
/// coloured, and that were deleted. It is written field by field in the form of real archives,
/// without any code of the package.
package struct FragmentedArchive {
  /// A visible stroke, or a fragment of one.
  package struct Shown: Equatable {
    /// The index of the ink in the table; its red component is this number of tenths.
    package var ink: Int
    /// a, b, c, d, tx, ty.
    package var transform: [Double]
    /// The contours of the mask, each as x, y, x, y …; nil without a mask.
    package var contours: [[Double]]?

    package init(ink: Int, transform: [Double], contours: [[Double]]?) {
      (self.ink, self.transform, self.contours) = (ink, transform, contours)
    }
  }

  /// Forms of fields that protobuf allows, but no known program writes.
  package enum Oddity: CaseIterable {
    /// Fields of strokes and fragments in any order.
    case shuffled
    /// Lengths with more bytes than necessary.
    case longLengths
    /// A field that may occur once occurs twice.
    case repeated
    /// Transforms without their zeros.
    case sparse
    /// Strokes between the entries of the tables.
    case scattered
  }

  package private(set) var bytes: [UInt8]
  package private(set) var shown: [Shown] = []
  /// The number of deleted records.
  package private(set) var deletedCount = 0

  /// The state of the random numbers.
  private var random: UInt64
  private let oddities: Set<Oddity>
  private static let inkCount = 4
  private static let identity = [1.0, 0, 0, 1, 0, 0]

  /// An archive of up to twelve records; the same seed gives the same bytes.
  package init(seed: UInt64, oddities: Set<Oddity> = []) {
    (random, self.oddities, bytes) = (seed &* 0x9E37_79B9_7F4A_7C15, oddities, [])
    var fields: [Field] = []
    for number in 0..<2 { fields.append(Field(2, Self.name(high: number, low: number))) }
    for number in 0..<2 { fields.append(Field(3, version(number, number, 0))) }
    for ink in 0..<Self.inkCount { fields.append(Field(4, self.ink(ink))) }
    for index in 0..<below(12) { fields.append(Field(5, record(index))) }
    fields.append(Field(7, version(0, 0, 0)))
    fields.append(Field(8, Self.name(high: 9, low: Int(seed & 0xFFFF))))
    if oddities.contains(.scattered) {
      var (others, strokes) = (
        fields.filter { $0.number != 5 }[...], fields.filter { $0.number == 5 }[...]
      )
      fields = []
      while !others.isEmpty || !strokes.isEmpty {
        let takesStroke = !strokes.isEmpty && (others.isEmpty || below(2) == 0)
        fields.append(takesStroke ? strokes.removeFirst() : others.removeFirst())
      }
    }
    let content = WacomBytes.field(1, integer: 0) + written(fields)
    self.bytes = Array("wrd".utf8) + [0xF0, 1, 0] + content
  }

  // MARK: - Records

  private mutating func record(_ index: Int) -> [UInt8] {
    let identity = [
      Field(1, Self.name(high: 1, low: index + 1)),
      Field(2, version(index, 1, index + 1)), Field(3, version(0, 1, 0)),
    ]
    switch below(8) {
    case 0:
      deletedCount += 1
      return written(identity + [Field(8, number: 1)])
    case 1:
      // Deleted after it was cut: fragments without ink, box and transform.
      deletedCount += 1
      let pieces = (0..<1 + below(2)).map { Field(11, deletedFragment($0)) }
      return written(identity + [Field(8, number: 1), Field(9, version(0, 1, 1))] + pieces)
    case 2, 3: return whole(identity)
    default: return cut(identity)
    }
  }

  private mutating func whole(_ identity: [Field]) -> [UInt8] {
    let ink = below(Self.inkCount)
    let transform = below(3) == 0 ? self.transform() : nil
    shown.append(Shown(ink: ink, transform: transform ?? Self.identity, contours: nil))
    var fields = identity + [Field(4, number: ink), Field(5, path()), Field(6, box())]
    if let transform { fields.append(Field(7, transformBytes(transform))) }
    return written(fields + [Field(8, number: 1 << 37 | below(1 << 20) << 5)])
  }

  private mutating func cut(_ identity: [Field]) -> [UInt8] {
    let ink = below(Self.inkCount)
    // No known archive has a transform in both; if there are two, the fragment's own is used.
    let transform = below(5) == 0 ? self.transform() : nil
    var fields = identity + [Field(4, number: ink), Field(5, path())]
    if let transform { fields.append(Field(7, transformBytes(transform))) }
    fields += [
      Field(8, number: 1 << 37 | below(1 << 20) << 5), Field(9, version(0, 1, 1)),
    ]
    for number in 0..<1 + below(4) {
      if below(6) == 0 {
        fields.append(Field(11, deletedFragment(number)))
      } else {
        fields.append(Field(11, fragment(number, ink: ink, transform: transform)))
      }
    }
    return written(fields)
  }

  private mutating func fragment(_ number: Int, ink: Int, transform: [Double]?) -> [UInt8] {
    var fields = fragmentIdentity(number)
    let own = below(8) == 0 ? nil : below(6) == 0 ? below(Self.inkCount) : ink
    if let own { fields.append(Field(4, number: own)) }
    fields.append(Field(6, box()))
    let moved = below(4) == 0 ? nil : self.transform()
    if let moved { fields.append(Field(7, transformBytes(moved))) }
    fields.append(Field(8, number: 14))
    let contours = (0..<1 + below(3)).map { _ in contour() }
    for contour in contours { fields.append(Field(10, floats: contour)) }
    for bound in [0.25, 1.5] where contours.count < 3 { fields.append(Field(12, float: bound)) }
    shown.append(
      Shown(ink: own ?? ink, transform: moved ?? transform ?? Self.identity, contours: contours))
    return written(fields)
  }

  private mutating func deletedFragment(_ number: Int) -> [UInt8] {
    var fields = fragmentIdentity(number) + [Field(8, number: 13)]
    for _ in 0..<1 + below(2) { fields.append(Field(10, floats: contour())) }
    return written(fields + [Field(12, float: 0), Field(12, float: 2)])
  }

  private mutating func fragmentIdentity(_ number: Int) -> [Field] {
    [
      Field(1, Self.name(high: below(1 << 30), low: number)), Field(2, version(0, 1, 1)),
      Field(3, version(0, 1, 0)),
    ]
  }

  // MARK: - Parts

  private static func name(high: Int, low: Int) -> [UInt8] {
    WacomBytes.littleEndian(high, count: 8) + WacomBytes.littleEndian(low, count: 8)
  }

  private func version(_ clock: Int, _ replica: Int, _ subClock: Int) -> [UInt8] {
    WacomBytes.field(1, integer: clock) + WacomBytes.field(2, integer: replica)
      + WacomBytes.field(3, integer: subClock)
  }

  private func ink(_ index: Int) -> [UInt8] {
    let color = numbers([Double(Float(index) / 10), 0.25, 0.5, 1])
    let kind = index == 3 ? "marker" : "pen"
    return WacomBytes.field(1, color) + WacomBytes.field(2, text: "com.apple.ink." + kind)
      + WacomBytes.field(3, integer: 3) + WacomBytes.field(8, double: 0.5)
  }

  private mutating func path() -> [UInt8] {
    let count = 2 + below(6)
    var points: [UInt8] = []
    for index in 0..<count {
      let values: [Double] = [Double(8 * index), Double(below(40)), Double(index) / 64, 5]
      for value in values {
        points += WacomBytes.littleEndian(Int(Float(value).bitPattern), count: 4)
      }
    }
    let words = [1000, 0, 700, 32_767, 40_000, 32_767]
    let constants = words.flatMap { WacomBytes.littleEndian($0, count: 2) }
    var bytes = WacomBytes.field(1, Self.name(high: below(1 << 30), low: 77))
    bytes += WacomBytes.field(2, double: 5e8)
    bytes += WacomBytes.field(3, integer: count)
    bytes += WacomBytes.field(4, integer: 0b111)
    bytes += WacomBytes.field(5, integer: 0b1_1111_1000)
    bytes += WacomBytes.field(6, constants)
    bytes += WacomBytes.field(7, points)
    return bytes + WacomBytes.field(8, integer: 1)
  }

  private mutating func box() -> [UInt8] {
    numbers([Double(below(100)), Double(below(100)), Double(1 + below(50)), Double(1 + below(50))])
  }

  private mutating func transform() -> [Double] {
    below(4) == 0
      ? [2, 0, 0, 0.5, Double(below(90)), -3.5]
      : [1, 0, 0, 1, Double(below(400)) / 8, Double(below(400)) / 8]
  }

  private mutating func transformBytes(_ values: [Double]) -> [UInt8] {
    guard oddities.contains(.sparse) else { return numbers(values) }
    return values.enumerated().filter { $0.element != 0 }
      .flatMap { WacomBytes.field($0.offset + 1, float: $0.element) }
  }

  private mutating func contour() -> [Double] {
    (0..<2 * (3 + below(5))).map { _ in Double(below(800)) / 16 }
  }

  private func numbers(_ values: [Double]) -> [UInt8] {
    values.enumerated().flatMap { WacomBytes.field($0.offset + 1, float: $0.element) }
  }

  // MARK: - Fields

  private struct Field {
    let number: Int
    let key: [UInt8]
    /// The payload of a message or run of bytes; nil for a number, which is part of the key.
    let payload: [UInt8]?

    init(_ number: Int, _ payload: [UInt8]) {
      (self.number, self.payload) = (number, payload)
      key = WacomBytes.varint(UInt64(number << 3 | 2))
    }

    init(_ number: Int, number value: Int) {
      (self.number, payload, key) = (number, nil, WacomBytes.field(number, integer: value))
    }

    init(_ number: Int, float value: Double) {
      (self.number, payload, key) = (number, nil, WacomBytes.field(number, float: value))
    }

    init(_ number: Int, floats: [Double]) {
      self.init(
        number, floats.flatMap { WacomBytes.littleEndian(Int(Float($0).bitPattern), count: 4) })
    }
  }

  private mutating func written(_ fields: [Field]) -> [UInt8] {
    var fields = fields
    if oddities.contains(.repeated), let last = fields.last, last.number != 11, last.number != 10 {
      fields.append(last)
    }
    if oddities.contains(.shuffled), fields.contains(where: { $0.number == 8 }) {
      fields.swapAt(below(fields.count), below(fields.count))
    }
    return fields.flatMap { field -> [UInt8] in
      guard let payload = field.payload else { return field.key }
      var length = WacomBytes.varint(UInt64(payload.count))
      if oddities.contains(.longLengths), below(3) == 0 {
        length[length.count - 1] |= 0x80
        length.append(0)
      }
      return field.key + length + payload
    }
  }

  private mutating func below(_ limit: Int) -> Int {
    random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return Int(random >> 33) % limit
  }
}
