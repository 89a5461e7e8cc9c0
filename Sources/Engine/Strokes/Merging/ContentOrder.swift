import Graphics

// A total order of drawings and recordings by their content alone. Merging needs it wherever it has
// to choose a side: hashes are seeded in every process, and the order of arguments must not matter.

/// The bits of values, one after the other, to be compared.
struct ContentWords {
  private(set) var words: [UInt64] = []

  /// The words that a closure adds.
  init(_ body: (inout ContentWords) -> Void) { body(&self) }

  /// Below zero if these words come before others, above zero if they come after them.
  func order(to other: ContentWords) -> Int {
    if words == other.words { return 0 }
    return words.lexicographicallyPrecedes(other.words) ? -1 : 1
  }

  mutating func add(_ word: UInt64) { words.append(word) }
  mutating func add(_ number: Int) { words.append(UInt64(truncatingIfNeeded: number)) }
  mutating func add(_ number: Double) { words.append(number.orderedBits) }
  mutating func add(_ point: Point) {
    add(point.x)
    add(point.y)
  }

  mutating func add(_ id: Identifier?) {
    add(id == nil ? 0 : 1)
    add(id?.high ?? 0)
    add(id?.low ?? 0)
  }

  mutating func add(_ bytes: some Collection<UInt8>) {
    add(bytes.count)
    for byte in bytes { add(UInt64(byte)) }
  }

  mutating func add(_ range: ClosedRange<Double>) {
    add(range.lowerBound)
    add(range.upperBound)
  }

  mutating func add(_ transform: AffineTransform) {
    for value in [transform.a, transform.b, transform.c, transform.d, transform.tx, transform.ty] {
      add(value)
    }
  }

  mutating func add(_ color: Color) {
    for value in [color.red, color.green, color.blue, color.alpha] { add(value) }
    add(color.space == .sRGB ? 0 : 1)
  }

  mutating func add(_ rect: Rect) {
    for value in [rect.minX, rect.minY, rect.maxX, rect.maxY] { add(value) }
  }

  mutating func add(_ path: Path) {
    add(path.fillRule == .nonZero ? 0 : 1)
    add(path.elements.count)
    for element in path.elements {
      switch element {
      case .move(let to):
        add(0)
        add(to)
      case .line(let to):
        add(1)
        add(to)
      case .quadratic(let to, let control):
        add(2)
        add(to)
        add(control)
      case .cubic(let to, let control1, let control2):
        add(3)
        add(to)
        add(control1)
        add(control2)
      case .close: add(4)
      }
    }
  }
}

extension ContentWords {
  mutating func add(_ path: PKStrokePath) {
    add(path.creationDate.secondsSinceReferenceDate)
    let columns = path.columns
    add(columns.count)
    add(columns.scale == .current ? 0 : 1)
    add(UInt64(columns.varying.rawValue) << 16 | UInt64(columns.present.rawValue))
    for float in columns.floats { add(UInt64(float.bitPattern)) }
    for word in columns.words { add(UInt64(word)) }
  }

  /// Adds all stored content of a stroke, including the parts that `==` does not compare.
  mutating func add(_ stroke: PKStroke) {
    add(stroke.id)
    add(stroke.parentID)
    add(stroke.renderGroupID)
    add(UInt64(stroke.randomSeed))
    add(stroke.ink.inkType.rawValue.utf8)
    add(stroke.ink.color)
    add(stroke.ink.widthLaw == .plain ? 1 : 0)
    add(stroke.transform)
    add(stroke.pathRange)
    add(stroke.mask == nil ? 0 : 1)
    if let mask = stroke.mask { add(mask) }
    add(stroke.archivedBounds == nil ? 0 : 1)
    if let bounds = stroke.archivedBounds { add(bounds) }
    add(stroke.archivedMaskRanges?.count ?? -1)
    for range in stroke.archivedMaskRanges ?? [] { add(range) }
    add(stroke.path)
  }

  mutating func add(_ eraser: PKEraserTool) {
    switch eraser.eraserType {
    case .vector: add(0)
    case .bitmap: add(1)
    case .fixedWidthBitmap: add(2)
    }
    add(eraser.width)
  }

