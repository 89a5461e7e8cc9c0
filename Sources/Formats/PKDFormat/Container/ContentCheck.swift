import Graphics
import Strokes

/// Checks content before it is written, so that no file is written that readers refuse.
struct ContentCheck {
  private typealias Reason = PKDContentError.Reason

  private let limits = PKDLimits()
  private(set) var strokeCount = 0
  private(set) var pointCount = 0
  private(set) var eventCount = 0

  init() {}

  /// A check that starts with the counts of an existing file.
  init(strokes: some Sequence<PKStroke>, eventCount: Int) {
    for stroke in strokes {
      strokeCount += 1
      pointCount += stroke.path.count
    }
    self.eventCount = eventCount
  }

  /// Throws if readers refuse a page's size, background or metadata.
  static func canvas(_ canvas: Recording.Canvas) throws(PKDContentError) {
    let limits = PKDLimits()
    if let size = canvas.size {
      guard [size.width, size.height].allSatisfy({ (0...limits.canvasSide).contains($0) }) else {
        throw PKDContentError(.canvasSide(limit: limits.canvasSide), .canvas)
      }
    }
    if let color = canvas.background, !color.isFinite {
      throw PKDContentError(.notFinite("colour"), .canvas)
    }
    guard canvas.texts.count <= limits.tableRows else {
      throw PKDContentError(
        .tooMany(.texts, count: canvas.texts.count, limit: limits.tableRows), .canvas)
    }
    for text in canvas.texts {
      try Self.text(text.name, .canvas)
      try Self.text(text.text, .canvas)
    }
  }

  /// Throws if readers refuse recognized words.
  static func words(_ text: RecognizedText) throws(PKDContentError) {
    let limit = PKDLimits().words
    guard text.words.count <= limit else {
      throw PKDContentError(.tooMany(.words, count: text.words.count, limit: limit), .file)
    }
    try Self.text(text.recognizer, .file)
    try Self.text(text.version, .file)
    try Self.text(text.language, .file)
    for word in text.words {
      try Self.text(word.text, .file)
      guard word.box.isFinite else { throw PKDContentError(.notFinite("word's box"), .file) }
    }
  }

  /// Throws if a time is not finite.
  static func moment(_ time: Timestamp, _ place: PKDContentError.Place) throws(PKDContentError) {
    guard time.secondsSinceReferenceDate.isFinite else {
      throw PKDContentError(.notFinite("date"), place)
    }
  }

  private static func text(
    _ text: String, _ place: PKDContentError.Place
  ) throws(PKDContentError) {
    let limit = PKDLimits().textBytes
    guard text.utf8.count <= limit else {
      throw PKDContentError(.tooMany(.textBytes, count: text.utf8.count, limit: limit), place)
    }
  }

  /// Adds a stroke, or a path that an event needs.
  mutating func add(_ stroke: PKStroke) throws(PKDContentError) {
    let place = PKDContentError.Place.stroke(strokeCount)
    strokeCount += 1
    guard strokeCount <= limits.strokes else {
      throw PKDContentError(.tooMany(.strokes, count: strokeCount, limit: limits.strokes), place)
    }
    try Self.moment(stroke.path.creationDate, place)
    try Self.text(stroke.ink.inkType.rawValue, place)
    if !stroke.ink.color.isFinite { throw PKDContentError(.notFinite("colour"), place) }
    if !stroke.transform.isFinite { throw PKDContentError(.notFinite("transform"), place) }
    if !stroke.pathRange.lowerBound.isFinite { throw PKDContentError(.notFinite("part"), place) }
    try add(points: stroke.path.columns, place)
    if let mask = stroke.mask {
      guard mask.elements.count <= limits.pathElements else {
        throw PKDContentError(
          .tooMany(.pathElements, count: mask.elements.count, limit: limits.pathElements), place)
      }
      if !mask.isFinite { throw PKDContentError(.notFinite("mask"), place) }
    }
    if let ranges = stroke.archivedMaskRanges {
      guard ranges.count <= limits.pathElements else {
        throw PKDContentError(
          .tooMany(.ranges, count: ranges.count, limit: limits.pathElements), place)
      }
      guard ranges.allSatisfy({ $0.lowerBound.isFinite && $0.upperBound.isFinite }) else {
        throw PKDContentError(.notFinite("range"), place)
      }
    }
  }

