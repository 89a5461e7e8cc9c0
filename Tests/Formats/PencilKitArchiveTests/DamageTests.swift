import Strokes
import TestSupport
import Testing

@testable import PencilKitArchive

struct DamageTests {
  @Test func `every truncation and bit flip of an archive ends in an error or a drawing`() throws {
    try Mutation.everyCutAndFlip(of: ArchiveSamples.wrd) { try ReaderProperties.check($0) }
    try Mutation.everyCutAndFlip(of: ArchiveSamples.edited()) { try ReaderProperties.check($0) }
  }

  @Test func `every truncation and bit flip of a database blob ends in an error or a drawing`()
    throws
  {
    try Mutation.everyCutAndFlip(of: ArchiveSamples.databaseBlob) { try ReaderProperties.check($0) }
  }

  @Test func `every truncation and bit flip of a drawing of 2018 ends in an error or a drawing`()
    throws
  {
    try Mutation.everyCutAndFlip(of: ArchiveSamples.zlib2018) { try ReaderProperties.check($0) }
    try Mutation.everyCutAndFlip(of: ArchiveSamples.message2018) {
      try ReaderProperties.check2018($0)
    }
  }

  @Test func `twenty thousand damaged archives end in errors or drawings`() throws {
    var mutation = Mutation(seed: 1)
    let samples = [ArchiveSamples.wrd, try ArchiveSamples.edited(), ArchiveSamples.databaseBlob]
    for index in 0..<15_000 {
      let sample = samples[index % samples.count]
      try ReaderProperties.check(
        mutation.mutated(sample, splicing: samples[(index + 1) % samples.count]))
    }
    for _ in 0..<5_000 {
      try ReaderProperties.check2018(mutation.mutated(ArchiveSamples.message2018))
    }
  }

  @Test(.enabled(if: Corpus.isPresent, "\(Corpus.absence)"))
  func `damaged real archives end in errors or drawings`() throws {
    var mutation = Mutation(seed: 2)
    for name in CorpusTests.names where name != "apple-notes-color.drawing" {
      let bytes = try CorpusTests.bytes(name)
      for _ in 0..<(bytes.count > 4_000 ? 60 : 600) {
        try ReaderProperties.check(mutation.mutated(bytes))
      }
    }
  }

  // MARK: - Each error

  /// A whole archive around one path message.
  private static func archive(
    inkIndex: UInt64 = 0, flags: UInt64 = 0, _ path: (inout WireWriter) -> Void
  ) -> [UInt8] {
    var writer = WireWriter()
    writer.append(WrdDecoder.magic + [1, 0])
    writer.field(DrawingField.inks) {
      $0.field(InkField.identifier, bytes: "com.apple.ink.pen".utf8)
    }
    writer.field(DrawingField.strokes) { stroke in
      stroke.field(StrokeField.ink, number: inkIndex)
      stroke.field(StrokeField.path) { path(&$0) }
    }
    return writer.bytes
  }

  private static func points(_ count: UInt64, mask: UInt64 = 1, bytes: Int) -> [UInt8] {
    archive { path in
      path.field(PathField.count, number: count)
      path.field(PathField.pointChannels, number: mask)
      path.field(PathField.points, bytes: [UInt8](repeating: 0, count: bytes))
    }
  }

  private static func reason(_ bytes: [UInt8]) -> PencilKitError.Reason? {
    do throws(PencilKitError) {
      _ = try PencilKitReader(bytes)
      return nil
    } catch {
      return error.reason
    }
  }

