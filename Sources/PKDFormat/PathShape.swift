package import Strokes

/// What the coded numbers of a path mean, channel by channel. Paths of one device share few shapes,
/// so files keep them in a table.
package struct PathShape: Hashable, Sendable {
  package let scale: PointScale
  /// The channels that memory holds a value a point for, which sources may do without need.
  package let varying: PointChannels
  /// The channels that the source held.
  package let present: PointChannels
  /// One row for each channel.
  package let channels: [ChannelShape]
  /// The channels of which numbers are coded; of which one for each point; and which of these by
  /// their bends. Said by the rows too, but many paths have one shape.
  let numbered: PointChannels
  let changing: PointChannels
  let bent: PointChannels

  init(
    scale: PointScale, varying: PointChannels, present: PointChannels, channels: [ChannelShape]
  ) {
    self.scale = scale
    self.varying = varying
    self.present = present
    self.channels = channels
    var masks = (numbered: PointChannels(), changing: PointChannels(), bent: PointChannels())
    for (channel, row) in zip(PointChannel.allCases, channels) {
      if row.hasNumbers { masks.numbered.insert(PointChannels(channel)) }
      if row.isChanging { masks.changing.insert(PointChannels(channel)) }
      if row.kind == .bends { masks.bent.insert(PointChannels(channel)) }
    }
    (numbered, changing, bent) = masks
  }

  package static func == (a: PathShape, b: PathShape) -> Bool {
    a.scale == b.scale && a.varying == b.varying && a.present == b.present
      && a.channels == b.channels
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(varying)
    hasher.combine(numbered)
    hasher.combine(channels.count)
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

  /// How many values come before the first residual.
  var leadCount: Int { kind == .bends ? 2 : 1 }
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
  private var stepPlaces = Dictionary(
    uniqueKeysWithValues: zip(ValueSteps.known, ValueSteps.known.indices))
  private var shapePlaces: [PathShape: Int] = [:]

  package init() {}

  /// The place of steps in the table, which grows by those that it does not have.
  mutating func place(of steps: ValueSteps) -> Int {
    if let place = stepPlaces[steps] { return place }
    stepPlaces[steps] = self.steps.count
    self.steps.append(steps)
    return self.steps.count - 1
  }

  mutating func place(of shape: PathShape) -> Int {
    if let last = shapes.last, last == shape { return shapes.count - 1 }
    if let place = shapePlaces[shape] { return place }
    shapePlaces[shape] = shapes.count
    shapes.append(shape)
    return shapes.count - 1
  }

  mutating func append(_ steps: ValueSteps) {
    stepPlaces[steps] = self.steps.count
    self.steps.append(steps)
  }

  mutating func append(_ shape: PathShape) {
    shapePlaces[shape] = shapes.count
    shapes.append(shape)
  }
}
