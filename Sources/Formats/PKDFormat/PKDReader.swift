public import Graphics
public import Strokes
import Threads

/// A `.pkd` recording that is read as needed: opening it reads the tables and the heads of all
/// strokes, and points are read stroke by stroke on request.
///
/// A file that was cut or damaged is read up to the damage, and `damage` says where that is. Damage
/// that opening cannot find, such as points that cannot be decoded, is returned together with the
/// content that can be read. A stroke that was being drawn when the recording broke off comes last,
/// with the points that it has.
public final class PKDReader {
  /// The damage that opening found; nil for an intact file.
  public private(set) var damage: PKDError?
  /// Whether the file was finished: it ends with an index and a tail.
  public private(set) var isFinished = false
  /// Whether the file was never finished, is still being written, or is damaged.
  public var isRecovered: Bool { !isFinished || damage != nil }
  /// How exactly points are stored.
  public var profile: PKDProfile { header.profile }
  /// The page: its size, background and metadata.
  public var canvas: Recording.Canvas { header.canvas }

  private(set) var bytes: [UInt8]
  let limits: PKDLimits
  let header: Header
  private(set) var chunks: [Chunk] = []
  private(set) var table: FormTable
  private var tools = BlockTools()
  private(set) var blocks: [Block] = []
  /// For each record, the index of its block and its index in the block.
  private(set) var positions: [(block: Int32, index: Int32)] = []
  private(set) var names = NameTable()
  /// The rows that names of records are derived from.
  private(set) var nameRows: [NameTable.Row] = []
  private var groupCount = 0
  /// The offset behind the page that is the whole file or its beginning; nil if there is none, or
  /// if it is damaged.
  private(set) var pageEnd: Int?
  /// The number of chunks whose names were read.
  private var namedChunks = 0
  private var pointTotal = 0
  /// Whether the damage is a chunk that is incomplete or fails its checksum, as crashes leave one.
  private(set) var isTorn = false
  /// The stroke that has no end yet.
  private(set) var live: LiveStroke? { didSet { cachedLiveStroke = nil } }
  private var cachedLiveStroke: PKStroke?
  private var liveNames: [Int: Identifier] = [:]
  /// The events, once they were decoded.
  var cachedScript: (value: RecordingScript, damage: PKDError?)?
  private var cachedPaths = PathCache()

  struct Block {
    let heads: StrokeBlock.Heads
    let offset: Int
  }

  /// Opens a recording. Throws if its signature or header is damaged; damage behind the header is
  /// left out and reported by `damage`.
  public init(_ bytes: [UInt8], limits: PKDLimits = PKDLimits()) throws(PKDError) {
    self.bytes = bytes
    self.limits = limits
    try Signature.check(bytes)
    var walker = ChunkWalker(bytes)
    guard let first = try walker.next(limits: limits), first.type == .header || first.type == .page
    else {
      throw PKDError(
        bytes.count <= Signature.bytes.count
          ? .truncated : .misplacedChunk(ChunkType.header.description),
        at: Signature.bytes.count)
    }
    try first.check(bytes)
    let (sections, sectionDamage) = first.sections(bytes)
    guard let head = sections.first, head.type == .header else {
      throw sectionDamage
        ?? PKDError(.misplacedChunk(ChunkType.header.description), at: first.offset)
    }
    header = try Header(bytes, in: head.payload, limits: limits)
    table = FormTable(version: header.version)
    chunks.append(head)
    if first.type == .page {
      guard header.version != .first else {
        throw PKDError(.misplacedChunk(first.type.description), at: first.offset)
      }
      do throws(PKDError) {
        for section in sections.dropFirst() {
          try read(section)
          chunks.append(section)
        }
        if let sectionDamage { throw sectionDamage }
        pageEnd = first.end
      } catch {
        damage = error
      }
    }
    if damage == nil { readChunks() }
    readNames()
  }

  /// The offset at which the last complete chunk ends.
  var validEnd: Int { chunks.last?.end ?? Signature.bytes.count }

  /// Replaces the bytes behind the last complete chunk and reads them.
  func readOn(_ more: [UInt8]) {
    guard damage == nil || isTorn else { return }
    bytes.removeSubrange(validEnd...)
    bytes += more
    damage = nil
    isTorn = false
    cachedScript = nil
    readChunks()
    readNames()
  }

