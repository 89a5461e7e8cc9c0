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

  /// Writes the numbers of paths into columns. Each channel has four: the first values of all
  /// paths, their first differences, the residuals, and the corrections of stretched grids.
  static func gather(_ paths: ArraySlice<PathNumbers>, into segment: inout Segment) {
    var layout = BlockLayout()
    for path in paths {
      layout.add(path.shape, count: path.count, stretched: path.stretchedChannels)
    }
    let columns = layout.columns
    segment.fill(columns) { values in
      var filler = ColumnFiller(columns)
      for path in paths where path.count > 0 { filler.add(path, to: &values) }
    }
  }

  /// The columns of a block, from the shapes and lengths of its paths.
  static func layout(_ paths: [CodedPath], in table: ShapeTable) -> [SymbolColumn] {
    var layout = BlockLayout()
    for path in paths {
      layout.add(table.shapes[path.shape], count: path.count, stretched: path.stretched)
    }
    return layout.columns
  }
}

/// Counts the numbers in each column of a block.
private struct BlockLayout {
  private var channels = InlineArray<13, Counts>(repeating: Counts())

  private struct Counts {
    var starts = 0
    var velocities = 0
    var residuals = 0
    var corrections = 0
  }

  mutating func add(_ shape: PathShape, count: Int, stretched: PointChannels) {
    // A path without points has no numbers, whatever its shape.
    guard count > 0 else { return }
    let (numbered, changing) = (shape.numbered.rawValue, shape.changing.rawValue)
    let (secondOrder, stretched) = (shape.secondOrder.rawValue, stretched.rawValue)
    for channel in channels.indices where numbered >> UInt16(channel) & 1 == 1 {
      channels[channel].starts += 1
      guard changing >> UInt16(channel) & 1 == 1 else { continue }
      let isSecondOrder = secondOrder >> UInt16(channel) & 1 == 1
      channels[channel].residuals += max(count - (isSecondOrder ? 2 : 1), 0)
      if isSecondOrder, count > 1 { channels[channel].velocities += 1 }
      if stretched >> UInt16(channel) & 1 == 1 {
        channels[channel].starts += 1
        channels[channel].corrections += count
      }
    }
  }

  /// Four columns for each channel.
  var columns: [SymbolColumn] {
    var columns: [SymbolColumn] = []
    columns.reserveCapacity(4 * PointChannel.allCases.count)
    var end = 0
    func add(_ kind: SymbolKind, _ count: Int, companion: Int? = nil) {
      columns.append(SymbolColumn(kind: kind, range: end..<end + count, companion: companion))
      end += count
    }
    var companion: (start: Int, count: Int)?
    for channel in PointChannel.allCases {
      let counts = channels[channel.rawValue]
      add(channel.startKind, counts.starts)
      add(.velocity, counts.velocities)
      let hasCompanion =
        channel == .y && companion?.count == counts.residuals && counts.residuals > 0
      if channel == .x { companion = (end, counts.residuals) }
      add(channel.symbolKind, counts.residuals, companion: hasCompanion ? companion?.start : nil)
      add(.correction, counts.corrections)
    }
    return columns
  }
}

/// Writes the numbers of paths, one after the other, into the columns of their block.
private struct ColumnFiller {
  /// The index of the next number of each column, with four columns for each channel.
  private var positions = InlineArray<52, Int>(repeating: 0)
  private var lastConstants = SIMD16<Int32>.zero
  private var lastAnchors = SIMD16<Int32>.zero

  init(_ columns: [SymbolColumn]) {
    for column in columns.indices { positions[column] = columns[column].range.lowerBound }
  }

  mutating func add(_ path: PathNumbers, to values: inout [UInt32]) {
    let shape = path.shape
    for channel in 0..<13 where shape.numbered.rawValue >> UInt16(channel) & 1 == 1 {
      let start = path.starts[channel]
      if let stretched = path.stretched[channel] {
        let bits = stretched.anchor.ordered
        put(bits &- lastAnchors[channel], 4 * channel, &values)
        put(stretched.eighths, 4 * channel, &values)
        lastAnchors[channel] = bits
        let corrections = path.correctionStarts[channel]
        for correction in path.corrections[corrections..<corrections + path.count] {
          put(correction, 4 * channel + 3, &values)
        }
      } else {
        put(path.numbers[start] &- lastConstants[channel], 4 * channel, &values)
        lastConstants[channel] = path.numbers[start]
      }
      guard shape.changing.rawValue >> UInt16(channel) & 1 == 1, path.count > 1 else { continue }
      var (last, slope) = (path.numbers[start], Int32(0))
      var rest = path.numbers[start + 1..<start + path.count]
      let isSecondOrder = shape.secondOrder.rawValue >> UInt16(channel) & 1 == 1
      if isSecondOrder {
        let second = rest.removeFirst()
        slope = second &- last
        put(slope, 4 * channel + 1, &values)
        last = second
      }
      var position = positions[4 * channel + 2]
      for number in rest {
        let step = number &- last
        values[position] = (step &- slope).zigzagged
        position += 1
        last = number
        if isSecondOrder { slope = step }
      }
      positions[4 * channel + 2] = position
    }
  }

  @inline(__always)
  private mutating func put(_ number: Int32, _ column: Int, _ values: inout [UInt32]) {
    values[positions[column]] = number.zigzagged
    positions[column] += 1
  }
}

extension ChannelShape {
  /// Whether the channel has coded numbers.
  var hasNumbers: Bool { kind != .default && kind != .width }

  /// Whether there is a number for each point.
  var isChanging: Bool { kind == .secondDifferences || kind == .firstDifferences }
}

extension PointChannel {
  /// The kind of symbols whose statistics the channel's first values use.
  fileprivate var startKind: SymbolKind { self == .x || self == .y ? .start : .constant }
}
