import Graphics
import Strokes

// A second reader of archives: plain, slow, written from the description of the format, and without
// any code of the package. It reads points one by one, channel by channel, byte by byte. The
// package must refuse every input that this reader refuses; otherwise both must find the same
// values, bit for bit.

/// The stored values of a stroke.
struct PlainStroke {
  /// A row for each point: the bits of each channel's value, a float or a word.
  var points: [[UInt32]] = []
  var date: UInt64 = 0
  var bounds: [UInt32]?
  /// The visible parts of the stroke: its pieces, or itself.
  var shown: [Look] = []
  var identifier: [UInt8]?
  var isOf2018 = false

  /// The values that each piece can override.
  struct Look {
    var seed: UInt32 = 0
    var transform: [UInt32] = []
    var color: [UInt32] = []
    /// The bits of x and y of the mask's corners, one contour after the other; nil without a mask.
    var mask: [[UInt32]]?
    /// Whether this package wrote the piece for a part of a stroke. Then a private field has the
    /// stroke's mask, and the piece's mask only serves other readers.
    var isPart = false
    static let partField: UInt64 = 61
  }
}

/// The reasons for which the plain decoder refuses an input.
enum PlainFault: Error {
  case wire, kind, size, notFinite, channels, count, ink
}

// MARK: - Fields

extension [WireNode] {
  /// The values of all fields with a number, which must have the same kind.
  fileprivate func all<Value>(
    _ number: UInt64, _ read: (WireValue) throws -> Value
  ) throws -> [Value] {
    try filter { $0.number == number }.map { try read($0.value) }
  }

  /// The value of the last field with a number.
  fileprivate func last<Value>(
    _ number: UInt64, _ read: (WireValue) throws -> Value
  ) throws -> Value? {
    try all(number, read).last
  }
}

private func number(_ value: WireValue) throws -> UInt64 {
  guard case .varint(let number) = value else { throw PlainFault.kind }
  return number
}

private func run(_ value: WireValue) throws -> [UInt8] {
  guard case .bytes(let bytes) = value else { throw PlainFault.kind }
  return bytes
}

private func identifier(_ value: WireValue) throws -> [UInt8] {
  let bytes = try run(value)
  guard bytes.count == 16 else { throw PlainFault.size }
  return bytes
}

private func double(_ value: WireValue) throws -> UInt64 {
  guard case .fixed64(let bits) = value else { throw PlainFault.kind }
  guard Double(bitPattern: bits).isFinite else { throw PlainFault.notFinite }
  return bits
}

private func float(_ value: WireValue) throws -> UInt32 {
  guard case .fixed32(let bits) = value else { throw PlainFault.kind }
  guard Float(bitPattern: bits).isFinite else { throw PlainFault.notFinite }
  return bits
}

/// The first numbers of a message of floats. The last field with a number counts; missing ones are
/// 0.
private func floats(_ count: Int) -> (WireValue) throws -> [UInt32] {
  { value in
    guard case .message(.numbers, let fields) = value else { throw PlainFault.wire }
    return try (1...count).map { try fields.last(UInt64($0), float) ?? 0 }
  }
}

/// A box; nil for the empty one at infinity, whose numbers must be in order.
private func box(_ value: WireValue) throws -> [UInt32]? {
  if case .message(.numbers, let fields) = value {
    let infinity = Float.infinity.bitPattern
    let numbers: [(UInt64, UInt32)] = fields.compactMap { field in
      guard case .fixed32(let bits) = field.value else { return nil }
      return (field.number, bits)
    }
    if numbers.count == fields.count, numbers.map(\.0) == [1, 2, 3, 4],
      numbers.map(\.1) == [infinity, infinity, 0, 0]
    {
      return nil
    }
  }
  return try floats(4)(value)
}

private func message(_ shape: WireShape) -> (WireValue) throws -> [WireNode] {
  { value in
    // A message that cannot be parsed is kept as bytes.
    guard case .message(shape, let fields) = value else { throw PlainFault.wire }
    return fields
  }
}

// MARK: - Points

/// The rows' columns.
private enum Column {
  static let x = 0, y = 1, time = 2, width = 3, aspect = 4, edge = 5, force = 6, azimuth = 7
  static let altitude = 8, opacity = 9, secondary = 10, threshold = 11, jitter = 12
  static let count = 13
}

