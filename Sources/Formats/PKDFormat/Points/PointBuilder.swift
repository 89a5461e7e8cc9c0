import Strokes

/// Builds points from the numbers of a block's channels.
///
/// Channels are integers here instead of `PointChannel`, since the loops below run once for each
/// channel of each path.
struct PointBuilder {
  private let table: ShapeTable
  private var values: [UInt32]
  /// The index of the next number of each column.
  private var positions = InlineArray<117, Int>(repeating: 0)
  private var lastConstants = SIMD16<Int32>.zero
  private var lastAnchors = SIMD16<Int32>.zero
  private var lastPredicted = SIMD8<Float>.zero
  private var functions: [Int: WidthFunction] = [:]
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
    _ channel: PointChannel, _ reading: inout PointReading,
    _ read: SegmentDecoder.ColumnReading
  ) throws(PKDError) {
    if channel != .y { reading.end = 0 }
    try reading.read(channel, into: &values, read)
    let first = PointColumn.index(channel.rawValue, .starts)
    for column in first..<first + PointColumn.count {
      positions[column] = reading.columns[column].range.lowerBound
    }
  }

  /// The points of the next path, whose numbers are all decoded.
  mutating func next(_ path: CodedPath) throws(PKDError) -> PointColumns {
    try next(path, hasAllNumbers: true) { (_, _) throws(PKDError) in }
  }

  /// The points of the next path. `load` is called before each channel is built.
  mutating func next(
    _ path: CodedPath, hasAllNumbers: Bool = false,
    loading load: (Int, inout PointBuilder) throws(PKDError) -> Void
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
      // Each value of a predicted channel depends on the one before. Two channels are computed
      // together, since the processor would wait for most of the time otherwise.
      var waiting: PredictedLane?
      func finish(_ next: PredictedLane? = nil) {
        guard let lane = waiting else { return }
        isFinite = lane.fill(with: next, from: values) && isFinite
        waiting = nil
      }
      for channel in 0..<Self.floatCount {
        try load(channel, &self)
        let length = varying >> UInt16(channel) & 1 == 1 ? count : 1
        let output = UnsafeMutableBufferPointer(rebasing: buffer[position..<position + length])
        if channel == 3 { width = position }
        let row = rows[channel]
        if row.kind == .width || row.kind == .function { finish() }
        switch row.kind {
        case .default: output.update(repeating: defaultPoint.floats[channel])
        case .width:
          _ = output.update(fromContentsOf: buffer[width..<width + length])
        case .constant, .firstDifferences, .secondDifferences:
          let steps = channel == 0 ? path.steps.x : channel == 1 ? path.steps.y : row.steps
          isFinite = fill(output, channel, row, table.steps[steps]) && isFinite
        case .predicted
        where (channel == 0 ? path.steps.x : channel == 1 ? path.steps.y : row.steps) == 0:
          let lane = predictedLane(channel, output)
          if waiting == nil { waiting = lane } else { finish(lane) }
        case .predicted, .steady:
          let steps = channel == 0 ? path.steps.x : channel == 1 ? path.steps.y : row.steps
          isFinite =
            predict(output, channel, isSteady: row.kind == .steady, table.steps[steps]) && isFinite
        case .function:
          let widths = UnsafeBufferPointer(rebasing: buffer[width..<width + length])
          isFinite = compute(output, channel, widths) && isFinite
        }
        position += length
        // The numbers of x are still there when those of y are, but no others.
        if !hasAllNumbers, channel > 0 { finish() }
      }
      finish()
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
        if row.kind == .function {
          let longBefore = (varying & 7).nonzeroBitCount
          let start = longBefore * count + 3 - longBefore
          floats.withUnsafeBufferPointer { floats in
            compute(
              output, channel, UnsafeBufferPointer(rebasing: floats[start..<start + length]), row)
          }
        } else if row.hasNumbers {
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
  private mutating func take(_ channel: Int, _ column: PointColumn) -> Int32 {
    let column = PointColumn.index(channel, column)
    let position = positions[column]
    positions[column] = position &+ 1
    return values[position].unzigzagged
  }

  /// The first number of a channel, which is coded relative to that of the path before.
  @inline(__always)
  private mutating func start(_ channel: Int) -> Int32 {
    let first = take(channel, .starts) &+ lastConstants[channel]
    lastConstants[channel] = first
    return first
  }

  /// Sums up the differences of a channel, and calls the closure with each number.
  @inline(__always)
  private mutating func integrate(
    _ channel: Int, _ kind: ChannelShape.Kind, from first: Int32, count: Int,
    _ body: (_ index: Int, _ number: Int32) -> Void
  ) {
    var number = first
    body(0, number)
    guard count > 1 else { return }
    let isSecondOrder = kind == .secondDifferences
    var slope: Int32 = 0
    if isSecondOrder {
      slope = take(channel, .velocities)
      number &+= slope
      body(1, number)
    }
    let lead = isSecondOrder ? 2 : 1
    let column = PointColumn.index(channel, .residuals)
    let start = positions[column]
    positions[column] = start &+ count &- lead
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
      let bits = take(channel, .starts) &+ lastAnchors[channel]
      lastAnchors[channel] = bits
      let eighths = take(channel, .starts)
      let base = Float(ordered: bits).base(eighths: eighths)
      let column = PointColumn.index(channel, .corrections)
      let corrections = positions[column]
      positions[column] = corrections + output.count
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

// MARK: - Predicted values

/// A predicted channel of a path without a grid, whose first value is known.
private struct PredictedLane {
  private let output: UnsafeMutableBufferPointer<Float>
  /// The index of the number of the second value.
  private let bits: Int
  private var last: Float
  private var value: Float
  /// 1 once a value is not finite.
  private var nonfinite: UInt32

  init(_ output: UnsafeMutableBufferPointer<Float>, from first: Float, bits: Int) {
    self.output = output
    self.bits = bits
    output[0] = first
    // The second value is predicted to be the same.
    (last, value) = (first, first)
    nonfinite = first.isFinite ? 0 : 1
  }

  /// Computes all values, and those of another channel of the path; false if one is not finite.
  func fill(with other: PredictedLane?, from numbers: [UInt32]) -> Bool {
    numbers.withUnsafeBufferPointer { numbers in
      var first = self
      guard var second = other else {
        for index in 1..<output.count { first.add(index, numbers) }
        return first.nonfinite == 0
      }
      for index in 1..<output.count {
        first.add(index, numbers)
        second.add(index, numbers)
      }
      return first.nonfinite | second.nonfinite == 0
    }
  }

  /// Computes a value as `ValuePredictor` predicts it, if steps are not steady.
  @inline(__always)
  private mutating func add(_ index: Int, _ numbers: UnsafeBufferPointer<UInt32>) {
    let newest = Double(value) - Double(last)
    let sum = Float(Double(value) + newest)
    let prediction = sum.isFinite ? sum : value
    last = value
    value = Float(
      ordered: prediction.ordered &+ numbers[bits &+ index &- 1].unzigzagged)
    output[index] = value
    nonfinite |= value.isFinite ? 0 : 1
  }
}

extension PointBuilder {
  /// A lane for a predicted column without a grid.
  private mutating func predictedLane(
    _ channel: Int, _ output: UnsafeMutableBufferPointer<Float>
  ) -> PredictedLane {
    let first = Float(ordered: lastPredicted[channel].ordered &+ take(channel, .starts))
    lastPredicted[channel] = first
    return PredictedLane(
      output, from: first, bits: position(channel, .bits, advancing: output.count - 1))
  }

  /// Fills a predicted column; false if a value is not finite, or too far away for its grid.
  private mutating func predict(
    _ output: UnsafeMutableBufferPointer<Float>, _ channel: Int, isSteady: Bool,
    _ steps: ValueSteps
  ) -> Bool {
    var flagCount = 0
    var (step, offset) = (1.0, 0.0)
    if case .grid(let gridStep, let gridOffset) = steps {
      (step, offset) = (gridStep, gridOffset)
      flagCount = output.count - Int(values[position(channel, .tails, advancing: 1)])
    }
    let flags = position(channel, .flags, advancing: flagCount)
    let last = lastPredicted[channel]
    let start = take(channel, .starts)
    var value: Float
    if flagCount > 0, values[flags] == 0 {
      let index = Double.index(of: last, step: step, offset: offset) ?? 0
      value = Float(offset + (index + Double(start)) * step)
    } else {
      value = Float(ordered: last.ordered &+ start)
    }
    lastPredicted[channel] = value
    output[0] = value
    var isValid = value.isFinite
    var predictor = ValuePredictor(isSteady: isSteady)
    var (indices, bits) = (position(channel, .indices), position(channel, .bits))
    values.withUnsafeBufferPointer { values in
      for index in 1..<output.count {
        predictor.add(value)
        let prediction = predictor.prediction
        if index < flagCount, values[flags &+ index] == 0 {
          let nearest = ((Double(prediction) - offset) / step).roundedToEven
          isValid = isValid && abs(nearest) <= ValueSteps.largestNumber
          value = Float(offset + (nearest + Double(values[indices].unzigzagged)) * step)
          indices &+= 1
        } else {
          value = Float(ordered: prediction.ordered &+ values[bits].unzigzagged)
          bits &+= 1
        }
        output[index] = value
        isValid = isValid && value.isFinite
      }
    }
    positions[PointColumn.index(channel, .indices)] = indices
    positions[PointColumn.index(channel, .bits)] = bits
    return isValid
  }

  /// The index of the next number of a column, which is moved on.
  private mutating func position(
    _ channel: Int, _ column: PointColumn, advancing count: Int = 0
  ) -> Int {
    let column = PointColumn.index(channel, column)
    defer { positions[column] += count }
    return positions[column]
  }

  /// Fills a column of floats that are a function of the width; false if a value is not finite.
  private mutating func compute(
    _ output: UnsafeMutableBufferPointer<Float>, _ channel: Int,
    _ widths: UnsafeBufferPointer<Float>
  ) -> Bool {
    var function = functions.removeValue(forKey: channel) ?? WidthFunction()
    defer { functions[channel] = function }
    for index in output.indices {
      let prediction = Float(function.prediction(at: widths[index]))
      let value = Float(ordered: prediction.ordered &+ take(channel, .functions))
      guard value.isFinite else { return false }
      function.enter(Double(value))
      output[index] = value
    }
    return true
  }

  /// Fills a column of words that are a function of the width.
  private mutating func compute(
    _ output: UnsafeMutableBufferPointer<UInt16>, _ channel: Int,
    _ widths: UnsafeBufferPointer<Float>, _ shape: ChannelShape
  ) {
    var step: Int32 = 1
    if case .grid(let size, _) = table.steps[shape.steps] { step = Int32(size) }
    var function = functions.removeValue(forKey: channel) ?? WidthFunction()
    for index in output.indices {
      let prediction = Int32(function.prediction(at: widths[index]).roundedToEven)
      let number = prediction &+ take(channel, .functions)
      let word = number &* step
      overflow |= word & ~0xFFFF
      // A number that overflows makes the block damaged, and must not spoil the function.
      function.enter(Double(UInt16(truncatingIfNeeded: number)))
      output[index] = UInt16(truncatingIfNeeded: word)
    }
    functions[channel] = function
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