  /// Reads the chunks behind `validEnd`, up to the end or to the first that is damaged.
  private func readChunks() {
    var walker = ChunkWalker(bytes, from: validEnd)
    isFinished = false
    while true {
      let chunk: Chunk
      do throws(PKDError) {
        guard let next = try walker.next(limits: limits) else { break }
        try next.check(bytes)
        chunk = next
      } catch {
        damage = error
        isTorn = true
        return
      }
      do throws(PKDError) {
        try read(chunk)
      } catch {
        damage = error
        return
      }
      chunks.append(chunk)
    }
    isFinished = chunks.last?.type == .tail || validEnd == pageEnd
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
    case .live: try readLive(chunk)
    case .events, .names, .archive, .preview, .words, .index, .tail: break
    case .header, .page:
      throw PKDError(.misplacedChunk(chunk.type.description), at: chunk.offset)
    default:
      guard chunk.type.isAncillary else {
        throw PKDError(.unknownChunk(chunk.type.description), at: chunk.offset)
      }
    }
  }

  private func readBlock(_ chunk: Chunk) throws(PKDError) {
    let heads = try StrokeBlock.readHeads(
      bytes, in: chunk.payload, table: table, base: header.base, limits: limits, tools: &tools)
    let first = positions.count
    guard first + heads.heads.count <= limits.strokes else {
      throw PKDError(
        .tooMany(
          .strokes, declared: UInt64(first + heads.heads.count), limit: limits.strokes),
        at: chunk.offset)
    }
    for (number, head) in heads.heads.enumerated() {
      // Shared paths count for each record, or a few bytes could declare any number of points.
      var points = head.pointCount
      if !head.ownsPath {
        let owner = first + number - head.sharedPath
        guard head.sharedPath > 0, owner >= 0, ownsPath(owner, heads, first) else {
          throw PKDError(.reference(.strokes, index: owner, count: first), at: chunk.offset)
        }
        points = owner < first ? self.head(owner).pointCount : heads.heads[owner - first].pointCount
      }
      guard points <= limits.points - pointTotal else {
        throw PKDError(
          .tooMany(
            .points, declared: UInt64(pointTotal) + UInt64(points), limit: limits.points),
          at: chunk.offset)
      }
      pointTotal += points
      // A family's or group's number is at most the record's own.
      guard head.family <= positions.count + number, head.group <= positions.count + number else {
        throw PKDError(
          .reference(.strokes, index: max(head.family, head.group), count: positions.count),
          at: chunk.offset)
      }
    }
    for number in heads.heads.indices { positions.append((Int32(blocks.count), Int32(number))) }
    blocks.append(Block(heads: heads, offset: chunk.offset))
    if let live, live.record < positions.count { self.live = nil }
  }

  private func readLive(_ chunk: Chunk) throws(PKDError) {
    var reader = ByteReader(bytes, in: chunk.payload)
    let (head, points) = try reader.live(table.version, limits: limits)
    guard head.record <= positions.count else {
      throw PKDError(
        .reference(.strokes, index: head.record, count: positions.count), at: chunk.offset)
    }
    // The finished stroke may have been read already.
    guard head.record == positions.count else { return }
    let pointCount = pointTotal + head.first + points.count
    guard positions.count < limits.strokes, pointCount <= limits.points else {
      throw PKDError(
        .tooMany(.points, declared: UInt64(pointCount), limit: limits.points), at: chunk.offset)
    }
    guard live.append(head, points) else {
      throw PKDError(.misplacedChunk(chunk.type.description), at: chunk.offset)
    }
    if let description = head.description { liveNames[head.record] = description.id }
  }

  private func ownsPath(_ record: Int, _ heads: StrokeBlock.Heads, _ first: Int) -> Bool {
    record < first ? self.head(record).ownsPath : heads.heads[record - first].ownsPath
  }

  func head(_ record: Int) -> StrokeHead {
    let position = positions[record]
    return blocks[Int(position.block)].heads.heads[Int(position.index)]
  }

  func traits(_ record: Int) -> StrokeTraits { table.forms[head(record).form].traits }

  private func readNames() {
    for record in nameRows.count..<positions.count {
      let head = head(record)
      let traits = table.forms[head.form].traits
      nameRows.append(
        NameTable.Row(
          family: traits.contains(.piece) ? head.family : nil, isBare: traits.contains(.bare)))
      if traits.contains(.group) { groupCount = max(groupCount, head.group + 1) }
    }
    names.grow(nameRows, groupCount: groupCount, live: liveNames)
    let newChunks = namedChunks..<chunks.count
    namedChunks = chunks.count
    do throws(PKDError) {
      for chunk in chunks[newChunks] where chunk.type == .names {
        try names.read(bytes, in: chunk.payload, rows: nameRows)
      }
    } catch {
      damage = damage ?? error
    }
  }
}

