import Graphics

/// The frames of an animation. Their order was checked; pixels are decoded on request.
public struct PNGFrames: Sendable {
  /// The width of the canvas in pixels.
  public let width: Int
  /// The height of the canvas in pixels.
  public let height: Int
  /// How many times the animation is shown; 0 is endless.
  public let loopCount: Int
  /// The control of each frame; empty for a still picture.
  public let controls: [FrameControl]
  /// Whether the default picture is the first frame.
  public let showsDefault: Bool

  let decoder: PNGDecoder
  let bytes: [UInt8]
  /// The rest of the header after width and height, and the chunks that all frames share.
  let form: ArraySlice<UInt8>
  let shared: [Range<Int>]
  /// The data chunks of each frame, without sequence numbers.
  let data: [[Range<Int>]]

  /// Decodes the picture that programs without animation support show.
  public func defaultPicture() throws(PNGError) -> PNGImage { try decoder.decode(bytes) }

  /// Decodes the pixels of a frame as stored. `controls[frame].rectangle` is their part of the
  /// canvas.
  public func picture(_ frame: Int) throws(PNGError) -> PNGImage {
    precondition(controls.indices ~= frame, "the frame index must be in range")
    var still = SingleFrame()
    let rectangle = controls[frame].rectangle
    still.add(
      "IHDR",
      [UInt32(rectangle.width), UInt32(rectangle.height)].flatMap(\.bigEndianBytes) + form)
    for range in shared { still.add(bytes[range]) }
    for range in data[frame] { still.add("IDAT", bytes[range]) }
    still.add("IEND", [])
    do throws(PNGError) {
      let picture = try decoder.decode(still.bytes)
      return picture
    } catch {
      // The offset inside of the assembled file means nothing in the animation.
      throw PNGError(error.problem, at: data[frame].first?.lowerBound)
    }
  }

  /// Calls `body` with the composed canvas of each frame, in order.
  public func forEachCanvas<Failure: Error>(
    _ body: (PNGImage, FrameControl) throws(Failure) -> Void
  ) throws(PNGReadingError<Failure>) {
    var canvas: ComposedCanvas?
    for (number, control) in controls.enumerated() {
      let picture: PNGImage
      do throws(PNGError) {
        picture = try self.picture(number)
        if canvas == nil { canvas = try begin(picture.depth) }
      } catch {
        throw .picture(error)
      }
      guard var composed = canvas else { return }
      canvas = nil
      composed.add(picture, control)
      do throws(Failure) {
        try body(composed.image(hasAlpha: picture.hasAlpha), control)
      } catch {
        throw .body(error)
      }
      composed.dispose()
      canvas = composed
    }
  }

  private func begin(_ depth: Pixmap.Depth) throws(PNGError) -> ComposedCanvas {
    // The memory of the canvas, its earlier state, and the copies given to the caller.
    guard width * height <= decoder.limits.memory / (4 * depth.bytesPerPixel) else {
      throw PNGError(.tooLarge(width: width, height: height))
    }
    return ComposedCanvas(width: width, height: height, depth: depth)
  }
}

/// Why reading frames stopped early.
public enum PNGReadingError<Failure: Error>: Error {
  /// A frame cannot be decoded.
  case picture(PNGError)
  /// The caller's closure threw an error.
  case body(Failure)
}

/// A PNG of one frame, assembled from an animation's chunks.
private struct SingleFrame {
  private(set) var bytes: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

  mutating func add(_ name: StaticString, _ data: some Collection<UInt8>) {
    add([UInt8](name.description.utf8) + data)
  }

  /// Adds a chunk, given its name and data.
  mutating func add(_ body: some Collection<UInt8>) {
    let body = Array(body)
    bytes += UInt32(body.count - 4).bigEndianBytes
    bytes += body
    bytes += ChunkReader.checksum(body[...]).bigEndianBytes
  }
}

extension UInt32 {
  var bigEndianBytes: [UInt8] {
    [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: self >> $0) }
  }
}

