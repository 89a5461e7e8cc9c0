public import InkFiles
public import Strokes

/// A drawing of the Quick, Draw! dataset as its files hold it, in columns: reading thousands of drawings into one
/// record takes memory once.
public struct QuickDrawRecord: Sendable {
  /// The name of the drawing: a number of 64 bits, which no double holds.
  public var keyID = ""
  /// What was to be drawn; empty in binary files.
  public var word = ""
  /// The country of the drawer: two letters.
  public var countryCode = ""
  /// When it was drawn; nil if that is not known.
  public var date: Timestamp?
  /// Whether the game guessed the word; nil if that is not known.
  public var isRecognized: Bool?
  /// The places of the points of all strokes, in pixels: y runs down.
  public internal(set) var xs: [Double] = []
  /// See `xs`.
  public internal(set) var ys: [Double] = []
  /// When the pen was there, in milliseconds since the start of the drawing; empty in simplified drawings.
  public internal(set) var times: [Double] = []
  /// The index behind the last point of each stroke.
  public internal(set) var strokeEnds: [Int] = []
  /// Why strokes are missing.
  public internal(set) var damage: [ImportError] = []

  /// A record without strokes.
  public init() {}

  /// Whether points have times, which raw drawings have.
  public private(set) var isRaw = false

  /// The number of strokes.
  public var strokeCount: Int { strokeEnds.count }

  /// The indices of a stroke's points.
  public func points(ofStroke index: Int) -> Range<Int> {
    (index > 0 ? strokeEnds[index - 1] : 0)..<strokeEnds[index]
  }

  /// Makes the record empty, without giving its memory back.
  mutating func removeAll() {
    (keyID, word, countryCode) = ("", "", "")
    (date, isRecognized) = (nil, nil)
    isRaw = false
    xs.removeAll(keepingCapacity: true)
    ys.removeAll(keepingCapacity: true)
    times.removeAll(keepingCapacity: true)
    strokeEnds.removeAll(keepingCapacity: true)
    damage.removeAll()
  }

  /// Makes the points behind the last stroke a stroke; false, and they are removed, if their lists have different
  /// lengths, or only they have times or have none.
  mutating func endStroke() -> Bool {
    let end = strokeEnds.last ?? 0
    let count = xs.count - end
    let timeCount = times.count - (isRaw ? end : 0)
    let hasTimes = timeCount > 0 || isRaw
    guard ys.count == xs.count, !hasTimes || timeCount == count && (isRaw || end == 0) else {
      removeOpenStroke()
      return false
    }
    isRaw = hasTimes
    strokeEnds.append(xs.count)
    return true
  }

  /// Removes the points behind the last whole stroke.
  mutating func removeOpenStroke() {
    let end = strokeEnds.last ?? 0
    xs.removeLast(xs.count - end)
    ys.removeLast(ys.count - end)
    times.removeLast(times.count - (isRaw ? end : 0))
  }

  /// Removes all strokes.
  mutating func removeStrokes() {
    strokeEnds.removeAll(keepingCapacity: true)
    isRaw = false
    removeOpenStroke()
  }
}
