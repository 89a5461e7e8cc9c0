import Strokes

/// Builds points from the numbers of a block's channels.
///
/// Channels are integers here instead of `PointChannel`, since the loops below run once for each
/// channel of each path.
struct PointBuilder {
  private let table: ShapeTable
  private var values: [UInt32]
  /// The index of the next number of each column, with four columns for each channel.
  private var positions = InlineArray<52, Int>(repeating: 0)
  private var lastConstants = SIMD16<Int32>.zero
  private var lastAnchors = SIMD16<Int32>.zero
  /// All bits above the 16 of a word that any number had.
  private var overflow: Int32 = 0
  /// The offset in the file of the block's points, for errors.
  private let offset: Int

  private static let floatCount = 6
  private static let wordCount = 7
  private let defaults = (
    current: StoredPoint(defaultsIn: .current), notes2018: StoredPoint(defaultsIn: .notes2018)
  )

  /// A builder for a block whose numbers are all decoded, in the columns of its layout.
  init(_ values: [UInt32], columns: [SymbolColumn], table: ShapeTable, offset: Int) {
    self.offset = offset
    self.values = values
    self.table = table
    for column in columns.indices { positions[column] = columns[column].range.lowerBound }
  }

  /// A builder without numbers, which are loaded channel by channel, at most `capacity` at once.
  init(capacity: Int, table: ShapeTable, offset: Int) {
    self.init([], columns: [], table: table, offset: offset)
    values.reserveCapacity(capacity)
  }

  /// Loads the numbers of a channel, which replace those of the channel before. The numbers of x
  /// are kept for y, since they are its companion.
  mutating func load(
    _ columns: ArraySlice<SymbolColumn>, of channel: Int, _ read: SegmentDecoder.ColumnReading
  ) throws(PKDError) {
    guard let first = columns.first, let last = columns.last else { return }
    let start = channel == PointChannel.y.rawValue ? 0 : first.range.lowerBound
    let missing = last.range.upperBound - start - values.count
    if missing > 0 { values.append(contentsOf: repeatElement(0, count: missing)) }
    for index in columns.indices {
      let column = columns[index]
      let position = column.range.lowerBound - start
      positions[index] = position
      try read(
        SymbolColumn(
          kind: column.kind, range: position..<position + column.range.count,
          companion: column.companion), &values)
    }
  }

  /// The points of the next path. `load` is called before each channel is built.
  mutating func next(
    _ path: CodedPath,
    _ load: (Int, inout PointBuilder) throws(PKDError) -> Void = { (_, _) throws(PKDError) in }
  ) throws(PKDError) -> PointColumns {
    let (shape, count) = (table.shapes[path.shape], path.count)
    guard count > 0 else {
      return PointColumns(emptyIn: shape.scale, present: shape.present, varying: shape.varying)
    }
    let defaultPoint = shape.scale == .current ? defaults.current : defaults.notes2018
    let (varying, rows) = (shape.varying.rawValue, shape.channels)
    let longFloats = (varying & 0x3F).nonzeroBitCount
    let longWords = varying.nonzeroBitCount - longFloats
    var isFinite = true
    var floats = [Float](zeros: longFloats * count + Self.floatCount - longFloats)
    try floats.withUnsafeMutableBufferPointer { (buffer) throws(PKDError) in
      var (position, width) = (0, 0)
      for channel in 0..<Self.floatCount {
        try load(channel, &self)
        let length = varying >> UInt16(channel) & 1 == 1 ? count : 1
        let output = UnsafeMutableBufferPointer(rebasing: buffer[position..<position + length])
        if channel == 3 { width = position }
        let row = rows[channel]
        switch row.kind {
        case .default: output.update(repeating: defaultPoint.floats[channel])
        case .width:
          _ = output.update(fromContentsOf: buffer[width..<width + length])
        case .constant, .firstDifferences, .secondDifferences:
          let steps = channel == 0 ? path.steps.x : channel == 1 ? path.steps.y : row.steps
          isFinite = fill(output, channel, row, table.steps[steps]) && isFinite
        }
        position += length
      }
    }
    var words = [UInt16](zeros: longWords * count + Self.wordCount - longWords)
    try words.withUnsafeMutableBufferPointer { (buffer) throws(PKDError) in
      var position = 0
      for word in 0..<Self.wordCount {
        let channel = Self.floatCount + word
        try load(channel, &self)
        let length = varying >> UInt16(channel) & 1 == 1 ? count : 1
        let output = UnsafeMutableBufferPointer(rebasing: buffer[position..<position + length])
        let row = rows[channel]
        if row.hasNumbers {
          fill(output, channel, row)
        } else {
          output.update(repeating: defaultPoint.words[word])
        }
        position += length
      }
    }
    guard isFinite, overflow == 0 else { throw PKDError(.entropy, at: offset) }
    return PointColumns(
      count: count, scale: shape.scale, varying: shape.varying, present: shape.present,
      floats: floats, words: words)
  }

