import CPNGKernels
public import Graphics

/// How long a frame is shown: a fraction of seconds, as exact as the file stores it.
public struct FrameDuration: Hashable, Sendable {
  /// The number of parts of a second.
  public let numerator: UInt16
  /// The number of parts that a second has; never zero.
  public let denominator: UInt16

  /// A fraction of a second: `FrameDuration(1, over: 30)` for 30 frames per second.
  public init(_ numerator: UInt16, over denominator: UInt16) {
    precondition(denominator > 0, "the denominator must not be zero")
    (self.numerator, self.denominator) = (numerator, denominator)
  }

  /// The duration in seconds, rounded to the nearest double.
  public var seconds: Double { Double(numerator) / Double(denominator) }

  /// The sum of both durations; nil if no fraction with 16-bit terms equals it.
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

/// The properties of an animation's frame besides its pixels.
public struct FrameControl: Hashable, Sendable {
  /// The treatment of a frame's pixels after its time.
  public enum Disposal: UInt8, Hashable, Sendable, CaseIterable {
    /// They stay on the canvas.
    case none = 0
    /// They become transparent.
    case clear = 1
    /// They are replaced by the pixels that were there before the frame.
    case previous = 2
  }

  /// How a frame's pixels are combined with the canvas.
  public enum Blend: UInt8, Hashable, Sendable, CaseIterable {
    /// They replace the canvas's pixels, alpha included.
    case source = 0
    /// They are blended over the canvas's pixels.
    case over = 1
  }

  /// The part of the canvas that the frame covers.
  public var rectangle: PixelRect
  /// How long the frame is shown.
  public var duration: FrameDuration
  /// The treatment of the frame's pixels afterwards.
  public var disposal: Disposal
  /// How the frame's pixels are combined with the canvas.
  public var blend: Blend

  /// A control; by default the frame replaces pixels and stays.
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
  /// The offset of the duration in a control chunk, length and name included.
  private static let durationOffset = 8 + 20
  private static let controlSize = 26

  /// Adds the chunk that makes the file an animation.
  mutating func addAnimation(frameCount: Int, loopCount: Int) {
    begin("acTL")
    buffer.add(UInt32(frameCount))
    buffer.add(UInt32(loopCount))
    end()
  }

  /// Starts a frame; returns the offset of its control chunk.
  @discardableResult
  mutating func add(_ control: FrameControl, number: UInt32) -> Int {
    let offset = buffer.count
    begin("fcTL")
    buffer.add(number)
    buffer.add(UInt32(control.rectangle.width))
    buffer.add(UInt32(control.rectangle.height))
    buffer.add(UInt32(control.rectangle.columns.lowerBound))
    buffer.add(UInt32(control.rectangle.rows.lowerBound))
    buffer.add(control.duration.word)
    buffer.add(control.disposal.rawValue)
    buffer.add(control.blend.rawValue)
    end()
    return offset
  }

  /// Changes the duration in the control chunk at an offset.
  func set(_ duration: FrameDuration, ofControlAt offset: Int) {
    buffer.set(duration.word, at: offset + Self.durationOffset)
    let crc = kernels.pointee.checksum(0, buffer.start + offset + 4, 4 + Self.controlSize)
    buffer.set(crc, at: offset + 8 + Self.controlSize)
  }
}

extension FrameDuration {
  fileprivate var word: UInt32 { UInt32(numerator) << 16 | UInt32(denominator) }
}