  @Test func `an intact path is read`() { #expect(Self.reason(Self.points(2, bytes: 16)) == nil) }

  @Test func `bytes of other formats are refused`() {
    #expect(Self.reason([]) == .notADrawing)
    #expect(Self.reason(Array("<svg>".utf8)) == .notADrawing)
    #expect(Self.reason([0x77, 0x72, 0x64]) == .notADrawing)
  }

  @Test func `a header without a version is reported as truncated`() {
    #expect(Self.reason(WrdDecoder.magic) == .truncated)
  }

  @Test func `a varint of more than ten bytes is refused`() {
    let endless = WrdDecoder.magic + [1, 0] + [UInt8](repeating: 0xFF, count: 11)
    #expect(Self.reason(endless) == .numberTooLong)
  }

  @Test func `a field number of zero is refused`() {
    #expect(Self.reason(WrdDecoder.magic + [1, 0, 0, 0]) == .fieldNumber(0))
  }

  @Test(arguments: [3, 4, 6, 7]) func `an unknown kind of field is refused`(_ kind: UInt8) {
    #expect(Self.reason(WrdDecoder.magic + [1, 0, 8 | kind, 0]) == .wireType(Int(kind)))
  }

  @Test func `a field of the wrong kind is refused`() {
    let bytes = WrdDecoder.magic + [1, 0, UInt8(DrawingField.strokes) << 3, 1]
    #expect(Self.reason(bytes) == .unexpectedWireType(field: "stroke"))
  }

  @Test func `a length beyond the end is refused without being allocated`() {
    let bytes = WrdDecoder.magic + [1, 0, 0x2A, 0xFF, 0xFF, 0xFF, 0xFF, 0x0F]
    #expect(Self.reason(bytes) == .lengthBeyondEnd(declared: 0xFFFF_FFFF, available: 0))
  }

  @Test func `an identifier of the wrong size is refused`() {
    let bytes = Self.archive { $0.field(PathField.pointChannels, number: 1) }
    var writer = WireWriter()
    writer.append(bytes)
    writer.field(DrawingField.strokes) { $0.field(StrokeField.identifier, bytes: [1, 2, 3]) }
    #expect(
      Self.reason(writer.bytes) == .size(field: "stroke's identifier", expected: 16, actual: 3))
  }

