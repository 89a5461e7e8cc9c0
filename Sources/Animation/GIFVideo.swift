import CMovingPictures
public import Graphics
import PNGFormat

/// Frames as an animated GIF, through giflib, which is looked for while the program runs.
///
/// A GIF has 256 colours, one of which is none, and no finer opacity. Each frame brings the rectangle
/// that changed; what did not change in it is left out where that is shorter. Frames that follow each
/// other faster than viewers can show them are put together.
public struct GIFVideo<Output: Error>: FrameSink {
  /// Why it cannot be made.
  public typealias Failure = VideoFailure<Output>

  private let width: Int
  private let height: Int
  private let maker: Maker
  private let write: ([UInt8]) throws(Output) -> Void
  private var lookup: PaletteLookup
  /// The numbers of the colours that are shown.
  private var shown: [UInt8]
  /// What was drawn but not written, as it is not known yet how long it is shown.
  private var waiting: Part?
  /// When that begins, in hundredths of a second.
  private var waitingStart = 0
  /// When the next frame begins, in seconds.
  private var time = 0.0
  /// What may look different from what is shown.
  private var changed = PixelRect(width: 0, height: 0)
  /// The last picture, in memory that the next frame changes.
  private var picture: Pixmap?

  /// Viewers take less than two hundredths of a second for ten.
  private static var shortestDelay: Int { 2 }
  private static var longestDelay: Int { 65_535 }

  /// Begins a moving picture that is shown `loopCount` times, or without end for 0. Where the palette
  /// knows what is clear, it is; otherwise it lies on white.
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
    try put(maker.takeBytes())
  }

  /// Takes a frame.
  public mutating func add(_ frame: Frame) throws(Failure) {
    guard frame.picture.depth == .eight else { throw .video(.tooDeep) }
    let start = hundredths
    time += frame.duration.seconds
    for place in frame.changed { changed = changed.union(place) }
    picture = frame.picture
    if waiting != nil, start - waitingStart < Self.shortestDelay { return }
    try draw(at: start)
  }

  /// Writes what is left.
  public mutating func finish() throws(Failure) {
    try draw(at: waitingStart + Self.shortestDelay)
    try writeWaiting(until: max(hundredths, waitingStart + Self.shortestDelay))
    guard let bytes = maker.finish() else { throw .video(Maker.failure) }
    try put(bytes)
  }

  private var hundredths: Int { Int(clamping: min((time * 100).rounded(), 1e15)) }

  private mutating func put(_ bytes: [UInt8]) throws(Failure) {
    do throws(Output) { try write(bytes) } catch { throw .output(error) }
  }

  private mutating func writeWaiting(until end: Int) throws(Failure) {
    guard var part = waiting else { return }
    var delay = end - waitingStart
    while true {
      let next = min(delay, Self.longestDelay)
      part.setDelay(next)
      try put(part.bytes)
      delay -= next
      guard delay > 0 else { break }
      // A pixel of no colour waits on.
      let nothing = PixelRect(width: 1, height: 1)
      part = try encode([lookup.clearIndex], nothing, clears: false)
    }
    waiting = nil
  }
}

extension GIFVideo {
  /// Draws what changed, if it looks different.
  private mutating func draw(at start: Int) throws(Failure) {
    defer { changed = PixelRect(width: 0, height: 0) }
    guard let picture, !changed.isEmpty else { return }
    let indices = indices(of: picture, in: changed)
    guard let difference = difference(indices) else { return }
    if difference.clears, waiting != nil {
      // Nothing can be drawn that is clear, so what was shown before goes away altogether.
      waiting = try encode(shown, PixelRect(width: width, height: height), clears: true)
      try writeWaiting(until: start)
      update(indices)
      waiting = try encode(shown, PixelRect(width: width, height: height), clears: false)
    } else {
      try writeWaiting(until: start)
      waiting = try encode(indices, difference)
      update(indices)
    }
    waitingStart = start
  }

  private mutating func indices(of picture: Pixmap, in place: PixelRect) -> [UInt8] {
    var indices: [UInt8] = []
    indices.reserveCapacity(place.width * place.height)
    let hasClear = lookup.palette.hasClear
    var last: (color: SolidColor, index: UInt8) = (.clear, lookup.clearIndex)
    for y in place.rows {
      picture.withRow(y) { row in
        for x in place.columns {
          let color = SolidColor(row, x, hasClear: hasClear)
          if color != last.color { last = (color, lookup.index(of: color)) }
          indices.append(last.index)
        }
      }
    }
    return indices
  }