// MARK: - Strokes

extension PKDReader: StrokeSource {
  /// The number of strokes, including those that were erased later, in the order in which they
  /// began.
  public var strokeCount: Int { positions.count + (live == nil ? 0 : 1) }

  /// The number of finished strokes.
  var recordCount: Int { positions.count }

  /// The unfinished stroke if it has this index; else nil.
  func liveStroke(_ index: Int) -> PKStroke? {
    guard index == positions.count, let live else { return nil }
    if let cachedLiveStroke { return cachedLiveStroke }
    let whole = live.whole
    cachedLiveStroke = whole
    return whole
  }

  /// The bounding box of everything that a stroke draws on the canvas; null where it draws nothing.
  public func bounds(ofStroke index: Int) -> Rect {
    if let live = liveStroke(index) { return live.renderBounds }
    let (head, traits) = (head(index), traits(index))
    if traits.contains(.archivedBox) { return head.extras?.archivedBox ?? head.box ?? .null }
    if let box = head.box { return box }
    // Nothing is drawn, or the box is so far away that heads cannot store it.
    if traits.contains(.bare) { return .null }
    return (try? stroke(at: index))?.renderBounds ?? .null
  }

  /// The time from a stroke's first point to its last.
  public func timeRange(ofStroke index: Int) -> ClosedRange<Timestamp> {
    if let live = liveStroke(index) { return live.path.timeRange }
    let head = headOfPath(index)
    return head.date.range(milliseconds: head.duration)
  }

  /// The duration of a stroke in milliseconds, rounded up; see `PKStrokePath.milliseconds`.
  func milliseconds(ofStroke index: Int) -> UInt32 {
    liveStroke(index)?.path.milliseconds ?? headOfPath(index).duration
  }

  /// The record that owns a record's path, usually the record itself.
  func ownerOfPath(_ record: Int) -> Int {
    let head = head(record)
    return head.ownsPath ? record : record - head.sharedPath
  }

  private func headOfPath(_ record: Int) -> StrokeHead { head(ownerOfPath(record)) }

  /// The number of control points of a stroke's path.
  public func pointCount(ofStroke index: Int) -> Int {
    if index == positions.count, let live { return live.points.count }
    return headOfPath(index).pointCount
  }

  /// The ink of a stroke.
  public func ink(ofStroke index: Int) -> PKInk {
    if index == positions.count, let live { return live.stroke.ink }
    return table.inks[table.forms[head(index).form].ink]
  }

  /// The render group of a stroke, whose strokes are wet together; nil without one.
  public func renderGroupID(ofStroke index: Int) -> Identifier? {
    if index == positions.count, let live { return live.stroke.renderGroupID }
    return traits(index).contains(.group) ? names.groups[head(index).group] : nil
  }

  /// Whether a mask hides parts of a stroke, as an eraser leaves it.
  public func isMasked(stroke index: Int) -> Bool {
    if index == positions.count, let live { return live.stroke.mask != nil }
    return head(index).extras?.mask != nil
  }

  /// The identifier of a stroke; all zeros for a path that only an event needs.
  public func id(ofStroke index: Int) -> Identifier {
    if index == positions.count, let live { return live.stroke.id }
    return isBare(index) ? .zero : names.strokes[index]
  }

  /// The stroke that a stroke is a piece of; nil for a whole stroke.
  func family(ofStroke index: Int) -> Identifier? {
    if index == positions.count, let live { return live.stroke.parentID }
    return traits(index).contains(.piece) ? names.families[head(index).family] : nil
  }

  /// A stroke with its points. All points of a block are decoded together and kept for a while, so
  /// reading other strokes of the block costs little.
  public func stroke(at index: Int) throws(PKDError) -> PKStroke {
    if let live = liveStroke(index) { return live }
    let (head, owner) = (head(index), ownerOfPath(index))
    let path = PKStrokePath(columns: try columns(owner), creationDate: self.head(owner).date)
    return Self.stroke(head, path: path, index: index, table: table, names: names)
  }

