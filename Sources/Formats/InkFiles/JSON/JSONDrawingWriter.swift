import JSON
import Graphics
public import Strokes

/// Writes a drawing as JSON without any loss. Reading the text gives the same drawing on the same
/// page, with its events and words. A drawing that came from an archive can be written as that
/// archive again, byte for byte. `docs/formats/json.md` describes the format.
public enum JSONDrawingWriter {
  /// The version of the format.
  public static let version = 1

  /// Encodes a drawing as UTF-8 text.
  public static func encode(_ drawing: PKDrawing) -> [UInt8] { encode(InkContents(drawing)) }

  /// Encodes a drawing as UTF-8 text, with its page, events and words. Events that only draw one
  /// stroke after the other are left out: readers derive them from the strokes.
  public static func encode(_ contents: InkContents) -> [UInt8] {
    let (drawing, canvas) = (contents.drawing, contents.canvas)
    var json = JSONWriter()
    json.object(long: true) { json in
      json.field("format", JSONDrawingReader.formatName)
      json.field("version", version)
      if canvas != Recording.Canvas() {
        json.key("canvas")
        write(canvas, into: &json)
      }
      if let words = contents.words { write(words, into: &json) }
      if let residue = drawing.residue {
        json.object("archive") { json in
          json.field("form", residue.form.rawValue)
          json.field("outline", Base64.encode(residue.bytes))
        }
      }
      json.list("strokes", long: true) { json in
        var budget = Budget()
        for stroke in drawing.strokes { write(stroke, budget: &budget, into: &json) }
      }
      if let events = contents.events, events != Recording(drawing).events {
        json.list("events", long: true) { json in
          var writer = EventStreamWriter(behind: drawing.strokes)
          for event in events { writer.write(event, into: &json) }
        }
      }
    }
    json.finish()
    return json.bytes
  }

  /// Writes a page: its size, background and texts.
  static func write(_ canvas: Recording.Canvas, into json: inout JSONWriter) {
    json.object { json in
      if let size = canvas.size {
        json.key("size")
        json.list([size.width, size.height])
      }
      if let background = canvas.background {
        json.object("background") { write(background, into: &$0) }
      }
      if !canvas.texts.isEmpty {
        json.object("metadata") { json in
          for text in canvas.texts {
            json.field(text.name, text.text)
          }
        }
      }
    }
  }

  private static func write(_ words: RecognizedText, into json: inout JSONWriter) {
    json.object("text") { json in
      for (name, value) in [
        ("recognizer", words.recognizer), ("version", words.version), ("language", words.language),
      ] {
        json.field(name, value)
      }
      json.list("words", words.words, long: true) { json, word in
        json.object { json in
          json.field("text", word.text)
          json.key("sides")
          json.list([word.box.minX, word.box.minY, word.box.maxX, word.box.maxY])
          json.list("strokes", word.strokes) { json, id in json.value(id.description) }
        }
      }
    }
  }

  /// A budget for values that readers do not need. Drawings made by hand stay within it.
  private struct Budget {
    /// The number of points that may be repeated for pieces of the same stroke.
    var repeatedPoints = 50_000
    /// The number of comparisons of a path with a mask that may be made to find the ranges inside.
    var comparisons = 50_000_000
    /// The last stroke that was written with its points.
    var last: PKStroke?

    /// The previous stroke, if it has the same path and the budget is used up. Nil if the points
    /// must be written.
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

    /// The ranges of a stroke inside its mask; nil if the budget is used up.
    mutating func ranges(of stroke: PKStroke) -> [ClosedRange<Double>]? {
      if let ranges = stroke.archivedMaskRanges { return ranges }
      guard let mask = stroke.mask else { return stroke.maskedPathRanges }
      comparisons -= stroke.path.count * mask.elements.count
      return comparisons < 0 ? nil : stroke.maskedPathRanges
    }
  }

