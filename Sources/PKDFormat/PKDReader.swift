public import Graphics
public import Strokes

/// A `.pkd` recording that is read as needed: opening it reads what there is to know of the whole,
/// listing strokes reads their heads, and only strokes that are asked for have their points read.
///
/// A file that was cut or damaged is read up to the damage, and `damage` says where that is. What only
/// reading further finds, such as points that cannot be decoded, is returned beside what could be read.
/// A stroke that was under the pen when the recording broke off comes last, with the points that it has.
public final class PKDReader {
  /// What opening found wrong with the file; nil for a sound one.
  public private(set) var damage: PKDError?
  /// Whether the file was finished: it ends with an index and a tail.
  public private(set) var isFinished = false
  /// Whether this is what could be saved from a file that was never finished, is still being written,
  /// or was damaged.
  public var isRecovered: Bool { !isFinished || damage != nil }
  /// How points are kept.
  public var profile: PKDProfile { header.profile }
  /// The page.
  public var canvas: Recording.Canvas { header.canvas }

  private(set) var bytes: [UInt8]
  let limits: PKDLimits
  let header: Header
  private(set) var chunks: [Chunk] = []
  private(set) var table = FormTable()
  private var tools = BlockTools()
  private(set) var blocks: [Block] = []
  /// The block of each stroke, and its place there.
  private(set) var places: [(block: Int32, place: Int32)] = []
  private(set) var names = NameTable()
  /// What the names of records depend on.
  private(set) var nameRows: [NameTable.Row] = []
  private var groupCount = 0
  /// How many chunks have been asked for names.
  private var namedChunks = 0
  private var pointTotal = 0
  /// Whether the damage is that of a chunk that is not complete, as crashes leave one.
  private(set) var isTorn = false
  /// The stroke that has no end yet.
  private(set) var live: LiveStroke? { didSet { liveWhole = nil } }
  private var liveWhole: PKStroke?
  private var liveNames: [Int: Identifier] = [:]
  /// What happened, once it was asked for.
  var knownScript: (value: RecordingScript, damage: PKDError?)?
  /// The block whose paths were read last.
  private var opened: (block: Int, paths: [PointColumns])?

  struct Block {
    let heads: StrokeBlock.Heads
    let offset: Int
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
    readChunks()
    readNames()
  }

  /// Where the last complete chunk ends.
  var soundEnd: Int { chunks.last?.end ?? Signature.bytes.count }

  /// Reads on when there are other bytes behind the last complete chunk than there were.
  func readOn(_ more: [UInt8]) {
    guard damage == nil || isTorn else { return }
    bytes.removeSubrange(soundEnd...)
    bytes += more
    damage = nil
    isTorn = false
    knownScript = nil
    readChunks()
    readNames()
  }

  /// Reads all chunks that were not read yet, up to the end or to the first that is damaged.
  private func readChunks() {
    var walker = ChunkWalker(bytes, from: soundEnd)
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
    isFinished = chunks.last?.type == .tail
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
    case .events, .names, .archive, .preview, .index, .tail: break
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
      if !head.ownsPath {
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
    blocks.append(Block(heads: heads, offset: chunk.offset))
    if let live, live.record < places.count { self.live = nil }
  }

  private func readLive(_ chunk: Chunk) throws(PKDError) {
    var reader = ByteReader(bytes, in: chunk.payload)
    let (head, points) = try reader.live(limits: limits)
    guard head.record <= places.count else {
      throw PKDError(
        .reference(.strokes, index: head.record, count: places.count), at: chunk.offset)
    }
    // The stroke may have got its end already.
    guard head.record == places.count else { return }
    let pointCount = pointTotal + head.first + points.count
    guard places.count < limits.strokes, pointCount <= limits.points else {
      throw PKDError(
        .tooMany(.points, declared: UInt64(pointCount), limit: limits.points), at: chunk.offset)
    }
    guard live.follow(head, points) else {
      throw PKDError(.misplacedChunk(chunk.type.description), at: chunk.offset)
    }
    if let description = head.description { liveNames[head.record] = description.id }
  }

  private func ownsPath(_ record: Int, _ heads: StrokeBlock.Heads, _ first: Int) -> Bool {
    record < first ? self.head(record).ownsPath : heads.heads[record - first].ownsPath
  }

  func head(_ record: Int) -> StrokeHead {
    let place = places[record]
    return blocks[Int(place.block)].heads.heads[Int(place.place)]
  }

  private func traits(_ record: Int) -> StrokeTraits { table.forms[head(record).form].traits }

  private func readNames() {
    for record in nameRows.count..<places.count {
      let place = places[record]
      let head = blocks[Int(place.block)].heads.heads[Int(place.place)]
      let traits = table.forms[head.form].traits
      nameRows.append(
        NameTable.Row(
          family: traits.contains(.piece) ? head.family : nil, isBare: traits.contains(.bare)))
      if traits.contains(.group) { groupCount = max(groupCount, head.group + 1) }
    }
    names.grow(nameRows, groupCount: groupCount, live: liveNames)
    let news = namedChunks..<chunks.count
    namedChunks = chunks.count
    do throws(PKDError) {
      for chunk in chunks[news] where chunk.type == .names {
        try names.read(bytes, in: chunk.payload, rows: nameRows)
      }
    } catch {
      damage = damage ?? error
    }
  }
}

// MARK: - Strokes

extension PKDReader: StrokeSource {
  /// How many strokes there are, with those that were erased later, in the order of their beginnings.
  public var strokeCount: Int { places.count + (live == nil ? 0 : 1) }

