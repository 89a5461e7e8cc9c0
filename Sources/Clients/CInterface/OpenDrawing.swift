import InkFiles
import Graphics
import ForeignInk
import Replay
import Strokes
import Threads

/// A page of a file that a caller has opened.
final class OpenDrawing {
  let file: DrawingFile
  /// The visible strokes of the finished drawing.
  let strokes: DrawnStrokes
  let pointCount: Int
  /// The index of each stroke's first point among all points, and the total number.
  let starts: [Int]
  /// Descriptions of the damage.
  let damage: [Block<CChar>]
  let format: Block<CChar>
  private let lazily = ConditionMutex(Lazily())

  /// Values that are computed on first use.
  private struct Lazily {
    var columns: [Int32: Block<Float>] = [:]
    var texts: [String: Block<CChar>] = [:]
    var duration: Double?
  }

  static let maximumByteCount = 1 << 30

  init(_ bytes: [UInt8], as format: DrawingFile.Format?, page: Int) throws(InterfaceError) {
    let file: DrawingFile
    do throws(DrawingFileError) {
      file = try DrawingFile(bytes, as: format, page: page)
    } catch {
      throw InterfaceError(error)
    }
    let strokes = file.strokes()
    self.file = file
    self.strokes = strokes
    var texts: [Block<CChar>] = []
    for each in strokes.damage { texts.append(try Block(text: each.description)) }
    self.damage = texts
    self.format = try Block(text: file.format.rawValue)
    var starts = [0]
    starts.reserveCapacity(strokes.strokeCount + 1)
    for stroke in strokes.strokes { starts.append((starts.last ?? 0) + stroke.path.count) }
    self.starts = starts
    pointCount = starts.last ?? 0
  }

  /// The duration of a replay in seconds; 0 if its events cannot be read.
  var duration: Double {
    lazily.withLock { lazily in
      if let duration = lazily.duration { return duration }
      let source = file.replay().source
      let duration = (try? Timeline(of: source))?.duration ?? 0
      lazily.duration = duration
      return duration
    }
  }

  /// A text of the page as a C string; nil if there is none.
  func text(named name: String) throws(InterfaceError) -> Block<CChar>? {
    try lazily.withLock { lazily throws(InterfaceError) in
      if let text = lazily.texts[name] { return text }
      guard let text = file.canvas.text(named: name) else { return nil }
      let block = try Block<CChar>(text: text)
      lazily.texts[name] = block
      return block
    }
  }

  /// A text that lives as long as the drawing.
  func lasting(_ text: String) throws(InterfaceError) -> Block<CChar> {
    try lazily.withLock { lazily throws(InterfaceError) in
      // The zero byte separates these keys from the names of a page's texts, which have none.
      if let block = lazily.texts["\0" + text] { return block }
      let block = try Block<CChar>(text: text)
      lazily.texts["\0" + text] = block
      return block
    }
  }

  /// The values of a column; nil if there is no column of this number.
  func column(_ number: Int32) throws(InterfaceError) -> Block<Float>? {
    guard let value = Self.values[number] else { return nil }
    return try lazily.withLock { lazily throws(InterfaceError) in
      if let column = lazily.columns[number] { return column }
      let column = try Block<Float>(uninitialized: pointCount)
      var next = column.base
      for stroke in strokes.strokes {
        for point in stroke.path {
          next.initialize(to: Float(value(point)))
          next += 1
        }
      }
      lazily.columns[number] = column
      return column
    }
  }

  /// The columns by their numbers in the header.
  private static let values: [Int32: @Sendable (PKStrokePoint) -> Double] = [
    0: { $0.location.x }, 1: { $0.location.y }, 2: { $0.timeOffset }, 3: { $0.size.width },
    4: { $0.size.height }, 5: { $0.force }, 6: { $0.azimuth }, 7: { $0.altitude },
    8: { $0.opacity },
  ]
}