  /// Adds points to the last stroke, which has `existing` points already. Points that were
  /// converted from the model's are finite, so only their number is checked.
  mutating func append(pointCount count: Int, after existing: Int) throws(PKDContentError) {
    let place = PKDContentError.Place.stroke(strokeCount - 1)
    guard pointCount + count <= limits.points else {
      throw PKDContentError(
        .tooMany(.points, count: pointCount + count, limit: limits.points), place)
    }
    guard existing + count <= Self.chunkPoints else {
      throw PKDContentError(
        .tooMany(.points, count: existing + count, limit: Self.chunkPoints), place)
    }
    pointCount += count
  }

  /// The number of points of one stroke that fit into a chunk however they are coded.
  private static let chunkPoints = PKDLimits().chunkBytes / 40

  private mutating func add(
    points: PointColumns, _ place: PKDContentError.Place
  ) throws(PKDContentError) {
    pointCount += points.count
    guard pointCount <= limits.points else {
      throw PKDContentError(.tooMany(.points, count: pointCount, limit: limits.points), place)
    }
    // Infinity and NaN have all bits of the exponent set.
    let largest = points.floats.reduce(UInt32(0)) { max($0, $1.bitPattern & 0x7FFF_FFFF) }
    guard largest < Float.infinity.bitPattern else {
      throw PKDContentError(.notFinite("point's number"), place)
    }
  }

  /// Adds an event with the strokes that it needs, whose chunks a journal writes in one piece. The
  /// table is the one before the event.
  mutating func add(
    _ event: Recording.Event, to table: FormTable
  ) throws(PKDContentError) {
    var records = RecordList()
    records.add(event.action)
    // A path needs at most one row of steps for each channel.
    let rowCount = table.mark.largestCount + PointChannel.allCases.count * records.records.count
    guard rowCount <= limits.tableRows else {
      throw PKDContentError(.tooMany(.shapes, count: rowCount, limit: limits.tableRows), .file)
    }
    var byteCount = 1 << 16
    for record in records.records {
      try add(record.stroke)
      byteCount += record.stroke.maximumByteCount
    }
    switch event.action {
    case .moved(let ids, _): byteCount += 17 * ids.count
    case .erased(_, _, let changes), .edited(let changes, _, _): byteCount += 27 * changes.count
    default: break
    }
    try Self.chunk(byteCount)
    try add(event)
  }

  /// Adds an event without the strokes that it needs.
  mutating func add(_ event: Recording.Event) throws(PKDContentError) {
    let place = PKDContentError.Place.event(eventCount)
    eventCount += 1
    guard eventCount <= limits.events else {
      throw PKDContentError(.tooMany(.events, count: eventCount, limit: limits.events), place)
    }
    try Self.moment(event.time, place)
    switch event.action {
    case .erased(let eraser, _, _): try Self.tool(.eraser(eraser), place)
    case .toolChanged(let tool): try Self.tool(tool, place)
    case .moved(_, let transform):
      if !transform.isFinite { throw PKDContentError(.notFinite("transform"), place) }
    default: break
    }
  }

  private static func tool(_ tool: PKTool, _ place: PKDContentError.Place) throws(PKDContentError) {
    switch tool {
    case .inking(let tool):
      try text(tool.inkType.rawValue, place)
      if !tool.color.isFinite { throw PKDContentError(.notFinite("colour"), place) }
      if !tool.width.isFinite { throw PKDContentError(.notFinite("width"), place) }
    case .eraser(let eraser):
      if !eraser.width.isFinite { throw PKDContentError(.notFinite("width"), place) }
    case .lasso: break
    }
  }

  /// Throws if a table has more rows than readers accept.
  static func rows(of table: FormTable) throws(PKDContentError) {
    let (mark, limit) = (table.mark, PKDLimits().tableRows)
    for (what, count) in [
      (PKDError.Quantity.steps, mark.steps), (.shapes, mark.shapes), (.inks, mark.inks),
      (.shapes, mark.forms),
    ] where count > limit {
      throw PKDContentError(.tooMany(what, count: count, limit: limit), .file)
    }
  }

  /// Throws if a chunk's payload is longer than readers accept.
  static func chunk(_ byteCount: Int) throws(PKDContentError) {
    let limit = PKDLimits().chunkBytes
    guard byteCount <= limit else {
      throw PKDContentError(.tooMany(.chunkBytes, count: byteCount, limit: limit), .file)
    }
  }
}

extension FormTableMark {
  /// The number of rows of the longest table.
  fileprivate var largestCount: Int { max(steps, shapes, inks, forms) }
}

extension PKStroke {
  /// An upper bound of the bytes that the stroke takes in a file.
  fileprivate var maximumByteCount: Int {
    64 * 16 + 40 * path.count + 49 * (mask?.elements.count ?? 0)
      + 16 * (archivedMaskRanges?.count ?? 0) + ink.inkType.rawValue.utf8.count
  }
}
