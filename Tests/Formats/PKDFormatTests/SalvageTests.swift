import Graphics
import Strokes
import TestSupport
import Testing

@testable import InkFiles
@testable import PKDFormat

struct SalvageTests {
  /// A drawing of several blocks.
  private static func drawing(seed: UInt64) -> PKDrawing {
    var random = RandomInk(seed: seed)
    return random.drawing(strokeCount: 60...60, pointCount: 5...30)
  }

  private static func repaired(_ bytes: [UInt8]) throws -> (PKDVerification, PKDReader) {
    let verification = try PKDVerification(bytes)
    let reader = try PKDReader(try verification.repaired { _ in true }.bytes)
    #expect(reader.wholeDamage == nil && reader.isFinished)
    return (verification, reader)
  }

  private static func chunks(_ bytes: [UInt8]) throws -> [Chunk] { try PKDReader(bytes).chunks }

  @Test(arguments: 0..<10) func `repairing an intact file changes nothing`(_ seed: UInt64) throws {
    let bytes = try PKDWriter.encode(Self.drawing(seed: seed))
    let verification = try PKDVerification(bytes)
    #expect(verification.problems.isEmpty && verification.isFinished)
    #expect(verification.recoverable == verification.original)
    #expect(verification.recoverable.strokes == 60)
    #expect(try verification.repaired { _ in true }.bytes == bytes)
  }

  @Test(arguments: 0..<10)
  func `a damaged block costs only its own strokes`(_ seed: UInt64) throws {
    let drawing = Self.drawing(seed: seed)
    let bytes = try PKDWriter.encode(drawing)
    let blocks = try Self.chunks(bytes).filter { $0.type == .strokes }
    #expect(blocks.count > 3)
    for block in blocks {
      // Damage to the payload, to the type and to the length.
      for offset in [block.payload.lowerBound + 20, block.offset + 5, block.offset + 1] {
        var damaged = bytes
        damaged[offset] ^= 0x21
        let (verification, reader) = try Self.repaired(damaged)
        #expect(verification.problems.count == 1)
        #expect(verification.problems.first?.offset ?? 0 >= block.offset)
        #expect(verification.original?.strokes == 60)
        let kept = reader.readDrawing().value.strokes
        #expect(kept.count == verification.recoverable.strokes && kept.count >= 44)
        #expect(kept.allSatisfy { drawing.strokes.contains($0) })
      }
    }
  }

  @Test func `a damaged block without an index loses only its own strokes`() throws {
    let drawing = Self.drawing(seed: 3)
    let bytes = try PKDWriter.encode(drawing)
    let chunks = try Self.chunks(bytes)
    let block = try #require(chunks.first { $0.type == .strokes })
    let index = try #require(chunks.last { $0.type == .index })
    var damaged = Array(bytes[..<index.offset])
    damaged[block.payload.lowerBound + 20] ^= 1
    let (verification, reader) = try Self.repaired(damaged)
    #expect(verification.original == nil && !verification.isFinished)
    let kept = reader.readDrawing().value.strokes
    #expect(kept == Array(drawing.strokes.suffix(kept.count)) && kept.count >= 44)
  }

  @Test func `unknown chunks are kept if they do not depend on lost strokes`() throws {
    let bytes = try PKDWriter.encode(Self.drawing(seed: 1))
    let first = try #require(try Self.chunks(bytes).first)
    func chunk(_ name: String) -> [UInt8] {
      var writer = ByteWriter()
      writer.chunk(
        ChunkType(letters: name.utf8.reversed().reduce(0) { $0 << 8 | UInt32($1) }), [1, 2, 3])
      return writer.bytes
    }
    var file = bytes
    file.insert(contentsOf: chunk("xNOt") + chunk("xDEP"), at: first.end)
    // Only the index is wrong, so both strokes stay.
    let repair = try PKDVerification(file).repaired { _ in true }
    var names = try Self.chunks(repair.bytes).map(\.type.description)
    #expect(names.contains("xNOt") && names.contains("xDEP") && repair.droppedChunks.isEmpty)
    let block = try #require(try Self.chunks(file).first { $0.type == .strokes })
    file[block.payload.lowerBound + 20] ^= 1
    // With strokes lost, the chunk that depends on them is dropped.
    let second = try PKDVerification(file).repaired { _ in true }
    names = try Self.chunks(second.bytes).map(\.type.description)
    #expect(names.contains("xNOt") && !names.contains("xDEP") && second.droppedChunks == ["xDEP"])
  }

