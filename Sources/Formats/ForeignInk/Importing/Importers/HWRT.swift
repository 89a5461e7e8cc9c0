import InkFiles
import Graphics
import JSON
import Strokes

/// Reads the symbols of write-math: a list of strokes, each a list of points with x, y and a time.
enum HWRTImporter: InkImporter {
  static func recognizes(_ start: FileStart) -> Bool {
    var json = JSONReader(start.bytes)
    guard json.isAtList() else { return false }
    var (isKnown, strokes) = (false, 0)
    do throws(JSONError) {
      try json.list { (json) throws(JSONError) in
        strokes += 1
        guard strokes < 100, json.isAtList() else { throw json.error("") }
        try json.list { (json) throws(JSONError) in
          var keys: [String] = []
          try json.object { (key, json) throws(JSONError) in
            keys.append(key)
            try json.skip()
          }
          isKnown = ["x", "y", "time"].allSatisfy(keys.contains)
          // The first point shows whether the text has this format.
          throw json.error("")
        }
      }
    } catch {}
    return isKnown
  }

  static func read(_ bytes: [UInt8], _ options: ImportOptions) throws(ImportError) -> ImportedInk {
    // The canvas of a web page: 96 pixels an inch.
    var page = PageBuilder(unit: 72.0 / 96, fileBytes: bytes.count, options)
    var json = JSONReader(bytes)
    guard json.isAtList() else {
      throw ImportError(.expected("a list of strokes"), at: json.offset)
    }
    page.addStrokes(of: &json) { (json, page) throws(JSONError) in
      try readStroke(&json, &page.notes)
    }
    page.notes.add("symbols have no brush: a pen of 3 pixels is taken")
    return ImportedInk([page.page()])
  }

  private static func readStroke(
    _ json: inout JSONReader, _ notes: inout ImportNotes
  ) throws(JSONError) -> ForeignStroke {
    var stroke = ForeignStroke(ink: ForeignBrush.evenPen.ink(.black))
    var timeCount = 0
    try json.list { (json) throws(JSONError) in
      let start = json.offset
      var (x, y): (Double?, Double?)
      var time = Double.nan
      try json.object { (key, json) throws(JSONError) in
        switch key {
        case "x": x = try json.numberOrNull()
        case "y": y = try json.numberOrNull()
        case "time": time = try json.numberOrNull()
        default: try json.skip()
        }
      }
      guard let x, let y else { throw JSONError(reason: "x and y are expected", offset: start) }
      if time.isFinite { timeCount += 1 }
      stroke.points.append(PKStrokePoint(x: x, y: y, width: 3, time: time / 1000))
    }
    if timeCount == stroke.points.count, timeCount > 0 {
      let (start, jumps) = stroke.points.makeTimesRelative()
      stroke.hasTimes = true
      stroke.start = Timestamp(secondsSince1970: start)
      if jumps > 0 { notes.add("times that jump inside a stroke are held", count: jumps) }
    } else {
      for index in stroke.points.indices { stroke.points[index].timeOffset = 0 }
    }
    return stroke
  }
}

extension [PKStrokePoint] {
  /// Makes times of a clock relative to the first point, and returns the time of that point. If the
  /// clock runs back, or jumps by more than a minute inside a stroke, the time is held. There must
  /// be points.
  fileprivate mutating func makeTimesRelative() -> (start: Double, jumps: Int) {
    var (jumps, length) = (0, 0.0)
    let end = self[count - 1].timeOffset
    var later = end
    // The last point has the right time: a jump means that the clock was corrected.
    for index in indices.reversed() {
      let time = self[index].timeOffset
      let step = later - time
      if step >= 0, step <= 60 { length += step } else { jumps += 1 }
      later = time
      self[index].timeOffset = -length
    }
    for index in indices { self[index].timeOffset += length }
    return (end - length, jumps)
  }
}
