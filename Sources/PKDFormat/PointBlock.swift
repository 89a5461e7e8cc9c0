import Graphics
import Strokes

/// What must be known of a path to read its points.
struct CodedPath {
  let shape: PathShape
  let steps: PlaceSteps
  let count: Int
  /// The shape's channels as plain bits.
  let masks: (numbered: UInt16, changing: UInt16, bent: UInt16)

  init(shape: PathShape, steps: PlaceSteps, count: Int) {
    self.shape = shape
    self.steps = steps
    self.count = count
    masks = (shape.numbered.rawValue, shape.changing.rawValue, shape.bent.rawValue)
  }
}

/// The points of some strokes, coded together.
enum PointBlock {
  /// Few numbers do not pay for four states.
  static let fewestForFourLanes = 200

  static func lanes(pointCount: Int) -> Int { pointCount >= fewestForFourLanes ? 4 : 1 }

  /// Puts the numbers of paths into columns: for each channel the first values of all paths, their
  /// first steps, the residuals, and the corrections of stretched grids.
  static func gather(_ paths: ArraySlice<PathNumbers>, into segment: inout Segment) {
    segment.removeAll()
    var companion: (start: Int, count: Int)?
    for channel in PointChannel.allCases {
      let index = channel.rawValue
      var (lastConstant, lastBits): (Int32, Int32) = (0, 0)
      segment.add(channel.startKind) { values in
        for path in paths {
          guard path.shape.channels[index].hasNumbers else { continue }
          if let stretched = path.stretched[index] {
            let bits = stretched.anchor.ordered
            values.append((bits &- lastBits).zigzagged)
            values.append(stretched.eighths.zigzagged)
            lastBits = bits
          } else {
            let first = path.constant(channel)
            values.append((first &- lastConstant).zigzagged)
            lastConstant = first
          }
        }
      }
      segment.add(.velocity) { values in
        for path in paths where path.shape.channels[index].kind == .bends && path.count > 1 {
          let column = path.column(channel)
          let start = column.startIndex
          values.append((column[start + 1] &- column[start]).zigzagged)
        }
      }
      let residualStart = segment.values.count
      let residualCount = paths.reduce(0) { sum, path in
        let shape = path.shape.channels[index]
        guard shape.kind == .bends || shape.kind == .slopes else { return sum }
        return sum + max(path.count - shape.leadCount, 0)
      }
      let isBeside = channel == .y && companion?.count == residualCount && residualCount > 0
      segment.add(channel.symbolKind, companion: isBeside ? companion?.start : nil) { values in
        for path in paths {
          let kind = path.shape.channels[index].kind
          guard kind == .bends || kind == .slopes else { continue }
          let column = path.column(channel)
          var place = column.startIndex + path.shape.channels[index].leadCount
          if kind == .bends {
            while place < column.endIndex {
              values.append(
                (column[place] &- 2 &* column[place - 1] &+ column[place - 2]).zigzagged)
              place += 1
            }
          } else {
            while place < column.endIndex {
              values.append((column[place] &- column[place - 1]).zigzagged)
              place += 1
            }
          }
        }
      }
      if channel == .x { companion = (residualStart, residualCount) }
      segment.add(.correction) { values in
        for path in paths where path.stretched[index] != nil {
          for correction in path.corrections(channel) { values.append(correction.zigzagged) }
        }
      }
    }
  }

  /// The columns of a block, by the shapes and lengths of its paths: the layout that `gather` makes.
  static func layout(_ paths: [CodedPath], in table: ShapeTable) -> [SymbolColumn] {
    var columns: [SymbolColumn] = []
    columns.reserveCapacity(4 * PointChannel.allCases.count)
    var end = 0
    func add(_ kind: SymbolKind, _ count: Int, companion: Int? = nil) {
      columns.append(SymbolColumn(kind: kind, range: end..<end + count, companion: companion))
      end += count
    }
    // Which channels are on stretched grids must be asked of the table.
    let stretched = paths.map { $0.stretched(in: table) }
    var companion: (start: Int, count: Int)?
    for channel in PointChannel.allCases {
      let bit = UInt16(channel.rawValue)
      var (starts, velocities, residuals, corrections) = (0, 0, 0, 0)
      for (path, stretched) in zip(paths, stretched) {
        let shape = path.masks
        // A path without points has no numbers, whatever its shape.
        guard path.count > 0, shape.numbered >> bit & 1 == 1 else { continue }
        starts += 1
        guard shape.changing >> bit & 1 == 1 else { continue }
        let isBent = shape.bent >> bit & 1 == 1
        residuals += max(path.count - (isBent ? 2 : 1), 0)
        if isBent, path.count > 1 { velocities += 1 }
        if stretched >> bit & 1 == 1 {
          starts += 1
          corrections += path.count
        }
      }
      add(channel.startKind, starts)
      add(.velocity, velocities)
      let isBeside = channel == .y && companion?.count == residuals && residuals > 0
      if channel == .x { companion = (end, residuals) }
      add(channel.symbolKind, residuals, companion: isBeside ? companion?.start : nil)
      add(.correction, corrections)
    }
    return columns
  }
}

extension CodedPath {
  /// The channels on stretched grids.
  fileprivate func stretched(in table: ShapeTable) -> UInt16 {
    var result: UInt16 = 0
    for channel in 0..<PointChannel.floats.count where masks.changing >> UInt16(channel) & 1 == 1 {
      let place = channel == 0 ? steps.x : channel == 1 ? steps.y : shape.channels[channel].steps
      if case .stretched = table.steps[place] { result |= 1 << UInt16(channel) }
    }
    return result
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
