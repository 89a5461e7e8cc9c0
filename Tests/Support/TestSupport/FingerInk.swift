import Graphics
public import Strokes

/// Textured ink of fingers on today's devices, with the structure that was measured in such files:
/// times tick at 24 MHz about every 8.3 ms; most locations are means of two or three samples on a
/// grid of halves, the others are filtered in both directions; the width follows the speed
/// smoothly; secondary width and opacity are functions of the width.
public struct FingerInk {
  private var random: RandomInk

  /// Ink that follows from a seed.
  public init(seed: UInt64) { random = RandomInk(seed: seed) }

  /// A drawing of strokes of about 400 points, 1,740 in all.
  public mutating func drawing() -> PKDrawing {
    let ink = PKInk(
      .crayon,
      color: Color(
        red: Double(Float(0.2)), green: Double(Float(0.4)), blue: Double(Float(0.8)), alpha: 1))
    var date = Timestamp(secondsSinceReferenceDate: 767_000_000.123456)
    return PKDrawing(
      strokes: [431, 402, 457, 450].map { count in
        date = date + random.number(4...9)
        return PKStroke(
          ink: ink,
          path: PKStrokePath(columns: columns(pointCount: count), creationDate: date),
          randomSeed: UInt32(truncatingIfNeeded: random.generator.next()),
          id: random.identifier())
      })
  }

  /// A number around 0 whose square has the mean 1.
  private mutating func noise() -> Double {
    (0..<12).reduce(-6) { sum, _ in sum + random.number(0...1) }
  }

  /// The points of a path.
  package mutating func columns(pointCount count: Int) -> PointColumns {
    var ticks = 0.0
    var place = Point(x: random.number(200...900), y: random.number(200...700))
    var (heading, speed, shown) = (random.number(-3...3), 2.5, 2.5)
    var (x, y, time, width): ([Float], [Float], [Float], [Float]) = ([], [], [], [])
    var (secondary, opacity): ([Float], [UInt16]) = ([], [])
    for index in 0..<count {
      if index > 0 {
        ticks += (24e6 * (0.00833 + 0.0002 * min(max(noise(), -3), 3))).rounded()
      }
      heading += 0.14 * noise()
      speed = min(max(speed + 0.18 * noise(), 0.2), 7)
      // Without CMath: a turn around the unit circle, by its rational form.
      let half = heading.remainder(dividingBy: 4) / 2
      let norm = 1 + half * half
      place.x += speed * (1 - half * half) / norm
      place.y += speed * 2 * half / norm
      let chance = random.number(0...1)
      let samples = chance < 0.5 ? 2.0 : chance < 0.81 ? 6 : 0
      x.append(Float(samples > 0 ? (place.x * samples).rounded() / samples : place.x))
      y.append(Float(samples > 0 ? (place.y * samples).rounded() / samples : place.y))
      time.append(Float(ticks / 24e6))
      shown += (speed - shown) / 6
      let share = shown / (shown + 3) + 0.0001 * noise()
      width.append(Float(9 - 5 * share))
      let hidden = (9 - Double(width[index])) / 5
      secondary.append(Float(Double(width[index]) * (0.35 + 0.6 * hidden * hidden)))
      opacity.append(UInt16(32767 * (0.3 + 0.65 * hidden.squareRoot())))
    }
    let varying = PointChannels([.x, .y, .timeOffset, .width, .secondaryWidth, .opacity])
    return PointColumns(
      count: count, scale: .current, varying: varying, present: .all,
      floats: x + y + time + width + secondary + [1], words: [1000, 0, 0, 16383, 0] + opacity + [0])
  }
}
