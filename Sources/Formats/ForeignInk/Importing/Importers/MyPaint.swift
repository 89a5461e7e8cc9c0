import InkFiles
import Graphics
import Strokes

/// Reads MyPaint's logs of pen events: lines of seconds, x, y and pressure.
enum MyPaintImporter: InkImporter {
  static func recognizes(_ start: FileStart) -> Bool {
    // A fast check, which most files fail.
    guard let first = start.bytes.first, (48...57).contains(first) else { return false }
    let lines = start.lines.prefix(8)
    return lines.count > 1 && lines.allSatisfy { Event($0) != nil }
  }

  static func read(_ bytes: [UInt8], _ options: ImportOptions) throws(ImportError) -> ImportedInk {
    // Screens of 96 pixels an inch.
    var page = PageBuilder(unit: 72.0 / 96, fileBytes: bytes.count, options)
    var stroke: ForeignStroke?
    for (index, line) in bytes.split(separator: UInt8(ascii: "\n")).enumerated() {
      guard let event = Event(line) else {
        page.damage.append(
          ImportError(.expected("a line of time, x, y and pressure"), at: .line(index + 1)))
        continue
      }
      // A pen without pressure is above the page.
      guard event.pressure > 0 else {
        if let stroke { try page.add(stroke) }
        stroke = nil
        continue
      }
      let start = stroke?.start ?? .referenceDate + event.time
      if stroke == nil {
        stroke = ForeignStroke(ink: ForeignBrush.pen.ink(.black), start: start, hasTimes: true)
      }
      stroke?.points.append(
        PKStrokePoint(
          x: event.x, y: event.y, width: Self.width(event.pressure),
          time: .referenceDate + event.time - start, force: event.pressure * 2))
    }
    if let stroke { try page.add(stroke) }
    page.notes.add("the log has no brush: a pen from 0 to 8 pixels by pressure is taken")
    return ImportedInk([page.page()])
  }

  private static func width(_ pressure: Double) -> Double { 8 * min(max(pressure, 0), 1) }

  /// A line of the log.
  private struct Event {
    let time, x, y, pressure: Double

    init?(_ line: some Sequence<UInt8>) {
      let values = Array(line).split { $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }
      guard values.count == 4 else { return nil }
      let numbers = values.compactMap { Double(String(decoding: $0, as: UTF8.self)) }
      guard numbers.count == 4, numbers.allSatisfy(\.isFinite) else { return nil }
      (time, x, y, pressure) = (numbers[0], numbers[1], numbers[2], numbers[3])
    }
  }
}
