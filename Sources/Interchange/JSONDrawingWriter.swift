import JSON
import Graphics
public import Strokes

/// Writes a drawing as JSON that holds all of it: what is read back is the same drawing, and what
/// came from an archive can go back there byte for byte. `docs/formats/json.md` describes the form.
public enum JSONDrawingWriter {
  /// The version of the form.
  public static let version = 1

  /// The drawing as UTF-8 text.
  public static func encode(_ drawing: PKDrawing) -> [UInt8] {
    var json = JSONWriter()
    json.object(long: true) { json in
      json.key("format")
      json.value(JSONDrawingReader.formatName)
      json.key("version")
      json.value(version)
      if let residue = drawing.residue {
        json.key("archive")
        json.object { json in
          json.key("form")
          json.value(residue.form.rawValue)
          json.key("outline")
          json.value(Base64.encode(residue.bytes))
        }
      }
      json.key("strokes")
      json.list(long: true) { json in
        var effort = Effort()
        for stroke in drawing.strokes { write(stroke, effort: &effort, into: &json) }
      }
    }
    json.finish()
    return json.bytes
  }

  /// What is spent on values that the text could go without. Drawings made by hand do not use it up.
  private struct Effort {
    /// How many points may be written again for a piece of the same stroke.
    var repeatedPoints = 50_000
    /// How many comparisons of a path with a mask may be made to tell the ranges inside.
    var comparisons = 50_000_000
    /// The last stroke that was written with its points.
    var last: PKStroke?

    /// The stroke before that has the same path, where it need not be written once more.
    mutating func pointsOf(_ stroke: PKStroke) -> Identifier? {
      guard let last, let parent = stroke.parentID, parent == last.parentID,
        stroke.path.columns == last.path.columns
      else {
        last = stroke
        return nil
      }
      repeatedPoints -= stroke.path.count
      return repeatedPoints < 0 ? last.id : nil
    }

    /// The ranges of a stroke inside its mask, unless they are too much work.
    mutating func ranges(of stroke: PKStroke) -> [ClosedRange<Double>]? {
      if let ranges = stroke.archivedMaskRanges { return ranges }
      guard let mask = stroke.mask else { return stroke.maskedPathRanges }
      comparisons -= stroke.path.count * mask.elements.count
      return comparisons < 0 ? nil : stroke.maskedPathRanges
    }
  }

  private static func write(
    _ stroke: PKStroke, effort: inout Effort, into json: inout JSONWriter
  ) {
    json.object(long: true) { json in
      json.key("id")
      json.value(stroke.id.description)
      json.key("ink")
      write(stroke.ink, into: &json)
      json.key("date")
      write(stroke.path.creationDate, into: &json)
      json.key("seed")
      json.value(Int(stroke.randomSeed))
      write(stroke.transform, into: &json)
      writeMask(of: stroke, effort: &effort, into: &json)
      writeTies(of: stroke, into: &json)
      if let other = effort.pointsOf(stroke) {
        json.key("pointsOf")
        json.value(other.description)
      } else {
        writePoints(of: stroke.path, into: &json)
      }
    }
  }

  static func write(_ transform: AffineTransform, into json: inout JSONWriter) {
    let t = transform
    json.key("transform")
    json.list([t.a, t.b, t.c, t.d, t.tx, t.ty])
  }

  /// What a stroke has to do with others, and the box that an archive gave for it.
  static func writeTies(of stroke: PKStroke, into json: inout JSONWriter) {
    if let group = stroke.renderGroupID {
      json.key("group")
      json.value(group.description)
    }
    if let parent = stroke.parentID {
      json.key("pieceOf")
      json.value(parent.description)
    }
    if let bounds = stroke.archivedBounds { write(bounds, into: &json) }
  }

  /// The corner and the extent of a box, or its sides where the sum of both is not they.
  private static func write(_ bounds: Rect, into json: inout JSONWriter) {
    let sides = [bounds.minX, bounds.minY, bounds.maxX, bounds.maxY]
    let told = Rect(x: bounds.minX, y: bounds.minY, width: bounds.width, height: bounds.height)
    let isTold = zip(sides, [told.minX, told.minY, told.maxX, told.maxY])
      .allSatisfy { $0.bitPattern == $1.bitPattern }
    json.key(isTold ? "bounds" : "sides")
    json.list(isTold ? [bounds.minX, bounds.minY, bounds.width, bounds.height] : sides)
  }

  static func write(_ ink: PKInk, into json: inout JSONWriter) {
    json.object { json in
      json.key("type")
      json.value(ink.inkType.name)
      write(ink.color, into: &json)
      if ink.widthLaw != .pencilKit {
        json.key("widthLaw")
        json.value(ink.widthLaw.rawValue)
      }
    }
  }

