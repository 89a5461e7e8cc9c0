import Foundation
import Graphics
public import Strokes

/// Small readers for ink of the corpus whose points have times, from various clocks.
public enum TimedInk {
  /// Drawings of Quick, Draw! with times in milliseconds, one per line.
  public static func quickDraw(_ name: String) throws -> [PKDrawing] {
    let text = String(decoding: try Corpus.bytes("quickdraw-raw/\(name)"), as: UTF8.self)
    return try text.split(separator: "\n").map { line in
      let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
      let strokes = object?["drawing"] as? [[[NSNumber]]] ?? []
      return drawing(
        strokes.map { columns in
          columns[0].indices.map { index in
            (
              columns[0][index].doubleValue, columns[1][index].doubleValue,
              columns[2][index].doubleValue / 1000
            )
          }
        })
    }
  }

  /// A letter of Omniglot, with times in milliseconds.
  public static func omniglot(_ name: String) throws -> PKDrawing {
    let text = String(decoding: try Corpus.bytes("omniglot/\(name)"), as: UTF8.self)
    var strokes: [[(Double, Double, Double)]] = [[]]
    for line in text.split(whereSeparator: \.isNewline) where line != "START" {
      if line == "BREAK" {
        strokes.append([])
        continue
      }
      let numbers = line.split(separator: ",").compactMap { Double($0) }
      if numbers.count == 3 {
        strokes[strokes.count - 1].append((numbers[0], -numbers[1], numbers[2] / 1000))
      }
    }
    return drawing(strokes)
  }

  /// Half a minute with MyPaint: the pen is down where it has pressure.
  public static func myPaint() throws -> PKDrawing {
    let text = String(
      decoding: try Corpus.bytes("mypaint-events/painting30sec.dat"), as: UTF8.self)
    var strokes: [[(Double, Double, Double)]] = [[]]
    for line in text.split(separator: "\n") {
      let numbers = line.split(separator: " ").compactMap { Double($0) }
      guard numbers.count == 4 else { continue }
      if numbers[3] > 0 {
        strokes[strokes.count - 1].append((numbers[1], numbers[2], numbers[0]))
      } else if strokes.last?.isEmpty == false {
        strokes.append([])
      }
    }
    return drawing(strokes)
  }

  private static func drawing(_ strokes: [[(x: Double, y: Double, time: Double)]]) -> PKDrawing {
    PKDrawing(
      strokes: strokes.filter { !$0.isEmpty }.map { points in
        let start = points[0].time
        return PKStroke(
          ink: PKInk(.pen),
          path: PKStrokePath(
            controlPoints: points.map { point in
              PKStrokePoint(
                location: Point(x: point.x, y: point.y), timeOffset: point.time - start,
                size: Size(width: 4, height: 4), opacity: 1, force: 1, azimuth: 0,
                altitude: .pi / 2)
            }, creationDate: Timestamp(secondsSinceReferenceDate: 7e8 + start)))
      })
  }
}
