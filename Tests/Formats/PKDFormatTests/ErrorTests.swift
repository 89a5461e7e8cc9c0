import Graphics
import Strokes
import TestSupport
import Testing

@testable import PKDFormat

/// Every error, with its reason and offset.
struct ErrorTests {
  private let file: ChunkedFile
  private let sample = SampleFiles.drawing

  init() throws { file = try #require(ChunkedFile(SampleFiles.drawing)) }

  /// The error of a file that cannot be opened, or its damage.
  private func fault(_ bytes: [UInt8], limits: PKDLimits = PKDLimits()) -> PKDError? {
    do throws(PKDError) {
      let reader = try PKDReader(bytes, limits: limits)
      return reader.wholeDamage
    } catch {
      return error
    }
  }

  private func expect(
    _ reason: PKDError.Reason?, at offset: Int? = nil, of bytes: [UInt8],
    limits: PKDLimits = PKDLimits(), _ location: SourceLocation = #_sourceLocation
  ) {
    let fault = fault(bytes, limits: limits)
    #expect(fault?.reason == reason, sourceLocation: location)
    if let offset { #expect(fault?.offset == offset, sourceLocation: location) }
  }

  private func payloadOffset(_ type: ChunkType) throws -> Int {
    file.offset(ofPayload: try #require(file.index(of: type)))
  }

  @Test func `the samples are intact and contain every type of chunk`() {
    expect(nil, of: sample)
    for type in [ChunkType.header, .table, .strokes, .names, .archive, .index, .tail] {
      #expect(file.index(of: type) != nil, "\(type)")
    }
    #expect(ChunkedFile(SampleFiles.recording)?.index(of: .events) != nil)
  }

  // MARK: - Signature and chunks

  @Test func `bytes without the signature are not a recording`() {
    for text in ["", "<svg>", "wrd", "PKD"] {
      expect(.notARecording, at: 0, of: Array(text.utf8))
    }
    expect(.notARecording, at: 0, of: [UInt8](repeating: 0, count: 40))
  }

  @Test func `a recording that was damaged by a transfer as text is recognized`() {
    let unix = Array(sample.prefix(4)) + [0x0A, 0x1A, 0x0A] + sample.dropFirst(8)
    expect(.damagedAsText, at: 0, of: unix)
    expect(.damagedAsText, at: 0, of: sample.map { $0 & 0x7F })
    let doubled = sample.flatMap { $0 == 0x0A ? [0x0D, 0x0A] : [$0] }
    expect(.damagedAsText, at: 0, of: doubled)
  }

  @Test func `a file that is cut inside a chunk is truncated at that offset`() throws {
    expect(.truncated, at: 5, of: Array(sample.prefix(5)))
    expect(.truncated, at: 8, of: Array(sample.prefix(8)))
    let strokes = try payloadOffset(.strokes)
    expect(.truncated, at: strokes, of: Array(sample.prefix(strokes + 3)))
    expect(.truncated, at: strokes - 8, of: Array(sample.prefix(strokes - 6)))
  }

  @Test func `an error names the chunk whose checksum does not match`() throws {
    for type in [ChunkType.table, .strokes, .names, .archive, .index, .tail] {
      let offset = try payloadOffset(type)
      var bytes = sample
      bytes[offset] ^= 0x10
      expect(.checksum(chunk: type.description), at: offset - 8, of: bytes)
    }
    var bytes = sample
    bytes[16] ^= 1
    expect(.checksum(chunk: "HEAD"), at: 8, of: bytes)
  }

  @Test func `bytes of another file in the middle are noticed`() throws {
    let offset = try payloadOffset(.strokes)
    var bytes = sample
    bytes.replaceSubrange(offset + 4..<offset + 20, with: SampleFiles.recording[60..<76])
    expect(.checksum(chunk: "STRK"), at: offset - 8, of: bytes)
  }

  @Test func `bytes behind the tail are noticed`() {
    expect(.truncated, of: sample + [0])
    expect(.truncated, of: sample + [0, 0, 0, 0, 0x41])
    let zeros = sample + [UInt8](repeating: 0, count: 20)
    expect(.unknownValue("chunk type", 0), at: sample.count + 4, of: zeros)
    let twice = file.parts + [file.parts[1]]
    #expect(throws: Never.self) {
      let reader = try PKDReader(ChunkedFile(twice).bytes)
      #expect(!reader.isFinished, "something follows the tail")
    }
  }

  @Test func `a header must come first, and only once`() throws {
    expect(.misplacedChunk("HEAD"), at: 8, of: ChunkedFile(Array(file.parts.dropFirst())).bytes)
    let doubled = ChunkedFile([file.parts[0]] + file.parts)
    expect(
      .misplacedChunk("HEAD"), at: 8 + file.parts[0].payload.count + Chunk.overhead,
      of: doubled.bytes)
  }

  @Test func `an unknown critical chunk ends reading, an unknown ancillary one is skipped`() throws
  {
    let index = try #require(file.index(of: .names))
    var critical = file
    critical.parts.insert(.init(type: .named("NEWS"), payload: [1, 2]), at: index)
    expect(
      .unknownChunk("NEWS"), at: critical.offset(ofPayload: index) - 8, of: critical.bytes)
    var ancillary = file
    ancillary.parts.insert(.init(type: .named("nEWS"), payload: [1, 2]), at: index)
    expect(nil, of: ancillary.bytes)
    #expect(
      try PKDReader(ancillary.bytes).readDrawing().value == PKDReader(sample).readDrawing().value)
    #expect(try PKDReader(ancillary.bytes).isFinished)
    var strange = file
    strange.parts.insert(.init(type: .named("n3WS"), payload: []), at: index)
    expect(
      .unknownValue("chunk type", UInt64(ChunkType.named("n3WS").letters)),
      at: strange.offset(ofPayload: index) - 4, of: strange.bytes)
  }

  @Test func `the case of a type's letters says whether a chunk is ancillary and safe to copy`() {
    #expect(!ChunkType.strokes.isAncillary && ChunkType.names.isAncillary)
    #expect(!ChunkType.names.isSafeToCopy && ChunkType.named("nEWs").isSafeToCopy)
    #expect("\(ChunkType.named("nEWs"))" == "nEWs")
  }

  // MARK: - The header

  private func header(_ body: (inout [UInt8]) -> Void) -> [UInt8] {
    file.replacing(.header, body).bytes
  }

  @Test func `a file of another major version needs a newer reader`() {
    expect(.newerVersion(major: 3), at: 16, of: header { $0[0] = 3 })
    expect(.newerVersion(major: 0), at: 16, of: header { $0[0] = 0 })
    // Fields that a later minor version adds are skipped.
    expect(
      nil,
      of: header {
        $0[1] = 7
        $0 += [1, 2, 3]
      })
    expect(.trailingBytes(3), of: header { $0 += [1, 2, 3] })
  }

  @Test func `unknown values in the header are refused`() {
    expect(.unknownValue("profile", 9), at: 18, of: header { $0[2] = 9 })
    expect(.unknownValue("set of statistics", 200), at: 19, of: header { $0[3] = 200 })
    expect(.unknownValue("header flag", 8), at: 20, of: header { $0[4] = 8 })
    expect(.unknownValue("header flag", 4), at: 20, of: header { $0[4] = 4 })
    expect(.notFinite, at: 21, of: header { for i in 5..<13 { $0[i] = 0xFF } })
    expect(.truncated, of: header { $0.removeLast() })
  }

  @Test func `a page that is too large, or whose texts are not in order, is refused`() throws {
    func bytes(_ canvas: Recording.Canvas) throws -> ChunkedFile {
      try #require(
        ChunkedFile(
          try PKDWriter.encode(Recording(canvas: canvas), options: .inChunks)))
    }
    // The width comes after five single bytes and the base. The writer refuses such a page.
    let wide = try bytes(Recording.Canvas(size: Size(width: 2, height: 1))).replacing(.header) {
      var width = ByteWriter()
      width.double(2e6)
      $0.replaceSubrange(13..<21, with: width.bytes)
    }
    expect(
      .tooMany(.canvasPoints, declared: 2_000_000, limit: 1_000_000), at: 29, of: wide.bytes)
    let canvas = Recording.Canvas(metadata: ["aa": "x", "bb": "y"])
    var file = try bytes(canvas)
    #expect(Array(file.parts[0].payload.suffix(11)) == [2, 2, 97, 97, 1, 120, 2, 98, 98, 1, 121])
    file.parts[0].payload.replaceSubrange(
      file.parts[0].payload.count - 10..<file.parts[0].payload.count,
      with: [2, 98, 98, 1, 120, 2, 97, 97, 1, 121])
    expect(.notCanonical, of: file.bytes)
    var notText = try bytes(canvas)
    notText.parts[0].payload[notText.parts[0].payload.count - 1] = 0xFF
    let last = notText.offset(ofPayload: 0) + notText.parts[0].payload.count - 1
    expect(.text, at: last, of: notText.bytes)
    var limits = PKDLimits()
    limits.textBytes = 1
    expect(.tooMany(.textBytes, declared: 2, limit: 1), of: try bytes(canvas).bytes, limits: limits)
  }

