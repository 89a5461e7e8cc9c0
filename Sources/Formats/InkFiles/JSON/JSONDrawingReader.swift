public import JSON
import Graphics
import PKDFormat
import PencilKitArchive
public import Strokes

/// Reads the JSON that `JSONDrawingWriter` writes, and simpler texts of the same format: everything
/// but the points' `x` and `y` has a default, and unknown keys are skipped.
public enum JSONDrawingReader {
  package static let formatName = "pentimento-drawing"

  /// Reads a drawing from UTF-8 text. Throws for text that is not a drawing of this format or that
  /// describes more strokes than a text of its size can.
  public static func decode(_ bytes: [UInt8]) throws(JSONError) -> PKDrawing {
    try read(bytes).drawing
  }

  /// Reads a whole text.
  static func read(_ bytes: [UInt8]) throws(JSONError) -> InkContents {
    var json = JSONReader(bytes)
    var (canvas, words) = (Recording.Canvas(), RecognizedText?.none)
    var strokes: [PKStroke]?
    var paths = PathTable(allowance: ReadingAllowance(byteCount: bytes.count))
    var residue: ArchiveResidue?
    var residueOffset = 0
    var eventReader: JSONReader?
    try json.object { (key, json) throws(JSONError) in
      switch key {
      case "format":
        let error = json.error("the format is not \(formatName)")
        guard try json.string() == formatName else { throw error }
      case "version":
        let error = json.error("the version must be a whole number from 1 on")
        let newer = json.error("the version is newer than \(JSONDrawingWriter.version)")
        let version = try json.number()
        guard version >= 1, version.rounded() == version else { throw error }
        guard version <= Double(JSONDrawingWriter.version) else { throw newer }
      case "canvas": canvas = try readCanvas(&json)
      case "text": words = try readWords(&json)
      case "archive":
        residueOffset = json.offset
        residue = try readResidue(&json)
      case "strokes":
        var list: [PKStroke] = []
        try json.list { (json) throws(JSONError) in
          list.append(try readStroke(&json, index: list.count, paths: &paths))
        }
        strokes = list
      case "events":
        // Read last: events may refer to strokes that come later in the text.
        eventReader = json
        try json.skip()
      default: try json.skip()
      }
    }
    try json.end()
    guard let strokes else { throw JSONError(reason: "there is no list of strokes", offset: 0) }
    var drawing = PKDrawing(strokes: strokes)
    drawing.residue = residue
    guard drawing.hasIntactResidue else {
      throw JSONError(reason: "the archive's outline is damaged", offset: residueOffset)
    }
    var events: [Recording.Event]?
    if var eventReader {
      let error = eventReader.error(
        "the events lead to other strokes than the list has; without events, the list is read alone"
      )
      let (read, drawn) = try EventStreamReader.readEvents(
        &eventReader, byteCount: bytes.count, behind: strokes)
      // Two different lists of strokes cannot both be the drawing.
      guard drawn.elementsEqual(strokes, by: { $0.id == $1.id && $0.path == $1.path }) else {
        throw error
      }
      events = read
    }
    return InkContents(
      DrawnStrokes(drawing), on: canvas,
      history: events.map { RecordedStrokes($0, canvas: canvas) }, words: words)
  }

  private static func readWords(_ json: inout JSONReader) throws(JSONError) -> RecognizedText {
    let limits = PKDLimits()
    let tooMany = json.error("there are more than \(limits.words) words")
    func text(_ json: inout JSONReader) throws(JSONError) -> String {
      let error = json.error("a text is too long")
      let text = try json.string()
      guard text.utf8.count <= limits.textBytes else { throw error }
      return text
    }
    var words = RecognizedText()
    try json.object { (key, json) throws(JSONError) in
      switch key {
      case "recognizer": words.recognizer = try text(&json)
      case "version": words.version = try text(&json)
      case "language": words.language = try text(&json)
      case "words":
        try json.list { (json) throws(JSONError) in
          guard words.words.count < limits.words else { throw tooMany }
          var word = RecognizedText.Word("", box: .zero)
          try json.object { (key, json) throws(JSONError) in
            switch key {
            case "text": word.text = try text(&json)
            case "sides":
              let v = try json.numbers(count: 4)
              word.box = Rect(from: Point(x: v[0], y: v[1]), to: Point(x: v[2], y: v[3]))
            case "strokes":
              try json.list { (json) throws(JSONError) in word.strokes.append(try identifier(&json))
              }
            default: try json.skip()
            }
          }
          words.words.append(word)
        }
      default: try json.skip()
      }
    }
    return words
  }

