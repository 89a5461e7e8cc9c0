package import Strokes

/// The meaning of a path's coded numbers, channel by channel. Paths of one device share few shapes,
/// so files store them in a table.
package struct PathShape: Hashable, Sendable {
  package let scale: PointScale
  /// The channels of which the source stored a value for each point, even if all are equal.
  package let varying: PointChannels
  /// The channels that the source stored at all.
  package let present: PointChannels
  package private(set) var channels: ChannelRows
  /// Sets of channels, in this order: with coded numbers; with a number for each point; coded as
  /// differences; as second differences; with predictions; with a function of the width. Derived
  /// from the rows once, since many paths share a shape.
  private(set) var numbered: PointChannels
  private(set) var changing: PointChannels
  private(set) var differenced: PointChannels
  private(set) var secondOrder: PointChannels
  private(set) var predicted: PointChannels
  private(set) var functions: PointChannels

  init(
    scale: PointScale, varying: PointChannels, present: PointChannels, channels: ChannelRows
  ) {
    self.scale = scale
    self.varying = varying
    self.present = present
    self.channels = channels
    (numbered, changing, differenced) = ([], [], [])
    (secondOrder, predicted, functions) = ([], [], [])
    for channel in channels.indices { enter(channels[channel], channel) }
  }

  /// Puts a channel into the sets that its row belongs to.
  @inline(__always)
  private mutating func enter(_ row: ChannelShape, _ channel: Int) {
    let bit: UInt16 = 1 << UInt16(channel)
    func entering(_ set: PointChannels, if belongs: Bool) -> PointChannels {
      PointChannels(rawValue: set.rawValue & ~bit | (belongs ? bit : 0))
    }
    numbered = entering(numbered, if: row.hasNumbers)
    changing = entering(changing, if: row.isChanging)
    differenced = entering(differenced, if: row.isDifferenced)
    secondOrder = entering(secondOrder, if: row.kind == .secondDifferences)
    predicted = entering(predicted, if: row.isPredicted)
    functions = entering(functions, if: row.kind == .function)
  }

  /// The shape with another row for a channel.
  func replacing(_ channel: PointChannel, with row: ChannelShape) -> PathShape {
    var shape = self
    shape.channels[channel.rawValue] = row
    shape.enter(row, channel.rawValue)
    return shape
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

/// One row for each channel. Stored inline, since every copy of an array would be retained and
/// released.
package struct ChannelRows: Hashable, Sendable {
  private var kinds = SIMD16<UInt8>(repeating: ChannelShape.Kind.default.rawValue)
  private var steps = SIMD16<UInt32>.zero
}

extension ChannelRows: RandomAccessCollection, MutableCollection {
  package var startIndex: Int { 0 }
  package var endIndex: Int { PointChannel.allCases.count }

  package subscript(channel: Int) -> ChannelShape {
    @inline(__always)
    get {
      ChannelShape(
        kind: ChannelShape.Kind(rawValue: kinds[channel]) ?? .default, steps: Int(steps[channel]))
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
    /// All points have the channel's default.
    case `default`
    /// All points have the same value.
    case constant
    /// A number for each point, coded as differences between neighbours.
    case firstDifferences
    /// A number for each point, coded as differences between neighbouring differences.
    case secondDifferences
    /// The values of the width. For secondary width only.
    case width
    /// Floats, each predicted to change as the one before did.
    case predicted
    /// Floats, each predicted to change by the mean of the changes before, as those of a clock.
    case steady
    /// Values predicted from those seen before with nearly the same width.
    case function
  }

  package var kind: Kind
  /// The row in the file's table of steps.
  package var steps: Int

  package static let `default` = ChannelShape(kind: .default, steps: 0)
}

extension PointChannel {
  /// The kind of symbols whose statistics the channel's residuals use.
  var symbolKind: SymbolKind {
    switch self {
    case .x, .y: .location
    case .timeOffset: .time
    case .force: .force
    case .azimuth, .altitude: .angle
    default: .width
    }
  }
}

/// The rows of the steps of a path's x and y.
struct LocationSteps: Hashable {
  var x = 0
  var y = 0
}

extension PathShape {
  /// The row of a channel's steps.
  @inline(__always)
  func steps(of channel: PointChannel, _ location: LocationSteps) -> Int {
    switch channel {
    case .x: location.x
    case .y: location.y
    default: channels[channel.rawValue].steps
    }
  }
}

/// The tables of steps and shapes that a file's paths use.
package struct ShapeTable: Sendable {
  package let version: FormatVersion
  package private(set) var steps: [ValueSteps]
  package private(set) var shapes: [PathShape] = []
  /// For each row of steps, whether it is a stretched grid; for each shape, the channels other than
  /// x and y on stretched grids.
  private var areStretched: [Bool]
  private var stretched: [PointChannels] = []
  private var stepIndex = RowIndex<ValueSteps>()
  private var shapeIndex = RowIndex<PathShape>()

  package init(version: FormatVersion = .latest) {
    self.version = version
    steps = Array(version.knownSteps)
    areStretched = steps.map { $0.isStretched }
  }

  /// The row of steps, which are added if they are new.
  mutating func row(of steps: ValueSteps) -> Int {
    if let row = stepIndex.row(of: steps, in: self.steps) { return row }
    append(steps)
    return self.steps.count - 1
  }

  /// The row of a shape, which is added if it is new.
  mutating func row(of shape: PathShape) -> Int {
    if let last = shapes.last, last == shape { return shapes.count - 1 }
    if let row = shapeIndex.row(of: shape, in: shapes) { return row }
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
    self.stretched.append(stretched.intersection(shape.differenced))
  }

  /// The channels of a path on stretched grids.
  func stretchedChannels(shape: Int, steps: LocationSteps) -> PointChannels {
    var location: UInt16 = areStretched[steps.x] ? 1 : 0
    if areStretched[steps.y] { location |= 2 }
    return stretched[shape].union(
      PointChannels(rawValue: location).intersection(shapes[shape].differenced))
  }
}

/// Finds rows of a table by their content. It is built on the first search, which readers never
/// make.
struct RowIndex<Row: Hashable & Sendable>: Sendable {
  private var numbers: [Row: Int] = [:]
  /// The number of rows in `numbers`.
  private var count = 0

  /// The number of a row; that of the last one if there are several.
  mutating func row(of row: Row, in rows: [Row]) -> Int? {
    while count < rows.count {
      numbers[rows[count]] = count
      count += 1
    }
    return numbers[row]
  }
}

extension ValueSteps {
  fileprivate var isStretched: Bool {
    if case .stretched = self { return true }
    return false
  }
}