  /// How many strokes are complete.
  var recordCount: Int { places.count }

  /// The stroke that has no end yet, if a number is its.
  func liveStroke(_ index: Int) -> PKStroke? {
    guard index == places.count, let live else { return nil }
    if let liveWhole { return liveWhole }
    let whole = live.whole
    liveWhole = whole
    return whole
  }

  /// The box of a stroke's pixels on the canvas; null where nothing is drawn.
  public func bounds(ofStroke index: Int) -> Rect {
    if let live = liveStroke(index) { return live.renderBounds }
    let (head, traits) = (head(index), traits(index))
    if traits.contains(.archivedBox) { return head.extras?.archivedBox ?? head.box ?? .null }
    if let box = head.box { return box }
    // Nothing is drawn, or so far away that heads have no numbers for it.
    if traits.contains(.bare) { return .null }
    return (try? stroke(at: index))?.renderBounds ?? .null
  }

  /// From a stroke's first point to its last.
  public func timeRange(ofStroke index: Int) -> ClosedRange<Timestamp> {
    if let live = liveStroke(index) { return live.path.timeRange }
    let head = headOfPath(index)
    return head.date.range(milliseconds: head.duration)
  }

  /// How long a stroke took; see `PKStrokePath.milliseconds`.
  func milliseconds(ofStroke index: Int) -> UInt32 {
    liveStroke(index)?.path.milliseconds ?? headOfPath(index).duration
  }

  /// The record that owns a record's path: itself, for most.
  func ownerOfPath(_ record: Int) -> Int {
    let head = head(record)
    return head.ownsPath ? record : record - head.sharedPath
  }

  private func headOfPath(_ record: Int) -> StrokeHead { head(ownerOfPath(record)) }

  /// How many points a stroke's path has.
  public func pointCount(ofStroke index: Int) -> Int {
    if index == places.count, let live { return live.points.count }
    return headOfPath(index).pointCount
  }

  /// The ink of a stroke.
  public func ink(ofStroke index: Int) -> PKInk {
    if index == places.count, let live { return live.stroke.ink }
    return table.inks[table.forms[head(index).form].ink]
  }

  /// The group that a stroke is wet together with, if it has one.
  public func renderGroupID(ofStroke index: Int) -> Identifier? {
    if index == places.count, let live { return live.stroke.renderGroupID }
    return traits(index).contains(.group) ? names.groups[head(index).group] : nil
  }

  /// Whether a mask hides parts of a stroke, as an eraser leaves it.
  public func isMasked(stroke index: Int) -> Bool {
    if index == places.count, let live { return live.stroke.mask != nil }
    return head(index).extras?.mask != nil
  }

  /// The name of a stroke; zeros for a path that only an event needs.
  public func id(ofStroke index: Int) -> Identifier {
    if index == places.count, let live { return live.stroke.id }
    return isBare(index) ? .zero : names.strokes[index]
  }

  /// The stroke that a stroke is a piece of, if it is one.
  func family(ofStroke index: Int) -> Identifier? {
    if index == places.count, let live { return live.stroke.parentID }
    return traits(index).contains(.piece) ? names.families[head(index).family] : nil
  }

  /// A stroke with its points. Reading the next one of the same block costs nothing more.
  public func stroke(at index: Int) throws(PKDError) -> PKStroke {
    if let live = liveStroke(index) { return live }
    let (head, owner) = (head(index), ownerOfPath(index))
    let path = PKStrokePath(columns: try columns(owner), creationDate: self.head(owner).date)
    return Self.stroke(head, path: path, index: index, table: table, names: names)
  }

  /// Puts a stroke together.
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
    let before = block.heads.heads[..<Int(place.place)].count(where: \.ownsPath)
    guard let paths = opened?.paths, before < paths.count else {
      throw PKDError(.entropy, at: block.heads.points.lowerBound)
    }
    return paths[before]
  }

  /// The points of all complete strokes, path by path, without the strokes themselves.
  package func pathColumns() throws(PKDError) -> [PointColumns] {
    var columns: [PointColumns] = []
    columns.reserveCapacity(recordCount)
    for block in blocks {
      columns += try StrokeBlock.readPaths(bytes, of: block.heads, table: table, tools: &tools)
    }
    return columns
  }

  /// Decodes all strokes up to the first that cannot be read, which is the damage that is returned: what
  /// opening did not find.
  public func readStrokes() -> (value: [PKStroke], damage: PKDError?) {
    var strokes: [PKStroke] = []
    strokes.reserveCapacity(strokeCount)
    do throws(PKDError) {
      for block in blocks { try read(block, into: &strokes) }
      if let live = liveStroke(strokes.count) { strokes.append(live) }
      return (strokes, nil)
    } catch {
      return (strokes, error)
    }
  }

