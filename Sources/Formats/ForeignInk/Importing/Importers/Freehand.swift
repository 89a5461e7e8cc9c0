import InkFiles
import Graphics
import JSON
import Strokes

/// Reads the input of perfect-freehand: lists of points, each a stroke. A file is one list, or an
/// object with lists.
enum FreehandImporter: InkImporter {
  static func recognizes(_ start: FileStart) -> Bool {
    var json = JSONReader(start.bytes)
    var isKnown = false
    do throws(JSONError) {
      if json.isAtList() {
        isKnown = try beginsWithPoint(&json)
      } else {
        var lists = 0
        try json.object { (_, json) throws(JSONError) in
          lists += 1
          guard lists < 100, json.isAtList() else { throw json.error("") }
          // Empty lists do not show the format.
          isKnown = try beginsWithPoint(&json)
          if isKnown { throw json.error("") }
        }
      }
    } catch {}
    return isKnown
  }

  /// Whether a list begins with a point; it is only read to the end if it is empty.
  private static func beginsWithPoint(_ json: inout JSONReader) throws(JSONError) -> Bool {
    var copy = json
    var point: FreehandPoint?
    do throws(JSONError) {
      try copy.list { (json) throws(JSONError) in
        point = try FreehandPoint(&json)
        throw json.error("")
      }
    } catch {
      guard point != nil else { throw error }
      return true
    }
    json = copy
    return false
  }

  static func read(_ bytes: [UInt8], _ options: ImportOptions) throws(ImportError) -> ImportedInk {
    var json = JSONReader(bytes)
    let reader = json
    var pages: [JSONPage] = []
    var notes = ImportNotes()
    var failure: ImportError?
    if json.isAtList() {
      pages = [JSONPage(offset: json.offset)]
    } else {
      do throws(JSONError) {
        try json.object { (key, json) throws(JSONError) in
          if json.isAtList() {
            pages.append(JSONPage(name: key, offset: json.offset))
          } else {
            notes.add("values that are no lists are left out")
          }
          try json.skip()
        }
      } catch {
        failure = ImportError(error)
      }
    }
    guard !pages.isEmpty else {
      throw failure ?? ImportError(.missing("a list of points"), at: 0)
    }
    let (found, count) = (pages, bytes.count)
    return ImportedInk(pageCount: found.count, notes: notes) { index in
      var page = PageBuilder(unit: 72.0 / 96, page: index, fileBytes: count, options)
      var json = reader.value(at: found[index].offset)
      readStroke(&json, &page)
      return page.page(name: found[index].name)
    }
  }

  private static func readStroke(_ json: inout JSONReader, _ page: inout PageBuilder) {
    var stroke = ForeignStroke(ink: ForeignBrush.pen.ink(.black))
    var (timeCount, hasPressure) = (0, false)
    do throws(JSONError) {
      try json.list { (json) throws(JSONError) in
        var point: FreehandPoint?
        let error = try json.attempt { (json) throws(JSONError) in
          point = try FreehandPoint(&json)
        }
        guard let point else {
          if let error { page.add(ImportError(error)) }
          return
        }
        if point.time.isFinite { timeCount += 1 }
        // Devices without a sensor report 0.5.
        if point.pressure.isFinite, point.pressure != 0.5 { hasPressure = true }
        stroke.points.append(
          PKStrokePoint(
            x: point.x, y: point.y, width: 0, time: point.time / 1000, force: point.pressure))
      }
    } catch {
      page.add(ImportError(error))
    }
    stroke.hasTimes = timeCount > 0 && timeCount == stroke.points.count
    if !stroke.hasTimes {
      for index in stroke.points.indices { stroke.points[index].timeOffset = 0 }
    }
    // The library's default options.
    FreehandPen(size: 16, thinning: 0.5, simulatesPressure: !hasPressure).draw(&stroke.points)
    page.notes.add("the lists have no brush: perfect-freehand's own, 16 pixels wide, is taken")
    do throws(ImportError) {
      try page.add(stroke)
    } catch {
      page.add(error)
    }
  }
}

/// A point as perfect-freehand accepts it: `[x, y]`, `[x, y, pressure]`, either with a time in
/// milliseconds after the pressure, or an object.
private struct FreehandPoint {
  var x = 0.0
  var y = 0.0
  /// From 0 to 1; NaN if missing.
  var pressure = Double.nan
  /// In milliseconds; NaN if missing.
  var time = Double.nan

  init(_ json: inout JSONReader) throws(JSONError) {
    let start = json.offset
    func error() -> JSONError { JSONError(reason: "a point is expected", offset: start) }
    if json.isAtList() {
      let (values, count) = try json.coordinates()
      guard (2...4).contains(count) else { throw error() }
      (x, y) = (values[0], values[1])
      if count > 2 { pressure = values[2] }
      if count > 3 { time = values[3] }
      return
    }
    var places = 0
    var (x, y, pressure) = (0.0, 0.0, Double.nan)
    try json.object { (key, json) throws(JSONError) in
      switch key {
      case "x":
        x = try json.numberOrNull()
        places |= 1
      case "y":
        y = try json.numberOrNull()
        places |= 2
      case "pressure": pressure = try json.numberOrNull()
      default: try json.skip()
      }
    }
    guard places == 3 else { throw error() }
    (self.x, self.y, self.pressure) = (x, y, pressure)
  }
}
