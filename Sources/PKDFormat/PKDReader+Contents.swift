package import Strokes

extension PKDReader {
  /// Whether bytes begin as a recording does, or as one that was damaged as text: such a file is
  /// better told what has happened to it than that nobody knows it.
  public static func recognizes(_ bytes: some Collection<UInt8>) -> Bool {
    let start = Array(bytes.prefix(4))
    return start.count == 4 && start[0] & 0x7F == Signature.bytes[0] & 0x7F
      && start[1...] == Signature.bytes[1..<4]
  }

  /// The version of the form, as the file gives it.
  public var version: Int { Int(Header.version.major) }

  /// Whether more than one stroke after the other is told.
  package var hasEvents: Bool { chunks.contains { $0.type == .events || $0.type == .live } }

  /// How many events there are: where none are told, a stroke has two.
  package var eventCount: Int {
    if hasEvents { return readScript().value.events.count }
    return 2 * (0..<recordCount).count { !isBare($0) } + (live == nil ? 0 : 1)
  }

  /// Goes through the blocks that were found sound, with the tables that each of them needs.
  func forEachBlock(
    _ body: (
      _ chunk: Chunk, _ heads: StrokeBlock.Heads, _ table: FormTable, _ tools: inout BlockTools
    ) throws(PKDError) -> Void
  ) throws(PKDError) {
    var table = FormTable()
    var tools = BlockTools()
    for chunk in chunks {
      switch chunk.type {
      case .table:
        var reader = ByteReader(bytes, in: chunk.payload)
        try table.append(&reader, limits: limits)
      case .strokes:
        let heads = try StrokeBlock.readHeads(
          bytes, in: chunk.payload, table: table, base: header.base, limits: limits, tools: &tools)
        try body(chunk, heads, table, &tools)
      default: break
      }
    }
  }

  /// Whether the events are lost that the strokes are there for.
  package var lacksEvents: Bool { !hasEvents && (0..<recordCount).contains(where: isBare) }

  /// What strokes alone tell of a recording whose events are lost: paths that began with a stroke
  /// are its later points, others were erasers', and what was cut is there as its pieces.
  package func readRecordingWithoutEvents(
    lost: Set<Int> = []
  ) -> (value: Recording, damage: PKDError?) {
    let (strokes, damage) = readStrokes()
    // A piece was cut from the last stroke before it that has the name.
    var places: [Identifier: Int] = [:]
    var cut = Set<Int>()
    for (number, stroke) in strokes.enumerated() where !isBare(number) {
      if let place = stroke.parentID.flatMap({ places[$0] }) { cut.insert(place) }
      places[stroke.id] = number
    }
    var drawing = PKDrawing()
    var drawn: [Timestamp: Int] = [:]
    for (number, stroke) in strokes.enumerated() where !lost.contains(number) {
      let date = stroke.path.creationDate
      if !isBare(number) {
        guard !cut.contains(number) else { continue }
        if stroke.parentID == nil { drawn[date] = drawing.strokes.count }
        drawing.strokes.append(stroke)
      } else if let place = drawn[date] {
        drawing.strokes[place].path = drawing.strokes[place].path.appending(stroke.path)
      }
    }
    return (Recording(drawing, canvas: canvas), damage)
  }
}

// MARK: - What heads say of a stroke

extension PKDReader {
  /// What is known of a stroke without its points. `varying` contains every channel that may vary: only points
  /// show whether the secondary width follows the width.
  package func overview(ofStroke index: Int) -> StrokeOverview {
    if let live = liveStroke(index) { return StrokeOverview(live) }
    let head = head(index)
    let form = table.forms[head.form]
    let owner = head.ownsPath ? index : index - head.sharedPath
    let path = head.ownsPath ? head : self.head(owner)
    let shape = table.forms[path.form].shape.map { table.shapes.shapes[$0] }
    let parent = form.traits.contains(.piece) ? names.families[head.family] : nil
    let places = PointChannels([.x, .y])
    let varying: PointChannels
    if blocks[Int(self.places[owner].block)].heads.coding == .plain {
      varying = shape?.varying.union(PointChannels([.secondaryWidth])) ?? .all
    } else {
      varying = path.pointCount > 1 ? shape?.changing ?? places : places
    }
    return StrokeOverview(
      ink: table.inks[form.ink], parentID: parent,
      isPiece: parent != nil || head.extras?.mask != nil, pointCount: path.pointCount,
      bounds: bounds(ofStroke: index), time: path.date.range(milliseconds: path.duration),
      isDated: shape?.scale != .notes2018, varying: varying.union(places))
  }
}
