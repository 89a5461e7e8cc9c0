public import Graphics
public import Strokes

/// A `.pkd` recording that is read as needed: opening it reads what there is to know of the whole,
/// listing strokes reads their heads, and only strokes that are asked for have their points read.
///
/// A file that was cut or damaged is read up to the damage, and `damage` says where that is.
public final class PKDReader {
  /// What was found wrong with the file; nil for a sound one.
  public private(set) var damage: PKDError?
  /// Whether the file was finished: it ends with an index and a tail.
  public private(set) var isFinished = false
  /// How points are kept.
  public var profile: PKDProfile { header.profile }
  /// The page.
  public var canvas: Recording.Canvas { header.canvas }

  let bytes: [UInt8]
  let limits: PKDLimits
  let header: Header
  private(set) var chunks: [Chunk] = []
  private var table = FormTable()
  private var tools = BlockTools()
  private var blocks: [Block] = []
  /// The block of each stroke, and its place there.
  private var places: [(block: Int32, place: Int32)] = []
  private var names = NameTable()
  private var pointTotal = 0
  /// The block whose paths were read last.
  private var opened: (block: Int, paths: [PointColumns])?

  private struct Block {
    let heads: StrokeBlock.Heads
    let firstRecord: Int
  }

  /// Opens a recording. What is damaged beyond its header is left out, and told by `damage`.
  public init(_ bytes: [UInt8], limits: PKDLimits = PKDLimits()) throws(PKDError) {
    self.bytes = bytes
    self.limits = limits
    try Signature.check(bytes)
    var walker = ChunkWalker(bytes)
    guard let first = try walker.next(limits: limits), first.type == .header else {
      throw PKDError(
        bytes.count <= Signature.bytes.count
          ? .truncated : .misplacedChunk(ChunkType.header.description),
        at: Signature.bytes.count)
    }
    try first.check(bytes)
    header = try Header(bytes, in: first.payload, limits: limits)
    chunks.append(first)
    readChunks(&walker)
    readNames()
  }

  /// Reads all chunks, up to the end or to the first that is damaged.
  private func readChunks(_ walker: inout ChunkWalker) {
    do throws(PKDError) {
      while let chunk = try walker.next(limits: limits) {
        try chunk.check(bytes)
        try read(chunk)
        chunks.append(chunk)
      }
      isFinished = chunks.last?.type == .tail
    } catch {
      damage = error
    }
  }

  private func read(_ chunk: Chunk) throws(PKDError) {
    switch chunk.type {
    case .table:
      var reader = ByteReader(bytes, in: chunk.payload)
      try table.append(&reader, limits: limits)
      guard reader.remaining == 0 else {
        throw PKDError(.trailingBytes(reader.remaining), at: reader.offset)
      }
    case .strokes: try readBlock(chunk)
    case .live, .events, .names, .archive, .preview, .index, .tail: break
    case .header: throw PKDError(.misplacedChunk(chunk.type.description), at: chunk.offset)
    default:
      guard chunk.type.isAncillary else {
        throw PKDError(.unknownChunk(chunk.type.description), at: chunk.offset)
      }
    }
  }

  private func readBlock(_ chunk: Chunk) throws(PKDError) {
    let heads = try StrokeBlock.readHeads(
      bytes, in: chunk.payload, table: table, base: header.base, limits: limits, tools: &tools)
    let first = places.count
    guard first + heads.heads.count <= limits.strokes else {
      throw PKDError(
        .tooMany(
          .strokes, declared: UInt64(first + heads.heads.count), limit: limits.strokes),
        at: chunk.offset)
    }
    for (number, head) in heads.heads.enumerated() {
      // The paths of shared strokes count too, or a few bytes could ask for them again and again.
      var points = head.pointCount
      if !table.forms[head.form].ownsPath {
        let owner = first + number - head.sharedPath
        guard head.sharedPath > 0, owner >= 0, ownsPath(owner, heads, first) else {
          throw PKDError(.reference(.strokes, index: owner, count: first), at: chunk.offset)
        }
        points = owner < first ? self.head(owner).pointCount : heads.heads[owner - first].pointCount
      }
      pointTotal += points
      guard pointTotal <= limits.points else {
        throw PKDError(
          .tooMany(.points, declared: UInt64(pointTotal), limit: limits.points), at: chunk.offset)
      }
      // Numbers of pieces and groups count up.
      guard head.family <= places.count + number, head.group <= places.count + number else {
        throw PKDError(
          .reference(.strokes, index: max(head.family, head.group), count: places.count),
          at: chunk.offset)
      }
    }
    for number in heads.heads.indices { places.append((Int32(blocks.count), Int32(number))) }
    blocks.append(Block(heads: heads, firstRecord: first))
  }

  private func ownsPath(_ record: Int, _ heads: StrokeBlock.Heads, _ first: Int) -> Bool {
    let head = record < first ? self.head(record) : heads.heads[record - first]
    return table.forms[head.form].ownsPath
  }

  private func head(_ record: Int) -> StrokeHead {
    let place = places[record]
    return blocks[Int(place.block)].heads.heads[Int(place.place)]
  }

  private func traits(_ record: Int) -> StrokeTraits { table.forms[head(record).form].traits }

  private func readNames() {
    let rows = places.indices.map { record in
      NameTable.Row(family: traits(record).contains(.piece) ? head(record).family : nil)
    }
    let groupCount = places.indices.reduce(0) { count, record in
      traits(record).contains(.group) ? max(count, head(record).group + 1) : count
    }
    names = NameTable(made: rows, groupCount: groupCount)
    do throws(PKDError) {
      for chunk in chunks where chunk.type == .names {
        try names.read(bytes, in: chunk.payload, rows: rows)
      }
    } catch {
      damage = damage ?? error
    }
  }
}

