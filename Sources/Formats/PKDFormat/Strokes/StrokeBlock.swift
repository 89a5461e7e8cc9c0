import Graphics
import Strokes

/// Up to sixteen strokes in one chunk: their heads, extras and points.
enum StrokeBlock {
  /// The decoded heads of a block, and where and how its points are coded.
  struct Heads {
    var heads: [StrokeHead]
    /// The bytes of the points in the file.
    var points: Range<Int>
    var coding: PointCoding
  }

  /// How a block's points are coded.
  enum PointCoding: Int {
    case entropy
    /// As they are in memory: for points that entropy coding would make larger.
    case plain
  }

  static func write(
    _ heads: [StrokeHead], paths: ArraySlice<PathNumbers>, table: FormTable, base: Timestamp,
    tools: inout BlockTools
  ) -> [UInt8] {
    var extras = ByteWriter()
    gather(heads, table: table, base: base, into: &tools.segment)
    var coded = ByteWriter()
    tools.encoder.encode(tools.segment, lanes: 1, into: &coded)
    var previous = PreviousHead(base: base)
    for head in heads {
      head.writeExtras(table.forms[head.form], after: previous, into: &extras)
      previous.update(from: head)
    }
    var points = ByteWriter()
    let pointCount = paths.reduce(0) { $0 + $1.count }
    var coding = PointCoding.entropy
    if pointCount > 0 {
      PointBlock.gather(paths, into: &tools.segment)
      tools.encoder.encode(
        tools.segment, lanes: PointBlock.lanes(pointCount: pointCount), into: &points)
      if points.bytes.count > paths.reduce(0, { $0 + $1.columns.plainByteCount }) {
        coding = .plain
        points = ByteWriter()
        for path in paths { points.plain(path.columns) }
      }
    }
    var writer = ByteWriter()
    writer.count(heads.count << 1 | coding.rawValue)
    writer.count(coded.bytes.count)
    writer.count(extras.bytes.count)
    writer.append(coded.bytes)
    writer.append(extras.bytes)
    writer.append(points.bytes)
    return writer.bytes
  }

  /// Writes the numbers of heads into the columns of a segment.
  static func gather(
    _ heads: [StrokeHead], table: FormTable, base: Timestamp, into segment: inout Segment
  ) {
    var numbers = HeadNumbers()
    var previous = PreviousHead(base: base)
    for head in heads {
      let form = table.forms[head.form]
      for column in HeadColumn.allCases where form.has(column) {
        numbers.append(previous.number(of: head, in: column), to: column)
      }
      previous.update(from: head)
    }
    segment.removeAll()
    for column in HeadColumn.allCases {
      segment.add(column.kind) { $0 += numbers.appended(to: column) }
    }
  }