  @Test func `a repair does not round, whatever profile the file claims`() throws {
    let drawing = Self.drawing(seed: 5)
    var file = try #require(ChunkedFile(PKDWriter.encode(drawing, options: .inChunks)))
    file.parts[0].payload[2] = PKDProfile.compact.rawValue
    let (_, reader) = try Self.repaired(Array(file.bytes.dropLast(20)))
    #expect(reader.readDrawing().value == drawing)
  }

  /// The file of a drawing in which the boxes of some strokes are moved away.
  private static func file(of drawing: PKDrawing, movingBoxesOf moved: Range<Int>) throws -> [UInt8]
  {
    var file = try #require(ChunkedFile(PKDWriter.encode(drawing, options: .inChunks)))
    let header = try PKDReader(file.bytes).header
    let records = RecordList(Recording(drawing)).records
    let plan = BlockPlan(records[...], header: header)
    var tools = BlockTools()
    var number = 0
    let parts = file.parts.indices.filter { file.parts[$0].type == .strokes }
    for (part, block) in zip(parts, plan.blocks) {
      var heads = block.heads
      for index in heads.indices {
        if moved.contains(number) {
          heads[index].box = heads[index].box?.offset(by: Point(x: 300, y: 0))
        }
        number += 1
      }
      file.parts[part].payload = StrokeBlock.write(
        heads, paths: plan.paths[block.paths], table: plan.table, base: header.base, tools: &tools)
    }
    // The offsets of blocks may have moved.
    file.parts.removeAll { $0.type == .index || $0.type == .tail }
    return file.bytes
  }

  @Test func `boxes that do not contain their ink are found and repaired`() throws {
    let drawing = Self.drawing(seed: 1)
    #expect(try PKDVerification(Self.file(of: drawing, movingBoxesOf: 0..<0)).problems.isEmpty)
    let file = try Self.file(of: drawing, movingBoxesOf: 3..<5)
    let verification = try PKDVerification(file)
    #expect(verification.problems.map(\.reason) == [.wrongBox(stroke: 3), .wrongBox(stroke: 4)])
    #expect(verification.recoverable == verification.original)
    let repaired = try verification.repaired { _ in true }.bytes
    #expect(try PKDVerification(repaired).problems.isEmpty)
    #expect(try PKDReader(repaired).readDrawing().value == drawing)
    // A list of thousands would not help more.
    let many = try PKDVerification(Self.file(of: drawing, movingBoxesOf: 0..<30)).problems
    #expect(many.count == 21)
    #expect(many.count { if case .moreWrongBoxes = $0.reason { true } else { false } } == 1)
  }

  @Test(arguments: PKDProfile.allCases)
  func `verification accepts every box that the writer computes`(profile: PKDProfile) throws {
    for seed in 0..<RunLength.count(6, long: 200) {
      var random = RandomInk(seed: UInt64(seed))
      let drawings = [random.drawing(), random.erasedDrawing(), random.recording().drawing]
      for drawing in drawings {
        let bytes = try PKDWriter.encode(drawing, options: .init(profile: profile))
        #expect(try PKDVerification(bytes).problems.isEmpty)
      }
    }
  }

  @Test func `verification finds an index of another file`() throws {
    let bytes = try PKDWriter.encode(Self.drawing(seed: 1))
    let other = try PKDWriter.encode(Self.drawing(seed: 2))
    let (mine, theirs) = (try Self.chunks(bytes), try Self.chunks(other))
    let start = try #require(mine.first { $0.type == .index }).offset
    let index = try #require(theirs.first { $0.type == .index })
    let file = bytes[..<start] + other[index.offset...]
    let problems = try PKDVerification(Array(file)).problems.map(\.reason)
    #expect(problems == [.wrongIndex, .wrongTail])
  }

