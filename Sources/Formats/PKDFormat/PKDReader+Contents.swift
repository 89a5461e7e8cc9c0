package import Strokes

extension PKDReader {
  /// Whether bytes begin with the signature of a recording. A signature without its highest bit
  /// also counts, so that a file damaged by a transfer as text gets an error about that damage, not
  /// about an unknown format.
  public static func recognizes(_ bytes: some Collection<UInt8>) -> Bool {
    let start = Array(bytes.prefix(4))
    return start.count == 4 && start[0] & 0x7F == Signature.bytes[0] & 0x7F
      && start[1...] == Signature.bytes[1..<4]
  }

  /// The major version of the format.
  public var version: Int { Int(header.version.rawValue) }

  /// Whether the file stores events or an unfinished stroke, not only finished strokes one after
  /// the other.
  package var hasEvents: Bool { chunks.contains { $0.type == .events || $0.type == .live } }

  /// The number of events. In a file without events every stroke counts as two: begun and ended.
  package var eventCount: Int {
    if hasEvents { return readScript().value.events.count }
    return 2 * (0..<recordCount).count { !isBare($0) } + (live == nil ? 0 : 1)
  }

  /// Calls the closure with each intact block, and with the tables as they were before it.
  func forEachBlock(
    _ body: (
      _ chunk: Chunk, _ heads: StrokeBlock.Heads, _ table: FormTable, _ tools: inout BlockTools
    ) throws(PKDError) -> Void
  ) throws(PKDError) {
    var table = FormTable(version: header.version)
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

  /// Whether the events are lost: there are none, but paths that only events use.
  package var lacksEvents: Bool { !hasEvents && (0..<recordCount).contains(where: isBare) }

  /// A recording whose events are lost, as far as its strokes show it. A path that began at the
  /// same moment as a stroke holds that stroke's later points; other paths are erasers' and are
  /// left out. Strokes of which there are pieces are replaced by these. The strokes numbered in
  /// `lost` are left out.
  package func readRecordingWithoutEvents(
    lost: Set<Int> = []
  ) -> (value: Recording, damage: PKDError?) {
    let (strokes, damage) = readStrokes()
    // A piece was cut from the last stroke before it that has its parent's name.
    var numbers: [Identifier: Int] = [:]
    var cut = Set<Int>()
    for (number, stroke) in strokes.enumerated() where !isBare(number) {
      if let parent = stroke.parentID.flatMap({ numbers[$0] }) { cut.insert(parent) }
      numbers[stroke.id] = number
    }
    var drawing = PKDrawing()
    var drawn: [Timestamp: Int] = [:]
    for (number, stroke) in strokes.enumerated() where !lost.contains(number) {
      let date = stroke.path.creationDate
      if !isBare(number) {
        guard !cut.contains(number) else { continue }
        if stroke.parentID == nil { drawn[date] = drawing.strokes.count }
        drawing.strokes.append(stroke)
      } else if let index = drawn[date] {
        drawing.strokes[index].path = drawing.strokes[index].path.appending(stroke.path)
      }
    }
    return (Recording(drawing, canvas: canvas), damage)
  }
}

// MARK: - Overviews

extension PKDReader {
  /// The properties of a stroke that are known without its points. `varying` contains every channel
  /// that may vary: only points show whether the secondary width follows the width.
  package func overview(ofStroke index: Int) -> StrokeOverview {
    if let live = liveStroke(index) { return StrokeOverview(live) }
    let head = head(index)
    let form = table.forms[head.form]
    let owner = head.ownsPath ? index : index - head.sharedPath
    let path = head.ownsPath ? head : self.head(owner)
    let shape = table.forms[path.form].shape.map { table.shapes.shapes[$0] }
    let parent = form.traits.contains(.piece) ? names.families[head.family] : nil
    let location = PointChannels([.x, .y])
    let varying: PointChannels
    if blocks[Int(positions[owner].block)].heads.coding == .plain {
      varying = shape?.varying.union(PointChannels([.secondaryWidth])) ?? .all
    } else {
      varying = path.pointCount > 1 ? shape?.changing ?? location : location
    }
    return StrokeOverview(
      ink: table.inks[form.ink], parentID: parent,
      isPiece: parent != nil || head.extras?.mask != nil, pointCount: path.pointCount,
      bounds: bounds(ofStroke: index), time: path.date.range(milliseconds: path.duration),
      isDated: shape?.scale != .notes2018, varying: varying.union(location))
  }
}
