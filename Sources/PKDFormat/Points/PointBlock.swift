import Graphics
import Strokes

/// What must be known of a path to read its points.
struct CodedPath {
  /// The place in the table of its shape.
  let shape: Int
  let steps: PlaceSteps
  let count: Int
  /// The channels on stretched grids.
  let stretched: PointChannels
}

/// The points of some strokes, coded together.
enum PointBlock {
  /// Few numbers do not pay for four states.
  static let fewestForFourLanes = 200

  static func lanes(pointCount: Int) -> Int { pointCount >= fewestForFourLanes ? 4 : 1 }

  /// Puts the numbers of paths into columns: for each channel the first values of all paths, their
  /// first steps, the residuals, and the corrections of stretched grids.
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

  /// The columns of a block, by the shapes and lengths of its paths.
  static func layout(_ paths: [CodedPath], in table: ShapeTable) -> [SymbolColumn] {
    var layout = BlockLayout()
    for path in paths {
      layout.add(table.shapes[path.shape], count: path.count, stretched: path.stretched)
    }
    return layout.columns
  }
}

/// How many numbers each column of a block has.
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
    let (bent, stretched) = (shape.bent.rawValue, stretched.rawValue)
    for channel in channels.indices where numbered >> UInt16(channel) & 1 == 1 {
      channels[channel].starts += 1
      guard changing >> UInt16(channel) & 1 == 1 else { continue }
      let isBent = bent >> UInt16(channel) & 1 == 1
      channels[channel].residuals += max(count - (isBent ? 2 : 1), 0)
      if isBent, count > 1 { channels[channel].velocities += 1 }
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
      let isBeside =
        channel == .y && companion?.count == counts.residuals && counts.residuals > 0
      if channel == .x { companion = (end, counts.residuals) }
      add(channel.symbolKind, counts.residuals, companion: isBeside ? companion?.start : nil)
      add(.correction, counts.corrections)
    }
    return columns
  }
}

/// Puts the numbers of one path after the other into the columns of their block.
private struct ColumnFiller {
  /// Where the next number of each column goes, four columns a channel.
  private var places = InlineArray<52, Int>(repeating: 0)
  private var lastConstants = SIMD16<Int32>.zero
  private var lastAnchors = SIMD16<Int32>.zero

  init(_ columns: [SymbolColumn]) {
    for column in columns.indices { places[column] = columns[column].range.lowerBound }
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
      let isBent = shape.bent.rawValue >> UInt16(channel) & 1 == 1
      if isBent {
        let second = rest.removeFirst()
        slope = second &- last
        put(slope, 4 * channel + 1, &values)
        last = second
      }
      var place = places[4 * channel + 2]
      for number in rest {
        let step = number &- last
        values[place] = (step &- slope).zigzagged
        place += 1
        last = number
        if isBent { slope = step }
      }
      places[4 * channel + 2] = place
    }
  }

  @inline(__always)
  private mutating func put(_ number: Int32, _ column: Int, _ values: inout [UInt32]) {
    values[places[column]] = number.zigzagged
    places[column] += 1
  }
}

extension ChannelShape {
  /// Whether numbers of the channel are coded at all.
  var hasNumbers: Bool { kind != .fallback && kind != .width }

  /// Whether there is a number for each point.
  var isChanging: Bool { kind == .bends || kind == .slopes }
}

extension PointChannel {
  /// What first values of the channel have their statistics with.
  fileprivate var startKind: SymbolKind { self == .x || self == .y ? .start : .constant }
}