  static func readCanvas(_ json: inout JSONReader) throws(JSONError) -> Recording.Canvas {
    let limits = PKDLimits()
    var canvas = Recording.Canvas()
    try json.object { (key, json) throws(JSONError) in
      switch key {
      case "size":
        let error = json.error(
          "a page's sides must be from 0 to \(Int(limits.canvasSide)) points long")
        let v = try json.numbers(count: 2)
        guard v.allSatisfy({ (0...limits.canvasSide).contains($0) }) else { throw error }
        canvas.size = Size(width: v[0], height: v[1])
      case "background":
        var color = Color.black
        try json.object { (key, json) throws(JSONError) in
          switch key {
          case "color", "colorSpace":
            try readColor(key, into: &color, from: &json)
          default: try json.skip()
          }
        }
        canvas.background = color
      case "metadata":
        try json.object { (key, json) throws(JSONError) in
          let error = json.error("a text is too long")
          let text = try json.string()
          guard max(key.utf8.count, text.utf8.count) <= limits.textBytes else { throw error }
          canvas.setText(text, named: key)
        }
      default: try json.skip()
      }
    }
    return canvas
  }

  private static func readResidue(_ json: inout JSONReader) throws(JSONError) -> ArchiveResidue {
    let error = json.error("the archive's outline is damaged")
    var form: ArchiveResidue.Form?
    var bytes: [UInt8]?
    try json.object { (key, json) throws(JSONError) in
      switch key {
      case "form": form = ArchiveResidue.Form(rawValue: try json.string())
      case "outline": bytes = Base64.decode(try json.string())
      default: try json.skip()
      }
    }
    guard let form, let bytes, let residue = ArchiveResidue(checking: bytes, as: form) else {
      throw error
    }
    return residue
  }

  // MARK: - Strokes

  /// The fields of a stroke, whose keys may come in any order.
  struct Fields {
    var identifier: Identifier?
    var ink = PKInk(.pen)
    var date = Timestamp.referenceDate
    var seed: UInt32 = 0
    var transform = AffineTransform.identity
    var masks: [[Point]] = []
    var maskPath: Path?
    var maskRule = Path.FillRule.nonZero
    var ranges: [ClosedRange<Double>]?
    var rangesFromArchive = false
    var part: ClosedRange<Double>?
    var group: Identifier?
    var parent: Identifier?
    var bounds: Rect?
    var scale = PointScale.current
    var channels: (varying: PointChannels, present: PointChannels)?
    var pointsOf: Identifier?

    var form: PointForm {
      PointForm(
        scale: scale, hasSecondaryWidth: channels?.present.contains(.secondaryWidth) ?? true)
    }
  }

  /// How points are stored.
  struct PointForm: Equatable {
    let scale: PointScale
    let hasSecondaryWidth: Bool
  }

  /// The points of strokes that were read, which pieces of the same stroke can share.
  private struct PathTable {
    var allowance: ReadingAllowance
    var columns: [Identifier: PointColumns] = [:]
    var points = PointList()
  }

  /// Memory for the points of a stroke.
  private struct PointList {
    var points: [StoredPoint] = []
    var row = NumberRow(fieldNames)
  }

  private static func readStroke(
    _ json: inout JSONReader, index: Int, paths: inout PathTable
  ) throws(JSONError) -> PKStroke {
    let start = json.offset
    var fields = Fields()
    var pointsReader: JSONReader?
    // The form of the points that were read; nil if they have to be read again.
    var form: PointForm?
    try json.object { (key, json) throws(JSONError) in
      guard key == "points" else { return try read(key, into: &fields, from: &json) }
      // The form of the points may follow them, and errors in what follows come first.
      pointsReader = json
      form = fields.form
      let error = try json.attempt { (json) throws(JSONError) in
        try readPoints(&json, fields.form, into: &paths.points)
      }
      if error != nil { form = nil }
    }
    let identifier = fields.identifier ?? Identifier.zero.derived("json", index)
    let columns: PointColumns
    if var pointsReader {
      if form != fields.form {
        try readPoints(&pointsReader, fields.form, into: &paths.points)
      }
      columns = self.columns(paths.points.points, fields)
      if fields.parent != nil { paths.columns[identifier] = columns }
    } else {
      guard let shared = fields.pointsOf.flatMap({ paths.columns[$0] }) else {
        throw JSONError(reason: "a stroke has no points", offset: start)
      }
      columns = shared
    }
    guard paths.allowance.allows(strokeOf: columns.count) else {
      throw JSONError(
        reason: "there are more strokes than a file of this size can describe", offset: start)
    }
    return stroke(identifier, fields, columns)
  }