/// A little-endian number of up to four bytes.
private func littleEndian(_ bytes: [UInt8], _ start: Int, _ count: Int) -> UInt32 {
  var value: UInt32 = 0
  for index in 0..<count { value |= UInt32(bytes[start + index]) << UInt32(8 * index) }
  return value
}

/// The columns of each bit of a mask, with their sizes in bytes.
private let channelsOfBits: [[(column: Int, size: Int)]] = [
  [(Column.x, 4), (Column.y, 4)], [(Column.time, 4)], [(Column.width, 4)], [(Column.aspect, 2)],
  [(Column.edge, 2)], [(Column.force, 2)], [(Column.azimuth, 2)], [(Column.altitude, 2)],
  [(Column.opacity, 2)], [(Column.secondary, 4)], [(Column.threshold, 2)],
]

/// The defaults of missing channels: a round, upright, opaque point. A secondary width of −1 stands
/// for the width itself.
private let defaults: [UInt32] = [
  0, 0, 0, 0, 1000, 0, 0, 32_767, 0, 32_767, Float(-1).bitPattern, 0, Float(1).bitPattern,
]

/// Reads one record and returns the offset of its end.
private func readRecord(
  _ bytes: [UInt8], from start: Int, mask: UInt64, into row: inout [UInt32]
) throws -> Int {
  var offset = start
  for bit in 0..<channelsOfBits.count where mask >> UInt64(bit) & 1 == 1 {
    for (column, size) in channelsOfBits[bit] {
      guard offset + size <= bytes.count else { throw PlainFault.size }
      row[column] = littleEndian(bytes, offset, size)
      if size == 4, !Float(bitPattern: row[column]).isFinite { throw PlainFault.notFinite }
      offset += size
    }
  }
  return offset
}

private func readPoints(_ path: [WireNode]) throws -> [[UInt32]] {
  let declared = try path.last(3, number) ?? 0
  let varying = try path.last(4, number) ?? 0
  let constant = try path.last(5, number) ?? 0
  let constants = try path.last(6, run) ?? []
  let records = try path.last(7, run) ?? []
  guard varying & constant == 0, (varying | constant) < 1 << 11, varying & 1 == 1 else {
    throw PlainFault.channels
  }
  var model = defaults
  guard try readRecord(constants, from: 0, mask: constant, into: &model) == constants.count else {
    throw PlainFault.size
  }
  var points: [[UInt32]] = []
  var offset = 0
  while offset < records.count {
    var row = model
    offset = try readRecord(records, from: offset, mask: varying, into: &row)
    points.append(row)
  }
  guard UInt64(points.count) == declared else { throw PlainFault.count }
  // Lateral jitter is in a field of its own: one value for all points, or one for each.
  if !points.isEmpty, let jitter = try path.last(60, run) {
    guard jitter.count == 4 || jitter.count == 4 * points.count else { throw PlainFault.size }
    for index in points.indices {
      let bits = littleEndian(jitter, jitter.count == 4 ? 0 : 4 * index, 4)
      guard Float(bitPattern: bits).isFinite else { throw PlainFault.notFinite }
      points[index][Column.jitter] = bits
    }
  }
  return points
}

/// Points of 24 bytes.
private func readPoints2018(_ stroke: [WireNode], _ records: [UInt8]) throws -> [[UInt32]] {
  guard records.count.isMultiple(of: 24) else { throw PlainFault.size }
  let points = try stride(from: 0, to: records.count, by: 24).map { start in
    var row = defaults
    for (column, fieldOffset) in [(Column.time, 0), (Column.x, 4), (Column.y, 8)] {
      row[column] = littleEndian(records, start + fieldOffset, 4)
      guard Float(bitPattern: row[column]).isFinite else { throw PlainFault.notFinite }
    }
    row[Column.width] = (Float(littleEndian(records, start + 12, 2)) / 10).bitPattern
    for (column, fieldOffset) in [
      (Column.aspect, 14), (Column.edge, 16), (Column.force, 18), (Column.azimuth, 20),
    ] {
      row[column] = littleEndian(records, start + fieldOffset, 2)
    }
    row[Column.altitude] = littleEndian(records, start + 22, 1)
    row[Column.opacity] = littleEndian(records, start + 23, 1)
    return row
  }
  guard UInt64(points.count) == (try stroke.last(4, number) ?? 0) else { throw PlainFault.count }
  return points
}

// MARK: - Drawings