/// The canvas on which frames are composed.
private struct ComposedCanvas {
  private let width: Int
  private let height: Int
  private let depth: Pixmap.Depth
  private var components: [UInt8]
  /// The newest frame's control, and the pixels it covered.
  private var newest: (control: FrameControl, before: [UInt8])?
  private var isFirst = true

  init(width: Int, height: Int, depth: Pixmap.Depth) {
    (self.width, self.height, self.depth) = (width, height, depth)
    components = [UInt8](repeating: 0, count: width * height * depth.bytesPerPixel)
  }

  func image(hasAlpha: Bool) -> PNGImage {
    PNGImage(
      width: width, height: height, depth: depth, hasAlpha: hasAlpha, pixelsPerMeter: nil,
      texts: [], components: components)
  }

  private func row(_ y: Int, of rectangle: PixelRect) -> Range<Int> {
    let start = (y * width + rectangle.columns.lowerBound) * depth.bytesPerPixel
    return start..<start + rectangle.width * depth.bytesPerPixel
  }

  mutating func add(_ picture: PNGImage, _ control: FrameControl) {
    var before: [UInt8] = []
    let rowBytes = picture.width * depth.bytesPerPixel
    for (number, y) in control.rectangle.rows.enumerated() {
      let range = row(y, of: control.rectangle)
      if control.disposal == .previous { before += components[range] }
      let new = picture.components[number * rowBytes..<(number + 1) * rowBytes]
      if control.blend == .source {
        components.replaceSubrange(range, with: new)
      } else {
        blend(new, at: range.lowerBound)
      }
    }
    newest = (control, before)
  }

  /// Applies the newest frame's disposal.
  mutating func dispose() {
    guard let (control, before) = newest else { return }
    let rectangle = control.rectangle
    let rowBytes = rectangle.width * depth.bytesPerPixel
    // At the first frame the previous canvas is transparent, so there is nothing to restore.
    let restores = control.disposal == .previous && !isFirst
    isFirst = false
    guard control.disposal != .none else { return }
    for (number, y) in rectangle.rows.enumerated() {
      let range = row(y, of: rectangle)
      if restores {
        components.replaceSubrange(
          range, with: before[number * rowBytes..<(number + 1) * rowBytes])
      } else {
        for byte in range { components[byte] = 0 }
      }
    }
  }

  /// Blends straight pixels over the canvas as specified, rounded to nearest.
  private mutating func blend(_ new: ArraySlice<UInt8>, at offset: Int) {
    let bytes = depth.bytesPerPixel
    let maximum: UInt64 = depth == .eight ? 255 : 65_535
    for pixel in stride(from: 0, to: new.count, by: bytes) {
      let (from, to) = (new.startIndex + pixel, offset + pixel)
      let (alpha, below) = (component(3, of: new, from), component(3, of: components[...], to))
      guard alpha > 0 else { continue }
      guard alpha < maximum, below > 0 else {
        for byte in 0..<bytes { components[to + byte] = new[from + byte] }
        continue
      }
      let (a, b) = (alpha * maximum, (maximum - alpha) * below)
      for part in 0..<3 {
        let sum =
          component(part, of: new, from) * a + component(part, of: components[...], to) * b
        set(part, at: to, (sum + (a + b) / 2) / (a + b))
      }
      set(3, at: to, (a + b + maximum / 2) / maximum)
    }
  }

  private func component(_ part: Int, of bytes: ArraySlice<UInt8>, _ pixel: Int) -> UInt64 {
    guard depth == .sixteen else { return UInt64(bytes[pixel + part]) }
    return UInt64(bytes[pixel + 2 * part]) | UInt64(bytes[pixel + 2 * part + 1]) << 8
  }

  private mutating func set(_ part: Int, at pixel: Int, _ value: UInt64) {
    guard depth == .sixteen else {
      components[pixel + part] = UInt8(truncatingIfNeeded: value)
      return
    }
    components[pixel + 2 * part] = UInt8(truncatingIfNeeded: value)
    components[pixel + 2 * part + 1] = UInt8(truncatingIfNeeded: value >> 8)
  }
}