  @Test func `events of a lost stroke are removed, and undoing still works`() throws {
    var random = RandomInk(seed: 8)
    var recording = Recording(Self.drawing(seed: 4))
    let now = try #require(recording.events.last?.time)
    let eraser = random.path(pointCount: 8...8)
    recording.erase(along: eraser, with: PKEraserTool(.bitmap, width: 60), at: now)
    for isUndone in [false, true] {
      if isUndone { recording.events.append(Recording.Event(time: now, action: .undone)) }
      let bytes = try PKDWriter.encode(recording)
      let block = try #require(try Self.chunks(bytes).first { $0.type == .strokes })
      var damaged = bytes
      damaged[block.payload.lowerBound + 20] ^= 1
      let (_, reader) = try Self.repaired(damaged)
      let inked = reader.readDrawing().value.strokes.filter { !$0.path.isEmpty }
      let expected = recording.drawing.strokes
      #expect(inked.allSatisfy { expected.contains($0) })
      #expect(inked.count >= 40 && inked.count < expected.count)
    }
  }

  /// An unfinished recording of three strokes, with live points of each.
  private static func journal() throws -> (bytes: [UInt8], strokes: [PKStroke]) {
    var random = RandomInk(seed: 21)
    let files = CrashingFiles()
    let journal = try PKDJournal(
      creating: "page.pkd",
      content: JournalContent(
        header: Header(profile: .exact, base: .referenceDate, canvas: .init())), in: files)
    let strokes = (0..<3).map { number in
      PKStroke(
        ink: random.ink(),
        path: random.path(pointCount: 5...5).withCreationDate(
          Timestamp(secondsSinceReferenceDate: Double(number))), randomSeed: UInt32(number))
    }
    for stroke in strokes {
      var begun = stroke
      begun.path = PKStrokePath(controlPoints: [], creationDate: stroke.path.creationDate)
      try journal.begin(stroke: begun, at: stroke.path.creationDate)
      try journal.append(points: stroke.path.prefix(4))
      try journal.flush()
      try journal.append(points: stroke.path.suffix(1))
      try journal.endStroke(at: stroke.path.creationDate)
      try journal.flush()
    }
    return (files.disk.files["page.pkd"] ?? [], strokes)
  }

  @Test(arguments: 0..<12)
  func `a damaged block of a recording with erased and extended strokes is repaired`(
    _ seed: UInt64
  ) throws {
    var random = RandomInk(seed: seed)
    let recording = random.recording(eventCount: 120...160)
    let bytes = try PKDWriter.encode(recording, options: .inChunks)
    for block in try Self.chunks(bytes).filter({ $0.type == .strokes }) {
      var damaged = bytes
      damaged[block.payload.lowerBound + block.payload.count / 2] ^= 0x21
      #expect(SalvageProperties.violation(damaged) == nil)
    }
  }

  @Test func `a stroke whose block is lost keeps its live points`() throws {
    let (bytes, strokes) = try Self.journal()
    let blocks = try Self.chunks(bytes).filter { $0.type == .strokes }
    for (number, block) in blocks.enumerated().dropFirst() {
      // Damage to the payload, and to the length, so that the number of lost strokes is unknown.
      for offset in [block.payload.lowerBound + 20, block.offset + 2] {
        var damaged = bytes
        damaged[offset] ^= 0x21
        let (verification, reader) = try Self.repaired(damaged)
        let kept = reader.readDrawing().value.strokes
        #expect(kept.map(\.path.count) == strokes.indices.map { $0 == number ? 4 : 5 })
        #expect(kept.map(\.id) == strokes.map(\.id))
        #expect(verification.recoverable.strokes == 3 && verification.recoverable.points == 14)
      }
    }
  }