  /// Reads the value of a stroke's key; an unknown one is skipped.
  static func read(
    _ key: String, into fields: inout Fields, from json: inout JSONReader
  ) throws(JSONError) {
    switch key {
    case "id": fields.identifier = try identifier(&json)
    case "ink": fields.ink = try readInk(&json)
    case "date": fields.date = try readDate(&json)
    case "seed": fields.seed = UInt32(try json.integer(in: 0...Int(UInt32.max)))
    case "transform":
      let v = try json.numbers(count: 6)
      fields.transform = AffineTransform(a: v[0], b: v[1], c: v[2], d: v[3], tx: v[4], ty: v[5])
    case "masks":
      try json.list { (json) throws(JSONError) in
        var polygon: [Point] = []
        try json.list { (json) throws(JSONError) in
          let v = try json.numbers(count: 2)
          polygon.append(Point(x: v[0], y: v[1]))
        }
        fields.masks.append(polygon)
      }
    case "maskPath":
      let error = json.error("the mask's path is not valid")
      guard let path = PathText.decode(try json.string()) else { throw error }
      fields.maskPath = path
    case "maskRule":
      let error = json.error("the mask's rule is not known")
      switch try json.string() {
      case "nonzero": fields.maskRule = .nonZero
      case "evenodd": fields.maskRule = .evenOdd
      default: throw error
      }
    case "ranges":
      var ranges: [ClosedRange<Double>] = []
      try json.list { (json) throws(JSONError) in ranges.append(try range(&json)) }
      fields.ranges = ranges
    case "rangesFromArchive":
      fields.rangesFromArchive = json.peek() == UInt8(ascii: "t")
      try json.skip()
    case "part": fields.part = try range(&json)
    case "group": fields.group = try identifier(&json)
    case "pointsOf": fields.pointsOf = try identifier(&json)
    case "pieceOf": fields.parent = try identifier(&json)
    case "bounds":
      let v = try json.numbers(count: 4)
      fields.bounds = Rect(x: v[0], y: v[1], width: v[2], height: v[3])
    case "sides":
      let v = try json.numbers(count: 4)
      fields.bounds = Rect(from: Point(x: v[0], y: v[1]), to: Point(x: v[2], y: v[3]))
    case "scale":
      let error = json.error("the scale is not known")
      let name = try json.string()
      guard let scale = PointScale.allCases.first(where: { $0.name == name }) else { throw error }
      fields.scale = scale
    case "channels": fields.channels = try readChannels(&json)
    default: try json.skip()
    }
  }

  static func columns(_ points: [StoredPoint], _ fields: Fields) -> PointColumns {
    let columns = PointColumns(points, scale: fields.scale)
    guard let (varying, present) = fields.channels else { return columns }
    return columns.storing(varying, present: present)
  }

  static func stroke(
    _ identifier: Identifier, _ fields: Fields, _ columns: PointColumns
  ) -> PKStroke {
    var mask = fields.maskPath
    if mask == nil, !fields.masks.isEmpty { mask = Path(polygons: fields.masks) }
    mask?.fillRule = fields.maskRule
    var stroke = PKStroke(
      ink: fields.ink, path: PKStrokePath(columns: columns, creationDate: fields.date),
      transform: fields.transform, mask: mask, randomSeed: fields.seed,
      id: identifier, renderGroupID: fields.group)
    if let part = fields.part { stroke.pathRange = part }
    if mask != nil || fields.rangesFromArchive { stroke.archivedMaskRanges = fields.ranges }
    stroke.parentID = fields.parent
    stroke.archivedBounds = fields.bounds
    return stroke
  }

  private static func readInk(_ json: inout JSONReader) throws(JSONError) -> PKInk {
    var type = PKInk.InkType.pen
    var color = Color.black
    var law = PKInk.WidthLaw.pencilKit
    try json.object { (key, json) throws(JSONError) in
      switch key {
      case "type": type = PKInk.InkType(rawValue: try json.string())
      case "color", "colorSpace": try readColor(key, into: &color, from: &json)
      case "widthLaw":
        let error = json.error("the width law is not known")
        guard let named = PKInk.WidthLaw(rawValue: try json.string()) else { throw error }
        law = named
      default: try json.skip()
      }
    }
    return PKInk(type, color: color, widthLaw: law)
  }

  /// Reads the value of `color` or `colorSpace`.
  static func readColor(
    _ key: String, into color: inout Color, from json: inout JSONReader
  ) throws(JSONError) {
    if key == "color" {
      let error = json.error("a colour must have three or four numbers")
      let v = try json.numbers()
      guard v.count == 3 || v.count == 4 else { throw error }
      (color.red, color.green, color.blue) = (v[0], v[1], v[2])
      color.alpha = v.count == 4 ? v[3] : 1
    } else {
      let error = json.error("the colour space is not known")
      guard let space = ColorSpace(rawValue: try json.string()) else { throw error }
      color.space = space
    }
  }

  static func readDate(_ json: inout JSONReader) throws(JSONError) -> Timestamp {
    guard json.peek() == UInt8(ascii: "\"") else {
      return Timestamp(secondsSinceReferenceDate: try json.number())
    }
    let error = json.error("a date is not of the form 2026-11-21T12:40:51Z")
    guard let date = Timestamp(iso8601: try json.string()) else { throw error }
    return date
  }