  /// Reads the heads of a block.
  static func readHeads(
    _ bytes: [UInt8], in payload: Range<Int>, table: FormTable, base: Timestamp, limits: PKDLimits,
    tools: inout BlockTools
  ) throws(PKDError) -> Heads {
    var reader = ByteReader(bytes, in: payload)
    let first = try reader.count(limit: BlockLimits.strokes << 1 | 1, .strokes)
    let count = first >> 1
    let coding = PointCoding(rawValue: first & 1) ?? .entropy
    let codedCount = try reader.count(limit: reader.remaining, .chunkBytes)
    let extraCount = try reader.count(limit: reader.remaining, .chunkBytes)
    let coded = try reader.range(codedCount)
    var extras = ByteReader(bytes, in: try reader.range(extraCount))
    var numbers = try readColumns(bytes, coded, count: count, table: table, tools: &tools)

    var heads: [StrokeHead] = []
    heads.reserveCapacity(count)
    var previous = PreviousHead(base: base)
    for _ in 0..<count {
      guard let row = previous.form(numbers.next(.form), count: table.forms.count) else {
        throw PKDError(.entropy, at: coded.lowerBound)
      }
      let form = table.forms[row]
      var head = StrokeHead(form: row)
      head.ownsPath = form.ownsPath
      if form.has(.pointCount) {
        head.pointCount = Int(clamping: numbers.next(.pointCount))
        head.duration = numbers.next(.duration)
      }
      if form.has(.pause) {
        head.date = previous.date(
          pause: numbers.next(.pause), correction: numbers.next(.correction))
      }
      if form.has(.x) {
        head.box = previous.box(
          x: numbers.next(.x), y: numbers.next(.y), width: numbers.next(.width),
          height: numbers.next(.height))
      }
      if form.has(.xSteps) {
        guard
          let steps = previous.locationSteps(
            x: numbers.next(.xSteps), y: numbers.next(.ySteps), count: table.shapes.steps.count),
          let shape = form.shape.map({ table.shapes.shapes[$0] }),
          shape.isValid(steps, in: table.shapes)
        else { throw PKDError(.entropy, at: coded.lowerBound) }
        head.locationSteps = steps
      }
      if form.has(.family) { head.family = Int(clamping: numbers.next(.family)) }
      if form.has(.group) { head.group = Int(clamping: numbers.next(.group)) }
      if form.has(.sharedPath) { head.sharedPath = Int(clamping: numbers.next(.sharedPath)) }
      try head.readExtras(form, after: previous, from: &extras, limits: limits)
      previous.update(from: head)
      heads.append(head)
    }
    guard extras.remaining == 0 else {
      throw PKDError(.trailingBytes(extras.remaining), at: extras.offset)
    }
    let points = reader.offset..<reader.end
    // Where an `Int` has 32 bits, as in web pages, they may not fit into it.
    let pointCount = heads.reduce(0) { $0 + UInt64($1.pointCount) }
    let limit = UInt64(limits.pointsPerByte) * UInt64(points.count)
    guard pointCount <= limit else {
      throw PKDError(
        .tooMany(.pointsPerByte, declared: pointCount, limit: Int(clamping: limit)),
        at: points.lowerBound)
    }
    return Heads(heads: heads, points: points, coding: coding)
  }

  /// Reads the columns of heads.
  private static func readColumns(
    _ bytes: [UInt8], _ coded: Range<Int>, count: Int, table: FormTable, tools: inout BlockTools
  ) throws(PKDError) -> HeadNumbers {
    try tools.decoder.withColumns(bytes, in: coded, lanes: 1) { read throws(PKDError) in
      var numbers = HeadNumbers()
      try read(numbers.column(.form, count: count), &numbers.values)
      // The forms determine the lengths of the other columns.
      var form: Int32 = 0
      var lengths = SIMD16<Int>.zero
      for index in 0..<count {
        form = form &+ numbers.values[index].unzigzagged
        guard form >= 0, Int(form) < table.forms.count else {
          throw PKDError(.entropy, at: coded.lowerBound)
        }
        lengths &+= table.columnCounts[Int(form)]
      }
      for column in HeadColumn.allCases.dropFirst() {
        try read(numbers.column(column, count: lengths[column.rawValue]), &numbers.values)
      }
      return numbers
    }
  }

  /// Reads the points of a block: one path for each head that owns one.
  static func readPaths(
    _ bytes: [UInt8], of block: Heads, table: FormTable, tools: inout BlockTools
  ) throws(PKDError) -> [PointColumns] {
    let paths = block.codedPaths(table)
    if block.coding == .plain {
      var reader = ByteReader(bytes, in: block.points)
      var result: [PointColumns] = []
      for path in paths {
        result.append(try reader.plain(table.shapes.shapes[path.shape], count: path.count))
      }
      guard reader.remaining == 0 else {
        throw PKDError(.trailingBytes(reader.remaining), at: reader.offset)
      }
      return result
    }
    if paths.count == 1, paths[0].count > BlockLimits.points {
      return [try readLongPath(bytes, of: block, paths[0], table: table.shapes, tools: &tools)]
    }
    let reading = try readNumbers(bytes, of: block, paths, table: table.shapes, tools: &tools)
    var builder = PointBuilder(
      tools.values, columns: reading.columns, table: table.shapes, offset: block.points.lowerBound)
    var result: [PointColumns] = []
    result.reserveCapacity(paths.count)
    for path in paths { result.append(try builder.next(path)) }
    return result
  }

