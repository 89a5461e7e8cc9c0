import Graphics
import PNGFormat
import TestSupport

/// A random animation.
struct RandomFrames {
  struct Frame {
    let picture: Pixmap
    /// The rectangles that may have changed since the last frame.
    let changed: PixelRect
    let duration: FrameDuration
  }

  private(set) var frames: [Frame] = []
  let width: Int
  let height: Int

  /// Frames that start with an odd picture and copy parts of others of its kind.
  init(_ kind: OddPicture, _ width: Int, _ height: Int, count: Int, seed: UInt64) {
    (self.width, self.height) = (width, height)
    var random = SplitMix64(seed: seed)
    let pictures = (0..<3).map {
      kind.pixmap(width, height, seed: seed &+ $0, isDark: seed % 2 == 1)
    }
    var picture = pictures[0]
    let whole = PixelRect(width: width, height: height)
    for number in 0..<count {
      let duration = FrameDuration(
        UInt16.random(in: 0...200, using: &random), over: UInt16.random(in: 1...99, using: &random))
      guard number > 0 else {
        frames.append(Frame(picture: picture, changed: whole, duration: duration))
        continue
      }
      var (x, y) = (
        Int.random(in: 0..<width, using: &random), Int.random(in: 0..<height, using: &random)
      )
      var (columns, rows) = (x..<x, y..<y)
      switch Int.random(in: 0..<6, using: &random) {
      case 0: break
      case 1: (columns, rows) = (x..<x + 1, y..<y + 1)
      case 2: (columns, rows) = (whole.columns, whole.rows)
      default:
        x = Int.random(in: 0...x, using: &random)
        y = Int.random(in: 0...y, using: &random)
        columns = x..<min(x + Int.random(in: 1...40, using: &random), width)
        rows = y..<min(y + Int.random(in: 1...40, using: &random), height)
      }
      let other = pictures[Int.random(in: 0..<3, using: &random)]
      let paper = Int.random(in: 0..<4, using: &random) == 0
      picture = picture.copy
      for y in rows {
        for x in columns { picture.set(x, y, paper ? pictures[0].pixel(0, 0) : other.pixel(x, y)) }
      }
      frames.append(
        Frame(
          picture: picture, changed: PixelRect(columns: columns, rows: rows), duration: duration))
    }
  }

  var properties: PNGProperties { PNGProperties(width: width, height: height) }

  /// A picture of all frames below each other, which has all their colours.
  var allPictures: Pixmap {
    let all = Pixmap(width: width, height: height * frames.count)
    for (number, frame) in frames.enumerated() {
      for y in 0..<height {
        for x in 0..<width { all.set(x, number * height + y, frame.picture.pixel(x, y)) }
      }
    }
    return all
  }

  /// The file of all frames, without known colours and count.
  func encoded(loopCount: Int = 0, knowsChanges: Bool = true) throws(PNGError) -> [UInt8] {
    try APNGEncoder.encode(properties, loopCount: loopCount) { encoder throws(PNGError) in
      try add(to: encoder, knowsChanges: knowsChanges)
    }
  }

  /// Adds all frames.
  func add(to encoder: APNGEncoder, knowsChanges: Bool = true) throws(PNGError) {
    for frame in frames {
      try encoder.add(
        frame.picture, changed: knowsChanges ? [frame.changed] : nil, lasting: frame.duration)
    }
  }

  /// The file of all frames, with promised count and colours.
  func streamed(_ colors: FrameColors? = nil, level: Int32 = .max) throws(PNGError) -> [UInt8] {
    let encoder = try APNGEncoder(
      properties, promisedCount: frames.count, 3, colors ?? FrameColors(of: allPictures),
      level: level)
    var bytes: [UInt8] = []
    for frame in frames {
      try encoder.add(frame.picture, changed: [frame.changed], lasting: frame.duration)
      bytes += encoder.takeBytes()
    }
    try encoder.finish()
    return bytes + encoder.takeBytes()
  }
}
