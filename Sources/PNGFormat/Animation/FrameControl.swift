import CPNGKernels
public import Graphics

/// How long a frame is shown: a fraction of seconds, as exact as the file says it.
public struct FrameDuration: Hashable, Sendable {
  /// So many parts of a second.
  public let numerator: UInt16
  /// How many parts a second has; never zero.
  public let denominator: UInt16

  /// A fraction of seconds: `FrameDuration(1, over: 30)` of 30 frames a second.
  public init(_ numerator: UInt16, over denominator: UInt16) {
    precondition(denominator > 0, "a second has parts")
    (self.numerator, self.denominator) = (numerator, denominator)
  }

  /// Seconds, to the nearest that a double can say.
  public var seconds: Double { Double(numerator) / Double(denominator) }

  /// Both durations together; nil where no fraction of these sizes is exactly as long.
  public func adding(_ other: FrameDuration) -> FrameDuration? {
    let (a, b) = (UInt64(denominator), UInt64(other.denominator))
    if a == b {
      let sum = UInt32(numerator) + UInt32(other.numerator)
      if sum <= UInt16.max { return FrameDuration(UInt16(sum), over: denominator) }
    }
    let (sum, parts) = (UInt64(numerator) * b + UInt64(other.numerator) * a, a * b)
    var (divisor, rest) = (parts, sum)
    while rest > 0 { (divisor, rest) = (rest, divisor % rest) }
    guard
      let numerator = UInt16(exactly: sum / divisor),
      let denominator = UInt16(exactly: parts / divisor)
    else { return nil }
    return FrameDuration(numerator, over: denominator)
  }
}

/// What a moving picture says of a frame beside its pixels.
public struct FrameControl: Hashable, Sendable {
  /// What becomes of a frame's pixels when its time is over.
  public enum Disposal: UInt8, Hashable, Sendable, CaseIterable {
    /// They stay.
    case none = 0
    /// They become clear.
    case clear = 1
    /// They become what they were before.
    case previous = 2
  }

  /// How a frame's pixels meet those that are there.
  public enum Blend: UInt8, Hashable, Sendable, CaseIterable {
    /// They take their place.
    case source = 0
    /// They lie over them.
    case over = 1
  }

  /// Where the frame's pixels belong.
  public var rectangle: PixelRect
  /// How long it is shown.
  public var duration: FrameDuration
  /// What becomes of it.
  public var disposal: Disposal
  /// How it comes.
  public var blend: Blend

  /// What is said of a frame.
  public init(
    _ rectangle: PixelRect, duration: FrameDuration, disposal: Disposal = .none,
    blend: Blend = .source
  ) {
    self.rectangle = rectangle
    self.duration = duration
    self.disposal = disposal
    self.blend = blend
  }
}

extension ChunkWriter {
  /// Where in the chunk of a frame's control its duration stands.
  private static let durationOffset = 8 + 20
  private static let controlSize = 26

  /// Says that the picture moves.
  mutating func addAnimation(frameCount: Int, loopCount: Int) {
    begin("acTL")
    room.add(UInt32(frameCount))
    room.add(UInt32(loopCount))
    end()
  }

  /// Begins a frame; gives where its chunk stands.
  @discardableResult
  mutating func add(_ control: FrameControl, number: UInt32) -> Int {
    let place = room.count
    begin("fcTL")
    room.add(number)
    room.add(UInt32(control.rectangle.width))
    room.add(UInt32(control.rectangle.height))
    room.add(UInt32(control.rectangle.columns.lowerBound))
    room.add(UInt32(control.rectangle.rows.lowerBound))
    room.add(control.duration.word)
    room.add(control.disposal.rawValue)
    room.add(control.blend.rawValue)
    end()
    return place
  }

  /// Sets the duration of a frame whose chunk stands somewhere.
  func set(_ duration: FrameDuration, ofControlAt place: Int) {
    room.set(duration.word, at: place + Self.durationOffset)
    let crc = kernels.pointee.check(0, room.start + place + 4, 4 + Self.controlSize)
    room.set(crc, at: place + 8 + Self.controlSize)
  }
}

extension FrameDuration {
  fileprivate var word: UInt32 { UInt32(numerator) << 16 | UInt32(denominator) }
}