  private static func write(
    _ stroke: PKStroke, budget: inout Budget, into json: inout JSONWriter
  ) {
    json.object(long: true) { json in
      json.field("id", stroke.id.description)
      json.key("ink")
      write(stroke.ink, into: &json)
      json.key("date")
      write(stroke.path.creationDate, into: &json)
      json.field("seed", Int(stroke.randomSeed))
      write(stroke.transform, into: &json)
      writeMask(of: stroke, budget: &budget, into: &json)
      writeRelations(of: stroke, into: &json)
      if let other = budget.pointsOf(stroke) {
        json.field("pointsOf", other.description)
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

  /// Writes a stroke's group and parent, and the box that an archive gave for it.
  static func writeRelations(of stroke: PKStroke, into json: inout JSONWriter) {
    if let group = stroke.renderGroupID {
      json.field("group", group.description)
    }
    if let parent = stroke.parentID {
      json.field("pieceOf", parent.description)
    }
    if let bounds = stroke.archivedBounds { write(bounds, into: &json) }
  }

  /// Writes the corner and size of a box, or its sides if their sums are not exactly the sides.
  private static func write(_ bounds: Rect, into json: inout JSONWriter) {
    let sides = [bounds.minX, bounds.minY, bounds.maxX, bounds.maxY]
    let restored = Rect(x: bounds.minX, y: bounds.minY, width: bounds.width, height: bounds.height)
    let isExact = zip(sides, [restored.minX, restored.minY, restored.maxX, restored.maxY])
      .allSatisfy { $0.bitPattern == $1.bitPattern }
    json.key(isExact ? "bounds" : "sides")
    json.list(isExact ? [bounds.minX, bounds.minY, bounds.width, bounds.height] : sides)
  }

  static func write(_ ink: PKInk, into json: inout JSONWriter) {
    json.object { json in
      json.field("type", ink.inkType.name)
      write(ink.color, into: &json)
      if ink.widthLaw != .pencilKit {
        json.field("widthLaw", ink.widthLaw.rawValue)
      }
    }
  }

  /// Writes the fields of a colour into an object.
  static func write(_ color: Color, into json: inout JSONWriter) {
    json.key("color")
    json.list([color.red, color.green, color.blue, color.alpha])
    if color.space != .sRGB {
      json.field("colorSpace", color.space.rawValue)
    }
  }

  /// Writes a moment as ISO 8601 if that reads back exactly, else in seconds since 2001.
  static func write(_ date: Timestamp, into json: inout JSONWriter) {
    // The bits are compared, since −0 seconds have no ISO 8601 text.
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
    of stroke: PKStroke, budget: inout Budget, into json: inout JSONWriter
  ) {
    let polygons = stroke.mask?.flattened(tolerance: 0.01) ?? []
    json.list("masks") { json in
      // Points inside a curve may overflow to infinity although its ends are finite; `maskPath` has
      // the curve then.
      for polygon in polygons where polygon.allSatisfy(\.isFinite) {
        json.list { json in
          for point in polygon { json.list([point.x, point.y]) }
        }
      }
    }
    if let mask = stroke.mask,
      mask.isEmpty || Path(polygons: polygons) != mask
    {
      json.field("maskPath", PathText.encode(mask))
      if mask.fillRule == .evenOdd {
        json.field("maskRule", "evenodd")
      }
    }
    if let ranges = budget.ranges(of: stroke) {
      json.list("ranges", ranges) { json, range in json.list([range.lowerBound, range.upperBound]) }
    }
    if stroke.mask == nil, stroke.archivedMaskRanges != nil {
      json.field("rangesFromArchive", true)
    }
    if stroke.isPartial {
      json.key("part")
      // Not clamped to the path: the range in an archive may extend a little beyond it.
      let part = stroke.pathRange.upperBound.isFinite ? stroke.pathRange : stroke.visiblePathRange
      json.list([part.lowerBound, part.upperBound])
    }
  }

  private static func writePoints(of path: PKStrokePath, into json: inout JSONWriter) {
    let columns = path.columns
    writeStorage(of: columns, into: &json)
    json.list("points", 0..<columns.count, long: true) { json, index in
      write(columns[index], of: columns, into: &json)
    }
  }

  /// Writes the storage form of columns where it does not follow from the points.
  static func writeStorage(of columns: PointColumns, into json: inout JSONWriter) {
    if columns.scale != .current {
      json.field("scale", columns.scale.name)
    }
    if columns.changing != columns.varying || columns.present != .all {
      json.object("channels") { json in
        json.field("varying", Int(columns.varying.rawValue))
        json.field("present", Int(columns.present.rawValue))
      }
    }
  }

  private static func write(
    _ stored: StoredPoint, of columns: PointColumns, into json: inout JSONWriter
  ) {
    let point = PKStrokePoint(stored, scale: columns.scale)
    json.object { json in
      func field(_ name: String, _ value: Double) {
        json.field(name, value)
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
      // Values that are stored as ratios to the width are lost in a point without width, so they
      // are written as stored. So is a secondary width that is stored although the channel is not
      // present, or not stored although the channel is.
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
  /// The name in the text.
  var name: String {
    switch self {
    case .current: "current"
    case .notes2018: "notes2018"
    }
  }
}