  // MARK: - Numbers

  @inline(__always)
  private mutating func take(_ column: Int) -> Int32 {
    let position = positions[column]
    positions[column] = position &+ 1
    return values[position].unzigzagged
  }

  /// The first number of a channel, which is coded relative to that of the path before.
  @inline(__always)
  private mutating func start(_ channel: Int) -> Int32 {
    let first = take(4 &* channel) &+ lastConstants[channel]
    lastConstants[channel] = first
    return first
  }

  /// Sums up the differences of a channel, and calls the closure with each number.
  @inline(__always)
  private mutating func integrate(
    _ channel: Int, _ kind: ChannelShape.Kind, from first: Int32, count: Int,
    _ body: (_ index: Int, _ number: Int32) -> Void
  ) {
    let column = 4 &* channel
    var number = first
    body(0, number)
    guard count > 1 else { return }
    let isSecondOrder = kind == .secondDifferences
    var slope: Int32 = 0
    if isSecondOrder {
      slope = take(column &+ 1)
      number &+= slope
      body(1, number)
    }
    let lead = isSecondOrder ? 2 : 1
    let start = positions[column &+ 2]
    positions[column &+ 2] = start &+ count &- lead
    values.withUnsafeBufferPointer { values in
      let residuals = UnsafeBufferPointer(rebasing: values[start..<start + count - lead])
      if isSecondOrder {
        for index in residuals.indices {
          slope &+= residuals[index].unzigzagged
          number &+= slope
          body(index &+ 2, number)
        }
      } else {
        for index in residuals.indices {
          number &+= residuals[index].unzigzagged
          body(index &+ 1, number)
        }
      }
    }
  }

  // MARK: - Values

  /// Fills a column; false if a value is not finite.
  private mutating func fill(
    _ output: UnsafeMutableBufferPointer<Float>, _ channel: Int, _ shape: ChannelShape,
    _ steps: ValueSteps
  ) -> Bool {
    /// 1 once a value is not finite.
    var nonfinite: UInt32 = 0
    @inline(__always)
    func put(_ value: Float, at index: Int) {
      output[index] = value
      nonfinite |= value.isFinite ? 0 : 1
    }
    switch steps {
    case .bits:
      let first = start(channel)
      if shape.isChanging {
        integrate(channel, shape.kind, from: first, count: output.count) { index, number in
          put(Float(ordered: number), at: index)
        }
      } else {
        for index in output.indices { put(Float(ordered: first), at: index) }
      }
    case .grid(let step, let offset):
      let first = start(channel)
      if shape.isChanging {
        integrate(channel, shape.kind, from: first, count: output.count) { index, number in
          put(Float(offset: offset, step: step, number: number), at: index)
        }
      } else {
        let value = Float(offset: offset, step: step, number: first)
        for index in output.indices { put(value, at: index) }
      }
    case .stretched(let step):
      let bits = take(4 * channel) &+ lastAnchors[channel]
      lastAnchors[channel] = bits
      let eighths = take(4 * channel)
      let base = Float(ordered: bits).base(eighths: eighths)
      let corrections = positions[4 * channel + 3]
      positions[4 * channel + 3] = corrections + output.count
      let values = values
      integrate(channel, shape.kind, from: 0, count: output.count) { index, number in
        let correction = values[corrections &+ index].unzigzagged
        put(Float(base: base, step: step, number: number, correction: correction), at: index)
      }
    }
    return nonfinite == 0
  }

  private mutating func fill(
    _ output: UnsafeMutableBufferPointer<UInt16>, _ channel: Int, _ shape: ChannelShape
  ) {
    var step: Int32 = 1
    if case .grid(let size, _) = table.steps[shape.steps] { step = Int32(size) }
    let first = start(channel)
    var overflow: Int32 = 0
    if shape.isChanging {
      integrate(channel, shape.kind, from: first, count: output.count) { index, number in
        let word = number &* step
        overflow |= word
        output[index] = UInt16(truncatingIfNeeded: word)
      }
    } else {
      overflow = first &* step
      output.update(repeating: UInt16(truncatingIfNeeded: overflow))
    }
    self.overflow |= overflow & ~0xFFFF
  }
}

extension Array where Element: Numeric {
  /// An array of zeros. The standard initializers, repeating a value or leaving memory
  /// uninitialized, take longer in the runtime than decoding all points of a short stroke.
  @inline(__always)
  fileprivate init(zeros count: Int) {
    self.init()
    reserveCapacity(count)
    append(contentsOf: repeatElement(0, count: count))
  }
}