  /// Reads all numbers of a coded block's points into `tools.values`, and returns how they were
  /// read.
  static func readNumbers(
    _ bytes: [UInt8], of block: Heads, _ paths: [CodedPath], table: ShapeTable,
    tools: inout BlockTools
  ) throws(PKDError) -> PointReading {
    let pointCount = paths.reduce(0) { $0 + $1.count }
    var reading = PointReading(paths, in: table, offset: block.points.lowerBound)
    if pointCount > 0 {
      var values = tools.values
      tools.values = []
      defer { tools.values = values }
      try tools.decoder.withColumns(
        bytes, in: block.points, lanes: PointBlock.lanes(pointCount: pointCount)
      ) { read throws(PKDError) in
        for channel in PointChannel.allCases {
          try reading.read(channel, into: &values, read)
        }
      }
    } else if !block.points.isEmpty {
      throw PKDError(.trailingBytes(block.points.count), at: block.points.lowerBound)
    }
    return reading
  }

  /// Reads a path that is a block of its own channel by channel, so that memory never holds all its
  /// numbers and its points at once.
  private static func readLongPath(
    _ bytes: [UInt8], of block: Heads, _ path: CodedPath, table: ShapeTable,
    tools: inout BlockTools
  ) throws(PKDError) -> PointColumns {
    var reading = PointReading([path], in: table, offset: block.points.lowerBound)
    return try tools.decoder.withColumns(
      bytes, in: block.points, lanes: PointBlock.lanes(pointCount: path.count)
    ) { read throws(PKDError) in
      // No channels have more numbers than x and y, which are loaded together.
      var builder = PointBuilder(
        capacity: reading.locationCount, table: table, offset: block.points.lowerBound)
      return try builder.next(path) { channel, builder throws(PKDError) in
        guard let channel = PointChannel(rawValue: channel) else { return }
        try builder.load(channel, &reading, read)
      }
    }
  }
}

extension StrokeBlock.Heads {
  /// The paths whose points the block holds.
  func codedPaths(_ table: FormTable) -> [CodedPath] {
    var paths: [CodedPath] = []
    paths.reserveCapacity(heads.count)
    for index in heads.indices {
      guard let shape = table.forms[heads[index].form].shape else { continue }
      let steps = heads[index].locationSteps
      paths.append(
        CodedPath(
          shape: shape, steps: steps, count: heads[index].pointCount,
          stretched: table.shapes.stretchedChannels(shape: shape, steps: steps)))
    }
    return paths
  }
}

/// The numbers of heads: for each column, a fixed part of one array.
struct HeadNumbers {
  var values = [UInt32](repeating: 0, count: HeadColumn.allCases.count * BlockLimits.strokes)
  /// For each column, the index of the next number to read or write.
  private var positions = SIMD16<Int>.zero

  @inline(__always)
  mutating func next(_ column: HeadColumn) -> UInt32 {
    let position = positions[column.rawValue]
    positions[column.rawValue] = position &+ 1
    return values[column.rawValue &* BlockLimits.strokes &+ position]
  }

  /// The part of the array that holds a column of `count` numbers.
  func column(_ column: HeadColumn, count: Int) -> SymbolColumn {
    let start = column.rawValue * BlockLimits.strokes
    return SymbolColumn(kind: column.kind, range: start..<start + count, companion: nil)
  }

  mutating func append(_ number: UInt32, to column: HeadColumn) {
    let position = positions[column.rawValue]
    positions[column.rawValue] = position &+ 1
    values[column.rawValue &* BlockLimits.strokes &+ position] = number
  }

  func appended(to column: HeadColumn) -> ArraySlice<UInt32> {
    let start = column.rawValue * BlockLimits.strokes
    return values[start..<start + positions[column.rawValue]]
  }
}

/// Buffers for reading and writing blocks, reused from one block to the next.
struct BlockTools {
  var segment = Segment()
  var encoder = SegmentEncoder()
  var decoder = SegmentDecoder()
  var values: [UInt32] = []
}
