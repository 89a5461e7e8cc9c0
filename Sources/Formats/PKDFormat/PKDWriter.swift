import Graphics
public import Strokes

/// Writes recordings as `.pkd` files. `docs/formats/pkd.md` describes the format.
public enum PKDWriter {
  /// The stored content and its precision.
  public struct Options: Hashable, Sendable {
    /// How exactly points are stored.
    public var profile: PKDProfile
    /// Whether the names of strokes and an archive's residue are left out.
    public var inkOnly: Bool
    /// Whether a small file is one chunk. Tests of chunks turn this off.
    package var allowsPage = true

    /// Options; by default everything is stored exactly.
    public init(profile: PKDProfile = .exact, inkOnly: Bool = false) {
      self.profile = profile
      self.inkOnly = inkOnly
    }
  }

  /// Encodes a drawing on a page. One that came from an archive can be written as that archive
  /// again, byte for byte.
  public static func encode(
    _ drawing: PKDrawing, on canvas: Recording.Canvas = Recording.Canvas(),
    options: Options = Options()
  ) throws(PKDContentError) -> [UInt8] {
    try encode(
      RecordList(drawing.strokes), of: Recording(canvas: canvas), residue: drawing.residue,
      options: options)
  }

  /// Encodes a recording.
  public static func encode(
    _ recording: Recording, options: Options = Options()
  ) throws(PKDContentError) -> [UInt8] {
    try encode(recording, residue: nil, options: options)
  }

  /// Encodes a recording and the residue of the archive that its drawing came from.
  package static func encode(
    _ recording: Recording, residue: ArchiveResidue?, options: Options
  ) throws(PKDContentError) -> [UInt8] {
    try encode(RecordList(recording), of: recording, residue: residue, options: options)
  }

  /// Encodes the records of a recording, with chunks of another file that are copied unchanged.
  /// Records without any event are strokes one after the other.
  static func encode(
    _ list: RecordList, of recording: Recording, residue: ArchiveResidue?,
    keeping kept: [(type: ChunkType, payload: ArraySlice<UInt8>)] = [], options: Options
  ) throws(PKDContentError) -> [UInt8] {
    try check(recording, list, residue)
    let base = list.records.first?.stroke.path.creationDate ?? recording.events.first?.time
    var file = FileBuilder(
      header: Header(
        profile: options.profile, base: base ?? .referenceDate, canvas: recording.canvas))
    try file.add(list.records, allowsPage: options.allowsPage)
    if !options.inkOnly, !list.records.isEmpty { try file.addNames(list) }
    if !recording.isPlain(list) {
      var events = ByteWriter()
      events.events(recording.events, after: file.header.base, records: list)
      try file.add(.events, events.bytes)
    }
    if !options.inkOnly, let residue {
      // The name of a stroke comes once, however many pieces of it there are.
      try file.add(
        .archive,
        ArchiveEncoder.encode(residue, names: ArchiveNames.of(list.records.map { $0.stroke }))
      )
    }
    var last = kept
    if !options.inkOnly, let words = recording.words {
      last.append((.words, WordList.payload(of: words) { list.number(of: $0) }[...]))
    }
    return try file.finish(keeping: last)
  }

  private static func check(
    _ recording: Recording, _ list: RecordList, _ residue: ArchiveResidue?
  ) throws(PKDContentError) {
    try ContentCheck.canvas(recording.canvas)
    var check = ContentCheck()
    for record in list.records { try check.add(record.stroke) }
    for event in recording.events { try check.add(event) }
    if let words = recording.words { try ContentCheck.words(words) }
    let limit = PKDLimits().archiveBytes
    if let count = residue?.bytes.count, count > limit {
      throw PKDContentError(.tooMany(.archiveBytes, count: count, limit: limit), .file)
    }
  }
}

/// The names of strokes in the order of an archive's records.
enum ArchiveNames {
  static func of(_ strokes: [PKStroke]) -> [Identifier] {
    var names: [Identifier] = []
    for stroke in strokes where names.last != stroke.rootID { names.append(stroke.rootID) }
    return names
  }
}

/// Builds a file. Its records come first, since their number decides whether it is a page or
/// chunks.
struct FileBuilder {
  let header: Header
  private var writer = ByteWriter()
  /// The sections of a page; nil if the file is chunks.
  private var page: ByteWriter?
  private var tools = BlockTools()
  private var index = FileIndex()

  init(header: Header) {
    self.header = header
    writer.append(Signature.bytes)
  }

  mutating func add(
    _ type: ChunkType, _ payload: some Collection<UInt8>
  ) throws(PKDContentError) {
    try ContentCheck.chunk(payload.count)
    if var page {
      self.page = nil  // so that appending does not copy it
      PageSections.append(type, payload, to: &page)
      self.page = page
    } else {
      writer.chunk(type, payload)
    }
  }

  /// Adds the header, and records in blocks, preceded by the table rows that they need.
  mutating func add(
    _ records: [StrokeRecord], allowsPage: Bool
  ) throws(PKDContentError) {
    let plan = BlockPlan(records[...], header: header)
    try ContentCheck.rows(of: plan.table)
    if allowsPage, plan.blocks.count <= 1 { page = ByteWriter() }
    try add(.header, header.payload)
    if !records.isEmpty { try add(.table, plan.table.rows(after: plan.table.emptyMark)) }
    for block in plan.blocks {
      index.add(block.heads, at: nextOffset, base: header.base)
      try add(
        .strokes,
        StrokeBlock.write(
          block.heads, paths: plan.paths[block.paths], table: plan.table, base: header.base,
          tools: &tools))
    }
  }

  /// The offset of the next chunk, or of the next section of the page.
  private var nextOffset: Int { writer.bytes.count + (page.map { 8 + $0.bytes.count } ?? 0) }

  mutating func addNames(_ list: RecordList) throws(PKDContentError) {
    var names = NameTable()
    names.strokes = list.records.map { $0.stroke.id }
    names.families = list.families
    names.groups = list.groups
    let payload = names.payload(
      list.records.map { NameTable.Row(family: $0.family, isBare: $0.isBare) })
    try add(.names, payload)
  }

  /// Adds chunks that are copied unchanged, and returns the file.
  mutating func finish(
    keeping kept: [(type: ChunkType, payload: ArraySlice<UInt8>)]
  ) throws(PKDContentError) -> [UInt8] {
    if let page {
      self.page = nil
      try add(.page, page.bytes)
      // Behind a page, only an index and a tail show that the file is finished.
      if kept.isEmpty { return writer.bytes }
    }
    for chunk in kept { try add(chunk.type, chunk.payload) }
    let offset = writer.bytes.count
    try add(.index, index.payload)
    var tail = ByteWriter()
    tail.littleEndian(UInt64(offset), count: 8)
    writer.chunk(.tail, tail.bytes)
    return writer.bytes
  }
}