  private func read(_ block: Block, into strokes: inout [PKStroke]) throws(PKDError) {
    let (table, names) = (table, names)
    let paths = try StrokeBlock.readPaths(bytes, of: block.heads, table: table, tools: &tools)
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

// MARK: - The whole

extension PKDReader {
  /// Decodes everything that was recorded, and returns the first damage that opening did not find. A stroke
  /// that has no end yet is begun last.
  public func readRecording() -> (value: Recording, damage: PKDError?) {
    var (strokes, damage) = readStrokes()
    let live = liveStroke(places.count)
    if strokes.count > places.count { strokes.removeLast() }
    var reader = EventReader(strokes, base: header.base, limits: limits)
    do throws(PKDError) {
      for log in logs { try reader.read(bytes, in: log.payload) }
    } catch {
      damage = damage ?? error
    }
    var events = reader.events + untold(after: reader)
    if let live {
      let now = events.last?.time ?? header.base
      events.append(
        Recording.Event(time: max(now, live.path.creationDate), action: .strokeBegun(live)))
    }
    return (Recording(canvas: canvas, events: events), damage)
  }

  /// The chunks that say what happened, from one of the chunks on.
  var logs: [Chunk] { chunks.filter { $0.type == .events } }

  /// What happened to the strokes that no event tells of: in a file without events, or because it
  /// broke off before them.
  ///
  /// Each of them was drawn. But where events are told of others, records behind a path that is no
  /// stroke are what an eraser left whose event was lost: it has not erased. They are told as such, so
  /// that events which follow count on from them.
  func untold(after reader: EventReader) -> [Recording.Event] {
    let strokes = reader.strokes
    let numbers = reader.next..<strokes.count
    let isLogged = !logs.isEmpty
    let lost = isLogged ? numbers.first { isBare($0) } ?? numbers.upperBound : nil
    let drawn = numbers.filter { !isBare($0) && $0 < lost ?? .max }
    var told = Recording(PKDrawing(strokes: drawn.map { strokes[$0] })).events[...]
    var events: [Recording.Event] = []
    var now = isLogged ? reader.now : told.first?.time ?? reader.now
    func add(_ action: Recording.Action, at time: Timestamp) {
      now = max(now, time)
      events.append(Recording.Event(time: now, action: action))
    }
    for number in numbers {
      if isBare(number) {
        add(.erased(PKEraserTool(.bitmap), along: strokes[number].path, changes: []), at: now)
      } else if let lost, number > lost, let last = events.popLast(),
        case .erased(let eraser, let path, let changes) = last.action
      {
        let pieces = (changes.first?.replacements ?? []) + [strokes[number]]
        let change = StrokeChange(strokeID: .zero, replacements: pieces)
        add(.erased(eraser, along: path, changes: [change]), at: now)
      } else {
        for event in told.prefix(2) { add(event.action, at: event.time) }
        told = told.dropFirst(2)
      }
    }
    return events
  }

  /// Decodes the drawing as it was when everything had happened, and returns the first damage that opening
  /// did not find. A drawing that came from an archive can go back there.
  public func readDrawing() -> (value: PKDrawing, damage: PKDError?) {
    let (recording, broken) = readRecording()
    var (drawing, damage) = (recording.drawing, broken)
    do throws(PKDError) {
      drawing.residue = try readResidue()
    } catch {
      damage = damage ?? error
    }
    return (drawing, damage)
  }

  /// Whether a record is no stroke but a path that an event needs.
  func isBare(_ record: Int) -> Bool { traits(record).contains(.bare) }

  /// Decodes what the archive that the drawing came from said beyond it.
  package func readResidue() throws(PKDError) -> ArchiveResidue? {
    guard let chunk = chunks.last(where: { $0.type == .archive }) else { return nil }
    var rootNames: [Identifier] = []
    for index in places.indices {
      let name =
        traits(index).contains(.piece) ? names.families[head(index).family] : names.strokes[index]
      if rootNames.last != name { rootNames.append(name) }
    }
    return try ArchiveDecoder.decode(bytes, in: chunk.payload, names: rootNames, limits: limits)
  }
}

// MARK: - Going on

extension PKDReader {
  /// The records of a file that is continued.
  func recordList(_ strokes: [PKStroke]) -> RecordList {
    let records = places.indices.map { number in
      let (head, traits) = (head(number), traits(number))
      return StrokeRecord(
        stroke: strokes[number], isBare: traits.contains(.bare),
        sharedPath: table.forms[head.form].ownsPath ? nil : number - head.sharedPath,
        family: traits.contains(.piece) ? head.family : nil,
        group: traits.contains(.group) ? head.group : nil)
    }
    return RecordList(records, families: names.families, groups: names.groups)
  }

  /// Chunks that nobody here knows, or makes.
  var unknownChunks: [(type: ChunkType, payload: ArraySlice<UInt8>)] {
    let made: Set<ChunkType> = [.names, .archive, .index, .tail]
    return chunks.filter { $0.type.isAncillary && !made.contains($0.type) }
      .map { ($0.type, bytes[$0.payload]) }
  }
}