  @Test func `live points that continue no stroke do not hide those before them`() throws {
    let (bytes, strokes) = try Self.journal()
    var file = try #require(ChunkedFile(bytes))
    // Points that continue no stroke follow the first stroke's; the second stroke's block is
    // damaged.
    let live = try #require(file.index(of: .live))
    var writer = ByteWriter()
    writer.live(LivePoints(record: 0, first: 77), PackedPoints(), 0..<0)
    file.parts.insert(.init(type: .live, payload: writer.bytes), at: live + 1)
    var damaged = file.bytes
    let blocks = try Self.chunks(bytes).filter { $0.type == .strokes }
    let shift = writer.bytes.count + Chunk.overhead
    damaged[blocks[1].payload.lowerBound + shift + 20] ^= 1
    let (_, reader) = try Self.repaired(damaged)
    #expect(reader.readDrawing().value.strokes.map(\.path.count) == [5, 4, 5])
    #expect(reader.readDrawing().value.strokes.map(\.ink) == strokes.map(\.ink))
  }

  @Test func `strokes whose table rows are lost are not read with other rows`() throws {
    let (bytes, strokes) = try Self.journal()
    let tables = try Self.chunks(bytes).filter { $0.type == .table }
    var damaged = bytes
    damaged[tables[1].payload.lowerBound + 3] ^= 1
    let (verification, reader) = try Self.repaired(damaged)
    #expect(verification.problems.count > 1)
    // The live points of these strokes remain.
    #expect(reader.readDrawing().value.strokes.map(\.path.count) == [5, 4, 4])
    #expect(reader.readDrawing().value.strokes.map(\.ink) == strokes.map(\.ink))
  }

  @Test func `an unfinished stroke counts as recoverable`() throws {
    let (bytes, _) = try Self.journal()
    let live = try #require(try Self.chunks(bytes).last { $0.type == .live })
    let verification = try PKDVerification(Array(bytes[..<live.end]))
    #expect(verification.problems.isEmpty && !verification.isFinished)
    #expect(verification.recoverable.strokes == 3 && verification.recoverable.points == 14)
    #expect(verification.original == verification.recoverable)
  }