  // MARK: - Payloads

  @Test func `a varint that is longer than needed is refused`() throws {
    for (body, start) in [([0x80, 0], 0), ([0xFF, 0x80, 0x80, 0], 0)] as [([UInt8], Int)] {
      let bytes = file.replacing(.names) { $0 = body + $0 }.bytes
      expect(.notCanonical, at: try payloadOffset(.names) + start, of: bytes)
    }
    var reader = ByteReader([UInt8](repeating: 0xFF, count: 9) + [2], in: 0..<10)
    #expect(throws: PKDError(.notCanonical, at: 0)) { try reader.varint() }
    reader = ByteReader([UInt8](repeating: 0xFF, count: 9) + [1], in: 0..<10)
    #expect(try reader.varint() == .max)
    for value: UInt64 in [0, 1, 127, 128, 16_383, 16_384, 1 << 62, .max] {
      var writer = ByteWriter()
      writer.varint(value)
      reader = ByteReader(writer.bytes, in: writer.bytes.indices)
      #expect(try reader.varint() == value)
      #expect(reader.remaining == 0)
    }
  }

  @Test func `trailing bytes in a payload are refused`() throws {
    for type in [ChunkType.table, .names] {
      let end =
        try payloadOffset(type) + file.parts[try #require(file.index(of: type))].payload.count
      expect(.trailingBytes(1), at: end, of: file.replacing(type) { $0.append(0) }.bytes)
    }
    let recording = try #require(ChunkedFile(SampleFiles.recording))
    expect(.trailingBytes(1), of: recording.replacing(.events) { $0.append(0) }.bytes)
    expect(.entropy, of: file.replacing(.strokes) { $0.append(0) }.bytes)
  }

  @Test func `unknown values in payloads are refused`() throws {
    let table = try payloadOffset(.table)
    // One row of steps of an unknown kind.
    expect(
      .unknownValue("kind of steps", 9), at: table + 1,
      of: file.replacing(.table) { $0 = [1, 9] }.bytes)
    expect(
      .unknownValue("scale", 5), at: table + 2,
      of: file.replacing(.table) { $0 = [0, 1, 5, 3, 3, 0, 0, 0] }.bytes)
    expect(
      .unknownValue("shape", 0), at: table + 2,
      of: file.replacing(.table) { $0 = [0, 1, 0, 0, 3, 0, 0, 0] }.bytes)
    expect(
      .unknownValue("ink flag", 0x90), at: table + 3,
      of: file.replacing(.table) { $0 = [0, 0, 1, 0x90, 0, 0] }.bytes)
    expect(
      .reference(.inks, index: 0, count: 0), at: table + 4,
      of: file.replacing(.table) { $0 = [0, 0, 0, 1, 0, 0, 0] }.bytes)
    let recording = try #require(ChunkedFile(SampleFiles.recording))
    let events = recording.offset(ofPayload: try #require(recording.index(of: .events)))
    expect(
      .unknownValue("event", 100), at: events + 1,
      of: recording.replacing(.events) { $0[1] = 100 }.bytes)
    expect(
      .unknownValue("tool", 5), at: events + 2,
      of: recording.replacing(.events) { $0 = [1, 8, 5] }.bytes)
    expect(
      .unknownValue("eraser", 0), of: recording.replacing(.events) { $0 = [1, 3, 4] }.bytes)
    expect(
      .unknownValue("form of archive", 16), of: file.replacing(.archive) { $0[0] = 16 }.bytes)
  }

  @Test func `references beyond the end of their table are refused`() throws {
    let recording = try #require(ChunkedFile(SampleFiles.recording))
    let count = try PKDReader(SampleFiles.recording).strokeCount
    expect(
      .reference(.strokes, index: 199, count: count),
      of: recording.replacing(.events) { $0 = [1, 2, 0xC8, 1] }.bytes)
    // More strokes begin than there are.
    let begun = [UInt8](repeating: 0, count: count + 1)
    expect(
      .reference(.strokes, index: count, count: count),
      of: recording.replacing(.events) { $0 = [UInt8(count + 1)] + begun }.bytes)
  }

  @Test func `numbers in a file that are not finite are refused`() throws {
    let infinite: [UInt8] = [0, 0, 0, 0, 0, 0, 0xF0, 0x7F]
    let table = try payloadOffset(.table)
    expect(
      .notFinite, at: table + 2, of: file.replacing(.table) { $0 = [1, 1] + infinite }.bytes)
    let recording = try #require(ChunkedFile(SampleFiles.recording))
    expect(
      .notFinite, of: recording.replacing(.events) { $0 = [1, 0x84] + infinite }.bytes)
  }

  @Test func `damaged points are refused when they are read, not when the file is opened`() throws {
    let index = try #require(file.index(of: .strokes))
    var bytes = file
    bytes.parts[index].payload[bytes.parts[index].payload.count - 1] ^= 0x55
    let reader = try PKDReader(bytes.bytes)
    #expect(reader.strokeCount == (try PKDReader(sample).strokeCount), "the heads are intact")
    let (strokes, damage) = reader.readStrokes()
    #expect(strokes.isEmpty && damage?.reason == .entropy)
    #expect(reader.damage == nil, "reading does not change the damage that opening found")
  }

  @Test func `an index that cannot be that of its file is refused`() {
    func fault(_ payload: [UInt8]) -> PKDError? {
      do throws(PKDError) {
        _ = try FileIndex(payload, in: payload.indices, limits: PKDLimits())
        return nil
      } catch {
        return error
      }
    }
    #expect(fault([0]) == nil)
    #expect(fault([1, 5, 0, 0, 0, 0]) == nil)
    #expect(fault([1, 6, 0, 0, 0, 0]) == PKDError(.notCanonical, at: 1), "behind the file")
    #expect(fault([0, 9]) == PKDError(.trailingBytes(1), at: 1))
    let wide: [UInt8] = [1, 1, 1, 0, 0, 0, 0, 0, 0x80, 0x80, 0x80, 0x80, 0x20, 0]
    #expect(
      fault(wide) == PKDError(.tooMany(.canvasPoints, declared: 1 << 33, limit: 1 << 32), at: 8))
  }

  @Test func `unknown values of the first version are refused`() throws {
    func fault(_ body: () throws(PKDError) -> Void) -> PKDError? {
      do throws(PKDError) {
        try body()
        return nil
      } catch {
        return error
      }
    }
    func residue(_ payload: [UInt8]) throws(PKDError) -> ArchiveResidue {
      try ArchiveDecoder.decode(
        payload, in: payload.indices, names: [], .first, limits: PKDLimits())
    }
    #expect(
      fault { () throws(PKDError) in _ = try residue([2]) }
        == PKDError(.unknownValue("form of archive", 2), at: 0))
    #expect(
      fault { () throws(PKDError) in _ = try residue([0, 0, 2]) } == PKDError(.notCanonical, at: 2))
    // Without a tree, the bytes are coded one by one.
    let plain = try residue([1, 3, 0] + [UInt8](repeating: 0, count: 16))
    #expect(plain.form == .notes2018 && plain.bytes.count == 3)
    #expect(
      fault { () throws(PKDError) in
        var reader = ByteReader([8], in: 0..<1)
        _ = try reader.ink(.first, limits: PKDLimits())
      } == PKDError(.unknownValue("ink flag", 8), at: 0))
  }

  @Test func `profiles have their documented names`() {
    #expect(PKDProfile.allCases.map(\.name) == ["exact", "sensor", "compact"])
  }

  // MARK: - Limits

  private func table(_ payload: [UInt8]) -> [UInt8] {
    file.replacing(.table) { $0 = payload }.bytes
  }

  @Test func `every limit is compared with declared counts`() throws {
    func expect(
      _ what: PKDError.Quantity, declared: UInt64? = nil, _ path: WritableKeyPath<PKDLimits, Int>,
      _ limit: Int, of bytes: [UInt8]? = nil, _ location: SourceLocation = #_sourceLocation
    ) {
      var limits = PKDLimits()
      limits[keyPath: path] = limit
      guard
        case .tooMany(let found, let count, let bound)? = fault(bytes ?? sample, limits: limits)?
          .reason
      else {
        Issue.record("no limit", sourceLocation: location)
        return
      }
      #expect(found == what && count > UInt64(max(bound, 0)), sourceLocation: location)
      if let declared { #expect(count == declared, sourceLocation: location) }
    }
    let reader = try PKDReader(sample)
    let points = reader.readStrokes().value.reduce(0) { $0 + $1.path.count }
    expect(.points, \.points, points - 8)
    expect(.strokes, declared: UInt64(reader.strokeCount), \.strokes, reader.strokeCount - 1)
    expect(.chunkBytes, \.chunkBytes, 40)
    expect(.shapes, declared: 2, \.tableRows, 1, of: table([0, 2]))
    expect(.inks, declared: 2, \.tableRows, 1, of: table([0, 0, 2]))
    expect(.steps, declared: 2, \.tableRows, 19, of: table([2]))
    expect(.textBytes, \.textBytes, 4)
    expect(.pathElements, \.pathElements, 2)
    expect(.archiveBytes, \.archiveBytes, 6)
    expect(.pointsPerByte, \.pointsPerByte, 0)
    expect(.events, declared: 24, \.events, 23, of: SampleFiles.recording)
    let wide = try PKDWriter.encode(
      Recording(canvas: Recording.Canvas(size: Size(width: 9, height: 99))))
    var limits = PKDLimits()
    limits.canvasSide = 98
    #expect(
      fault(wide, limits: limits)?.reason == .tooMany(.canvasPoints, declared: 99, limit: 98))
    limits.canvasSide = 99
    #expect(fault(wide, limits: limits) == nil)
  }

  @Test func `huge declared counts are refused before memory is reserved`() throws {
    let huge: [UInt8] = [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x7F]
    for type in [ChunkType.table, .strokes, .names, .archive] {
      let fault = fault(file.replacing(type) { $0 = ($0.first.map { [$0] } ?? []) + huge }.bytes)
      #expect(fault != nil, "\(type)")
      #expect(self.fault(file.replacing(type) { $0 = huge }.bytes) != nil, "\(type)")
    }
    let recording = try #require(ChunkedFile(SampleFiles.recording))
    for payload in [huge, [1, 2] + huge, [1, 7] + huge] {
      #expect(fault(recording.replacing(.events) { $0 = payload }.bytes) != nil)
    }
    var long = sample
    long.replaceSubrange(8..<12, with: [0xFF, 0xFF, 0xFF, 0xFF])
    expect(.tooMany(.chunkBytes, declared: 0xFFFF_FFFF, limit: 1 << 26), at: 8, of: long)
  }

  @Test func `every error message says what is wrong and at which byte`() {
    let reasons: [PKDError.Reason] = [
      .notARecording, .damagedAsText, .newerVersion(major: 2), .truncated, .checksum(chunk: "STRK"),
      .unknownChunk("NEWS"), .misplacedChunk("HEAD"), .trailingBytes(2), .notCanonical,
      .tooMany(.points, declared: 9, limit: 8), .notFinite, .text,
      .reference(.inks, index: 3, count: 2), .unknownValue("tool", 8), .entropy,
      .wrongIndex, .wrongTail, .wrongBox(stroke: 2), .moreWrongBoxes(7),
    ]
    #expect(Set(reasons.map(\.description)).count == reasons.count)
    for reason in reasons {
      #expect("\(PKDError(reason, at: 12))" == "\(reason.description) at byte 12")
    }
  }
}
