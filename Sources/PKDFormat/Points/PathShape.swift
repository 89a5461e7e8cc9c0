package import Strokes

/// What the coded numbers of a path mean, channel by channel. Paths of one device share few shapes,
/// so files keep them in a table.
package struct PathShape: Hashable, Sendable {
  package let scale: PointScale
  /// The channels that memory holds a value a point for, which sources may do without need.
  package let varying: PointChannels
  /// The channels that the source held.
  package let present: PointChannels
  package let channels: ChannelRows
  /// The channels of which numbers are coded; of which one for each point; and which of these by
  /// their bends. Said by the rows too, but many paths have one shape.
  let numbered: PointChannels
  let changing: PointChannels
  let bent: PointChannels

  init(
    scale: PointScale, varying: PointChannels, present: PointChannels, channels: ChannelRows
  ) {
    self.scale = scale
    self.varying = varying
    self.present = present
    self.channels = channels
    var (numbered, changing, bent): (UInt16, UInt16, UInt16) = (0, 0, 0)
    for channel in channels.indices {
      let row = channels[channel]
      let bit: UInt16 = 1 << UInt16(channel)
      if row.hasNumbers { numbered |= bit }
      if row.isChanging { changing |= bit }
      if row.kind == .bends { bent |= bit }
    }
    self.numbered = PointChannels(rawValue: numbered)
    self.changing = PointChannels(rawValue: changing)
    self.bent = PointChannels(rawValue: bent)
  }

  package static func == (a: PathShape, b: PathShape) -> Bool {
    a.scale == b.scale && a.varying == b.varying && a.present == b.present
      && a.channels == b.channels
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(varying)
    hasher.combine(numbered)
  }
}

/// One row for each channel. Plain memory, since every copy of an array is counted up and down.
package struct ChannelRows: Hashable, Sendable {
  private var kinds = SIMD16<UInt8>(repeating: ChannelShape.Kind.fallback.rawValue)
  private var steps = SIMD16<UInt32>.zero
}

extension ChannelRows: RandomAccessCollection, MutableCollection {
  package var startIndex: Int { 0 }
  package var endIndex: Int { PointChannel.allCases.count }

  package subscript(channel: Int) -> ChannelShape {
    @inline(__always)
    get {
      ChannelShape(
        kind: ChannelShape.Kind(rawValue: kinds[channel]) ?? .fallback, steps: Int(steps[channel]))
    }
    @inline(__always)
    set {
      kinds[channel] = newValue.kind.rawValue
      steps[channel] = UInt32(newValue.steps)
    }
  }
}

/// How one channel of a path is coded.
package struct ChannelShape: Hashable, Sendable {
  package enum Kind: UInt8, Hashable, Sendable {
    /// All points have the value that stands for none.
    case fallback
    /// All points have the same value.
    case constant
    /// The differences between neighbours.
    case slopes
    /// The differences between neighbouring differences.
    case bends
    /// The values of the width.
    case width
  }

  package var kind: Kind
  /// The place in the file's table of steps.
  package var steps: Int

  package static let fallback = ChannelShape(kind: .fallback, steps: 0)
}

extension PointChannel {
  /// What residuals of the channel have their statistics with.
  var symbolKind: SymbolKind {
    switch self {
    case .x, .y: .place
    case .timeOffset: .time
    case .force: .force
    case .azimuth, .altitude: .angle
    default: .width
    }
  }
}

/// Which steps the x and the y of a path's points have.
struct PlaceSteps: Hashable {
  var x = 0
  var y = 0
}

extension PathShape {
  /// The steps of a channel.
  @inline(__always)
  func steps(of channel: PointChannel, _ places: PlaceSteps) -> Int {
    switch channel {
    case .x: places.x
    case .y: places.y
    default: channels[channel.rawValue].steps
    }
  }
}

/// The steps and shapes that a file's paths use.
package struct ShapeTable: Sendable {
  package private(set) var steps: [ValueSteps] = ValueSteps.known
  package private(set) var shapes: [PathShape] = []
  /// Which steps are those of stretched grids, and which channels of each shape have such, beside
  /// the places.
  private var areStretched = ValueSteps.known.map(\.isStretched)
  private var stretched: [PointChannels] = []
  private var stepPlaces = RowPlaces<ValueSteps>()
  private var shapePlaces = RowPlaces<PathShape>()

  package init() {}

  /// The place of steps in the table, which grows by those that it does not have.
  mutating func place(of steps: ValueSteps) -> Int {
    if let place = stepPlaces.place(of: steps, in: self.steps) { return place }
    append(steps)
    return self.steps.count - 1
  }

  mutating func place(of shape: PathShape) -> Int {
    if let last = shapes.last, last == shape { return shapes.count - 1 }
    if let place = shapePlaces.place(of: shape, in: shapes) { return place }
    append(shape)
    return shapes.count - 1
  }

  mutating func append(_ steps: ValueSteps) {
    self.steps.append(steps)
    areStretched.append(steps.isStretched)
  }

  mutating func append(_ shape: PathShape) {
    shapes.append(shape)
    var stretched = PointChannels()
    for channel in PointChannel.floats.dropFirst(2)
    where areStretched[shape.channels[channel.rawValue].steps] {
      stretched.insert(PointChannels(channel))
    }
    self.stretched.append(stretched.intersection(shape.changing))
  }

  /// The channels of a path that are on stretched grids.
  func stretchedChannels(shape: Int, steps: PlaceSteps) -> PointChannels {
    var places: UInt16 = areStretched[steps.x] ? 1 : 0
    if areStretched[steps.y] { places |= 2 }
    return stretched[shape].union(
      PointChannels(rawValue: places).intersection(shapes[shape].changing))
  }
}

/// The places of a table's rows, found when they are first asked for: readers never do.
struct RowPlaces<Row: Hashable & Sendable>: Sendable {
  private var places: [Row: Int] = [:]
  /// How many rows are known.
  private var count = 0

  /// The place of a row; the last one where there are several.
  mutating func place(of row: Row, in rows: [Row]) -> Int? {
    while count < rows.count {
      places[rows[count]] = count
      count += 1
    }
    return places[row]
  }
}

extension ValueSteps {
  fileprivate var isStretched: Bool {
    if case .stretched = self { return true }
    return false
  }
}
