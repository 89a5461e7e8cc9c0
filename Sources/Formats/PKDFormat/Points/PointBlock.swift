import Graphics
import Strokes

/// The properties of a path that reading its points needs.
struct CodedPath {
  /// The row of its shape.
  let shape: Int
  let steps: LocationSteps
  let count: Int
  /// The channels on stretched grids.
  let stretched: PointChannels
}

/// The points of several strokes, coded together.
enum PointBlock {
  /// Fewer points do not pay for the bytes of four states.
  static let minimumForFourLanes = 200

  static func lanes(pointCount: Int) -> Int { pointCount >= minimumForFourLanes ? 4 : 1 }

  /// Writes the numbers of paths into columns; some channels can be left out.
  static func gather(
    _ paths: ArraySlice<PathNumbers>, _ channels: PointChannels = .all, into segment: inout Segment
  ) {
    var layout = BlockLayout()
    for path in paths {
      layout.add(path.shape, channels, count: path.count, stretched: path.stretchedChannels)
      layout.add(path.predictions, channels)
    }
    let columns = layout.columns
    segment.fill(columns) { values in
      var filler = ColumnFiller(columns, channels)
      for path in paths where path.count > 0 { filler.add(path, to: &values) }
    }
  }

  /// The columns of a block, from the shapes and lengths of its paths. Those of predicted channels
  /// have their final lengths only when the flags before them are decoded.
  static func layout(_ paths: [CodedPath], in table: ShapeTable) -> BlockLayout {
    var layout = BlockLayout()
    for path in paths {
      let shape = table.shapes[path.shape]
      layout.add(shape, count: path.count, stretched: path.stretched)
      guard !shape.predicted.isEmpty else { continue }
      for channel in PointChannel.floats where shape.predicted.contains(channel) {
        layout.addPredicted(
          channel, count: path.count, hasGrid: path.hasGrid(channel, in: table))
      }
    }
    return layout
  }
}

extension CodedPath {
  /// Whether the values of a predicted channel may lie on a grid.
  func hasGrid(_ channel: PointChannel, in table: ShapeTable) -> Bool {
    table.shapes[shape].steps(of: channel, steps) != 0
  }
}

/// The columns of a channel, in coding order.
enum PointColumn: Int, CaseIterable {
  /// The first numbers of all paths, their first differences, the residuals, and the corrections of
  /// stretched grids.
  case starts, velocities, residuals, corrections
  /// Of predicted paths with a grid: the number of points at the end that have no flag, and the
  /// flags of the others; the numbers of values on the grid, and of all others.
  case tails, flags, indices, bits
  case functions

  static let count = 9

  /// The index of a channel's column among all columns of a block.
  @inline(__always)
  static func index(_ channel: Int, _ column: PointColumn) -> Int {
    count &* channel &+ column.rawValue
  }

  func kind(_ channel: PointChannel) -> SymbolKind {
    let isLocation = channel == .x || channel == .y
    return switch self {
    case .starts: isLocation ? .start : .constant
    case .velocities: .velocity
    case .residuals: channel.symbolKind
    case .corrections: .correction
    case .tails: .reference
    case .flags: .flag
    case .indices: channel == .timeOffset ? .tick : .index
    case .bits: .bits
    case .functions: .function
    }
  }
}

/// Counts the numbers in each column of a block.
struct BlockLayout {
  typealias Counts = InlineArray<9, Int>

  private var channels = InlineArray<13, Counts>(repeating: Counts(repeating: 0))

  subscript(channel: Int, column: PointColumn) -> Int {
    get { channels[channel][column.rawValue] }
    set { channels[channel][column.rawValue] = newValue }
  }

  mutating func add(
    _ shape: PathShape, _ channels: PointChannels = .all, count: Int, stretched: PointChannels
  ) {
    // A path without points has no numbers in any shape.
    guard count > 0 else { return }
    let numbered = shape.numbered.rawValue & channels.rawValue
    let differenced = shape.differenced.rawValue
    let (secondOrder, stretched) = (shape.secondOrder.rawValue, stretched.rawValue)
    let functions = shape.functions.rawValue
    for channel in self.channels.indices where numbered >> UInt16(channel) & 1 == 1 {
      if functions >> UInt16(channel) & 1 == 1 {
        self[channel, .functions] += count
        continue
      }
      self[channel, .starts] += 1
      guard differenced >> UInt16(channel) & 1 == 1 else { continue }
      let isSecondOrder = secondOrder >> UInt16(channel) & 1 == 1
      self[channel, .residuals] += max(count - (isSecondOrder ? 2 : 1), 0)
      if isSecondOrder, count > 1 { self[channel, .velocities] += 1 }
      if stretched >> UInt16(channel) & 1 == 1 {
        self[channel, .starts] += 1
        self[channel, .corrections] += count
      }
    }
  }