  private struct Difference {
    /// Where pixels look different.
    let place: PixelRect
    /// Whether some of them become clear.
    let clears: Bool
  }

  /// What of the changed pixels looks different; nil where nothing does.
  private func difference(_ indices: [UInt8]) -> Difference? {
    guard waiting != nil else { return Difference(place: changed, clears: false) }
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
      place: PixelRect(columns: columns.0..<columns.1, rows: rows.0..<rows.1), clears: clears)
  }

  private mutating func update(_ indices: [UInt8]) {
    for (number, y) in changed.rows.enumerated() {
      let start = y * width + changed.columns.lowerBound
      shown.replaceSubrange(
        start..<start + changed.width,
        with: indices[number * changed.width..<(number + 1) * changed.width])
    }
  }

  /// The part that looks different: with all of its pixels or without those that stay, whichever is
  /// shorter.
  private func encode(_ indices: [UInt8], _ difference: Difference) throws(Failure) -> Part {
    let place = difference.place
    var (all, new): ([UInt8], [UInt8]) = ([], [])
    for y in place.rows {
      let start = (y - changed.rows.lowerBound) * changed.width - changed.columns.lowerBound
      for x in place.columns {
        let index = indices[start + x]
        all.append(index)
        new.append(index == shown[y * width + x] ? lookup.clearIndex : index)
      }
    }
    let plain = try encode(all, place, clears: false)
    guard waiting != nil || new != all else { return plain }
    let sparse = try encode(new, place, clears: false)
    return sparse.bytes.count < plain.bytes.count ? sparse : plain
  }

  private func encode(
    _ indices: [UInt8], _ place: PixelRect, clears: Bool
  ) throws(Failure) -> Part {
    guard let part = maker.part(indices, place, clearIndex: lookup.clearIndex, clears: clears)
    else { throw .video(Maker.failure) }
    return part
  }
}

/// A part of a picture as it stands in the file.
private struct Part {
  private(set) var bytes: [UInt8]

  init(bytes: [UInt8]) { self.bytes = bytes }

  mutating func setDelay(_ hundredths: Int) {
    guard bytes.count > 5 else { return }
    bytes[4] = UInt8(truncatingIfNeeded: hundredths)
    bytes[5] = UInt8(truncatingIfNeeded: hundredths >> 8)
  }
}

/// The library at work.
private final class Maker {
  private let maker: OpaquePointer

  static let failure = AnimationError.failed("giflib could not write the GIF")

  init(
    width: Int, height: Int, _ palette: ColorPalette, loopCount: Int
  ) throws(AnimationError) {
    // One more colour, which none is.
    let colors = palette.colors.prefix(ColorPalette.mostColors).flatMap { color in
      [UInt8(color >> 16 & 255), UInt8(color >> 8 & 255), UInt8(color & 255)]
    }
    var problem = MovingPictureReady
    let made = gifMakerCreate(
      Int32(clamping: width), Int32(clamping: height), colors + [255, 255, 255],
      Int32(colors.count / 3 + 1), Int32(clamping: loopCount), &problem)
    guard let made else {
      throw AnimationError(
        problem, form: "GIF", packages: "libgif7",
        unfit: "a GIF has at most 65535 pixels on a side and is shown at most 65536 times")
    }
    maker = made
  }

  deinit { gifMakerFree(maker) }

  func takeBytes() -> [UInt8] {
    var count = 0
    let bytes = gifMakerBytes(maker, &count)
    defer { gifMakerForget(maker) }
    return Array(UnsafeBufferPointer(start: bytes, count: count))
  }

  func part(_ indices: [UInt8], _ place: PixelRect, clearIndex: UInt8, clears: Bool) -> Part? {
    let part = GIFPart(
      left: Int32(place.columns.lowerBound), top: Int32(place.rows.lowerBound),
      width: Int32(place.width), height: Int32(place.height),
      disposal: clears ? GIFClear : GIFKeep, clearIndex: Int32(clearIndex))
    guard gifMakerAdd(maker, part, indices) != 0 else { return nil }
    return Part(bytes: takeBytes())
  }

  func finish() -> [UInt8]? { gifMakerEnd(maker) != 0 ? takeBytes() : nil }
}
