import CMovingPictures
public import Graphics
import PNGFormat

/// Writes frames as an animated GIF through giflib.
///
/// A GIF has 256 colours. One of them is transparent; there is no partial opacity. Each part of the
/// file holds the rectangle that changed; pixels in it that did not change are transparent if that
/// makes the part shorter. Frames that are too short for viewers are merged with the next one.
public struct GIFVideo<Output: Error>: FrameSink {
  /// An error of giflib, or of the output.
  public typealias Failure = VideoFailure<Output>

  private let width: Int
  private let height: Int
  private let maker: Maker
  private let write: ([UInt8]) throws(Output) -> Void
  private var lookup: PaletteLookup
  /// The palette index of every pixel shown.
  private var shown: [UInt8]
  /// The part that is encoded but not written, as its duration is not known yet.
  private var pending: Part?
  /// The start of the pending part, in hundredths of a second.
  private var pendingStart = 0
  /// The start of the next frame, in seconds.
  private var time = 0.0
  /// The bounds of the pixels that may differ from those shown.
  private var changed = PixelRect(width: 0, height: 0)
  /// The last picture, in memory that the next frame overwrites.
  private var picture: Pixmap?

  /// Hundredths of a second; viewers replace delays below two by ten.
  private static var minimumDelay: Int { 2 }
  /// Hundredths of a second; the file stores 16 bits.
  private static var maximumDelay: Int { 65_535 }

  /// Begins a GIF that plays `loopCount` times, or forever for 0. If the palette has a transparent
  /// colour, transparent pixels stay so; otherwise they are composited on white.
  public init(
    width: Int, height: Int, palette: ColorPalette, loopCount: Int = 0,
    write: @escaping ([UInt8]) throws(Output) -> Void
  ) throws(Failure) {
    (self.width, self.height, self.write) = (width, height, write)
    lookup = PaletteLookup(palette)
    do throws(AnimationError) {
      maker = try Maker(width: width, height: height, palette, loopCount: loopCount)
    } catch {
      throw .video(error)
    }
    shown = [UInt8](repeating: lookup.clearIndex, count: width * height)
    try output(maker.takeBytes())
  }

  /// Encodes a frame, unless it looks like the last one.
  public mutating func add(_ frame: Frame) throws(Failure) {
    guard frame.picture.depth == .eight else { throw .video(.tooDeep) }
    let start = hundredths
    time += frame.duration.seconds
    for rect in frame.changed { changed = changed.union(rect) }
    picture = frame.picture
    if pending != nil, start - pendingStart < Self.minimumDelay { return }
    try draw(at: start)
  }

  /// Writes the pending part and the end of the file.
  public mutating func finish() throws(Failure) {
    try draw(at: pendingStart + Self.minimumDelay)
    try writePending(until: max(hundredths, pendingStart + Self.minimumDelay))
    guard let bytes = maker.finish() else { throw .video(Maker.failure) }
    try output(bytes)
  }

  private var hundredths: Int { Int(clamping: min((time * 100).rounded(), 1e15)) }

  private mutating func output(_ bytes: [UInt8]) throws(Failure) {
    do throws(Output) { try write(bytes) } catch { throw .output(error) }
  }

  /// Writes the pending part, shown until a time in hundredths of a second.
  private mutating func writePending(until end: Int) throws(Failure) {
    guard var part = pending else { return }
    var delay = end - pendingStart
    while true {
      let next = min(delay, Self.maximumDelay)
      part.setDelay(next)
      try output(part.bytes)
      delay -= next
      guard delay > 0 else { break }
      // Delays beyond the maximum continue with a transparent pixel, which changes nothing.
      let nothing = PixelRect(width: 1, height: 1)
      part = try encode([lookup.clearIndex], nothing, clears: false)
    }
    pending = nil
  }
}

extension GIFVideo {
  /// Encodes the changed pixels, if any has another colour than the one shown.
  private mutating func draw(at start: Int) throws(Failure) {
    defer { changed = PixelRect(width: 0, height: 0) }
    guard let picture, !changed.isEmpty else { return }
    let indices = indices(of: picture, in: changed)
    guard let difference = difference(indices) else { return }
    if difference.clears, pending != nil {
      // A part cannot make pixels transparent again. So the whole old picture is encoded once more,
      // to be cleared after its delay, and the whole new one is drawn after it.
      pending = try encode(shown, PixelRect(width: width, height: height), clears: true)
      try writePending(until: start)
      update(indices)
      pending = try encode(shown, PixelRect(width: width, height: height), clears: false)
    } else {
      try writePending(until: start)
      pending = try encode(indices, difference)
      update(indices)
    }
    pendingStart = start
  }

  /// The palette indices of a rectangle, row by row.
  private mutating func indices(of picture: Pixmap, in rect: PixelRect) -> [UInt8] {
    var indices: [UInt8] = []
    indices.reserveCapacity(rect.width * rect.height)
    let hasClear = lookup.palette.hasClear
    var last: (color: SolidColor, index: UInt8) = (.clear, lookup.clearIndex)
    for y in rect.rows {
      picture.withRow(y) { row in
        for x in rect.columns {
          let color = SolidColor(row, x, hasClear: hasClear)
          if color != last.color { last = (color, lookup.index(of: color)) }
          indices.append(last.index)
        }
      }
    }
    return indices
  }