  /// Adds a predicted channel of a path. The numbers of flags, indices and bits of one with a grid
  /// are not known yet.
  mutating func addPredicted(_ channel: PointChannel, count: Int, hasGrid: Bool) {
    guard count > 0 else { return }
    if hasGrid {
      self[channel.rawValue, .tails] += 1
    } else {
      self[channel.rawValue, .bits] += count - 1
    }
  }

  /// Adds the numbers of a path's predicted channels.
  mutating func add(_ predictions: [PredictedChannel], _ channels: PointChannels) {
    for prediction in predictions where channels.contains(prediction.channel) {
      let (channel, numbers) = (prediction.channel.rawValue, prediction.numbers)
      self[channel, .tails] += prediction.hasGrid ? 1 : 0
      self[channel, .flags] += numbers.flags.count
      self[channel, .indices] += numbers.indices.count
      self[channel, .bits] += numbers.bits.count
    }
  }

  /// The counts of a channel's numbers. Reading passes these on, since a layout is a kilobyte.
  @inline(__always)
  func counts(of channel: PointChannel) -> ChannelCounts {
    ChannelCounts(channels[channel.rawValue])
  }

  /// All columns.
  var columns: [SymbolColumn] {
    var columns: [SymbolColumn] = []
    columns.reserveCapacity(PointColumn.count * PointChannel.allCases.count)
    var end = 0
    for channel in PointChannel.allCases {
      counts(of: channel).append(
        channel, to: &columns, end: &end, companion: columns.residualsOfX)
    }
    return columns
  }
}

/// The counts of a channel's numbers in its columns.
struct ChannelCounts {
  private let counts: BlockLayout.Counts

  init(_ counts: BlockLayout.Counts) { self.counts = counts }

  /// Whether the channel has no numbers, as most have.
  var isEmpty: Bool {
    var union = 0
    for column in counts.indices { union |= counts[column] }
    return union == 0
  }

  /// Appends the columns of the channel, whose numbers lie behind `end`. Those of y follow those of
  /// x, whose residuals begin at `companion`.
  func append(
    _ channel: PointChannel, to columns: inout [SymbolColumn], end: inout Int,
    companion: Range<Int>?
  ) {
    if isEmpty {
      let empty = SymbolColumn(kind: .location, range: end..<end, companion: nil)
      columns.append(contentsOf: repeatElement(empty, count: PointColumn.count))
      return
    }
    for column in PointColumn.allCases {
      let count = counts[column.rawValue]
      // A pen that accelerates does so in both directions.
      let hasCompanion =
        column == .residuals && channel == .y && companion?.count == count && count > 0
      columns.append(
        SymbolColumn(
          kind: column.kind(channel), range: end..<end + count,
          companion: hasCompanion ? companion?.lowerBound : nil))
      end += count
    }
  }
}

extension [SymbolColumn] {
  /// The range of the residuals of x among the columns of a block.
  var residualsOfX: Range<Int>? {
    let index = PointColumn.index(0, .residuals)
    return index < count ? self[index].range : nil
  }
}

/// Writes the numbers of paths, one after the other, into the columns of their block.
private struct ColumnFiller {
  /// The index of the next number of each column.
  private var positions = InlineArray<117, Int>(repeating: 0)
  private var lastConstants = SIMD16<Int32>.zero
  private var lastAnchors = SIMD16<Int32>.zero
  private var lastPredicted = SIMD8<Float>.zero
  private var functions: [Int: WidthFunction] = [:]

  private let channels: PointChannels

  init(_ columns: [SymbolColumn], _ channels: PointChannels) {
    self.channels = channels
    for column in columns.indices { positions[column] = columns[column].range.lowerBound }
  }