  private static func readChannels(
    _ json: inout JSONReader
  ) throws(JSONError) -> (varying: PointChannels, present: PointChannels) {
    var masks = (varying: PointChannels([.x, .y]), present: PointChannels.all)
    let known = Int(PointChannels.all.rawValue)
    try json.object { (key, json) throws(JSONError) in
      switch key {
      case "varying":
        masks.varying = PointChannels(rawValue: UInt16(try json.integer(in: 0...known)))
      case "present":
        masks.present = PointChannels(rawValue: UInt16(try json.integer(in: 0...known)))
      default: try json.skip()
      }
    }
    return masks
  }

  static func identifier(_ json: inout JSONReader) throws(JSONError) -> Identifier {
    let error = json.error("an identifier must have 32 hexadecimal digits in five groups")
    guard let identifier = Identifier(try json.string()) else { throw error }
    return identifier
  }

  private static func range(_ json: inout JSONReader) throws(JSONError) -> ClosedRange<Double> {
    let v = try json.numbers(count: 2)
    return min(v[0], v[1])...max(v[0], v[1])
  }

  // MARK: - Points

  static func readPoints(
    _ json: inout JSONReader, _ fields: Fields
  ) throws(JSONError) -> [StoredPoint] {
    var list = PointList()
    try readPoints(&json, fields.form, into: &list)
    return list.points
  }

  /// Replaces points by those of a list.
  private static func readPoints(
    _ json: inout JSONReader, _ form: PointForm, into list: inout PointList
  ) throws(JSONError) {
    list.points.removeAll(keepingCapacity: true)
    try json.list { (json) throws(JSONError) in
      list.points.append(try readPoint(&json, form, &list.row))
    }
  }

  /// The keys of the numbers of a point that is a list, in order.
  static let pointFields = [
    "x", "y", "t", "w", "h", "opacity", "force", "azimuth", "altitude", "secondaryScale",
    "threshold", "jitter", "edge", "aspect", "secondaryWidth",
  ]
  private static let fieldNames = NumberRow.Names(pointFields)

  private static func readPoint(
    _ json: inout JSONReader, _ form: PointForm, _ row: inout NumberRow
  ) throws(JSONError) -> StoredPoint {
    let start = json.offset
    if !json.read(&row) { try readFields(&json, into: &row) }
    guard let x = row[0], let y = row[1] else {
      throw JSONError(reason: "a point has no x or no y", offset: start)
    }
    let width = row[3] ?? 4
    var point = PKStrokePoint(
      location: Point(x: x, y: y), timeOffset: row[2] ?? 0,
      size: Size(width: width, height: row[4] ?? width), opacity: row[5] ?? 1, force: row[6] ?? 1,
      azimuth: row[7] ?? 0, altitude: row[8] ?? .pi / 2)
    if let secondaryScale = row[9] { point.secondaryScale = secondaryScale }
    if let threshold = row[10] { point.threshold = threshold }
    if let jitter = row[11] { point.lateralJitter = jitter }
    if let edge = row[12] { point.edgeWidth = edge }
    let (aspect, secondaryWidth) = (row[13], row[14])
    let limit = Double(Float.greatestFiniteMagnitude)
    guard abs(x) <= limit, abs(y) <= limit, abs(point.timeOffset) <= limit, abs(width) <= limit,
      abs(point.lateralJitter) <= limit, abs(secondaryWidth ?? 0) <= limit
    else { throw JSONError(reason: "a point's number is too large", offset: start) }
    var stored = point.stored(in: form.scale)
    if !form.hasSecondaryWidth {
      stored[float: .secondaryWidth] = StoredPoint.noSecondaryWidth
    }
    if let aspect { stored[word: .aspect] = UInt16(clamping: aspect.rounded()) }
    if let secondaryWidth { stored[float: .secondaryWidth] = Float(secondaryWidth) }
    return stored
  }

  /// Reads the numbers of a point one by one.
  private static func readFields(
    _ json: inout JSONReader, into row: inout NumberRow
  ) throws(JSONError) {
    row.removeAll()
    if json.peek() == UInt8(ascii: "[") {
      // A list has the same values without keys; null stands for the default.
      var index = 0
      try json.list { (json) throws(JSONError) in
        guard index < pointFields.count else { throw json.error("a point has too many numbers") }
        if json.peek() == UInt8(ascii: "n") {
          try json.skip()
        } else {
          row[index] = try json.number()
        }
        index += 1
      }
    } else {
      try json.object { (key, json) throws(JSONError) in
        guard let index = row.index(of: key) else { return try json.skip() }
        row[index] = try json.number()
      }
    }
  }
}