  /// Builds a stroke from its head and path.
  @inline(__always)
  private static func stroke(
    _ head: StrokeHead, path: PKStrokePath, index: Int, table: FormTable, names: NameTable
  ) -> PKStroke {
    let form = table.forms[head.form]
    let (traits, extras) = (form.traits, head.extras)
    return PKStroke(
      ink: table.inks[form.ink], path: path, transform: extras?.transform ?? .identity,
      mask: extras?.mask, randomSeed: extras?.seed ?? 0,
      id: traits.contains(.bare) ? .zero : names.strokes[index],
      renderGroupID: traits.contains(.group) ? names.groups[head.group] : nil,
      pathRange: extras?.part ?? .wholePath,
      parentID: traits.contains(.piece) ? names.families[head.family] : nil,
      archivedBounds: traits.contains(.archivedBox) ? extras?.archivedBox ?? head.box : nil,
      archivedMaskRanges: extras?.archivedRanges)
  }

  /// The points of a record that owns a path.
  private func columns(_ record: Int) throws(PKDError) -> PointColumns {
    let position = positions[record]
    let number = Int(position.block)
    let block = blocks[number]
    let paths: [PointColumns]
    if let known = cachedPaths[number] {
      paths = known
    } else {
      paths = try StrokeBlock.readPaths(bytes, of: block.heads, table: table, tools: &tools)
      cachedPaths.insert(paths, ofBlock: number)
    }
    let before = block.heads.heads[..<Int(position.index)].count { $0.ownsPath }
    guard before < paths.count else {
      throw PKDError(.entropy, at: block.heads.points.lowerBound)
    }
    return paths[before]
  }

  /// The points of all finished strokes, path by path. Strokes are not built.
  package func pathColumns() throws(PKDError) -> [PointColumns] {
    var columns: [PointColumns] = []
    columns.reserveCapacity(recordCount)
    for block in blocks {
      columns += try StrokeBlock.readPaths(bytes, of: block.heads, table: table, tools: &tools)
    }
    return columns
  }

  /// Decodes all strokes up to the first that cannot be read, and returns the damage that ended
  /// this. On several threads, all points are decoded before the first stroke is built.
  public func readStrokes(threads: Int = 1) -> (value: [PKStroke], damage: PKDError?) {
    var strokes: [PKStroke] = []
    strokes.reserveCapacity(strokeCount)
    // A thread for fewer than 16 blocks would take longer to start than to decode them.
    let lanes = min(threads, blocks.count / 16 + 1)
    do throws(PKDError) {
      if lanes > 1 {
        for part in readPaths(lanes: lanes) {
          for (block, paths) in zip(blocks[part.blocks], part.paths) {
            append(block, paths, to: &strokes)
          }
          if let damage = part.damage { throw damage }
        }
      } else {
        for block in blocks {
          let paths = try StrokeBlock.readPaths(bytes, of: block.heads, table: table, tools: &tools)
          append(block, paths, to: &strokes)
        }
      }
      if let live = liveStroke(strokes.count) { strokes.append(live) }
      return (strokes, nil)
    } catch {
      return (strokes, error)
    }
  }

  /// The paths of consecutive blocks, up to the first that is damaged.
  private struct DecodedPaths {
    let blocks: Range<Int>
    var paths: [[PointColumns]] = []
    var damage: PKDError?
  }

  /// Decodes the points of all blocks, in as many parts as there are lanes.
  private func readPaths(lanes: Int) -> [DecodedPaths] {
    let parts = ConditionMutex(
      (0..<lanes).map { lane in
        DecodedPaths(blocks: blocks.count * lane / lanes..<blocks.count * (lane + 1) / lanes)
      })
    Lanes.run(lanes) { lane in
      var part = parts.withLock { $0[lane] }
      var tools = BlockTools()
      do throws(PKDError) {
        for block in blocks[part.blocks] {
          part.paths.append(
            try StrokeBlock.readPaths(bytes, of: block.heads, table: table, tools: &tools))
        }
      } catch {
        part.damage = error
      }
      parts.withLock { $0[lane] = part }
    }
    return parts.withLock { $0 }
  }

  private func append(_ block: Block, _ paths: [PointColumns], to strokes: inout [PKStroke]) {
    let (table, names) = (table, names)
    var next = 0
    for head in block.heads.heads {
      let path: PKStrokePath
      if head.ownsPath {
        path = PKStrokePath(columns: paths[next], creationDate: head.date)
        next += 1
      } else {
        path = strokes[strokes.count - head.sharedPath].path
      }
      strokes.append(
        Self.stroke(head, path: path, index: strokes.count, table: table, names: names))
    }
  }
}