  mutating func add(_ tool: PKTool) {
    switch tool {
    case .inking(let tool):
      add(0)
      add(tool.inkType.rawValue.utf8)
      add(tool.color)
      add(tool.width)
    case .eraser(let eraser):
      add(1)
      add(eraser)
    case .lasso: add(2)
    }
  }

  mutating func add(_ event: Recording.Event) {
    add(event.time.secondsSinceReferenceDate)
    switch event.action {
    case .strokeBegun(let stroke):
      add(0)
      add(stroke)
    case .strokeExtended(let id, let path):
      add(1)
      add(id)
      add(path)
    case .strokeEnded(let id):
      add(2)
      add(id)
    case .erased(let eraser, let path, let changes):
      add(3)
      add(eraser)
      add(path)
      add(changes)
    case .undone: add(4)
    case .redone: add(5)
    case .moved(let ids, let transform):
      add(6)
      add(ids.count)
      for id in ids { add(id) }
      add(transform)
    case .cleared: add(7)
    case .toolChanged(let tool):
      add(8)
      add(tool)
    case .edited(let changes, let above, let below):
      add(9)
      add(changes)
      add(above)
      add(below)
    }
  }

  private mutating func add(_ changes: [StrokeChange<PKStroke>]) {
    add(changes.count)
    for change in changes {
      add(change.strokeID)
      add(change.replacements)
    }
  }

  private mutating func add(_ strokes: [PKStroke]) {
    add(strokes.count)
    for stroke in strokes { add(stroke) }
  }

  mutating func add(_ canvas: Recording.Canvas) {
    add(canvas.size == nil ? 0 : 1)
    if let size = canvas.size {
      add(size.width)
      add(size.height)
    }
    add(canvas.background == nil ? 0 : 1)
    if let color = canvas.background { add(color) }
    add(canvas.texts.count)
    for text in canvas.texts {
      add(text.name.utf8)
      add(text.text.utf8)
    }
  }
}

extension Double {
  /// The bits as a number with the order of the values. It also orders −0 and NaN.
  var orderedBits: UInt64 { bitPattern >> 63 == 1 ? ~bitPattern : bitPattern | 1 << 63 }
}

extension Timestamp {
  /// The moment as a number, which also orders moments that are no numbers.
  var orderedBits: UInt64 { secondsSinceReferenceDate.orderedBits }

  /// The later of two moments.
  static func later(_ a: Timestamp, _ b: Timestamp) -> Timestamp {
    a.orderedBits < b.orderedBits ? b : a
  }
}

extension PKDrawing {
  /// Whether this is the later one of two versions: its last stroke ended later, or else its
  /// content is later in an order of contents. If two versions differ in any stored content, this
  /// is true for exactly one of them.
  package func isLater(than other: PKDrawing) -> Bool {
    let (last, otherLast) = (lastMoment, other.lastMoment)
    if last != otherLast { return last > otherLast }
    for (a, b) in zip(strokes, other.strokes) {
      let order = ContentWords { $0.add(a) }.order(to: ContentWords { $0.add(b) })
      if order != 0 { return order > 0 }
    }
    if strokes.count != other.strokes.count { return strokes.count > other.strokes.count }
    func words(_ residue: ArchiveResidue?) -> ContentWords {
      ContentWords { words in
        guard let residue else { return }
        words.add(residue.form == .pencilKit ? 1 : 0)
        words.add(residue.bytes)
      }
    }
    return words(residue).order(to: words(other.residue)) > 0
  }

  private var lastMoment: UInt64 {
    strokes.reduce(0) { max($0, ($1.path.creationDate + max($1.path.duration, 0)).orderedBits) }
  }
}

extension Recording {
  /// Whether this is the later one of two versions: its last event is later, or else its content
  /// comes later in an order of contents.
  package func isLater(than other: Recording) -> Bool {
    let (last, otherLast) = (
      events.last?.time.orderedBits ?? 0, other.events.last?.time.orderedBits ?? 0
    )
    if last != otherLast { return last > otherLast }
    for (a, b) in zip(events, other.events) {
      let order = ContentWords { $0.add(a) }.order(to: ContentWords { $0.add(b) })
      if order != 0 { return order > 0 }
    }
    if events.count != other.events.count { return events.count > other.events.count }
    return ContentWords { $0.add(canvas) }.order(to: ContentWords { $0.add(other.canvas) }) > 0
  }
}
