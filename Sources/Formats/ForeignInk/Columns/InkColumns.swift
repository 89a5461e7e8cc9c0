/// The drawings of a data set as columns: the points of all drawings one after the other, and the
/// ends of strokes and drawings. In this form, reading a hundred thousand drawings takes a few
/// allocations.
package struct InkColumns: Sendable {
  /// The x and y of all points, alternating, in the units of the data. Y runs down.
  package private(set) var places: [Float] = []
  /// Seconds since the drawing's first point, for each point; NaN if unknown.
  package private(set) var times: [Float] = []
  /// The index behind the last point of each stroke.
  package private(set) var strokeEnds: [Int64] = []
  /// The index behind the last stroke of each drawing.
  package private(set) var drawingEnds: [Int64] = []
  /// The subject of each drawing: a word, a formula or the name of a character; empty if unknown.
  package private(set) var labels = TextColumn()
  /// The name of each drawing in its data set; empty if it has none.
  package private(set) var keys = TextColumn()
  /// 1 if the game guessed the drawing, 0 if not, -1 if unknown.
  package private(set) var recognitions: [Int8] = []
  /// The reasons for missing strokes, with the drawing of each. Only the first ones are kept.
  package private(set) var damage: [(drawing: Int, text: String)] = []
  /// The number of all reasons.
  package private(set) var damageCount = 0
  /// Whether a point has a time.
  package private(set) var hasTimes = false

  /// The number of reasons that are kept. More would add little information.
  package static let keptDamage = 100

  /// No drawings.
  package init() {}

  package var pointCount: Int { places.count / 2 }
  package var drawingCount: Int { drawingEnds.count }
}

/// Texts one after the other.
package struct TextColumn: Sendable {
  /// The texts in UTF-8.
  package private(set) var bytes: [UInt8] = []
  /// The index behind the last byte of each text.
  package private(set) var ends: [Int64] = []

  mutating func append(_ text: String) {
    bytes.append(contentsOf: text.utf8)
    ends.append(Int64(bytes.count))
  }
}

extension InkColumns {
  /// Adds a point to the open stroke. A point that is not finite is left out; one that is too far
  /// away is left out and reported.
  @inline(__always)
  mutating func addPoint(x: Double, y: Double, time: Double) {
    let (left, top) = (Float(x), Float(y))
    guard left.isFinite, top.isFinite else {
      if x.isFinite, y.isFinite { addDamage("a point is too far away for 32 bits") }
      return
    }
    places.append(left)
    places.append(top)
    times.append(Float(time))
  }

  /// Ends the open stroke; one without points is left out.
  mutating func endStroke() {
    let end = Int64(pointCount)
    if end > strokeEnds.last ?? 0 { strokeEnds.append(end) }
  }

  /// Ends the open drawing, which may be empty. Its times count from its first point, if they are
  /// known.
  mutating func endDrawing(
    label: String = "", key: String = "", isRecognized: Bool? = nil, hasTimes: Bool = false
  ) {
    drawingEnds.append(Int64(strokeEnds.count))
    labels.append(label)
    keys.append(key)
    recognitions.append(isRecognized.map { $0 ? 1 : 0 } ?? -1)
    if hasTimes { self.hasTimes = true }
  }

  /// Keeps the reason why the last drawing was cut short. It comes before other reasons, which
  /// follow from it.
  package mutating func addDamage(cuttingLast text: String) {
    damageCount += 1
    damage.insert((max(drawingCount - 1, 0), text), at: 0)
    damage.removeLast(max(damage.count - Self.keptDamage, 0))
  }

  /// Keeps the reason why a part of the open drawing is missing.
  mutating func addDamage(_ text: String) {
    damageCount += 1
    if damage.count < Self.keptDamage { damage.append((drawingCount, text)) }
  }
}
