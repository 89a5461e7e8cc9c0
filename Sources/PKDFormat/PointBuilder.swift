import Strokes

/// Puts the numbers of a block's channels together to stored points.
struct PointBuilder {
  private let table: ShapeTable
  private let values: [UInt32]
  /// Where the next number of each column is.
  private var places: [Int]
  private var lastConstants: [Int32]
  private var lastAnchors: [Int32]
  /// Bits beyond those of a word.
  private var overflow: Int32 = 0
  /// Where the block lies in the file.
  private let offset: Int

  /// Begins with the numbers of a block, in the columns of its layout.
  init(_ values: [UInt32], columns: [SymbolColumn], table: ShapeTable, offset: Int) {
    self.offset = offset
    self.values = values
    self.table = table
    places = columns.map(\.range.lowerBound)
    lastConstants = [Int32](repeating: 0, count: PointChannel.allCases.count)
    lastAnchors = lastConstants
  }

  /// The points of the next path.
  mutating func next(_ path: CodedPath) throws(PKDError) -> PointColumns {
    let (shape, count) = (path.shape, path.count)
    guard count > 0 else {
      return PointColumns(emptyIn: shape.scale, present: shape.present, varying: shape.varying)
    }
    let fallback = StoredPoint(defaultsIn: shape.scale)
    let floatCount = PointColumns.length(of: shape.varying, in: .floats, count: count)
    let wordCount = PointColumns.length(of: shape.varying, in: .words, count: count)
    var widthStart = 0
    let floats = [Float](unsafeUninitializedCapacity: floatCount) { room, initialized in
      var place = 0
      for channel in PointChannel.floats {
        let length = shape.varying.contains(channel) ? count : 1
        let output = UnsafeMutableBufferPointer(rebasing: room[place..<place + length])
        if channel == .width { widthStart = place }
        switch shape.channels[channel.rawValue].kind {
        case .fallback: output.initialize(repeating: fallback[float: channel])
        case .width:
          for index in 0..<length {
            output.initializeElement(at: index, to: room[widthStart + index])
          }
        case .constant, .slopes, .bends:
          let steps = table.steps[shape.steps(of: channel, path.steps)]
          fill(output, channel, shape.channels[channel.rawValue], steps)
        }
        place += length
      }
      initialized = place
    }
    let words = [UInt16](unsafeUninitializedCapacity: wordCount) { room, initialized in
      var place = 0
      for channel in PointChannel.words {
        let length = shape.varying.contains(channel) ? count : 1
        let output = UnsafeMutableBufferPointer(rebasing: room[place..<place + length])
        let row = shape.channels[channel.rawValue]
        if row.hasNumbers {
          fill(output, channel, row)
        } else {
          output.initialize(repeating: fallback[word: channel])
        }
        place += length
      }
      initialized = place
    }
    guard overflow == 0, floats.allSatisfy(\.isFinite) else {
      throw PKDError(.entropy, at: offset)
    }
    return PointColumns(
      count: count, scale: shape.scale, varying: shape.varying, present: shape.present,
      floats: floats, words: words)
  }

  // MARK: - Numbers

  @inline(__always)
  private mutating func take(_ column: Int) -> Int32 {
    defer { places[column] += 1 }
    return values[places[column]].unzigzagged
  }

  /// The first number of a channel, which is told against that of the path before.
  private mutating func start(_ channel: PointChannel) -> Int32 {
    let first = take(4 * channel.rawValue) &+ lastConstants[channel.rawValue]
    lastConstants[channel.rawValue] = first
    return first
  }

  /// Goes through the numbers of a channel.
  @inline(__always)
  private mutating func integrate(
    _ channel: PointChannel, _ shape: ChannelShape, from first: Int32, count: Int,
    _ body: (_ index: Int, _ number: Int32) -> Void
  ) {
    let column = 4 * channel.rawValue
    var number = first
    body(0, number)
    guard count > 1 else { return }
    if shape.kind == .bends {
      var slope = take(column + 1)
      number &+= slope
      body(1, number)
      let residuals = places[column + 2]
      places[column + 2] += count - 2
      values.withUnsafeBufferPointer { values in
        for index in 2..<max(count, 2) {
          slope &+= values[residuals + index - 2].unzigzagged
          number &+= slope
          body(index, number)
        }
      }
    } else {
      let residuals = places[column + 2]
      places[column + 2] += count - 1
      values.withUnsafeBufferPointer { values in
        for index in 1..<count {
          number &+= values[residuals + index - 1].unzigzagged
          body(index, number)
        }
      }
    }
  }

  // MARK: - Values

  private mutating func fill(
    _ output: UnsafeMutableBufferPointer<Float>, _ channel: PointChannel, _ shape: ChannelShape,
    _ steps: ValueSteps
  ) {
    let count = output.count
    switch steps {
    case .bits:
      let first = start(channel)
      guard shape.isChanging else { return output.initialize(repeating: Float(ordered: first)) }
      integrate(channel, shape, from: first, count: count) {
        output.initializeElement(at: $0, to: Float(ordered: $1))
      }
    case .grid(let step, let offset):
      let first = start(channel)
      guard shape.isChanging else {
        return output.initialize(
          repeating: Float(offset: offset, step: step, number: first))
      }
      integrate(channel, shape, from: first, count: count) {
        output.initializeElement(at: $0, to: Float(offset: offset, step: step, number: $1))
      }
    case .stretched(let step):
      let bits = take(4 * channel.rawValue) &+ lastAnchors[channel.rawValue]
      lastAnchors[channel.rawValue] = bits
      let eighths = take(4 * channel.rawValue)
      let base = Float(ordered: bits).base(eighths: eighths)
      let corrections = places[4 * channel.rawValue + 3]
      places[4 * channel.rawValue + 3] += count
      let values = values
      integrate(channel, shape, from: 0, count: count) { index, number in
        let correction = values[corrections + index].unzigzagged
        output.initializeElement(
          at: index,
          to: Float(base: base, step: step, number: number, correction: correction))
      }
    }
  }

  private mutating func fill(
    _ output: UnsafeMutableBufferPointer<UInt16>, _ channel: PointChannel, _ shape: ChannelShape
  ) {
    var step: Int32 = 1
    if case .grid(let size, _) = table.steps[shape.steps] { step = Int32(size) }
    let first = start(channel)
    var overflow: Int32 = 0
    if shape.isChanging {
      integrate(channel, shape, from: first, count: output.count) { index, number in
        let word = number &* step
        overflow |= word
        output.initializeElement(at: index, to: UInt16(truncatingIfNeeded: word))
      }
    } else {
      overflow = first &* step
      output.initialize(repeating: UInt16(truncatingIfNeeded: overflow))
    }
    self.overflow |= overflow & ~0xFFFF
  }
}