  @Test func `salvaged pieces replace only the last stroke of their parent's name`() throws {
    var random = RandomInk(seed: 5)
    let id = Identifier(high: 1, low: 1)
    let (first, second) = (random.stroke(pointCount: 3...3), random.stroke(pointCount: 3...3))
    var recording = Recording(PKDrawing(strokes: [first.renamed(id), second.renamed(id)]))
    var piece = second.renamed(Identifier(high: 1, low: 2))
    piece.parentID = id
    recording.events.append(
      Recording.Event(
        time: .referenceDate,
        action: .erased(
          PKEraserTool(.bitmap), along: random.path(pointCount: 2...2),
          changes: [StrokeChange(strokeID: id, replacements: [piece])])))
    var file = try #require(ChunkedFile(try PKDWriter.encode(recording, options: .inChunks)))
    file.parts.removeAll { $0.type == .events }
    let reader = try PKDReader(file.bytes)
    #expect(reader.lacksEvents)
    #expect(
      reader.readRecordingWithoutEvents().value.drawing.strokes.map(\.path) == [
        first.path, second.path,
      ])
  }

  // MARK: - Damaged pages

  /// A page of three strokes with names and an archive's outline, and its sections.
  private static func page() throws -> (bytes: [UInt8], sections: [Chunk], drawing: PKDrawing) {
    var random = RandomInk(seed: 41)
    var drawing = random.drawing(strokeCount: 3...3, pointCount: 20...30)
    drawing.residue = ArchiveResidue(form: .pencilKit, bytes: Array("wrd".utf8) + [0xF0, 1, 0])
    let bytes = try PKDWriter.encode(drawing)
    return (bytes, try PKDReader(bytes).chunks, drawing)
  }

  @Test func `a page that was cut keeps the strokes before the cut`() throws {
    let (bytes, sections, drawing) = try Self.page()
    let header = try #require(sections.first?.payload.upperBound)
    let strokes = try #require(sections.first { $0.type == .strokes }?.payload.upperBound)
    #expect(sections.map(\.type) == [.header, .table, .strokes, .names, .archive])
    for length in Signature.bytes.count + 1..<bytes.count {
      let cut = Array(bytes[..<length])
      #expect(throws: PKDError.self) { try PKDReader(cut) }
      guard length >= header else {
        let error = #expect(throws: PKDError.self) { try PKDVerification(cut) }
        #expect(error?.reason == .truncated, "cut at \(length)")
        continue
      }
      let verification = try PKDVerification(cut)
      #expect(verification.problems.map(\.reason) == [.truncated], "cut at \(length)")
      #expect(!verification.isFinished && verification.original == nil)
      #expect(verification.recoverable.strokes == (length >= strokes ? 3 : 0), "cut at \(length)")
      let again = try PKDReader(try verification.repaired { _ in true }.bytes)
      #expect(again.isFinished && again.wholeDamage == nil)
      let paths = again.readStrokes().value.map(\.path)
      #expect(paths == (length >= strokes ? drawing.strokes.map(\.path) : []))
    }
  }

  @Test func `damage of any byte of a page is reported, and strokes before it are kept`() throws {
    let (bytes, sections, drawing) = try Self.page()
    let strokes = try #require(sections.first { $0.type == .strokes }?.payload.upperBound)
    var (random, keptCount) = (RandomInk(seed: 42), 0)
    for index in Signature.bytes.count..<bytes.count {
      for _ in 0..<RunLength.count(1, long: 4) {
        var damaged = bytes
        damaged[index] ^= UInt8(random.whole(1...255))
        #expect(throws: PKDError.self) { try PKDReader(damaged) }
        #expect(SalvageProperties.violation(damaged) == nil, "damage at \(index)")
        guard let verification = try? PKDVerification(damaged) else { continue }
        #expect(!verification.problems.isEmpty && !verification.isFinished)
        guard index >= strokes else { continue }
        keptCount += 1
        let again = try PKDReader(try verification.repaired { _ in true }.bytes)
        #expect(again.readStrokes().value.map(\.path) == drawing.strokes.map(\.path))
      }
    }
    #expect(keptCount == RunLength.count(1, long: 4) * (bytes.count - strokes))
  }

  @Test func `chunks behind a damaged page are kept`() throws {
    let (page, sections, drawing) = try Self.page()
    var random = RandomInk(seed: 43)
    let files = CrashingFiles(["page.pkd": page])
    let journal = try PKDJournal(appendingTo: "page.pkd", limits: PKDLimits(), in: files)
    let stroke = random.stroke(pointCount: 9...9)
    try journal.begin(stroke: stroke, at: stroke.path.creationDate)
    try journal.endStroke(at: stroke.path.creationDate + 1)
    try journal.finish()
    var bytes = try #require(files.disk.files["page.pkd"])
    let names = try #require(sections.first { $0.type == .names })
    bytes[names.payload.lowerBound + 9] ^= 0x55
    let verification = try PKDVerification(bytes)
    #expect(!verification.problems.isEmpty && verification.recoverable.strokes == 4)
    let again = try PKDReader(try verification.repaired { _ in true }.bytes)
    #expect(
      again.readStrokes().value.map(\.path) == drawing.strokes.map(\.path) + [stroke.path])
  }

  @Test func `any cut or damaged file ends in an error or is repaired`() throws {
    var random = RandomInk(seed: 2)
    let bytes = try PKDWriter.encode(random.drawing(strokeCount: 20...20, pointCount: 2...6))
    for bytes in [bytes, try Self.journal().bytes] {
      for length in stride(from: 0, to: bytes.count, by: 3) {
        #expect(SalvageProperties.violation(Array(bytes[..<length])) == nil, "cut at \(length)")
      }
      var mutation = Mutation(seed: 6)
      for number in 0..<400 {
        #expect(SalvageProperties.violation(mutation.mutated(bytes)) == nil, "damage \(number)")
      }
    }
  }
}