// MARK: - Strokes

extension PKDReader: StrokeSource {
  /// How many strokes there are, with those that were erased later, in the order of their beginnings.
  public var strokeCount: Int { places.count }

  /// The box of a stroke's pixels on the canvas; null where nothing is drawn.
  public func bounds(ofStroke index: Int) -> Rect { head(index).box ?? .null }

  /// From a stroke's first point to its last.
  public func timeRange(ofStroke index: Int) -> ClosedRange<Timestamp> {
    var head = head(index)
    if !table.forms[head.form].ownsPath { head = self.head(index - head.sharedPath) }
    return head.date...head.date + Double(head.duration) / 1000
  }

  /// How many points a stroke's path has.
  public func pointCount(ofStroke index: Int) -> Int {
    let head = head(index)
    return table.forms[head.form].ownsPath
      ? head.pointCount : self.head(index - head.sharedPath).pointCount
  }

  /// The ink of a stroke.
  public func ink(ofStroke index: Int) -> PKInk { table.inks[table.forms[head(index).form].ink] }

  /// The name of a stroke.
  public func id(ofStroke index: Int) -> Identifier { names.strokes[index] }

  /// A stroke with its points. Reading the next one of the same block costs nothing more.
  public func stroke(at index: Int) throws(PKDError) -> PKStroke {
    let head = head(index)
    let owner = table.forms[head.form].ownsPath ? index : index - head.sharedPath
    let path = PKStrokePath(columns: try columns(owner), creationDate: self.head(owner).date)
    return stroke(head, path: path, index: index)
  }

  /// Puts a stroke together.
  private func stroke(_ head: StrokeHead, path: PKStrokePath, index: Int) -> PKStroke {
    let form = table.forms[head.form]
    let (traits, extras) = (form.traits, head.extras)
    var stroke = PKStroke(
      ink: table.inks[form.ink], path: path, transform: extras?.transform ?? .identity,
      mask: extras?.mask, randomSeed: extras?.seed ?? 0,
      id: traits.contains(.bare) ? .zero : names.strokes[index],
      renderGroupID: traits.contains(.group) ? names.groups[head.group] : nil)
    if let part = extras?.part { stroke.pathRange = part }
    if traits.contains(.piece) { stroke.parentID = names.families[head.family] }
    if let ranges = extras?.archivedRanges { stroke.archivedMaskRanges = ranges }
    if traits.contains(.archivedBox) {
      stroke.archivedBounds = extras?.archivedBox ?? head.box
    }
    return stroke
  }

  /// The points of a record that owns some.
  private func columns(_ record: Int) throws(PKDError) -> PointColumns {
    let place = places[record]
    let number = Int(place.block)
    let block = blocks[number]
    if opened?.block != number {
      opened = (
        number,
        try StrokeBlock.readPaths(bytes, of: block.heads, table: table, tools: &tools)
      )
    }
    let before = block.heads.heads[..<Int(place.place)].count { table.forms[$0.form].ownsPath }
    guard let paths = opened?.paths, before < paths.count else {
      throw PKDError(.entropy, at: block.heads.points.lowerBound)
    }
    return paths[before]
  }

  /// All strokes; those behind one that cannot be read are left out, and `damage` says why.
  public var strokes: [PKStroke] {
    var strokes: [PKStroke] = []
    strokes.reserveCapacity(places.count)
    do throws(PKDError) {
      for block in blocks { try read(block, into: &strokes) }
    } catch {
      damage = damage ?? error
    }
    return strokes
  }

  private func read(_ block: Block, into strokes: inout [PKStroke]) throws(PKDError) {
    let paths = try StrokeBlock.readPaths(bytes, of: block.heads, table: table, tools: &tools)
    var next = 0
    for head in block.heads.heads {
      let path: PKStrokePath
      if table.forms[head.form].ownsPath {
        path = PKStrokePath(columns: paths[next], creationDate: head.date)
        next += 1
      } else {
        path = strokes[strokes.count - head.sharedPath].path
      }
      strokes.append(stroke(head, path: path, index: strokes.count))
    }
  }
}

// MARK: - The whole

extension PKDReader {
  /// What was recorded.
  public var recording: Recording {
    let strokes = strokes
    let logs = chunks.filter { $0.type == .events }
    guard !logs.isEmpty else {
      // Where the events are lost, the ways of erasers must not be taken for ink.
      let drawn = strokes.indices.lazy.filter { !self.traits($0).contains(.bare) }
      return Recording(PKDrawing(strokes: drawn.map { strokes[$0] }), canvas: canvas)
    }
    var reader = EventReader(bytes, strokes: strokes, base: header.base, limits: limits)
    do throws(PKDError) {
      for log in logs { try reader.read(log.payload) }
    } catch {
      damage = damage ?? error
    }
    return Recording(canvas: canvas, events: reader.events)
  }

  /// The drawing when everything has happened. If it came from an archive, it can go back there.
  public var drawing: PKDrawing {
    var drawing = recording.drawing
    drawing.residue = residue
    return drawing
  }

  /// What the archive that the drawing came from said beyond it.
  private var residue: ArchiveResidue? {
    guard let chunk = chunks.last(where: { $0.type == .archive }) else { return nil }
    var rootNames: [Identifier] = []
    for index in places.indices {
      let name =
        traits(index).contains(.piece) ? names.families[head(index).family] : names.strokes[index]
      if rootNames.last != name { rootNames.append(name) }
    }
    do throws(PKDError) {
      return try ArchiveDecoder.decode(bytes, in: chunk.payload, names: rootNames, limits: limits)
    } catch {
      damage = damage ?? error
      return nil
    }
  }
}