private func readColors(_ drawing: [WireNode]) throws -> [[UInt32]] {
  try drawing.all(4, message(.ink)).map { ink in
    for name in try ink.all(2, run) where String(validating: name, as: UTF8.self) == nil {
      throw PlainFault.kind
    }
    return try ink.last(1, floats(4)) ?? [0, 0, 0, Float(1).bitPattern]
  }
}

private func color(_ index: UInt64, of colors: [[UInt32]]) throws -> [UInt32] {
  guard index < UInt64(colors.count) else { throw PlainFault.ink }
  return colors[Int(index)]
}

/// The contours of a mask, one in each field; nil if there is none. An empty one encloses nothing.
private func contours(_ fields: [WireNode]) throws -> [[UInt32]]? {
  let runs = try fields.all(10, run)
  let contours = try runs.map { bytes in
    guard bytes.count.isMultiple(of: 8) else { throw PlainFault.size }
    return try stride(from: 0, to: bytes.count, by: 4).map { start in
      let bits = littleEndian(bytes, start, 4)
      guard Float(bitPattern: bits).isFinite else { throw PlainFault.notFinite }
      return bits
    }
  }
  return runs.isEmpty ? nil : contours.filter { !$0.isEmpty }
}

/// The strokes of a `wrd` archive's message that are not deleted.
func plainStrokes(_ archive: ArraySlice<UInt8>) throws -> [PlainStroke] {
  guard let drawing = [WireNode](archive, as: .drawing) else { throw PlainFault.wire }
  let colors = try readColors(drawing)
  return try drawing.all(5, message(.stroke)).compactMap { fields in
    // Every path must be intact, and the last one counts.
    let paths = try fields.all(5, message(.path))
    let points = try paths.map(readPoints)
    guard let path = paths.last, let last = points.last else { return nil }
    var stroke = PlainStroke()
    stroke.points = last
    stroke.date = try path.last(2, double) ?? 0
    stroke.identifier = try fields.last(1, identifier)
    stroke.bounds = try fields.last(6, box) ?? nil
    let one = Float(1).bitPattern
    let flags = try fields.last(8, number) ?? 0
    let whole = PlainStroke.Look(
      seed: UInt32(truncatingIfNeeded: flags >> 5),
      transform: try fields.last(7, floats(6)) ?? [one, 0, 0, one, 0, 0],
      color: try color(try fields.last(4, number) ?? 0, of: colors),
      mask: try contours(fields))
    stroke.shown = [whole]
    let pieces = try fields.all(11, message(.piece))
    if !pieces.isEmpty {
      // Pieces have their own identifiers and bounds, a seed if they announce one, and ink and
      // transform if they have any.
      stroke.identifier = nil
      stroke.bounds = nil
      stroke.shown = try pieces.compactMap { piece in
        let own = try piece.last(8, number) ?? 0
        let transform = try piece.last(7, floats(6))
        let ink = try piece.last(4, number)
        let mask = try contours(piece)
        guard own & 1 == 0 else { return nil }
        var look = whole
        look.seed = UInt32(truncatingIfNeeded: (own >> 37 & 1 == 1 ? own : flags) >> 5)
        look.transform = transform ?? whole.transform
        look.color = try ink.map { try color($0, of: colors) } ?? whole.color
        look.mask = mask
        look.isPart = piece.contains { $0.number == PlainStroke.Look.partField }
        return look
      }
    }
    return stroke
  }
}

/// The strokes of a document of 2018 that are not deleted.
func plainStrokes2018(_ document: ArraySlice<UInt8>) throws -> [PlainStroke] {
  guard let fields = [WireNode](document, as: .document2018) else { throw PlainFault.wire }
  // The first drawing is used.
  for field in fields where field.number == 2 {
    let content = try message(.content2018)(field.value)
    guard let first = content.first(where: { $0.number == 3 }) else { continue }
    return try plainStrokes2018(drawing: try message(.drawing2018)(first.value))
  }
  throw PlainFault.wire
}

