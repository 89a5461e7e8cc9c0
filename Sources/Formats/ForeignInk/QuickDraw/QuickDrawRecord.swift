public import InkFiles
public import Strokes

/// A drawing of the Quick, Draw! dataset in columns. Reading thousands of drawings into one record
/// allocates memory once.
public struct QuickDrawRecord: Sendable {
  /// The name of the drawing: a 64-bit number, which no double holds exactly.
  public var keyID = ""
  /// The word to draw; empty in binary files.
  public var word = ""
  /// The country of the drawer: two letters.
  public var countryCode = ""
  /// The time of drawing; nil if unknown.
  public var date: Timestamp?
  /// Whether the game guessed the word; nil if unknown.
  public var isRecognized: Bool?
  /// The x of the points of all strokes, in pixels.
  public internal(set) var xs: [Double] = []
  /// The y of the points of all strokes, in pixels; y runs down.
  public internal(set) var ys: [Double] = []
  /// The times of the points, in milliseconds since the start of the drawing; empty in simplified
  /// drawings.
  public internal(set) var times: [Double] = []
  /// The index behind the last point of each stroke.
  public internal(set) var strokeEnds: [Int] = []
  /// The reasons for missing strokes.
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

  /// Makes the record empty, and keeps its memory.
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

  /// Makes a stroke of the points behind the last one. Returns false and removes them if their
  /// lists have different lengths, or if only some strokes of the drawing have times.
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