  /// The fields of a colour.
  static func write(_ color: Color, into json: inout JSONWriter) {
    json.key("color")
    json.list([color.red, color.green, color.blue, color.alpha])
    if color.space != .sRGB {
      json.key("colorSpace")
      json.value(color.space.rawValue)
    }
  }

  /// A moment as ISO 8601 where that reads back to the same one, in seconds since 2001 elsewhere.
  static func write(_ date: Timestamp, into json: inout JSONWriter) {
    // −0 is a moment's number too, and no text of one.
    let bits = date.secondsSinceReferenceDate.bitPattern
    if let text = date.iso8601,
      Timestamp(iso8601: text)?.secondsSinceReferenceDate.bitPattern == bits
    {
      json.value(text)
    } else {
      json.value(date.secondsSinceReferenceDate)
    }
  }

  private static func writeMask(
    of stroke: PKStroke, effort: inout Effort, into json: inout JSONWriter
  ) {
    let polygons = stroke.mask?.flattened(tolerance: 0.01) ?? []
    json.key("masks")
    json.list { json in
      // Middles of curves may lie beyond all numbers though their ends do not; the path tells them.
      for polygon in polygons where polygon.allSatisfy(\.isFinite) {
        json.list { json in
          for point in polygon { json.list([point.x, point.y]) }
        }
      }
    }
    if let mask = stroke.mask,
      mask.isEmpty || Path(polygons: polygons) != mask
    {
      json.key("maskPath")
      json.value(PathText.encode(mask))
      if mask.fillRule == .evenOdd {
        json.key("maskRule")
        json.value("evenodd")
      }
    }
    if let ranges = effort.ranges(of: stroke) {
      json.key("ranges")
      json.list { json in
        for range in ranges { json.list([range.lowerBound, range.upperBound]) }
      }
    }
    if stroke.mask == nil, stroke.archivedMaskRanges != nil {
      json.key("rangesFromArchive")
      json.value(true)
    }
    if stroke.isPartial {
      json.key("part")
      json.list([stroke.visiblePathRange.lowerBound, stroke.visiblePathRange.upperBound])
    }
  }

  private static func writePoints(of path: PKStrokePath, into json: inout JSONWriter) {
    let columns = path.columns
    writeForm(of: columns, into: &json)
    json.key("points")
    json.list(long: true) { json in
      for index in 0..<columns.count { write(columns[index], of: columns, into: &json) }
    }
  }

  /// How columns are stored, where that is not what the points say.
  static func writeForm(of columns: PointColumns, into json: inout JSONWriter) {
    if columns.scale != .current {
      json.key("scale")
      json.value(columns.scale.name)
    }
    if columns.changing != columns.varying || columns.present != .all {
      json.key("channels")
      json.object { json in
        json.key("varying")
        json.value(Int(columns.varying.rawValue))
        json.key("present")
        json.value(Int(columns.present.rawValue))
      }
    }
  }

  private static func write(
    _ stored: StoredPoint, of columns: PointColumns, into json: inout JSONWriter
  ) {
    let point = PKStrokePoint(stored, scale: columns.scale)
    json.object { json in
      func field(_ name: String, _ value: Double) {
        json.key(name)
        json.value(value)
      }
      field("x", point.location.x)
      field("y", point.location.y)
      field("t", point.timeOffset)
      field("w", point.size.width)
      field("h", point.size.height)
      field("opacity", point.opacity)
      field("force", point.force)
      field("azimuth", point.azimuth)
      field("altitude", point.altitude)
      field("secondaryScale", point.secondaryScale)
      field("threshold", point.threshold)
      if point.edgeWidth != 0 { field("edge", point.edgeWidth) }
      if point.lateralJitter != 1 { field("jitter", point.lateralJitter) }
      // A point without width says nothing of what is stored as a part of it. A secondary width is
      // told too where one is stored, or none, against what is said of the channel.
      let (aspect, secondary) = (stored[word: .aspect], stored[float: .secondaryWidth])
      let hasNoWidth = point.size.width == 0
      if hasNoWidth, aspect != 1000 { field("aspect", Double(aspect)) }
      let isPresent = columns.present.contains(.secondaryWidth)
      if secondary == StoredPoint.noSecondaryWidth
        ? isPresent
        : !isPresent || hasNoWidth && secondary.bitPattern != stored[float: .width].bitPattern
      {
        field("secondaryWidth", Double(secondary))
      }
    }
  }
}

extension PointScale {
  var name: String {
    switch self {
    case .current: "current"
    case .notes2018: "notes2018"
    }
  }
}