private func plainStrokes2018(drawing: [WireNode]) throws -> [PlainStroke] {
  let colors = try readColors(drawing)
  return try drawing.all(5, message(.stroke2018)).compactMap { fields in
    // A stroke without points shows nothing and counts as deleted.
    guard let records = try fields.last(5, run), !records.isEmpty else { return nil }
    var stroke = PlainStroke()
    stroke.isOf2018 = true
    stroke.points = try readPoints2018(fields, records)
    stroke.date = try fields.last(11, double) ?? 0
    stroke.identifier = try fields.last(13, identifier)
    stroke.bounds = try fields.last(6, box) ?? nil
    let one = Float(1).bitPattern
    stroke.shown = [
      PlainStroke.Look(
        transform: try fields.last(10, floats(6)) ?? [one, 0, 0, one, 0, 0],
        color: try color(try fields.last(3, number) ?? 0, of: colors))
    ]
    return stroke
  }
}

// MARK: - Comparing

/// Ends the run if the package and the plain decoder found different values.
func compare(_ plain: [PlainStroke], with strokes: [PKStroke]) {
  guard plain.reduce(0, { $0 + $1.shown.count }) == strokes.count else {
    violated("the plain decoder finds \(plain.count) strokes, the fast one \(strokes.count)")
  }
  var rest = strokes[...]
  for (index, stroke) in plain.enumerated() {
    for (shown, look) in zip(rest, stroke.shown) {
      stroke.compare(with: shown, look, "stroke \(index)")
    }
    rest = rest.dropFirst(stroke.shown.count)
  }
}

extension PlainStroke {
  fileprivate func compare(with stroke: PKStroke, _ look: Look, _ name: String) {
    func check(_ isEqual: Bool, _ what: String) {
      if !isEqual { violated("fast and plain decoder differ in the \(what) of \(name)") }
    }
    func same(_ bits: [UInt32], _ numbers: [Double]) -> Bool {
      bits.map { Double(Float(bitPattern: $0)).bitPattern } == numbers.map(\.bitPattern)
    }
    let (t, c) = (stroke.transform, stroke.ink.color)
    check(date == stroke.path.creationDate.secondsSinceReferenceDate.bitPattern, "date")
    check(same(look.transform, [t.a, t.b, t.c, t.d, t.tx, t.ty]), "transform")
    check(same(look.color, [c.red, c.green, c.blue, c.alpha]), "colour")
    check(look.seed == stroke.randomSeed, "seed")
    if !look.isPart, !isOf2018 {
      // Not the flattened mask, which omits contours of one corner.
      let corners = stroke.mask?.elements.flatMap { element -> [Double] in
        switch element {
        case .move(let to), .line(let to): [to.x, to.y]
        default: []
        }
      }
      check((look.mask == nil) == (corners == nil), "mask")
      if let mask = look.mask, let corners { check(same(mask.flatMap(\.self), corners), "mask") }
    }
    if let identifier { check(identifier == stroke.id.bytes, "identifier") }
    if shown.count == 1, let bounds, let archived = stroke.archivedBounds {
      let corner = bounds.prefix(2).map { Double(Float(bitPattern: $0)) }
      let extent = bounds.suffix(2).map { Double(Float(bitPattern: $0)) }
      // A box with negative extents has its corner at the smaller coordinates.
      check(
        archived.minX == min(corner[0], corner[0] + extent[0])
          && archived.minY == min(corner[1], corner[1] + extent[1]), "bounds")
    }
    compare(with: stroke.path.columns, name)
  }

  private func compare(with columns: PointColumns, _ name: String) {
    guard columns.count == points.count, columns.scale == (isOf2018 ? .notes2018 : .current) else {
      violated("fast and plain decoder differ in the number or kind of points of \(name)")
    }
    for (index, row) in points.enumerated() {
      let point = columns[index]
      for (column, channel) in Self.channels {
        let stored =
          channel.isFloat ? point[float: channel].bitPattern : UInt32(point[word: channel])
        let direct =
          channel.isFloat
          ? columns.float(channel, at: index).bitPattern : UInt32(columns.word(channel, at: index))
        guard stored == row[column], direct == row[column] else {
          violated(
            "fast and plain decoder differ in \(channel) of point \(index) of \(name): "
              + "\(stored), \(direct) and \(row[column])")
        }
      }
    }
  }

  private static let channels: [(Int, PointChannel)] = [
    (Column.x, .x), (Column.y, .y), (Column.time, .timeOffset), (Column.width, .width),
    (Column.aspect, .aspect), (Column.edge, .edge), (Column.force, .force),
    (Column.azimuth, .azimuth), (Column.altitude, .altitude), (Column.opacity, .opacity),
    (Column.secondary, .secondaryWidth), (Column.threshold, .threshold),
    (Column.jitter, .lateralJitter),
  ]
}
