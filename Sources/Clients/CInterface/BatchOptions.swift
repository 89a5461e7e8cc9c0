import CPentimento
import Graphics

/// The checked options of a batch.
struct BatchOptions {
  let width, height, bins, lanes: Int
  let placement: Placement
  let isInverted: Bool
  let line, padding: Double
  let frame: Rect
  let changes: RandomChanges

  enum Placement: Int32 { case centered, fitted, frame }

  static let sides: ClosedRange<Int32> = 1...2048

  /// The options that a caller passes; null stands for the usual options.
  init(_ pointer: UnsafePointer<pentimento_batch_options>?) throws(InterfaceError) {
    let given =
      pointer == nil ? .usual : try value(pointer, size: pointer?.pointee.size, "options")
    func number(_ value: Float, _ range: ClosedRange<Float>, _ name: String)
      throws(InterfaceError) -> Double
    {
      try require(value, range, name)
      return Double(value)
    }
    func factors(_ value: (Float, Float), _ name: String) throws(InterfaceError) -> ClosedRange<
      Double
    > {
      guard value.0 > 0, value.0 <= value.1, value.1 <= 1e3 else {
        throw InterfaceError(
          .invalid,
          "\(name) is \(value.0) to \(value.1); it must be two factors above 0, at most 1000, the lesser one first"
        )
      }
      return Double(value.0)...Double(value.1)
    }
    guard Self.sides ~= given.width, Self.sides ~= given.height else {
      throw InterfaceError(
        .invalid, "a picture of \(given.width)×\(given.height) pixels; sides must be from 1 to 2048"
      )
    }
    guard 1...256 ~= given.bins else {
      throw InterfaceError(.invalid, "bins is \(given.bins); it must be from 1 to 256")
    }
    guard let placement = Placement(rawValue: given.placement) else {
      throw InterfaceError(.invalid, "there is no placement \(given.placement)")
    }
    (width, height, bins) = (Int(given.width), Int(given.height), Int(given.bins))
    lanes = try laneCount(given.threads)
    self.placement = placement
    isInverted = given.is_inverted != 0
    line = try number(given.line_width, .leastNormalMagnitude...1e6, "line_width")
    padding = try number(given.padding, 0...1e6, "padding")
    frame = Rect(
      x: try number(given.frame.0, -1e6...1e6, "frame[0]"),
      y: try number(given.frame.1, -1e6...1e6, "frame[1]"),
      width: try number(given.frame.2, .leastNormalMagnitude...1e6, "frame[2]"),
      height: try number(given.frame.3, .leastNormalMagnitude...1e6, "frame[3]"))
    let degree = Double.pi / 180
    changes = RandomChanges(
      seed: given.seed,
      rotation: try number(given.rotation, 0...180, "rotation") * degree,
      scale: try factors(given.scale, "scale"),
      shear: try number(given.shear, 0...60, "shear") * degree,
      translation: try number(given.translation, 0...1, "translation"),
      jitter: try number(given.jitter, 0...1e6, "jitter"),
      width: try factors(given.width_factor, "width_factor"))
    if placement == .fitted, line + 2 * padding >= Double(min(width, height)) {
      throw InterfaceError(.invalid, "line_width and padding leave no room in the picture")
    }
  }

  /// The number of tiles of a picture.
  var tiles: Int { (width + 127) / 128 * ((height + 127) / 128) }
}

extension pentimento_batch_options {
  static var usual: Self {
    Self(
      size: UInt32(MemoryLayout<Self>.size), width: 28, height: 28, placement: 0, bins: 1,
      threads: 0, is_inverted: 0, line_width: 16, padding: 16, frame: (0, 0, 256, 256), seed: 0,
      rotation: 0, scale: (1, 1), shear: 0, translation: 0, jitter: 0, width_factor: (1, 1))
  }
}