  @Test func `unknown channels are refused`() {
    #expect(
      Self.reason(Self.points(1, mask: 1 << 11 | 1, bytes: 8)) == .unknownChannels(mask: 2048))
  }

  @Test func `channels that are given twice are refused`() {
    let bytes = Self.archive { path in
      path.field(PathField.pointChannels, number: 3)
      path.field(PathField.constantChannels, number: 2)
    }
    #expect(Self.reason(bytes) == .repeatedChannels(mask: 2))
  }

  @Test func `points without locations are refused, even if a huge number is declared`() {
    let bytes = Self.archive { path in
      path.field(PathField.count, number: 1 << 60)
      path.field(PathField.constantChannels, number: 1)
      path.field(PathField.constants, bytes: [UInt8](repeating: 0, count: 8))
    }
    #expect(Self.reason(bytes) == .noLocations)
  }

  @Test func `a point count that does not match the bytes is refused`() {
    #expect(
      Self.reason(Self.points(1 << 62, bytes: 16))
        == .pointCount(declared: 1 << 62, bytes: 16, bytesPerPoint: 8))
    #expect(
      Self.reason(Self.points(2, bytes: 15))
        == .pointCount(declared: 2, bytes: 15, bytesPerPoint: 8))
  }

  @Test func `constant values of the wrong size are refused`() {
    let bytes = Self.archive { path in
      path.field(PathField.pointChannels, number: 1)
      path.field(PathField.constantChannels, number: 2)
      path.field(PathField.constants, bytes: [0, 0])
    }
    #expect(Self.reason(bytes) == .size(field: "constant values", expected: 4, actual: 2))
  }

  @Test func `an ink index beyond the table is refused`() {
    let bytes = Self.archive(inkIndex: 9) { $0.field(PathField.pointChannels, number: 1) }
    #expect(Self.reason(bytes) == .inkIndex(9, tableSize: 1))
  }

  @Test func `an ink identifier that is not UTF-8 is refused`() {
    var writer = WireWriter()
    writer.append(WrdDecoder.magic + [1, 0])
    writer.field(DrawingField.inks) { $0.field(InkField.identifier, bytes: [0xFF]) }
    #expect(Self.reason(writer.bytes) == .text(field: "ink's identifier"))
  }

  @Test(arguments: [Float.nan, .infinity, -.infinity])
  func `a value that is not finite is refused`(_ value: Float) {
    let bytes = Self.archive { path in
      path.field(PathField.count, number: 2)
      path.field(PathField.pointChannels, number: 1)
      let bits = (0..<4).map { UInt8(truncatingIfNeeded: value.bitPattern >> (8 * UInt32($0))) }
      path.field(PathField.points, bytes: [UInt8](repeating: 0, count: 12) + bits)
    }
    #expect(Self.reason(bytes) == .notFinite(field: "y of point 1"))
  }

  @Test func `a date that is not finite is refused`() {
    let bytes = Self.archive { path in
      path.field(PathField.creationDate, double: .nan)
      path.field(PathField.pointChannels, number: 1)
    }
    #expect(Self.reason(bytes) == .notFinite(field: "path's date"))
  }

  @Test func `a truncated compressed drawing is refused`() {
    let cut = Array(ArchiveSamples.zlib2018.dropLast(9))
    #expect(Self.reason(cut) == .compression("it ends too early"))
  }

  @Test func `a compressed drawing with a wrong checksum is refused`() {
    var bytes = ArchiveSamples.zlib2018
    bytes[bytes.count - 1] ^= 1
    #expect(Self.reason(bytes) == .compression("the checksum is wrong"))
  }

  @Test func `a decompression bomb is refused`() {
    // One block of fixed codes: a zero byte, and then matches of 258 bytes in 13 bits each.
    var (bytes, bits, bitCount): ([UInt8], Int, Int) = ([0x78, 0x01], 0x63, 11)
    for _ in 0..<25_000 {
      bits |= 0xA3 << bitCount
      bitCount += 13
      while bitCount >= 8 {
        bytes.append(UInt8(bits & 0xFF))
        (bits, bitCount) = (bits >> 8, bitCount - 8)
      }
    }
    #expect(Self.reason(bytes) == .tooLarge(limit: 4 << 20 + 16 * bytes.count))
  }

  @Test func `a compressed document without a drawing is refused`() throws {
    #expect(throws: PencilKitError(.missing(field: "drawing"), at: 2)) {
      _ = try Notes2018Decoder.decode([8, 0])
    }
  }

  @Test func `every reason of an archive error has its own description`() {
    let reasons: [PencilKitError.Reason] = [
      .notADrawing, .truncated, .numberTooLong, .fieldNumber(0), .wireType(6),
      .unexpectedWireType(field: "ink"), .lengthBeyondEnd(declared: 9, available: 8),
      .size(field: "ink", expected: 4, actual: 2), .missing(field: "ink"),
      .notFinite(field: "ink"), .text(field: "ink"), .unknownChannels(mask: 2048),
      .repeatedChannels(mask: 2), .noLocations,
      .pointCount(declared: 2, bytes: 15, bytesPerPoint: 8), .inkIndex(9, tableSize: 1), .tooMuch,
      .compression("cut"), .tooLarge(limit: 7),
    ]
    #expect(Set(reasons.map(\.description)).count == reasons.count)
    #expect("\(PencilKitError.Reason.unknownChannels(mask: 2048))".contains("0x800"))
  }

  @Test func `every archive error says the problem and the byte`() {
    for bytes in [
      [], WrdDecoder.magic, Self.points(3, bytes: 8), Self.points(1, mask: 0, bytes: 0),
    ] {
      do throws(PencilKitError) {
        _ = try PencilKitReader(bytes)
        Issue.record("no error")
      } catch {
        #expect("\(error)".contains(" at byte \(error.offset)"))
        #expect(error.offset <= bytes.count)
      }
    }
  }
}