  private struct Difference {
    /// The bounds of the pixels that look different.
    let rect: PixelRect
    /// Whether some of them become transparent.
    let clears: Bool
  }

  /// The part of `changed` that looks different; nil if nothing does.
  private func difference(_ indices: [UInt8]) -> Difference? {
    guard pending != nil else { return Difference(rect: changed, clears: false) }
    var (rows, columns) = ((Int.max, 0), (Int.max, 0))
    var clears = false
    for y in changed.rows {
      let start = (y - changed.rows.lowerBound) * changed.width - changed.columns.lowerBound
      for x in changed.columns where indices[start + x] != shown[y * width + x] {
        rows = (min(rows.0, y), max(rows.1, y + 1))
        columns = (min(columns.0, x), max(columns.1, x + 1))
        clears = clears || indices[start + x] == lookup.clearIndex
      }
    }
    guard rows.0 < rows.1 else { return nil }
    return Difference(
      rect: PixelRect(columns: columns.0..<columns.1, rows: rows.0..<rows.1), clears: clears)
  }

  /// Copies the indices of `changed` to `shown`.
  private mutating func update(_ indices: [UInt8]) {
    for (number, y) in changed.rows.enumerated() {
      let start = y * width + changed.columns.lowerBound
      shown.replaceSubrange(
        start..<start + changed.width,
        with: indices[number * changed.width..<(number + 1) * changed.width])
    }
  }

  /// Encodes the part that looks different in the shorter of two ways: with all of its pixels, or
  /// with transparent ones where nothing changes.
  private func encode(_ indices: [UInt8], _ difference: Difference) throws(Failure) -> Part {
    let rect = difference.rect
    var (all, new): ([UInt8], [UInt8]) = ([], [])
    for y in rect.rows {
      let start = (y - changed.rows.lowerBound) * changed.width - changed.columns.lowerBound
      for x in rect.columns {
        let index = indices[start + x]
        all.append(index)
        new.append(index == shown[y * width + x] ? lookup.clearIndex : index)
      }
    }
    let plain = try encode(all, rect, clears: false)
    guard pending != nil || new != all else { return plain }
    let sparse = try encode(new, rect, clears: false)
    return sparse.bytes.count < plain.bytes.count ? sparse : plain
  }

  private func encode(
    _ indices: [UInt8], _ rect: PixelRect, clears: Bool
  ) throws(Failure) -> Part {
    guard let part = maker.part(indices, rect, clearIndex: lookup.clearIndex, clears: clears)
    else { throw .video(Maker.failure) }
    return part
  }
}

/// The bytes of a part of the picture as the file holds them.
private struct Part {
  private(set) var bytes: [UInt8]

  init(bytes: [UInt8]) { self.bytes = bytes }

  /// Sets how long the part is shown: bytes 4 and 5 of its graphic control extension.
  mutating func setDelay(_ hundredths: Int) {
    guard bytes.count > 5 else { return }
    bytes[4] = UInt8(truncatingIfNeeded: hundredths)
    bytes[5] = UInt8(truncatingIfNeeded: hundredths >> 8)
  }
}

/// An open file of giflib.
private final class Maker {
  private let maker: OpaquePointer

  static let failure = AnimationError.failed("giflib could not write the GIF")

  init(
    width: Int, height: Int, _ palette: ColorPalette, loopCount: Int
  ) throws(AnimationError) {
    // One more colour is for transparent pixels.
    let colors = palette.colors.prefix(ColorPalette.maximumColorCount).flatMap { color in
      [UInt8(color >> 16 & 255), UInt8(color >> 8 & 255), UInt8(color & 255)]
    }
    var problem = MovingPictureReady
    let made = gifMakerCreate(
      Int32(clamping: width), Int32(clamping: height), colors + [255, 255, 255],
      Int32(colors.count / 3 + 1), Int32(clamping: loopCount), &problem)
    guard let made else {
      throw AnimationError(
        problem, form: "GIF",
        limits: "a GIF has at most 65535 pixels on a side and plays at most 65536 times")
    }
    maker = made
  }

  deinit { gifMakerFree(maker) }

  /// The bytes that the library wrote since the last call.
  func takeBytes() -> [UInt8] {
    var count = 0
    let bytes = gifMakerBytes(maker, &count)
    defer { gifMakerForget(maker) }
    return Array(UnsafeBufferPointer(start: bytes, count: count))
  }

  /// Encodes a rectangle; nil if the library fails. With `clears`, its area becomes transparent
  /// after its delay.
  func part(_ indices: [UInt8], _ rect: PixelRect, clearIndex: UInt8, clears: Bool) -> Part? {
    let part = GIFPart(
      left: Int32(rect.columns.lowerBound), top: Int32(rect.rows.lowerBound),
      width: Int32(rect.width), height: Int32(rect.height),
      disposal: clears ? GIFClear : GIFKeep, clearIndex: Int32(clearIndex))
    guard gifMakerAdd(maker, part, indices) != 0 else { return nil }
    return Part(bytes: takeBytes())
  }

  func finish() -> [UInt8]? { gifMakerEnd(maker) != 0 ? takeBytes() : nil }
}