  mutating func add(_ path: PathNumbers, to values: inout [UInt32]) {
    let shape = path.shape
    if !shape.predicted.isEmpty { addPredicted(path, to: &values) }
    if !shape.functions.isEmpty { addFunctions(path, to: &values) }
    let others = shape.numbered.subtracting(shape.predicted).subtracting(shape.functions)
      .intersection(channels).rawValue
    for channel in 0..<13 where others >> UInt16(channel) & 1 == 1 {
      let start = path.starts[channel]
      if shape.differenced.rawValue >> UInt16(channel) & 1 == 1,
        let stretched = path.stretched[channel]
      {
        let bits = stretched.anchor.ordered
        put(bits &- lastAnchors[channel], channel, .starts, &values)
        put(stretched.eighths, channel, .starts, &values)
        lastAnchors[channel] = bits
        let corrections = path.correctionStarts[channel]
        for correction in path.corrections[corrections..<corrections + path.count] {
          put(correction, channel, .corrections, &values)
        }
      } else {
        put(path.numbers[start] &- lastConstants[channel], channel, .starts, &values)
        lastConstants[channel] = path.numbers[start]
      }
      guard shape.differenced.rawValue >> UInt16(channel) & 1 == 1, path.count > 1 else { continue }
      var (last, slope) = (path.numbers[start], Int32(0))
      var rest = path.numbers[start + 1..<start + path.count]
      let isSecondOrder = shape.secondOrder.rawValue >> UInt16(channel) & 1 == 1
      if isSecondOrder {
        let second = rest.removeFirst()
        slope = second &- last
        put(slope, channel, .velocities, &values)
        last = second
      }
      let column = PointColumn.index(channel, .residuals)
      var position = positions[column]
      for number in rest {
        let step = number &- last
        values[position] = (step &- slope).zigzagged
        position += 1
        last = number
        if isSecondOrder { slope = step }
      }
      positions[column] = position
    }
  }

  private mutating func addPredicted(_ path: PathNumbers, to values: inout [UInt32]) {
    for prediction in path.predictions where channels.contains(prediction.channel) {
      let (channel, numbers) = (prediction.channel.rawValue, prediction.numbers)
      let first = path.columns.float(prediction.channel, at: 0)
      let last = lastPredicted[channel]
      lastPredicted[channel] = first
      var start = first.ordered &- last.ordered
      if numbers.flags.first == 0, case .grid(let step, let offset) = prediction.steps {
        start = PredictedNumbers.firstNumber(first, after: last, step: step, offset: offset)
      }
      put(start, channel, .starts, &values)
      if prediction.hasGrid {
        put(path.count - numbers.flags.count, channel, .tails, &values)
        // A value that a device has filtered is off the grid in both directions.
        let other = prediction.channel == .y ? path.predictions.first { $0.channel == .x } : nil
        let flags = other?.numbers.flags ?? []
        for (index, flag) in numbers.flags.enumerated() {
          put(flag ^ (index < flags.count ? flags[index] : 0), channel, .flags, &values)
        }
      }
      for index in numbers.indices { put(index, channel, .indices, &values) }
      for bits in numbers.bits { put(bits, channel, .bits, &values) }
    }
  }

  private mutating func addFunctions(_ path: PathNumbers, to values: inout [UInt32]) {
    let channels = path.shape.functions.intersection(channels)
    for channel in PointChannel.allCases where channels.contains(channel) {
      var function = functions.removeValue(forKey: channel.rawValue) ?? WidthFunction()
      path.forEachFunctionNumber(channel, &function) {
        put($0, channel.rawValue, .functions, &values)
      }
      functions[channel.rawValue] = function
    }
  }

  private mutating func put(
    _ number: Int32, _ channel: Int, _ column: PointColumn, _ values: inout [UInt32]
  ) {
    put(number.zigzagged, channel, column, &values)
  }

  private mutating func put(
    _ count: Int, _ channel: Int, _ column: PointColumn, _ values: inout [UInt32]
  ) {
    put(UInt32(count), channel, column, &values)
  }

  @inline(__always)
  private mutating func put(
    _ number: UInt32, _ channel: Int, _ column: PointColumn, _ values: inout [UInt32]
  ) {
    let column = PointColumn.index(channel, column)
    values[positions[column]] = number
    positions[column] += 1
  }
}

extension ChannelShape {
  /// Whether the channel has coded numbers.
  var hasNumbers: Bool { kind != .default && kind != .width }

  /// Whether there is a number for each point.
  var isChanging: Bool { hasNumbers && kind != .constant }

  /// Whether the numbers are differences.
  var isDifferenced: Bool { kind == .secondDifferences || kind == .firstDifferences }

  /// Whether the values are predicted from those before them.
  var isPredicted: Bool { kind == .predicted || kind == .steady }
}
