import InkFiles
import PNGFormat
import Strokes
import TestSupport
import Testing

@testable import ForeignSamples
@testable import ForeignInk

/// Quick, Draw! lines compressed by gzip: `.ndjson.gz`.
struct PackedLineTests {
  private static func line(_ number: Int) -> [UInt8] {
    Array(#"{"word":"w\#(number)","key_id":"\#(number)","drawing":[[[0,9],[\#(number),5]]]}"#.utf8)
      + [10]
  }

  private static let lines = (1...40).flatMap(line)

  private static func names(_ bytes: [UInt8]) throws -> [String] {
    let file = try DrawingFile(bytes)
    #expect(file.format == .quickDraw)
    return try (0..<file.pageCount).map { index in
      let page = try file.page(index)
      #expect(page.damage.isEmpty, "\(page.damage)")
      return try #require(page.page).name
    }
  }

  @Test func `compressed lines are unpacked from one gzip member or several`() throws {
    let expected = try Self.names(Self.lines)
    let half = Self.line(1).count
    let parts =
      DeflateStream.gzip(Array(Self.lines[..<half]))
      + DeflateStream.gzip(Array(Self.lines[half...]))
    for packed in [
      DeflateStream.gzip(Self.lines), Packing.gzip(Self.lines, blockSize: 7), parts,
      parts + [UInt8](repeating: 0, count: 512), DeflateStream.gzip([]) + parts,
    ] {
      #expect(try Self.names(packed) == expected)
    }
    #expect(expected.count == 40)
  }

  @Test func `a compressed line is also recognized by keys behind its drawing`() throws {
    let ones = Array(repeating: "1", count: 8000).joined(separator: ",")
    let line = #"{"drawing":[[[\#(ones)],[\#(ones)]]],"word":"late"}"#
    #expect(try Self.names(DeflateStream.gzip(Array(line.utf8))) == ["late"])
  }

  @Test func `gzip input in pieces of any size is unpacked to the same bytes`() throws {
    let packed = DeflateStream.gzip(Self.lines) + Packing.gzip(Self.lines, blockSize: 100) + [0, 0]
    for (pieceSize, roomSize) in [(1, 1), (1, 1000), (1000, 1), (7, 13), (100_000, 100_000)] {
      let reader = GzipReader()
      var (text, next) = ([UInt8](), 0)
      let room = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: roomSize)
      defer { room.deallocate() }
      while true {
        let count = try reader.read(into: room)
        text += room[..<count]
        guard count == 0 else { continue }
        guard next < packed.count else { break }
        let end = min(next + pieceSize, packed.count)
        reader.add(packed[next..<end])
        next = end
      }
      try reader.end()
      #expect(text == Self.lines + Self.lines, "\(pieceSize), \(roomSize)")
    }
  }

  @Test func `a cut gzip file keeps its first lines and reports the damage`() throws {
    let packed = Packing.gzip(Self.lines, blockSize: 64)
    for end in stride(from: 2, to: packed.count, by: RunLength.step(7)) {
      let cut = Array(packed[..<end])
      do throws(DrawingFileError) {
        let file = try DrawingFile(cut, as: .quickDraw)
        for index in 0..<file.pageCount - 1 {
          let damage = try file.page(index).damage
          #expect(damage.isEmpty)
        }
        let last = try file.page(file.pageCount - 1)
        #expect("\(last.damage[0])".contains("the gzip data end too early"), "\(end)")
      } catch {
        #expect("\(error)".contains("the gzip data end too early"), "\(end): \(error)")
      }
    }
  }

  @Test func `wrong gzip checksums and bytes behind the end are damage`() throws {
    let packed = DeflateStream.gzip(Self.lines)
    var wrong = packed
    wrong[wrong.count - 6] ^= 1
    for damaged in [
      wrong, packed + Array("more".utf8),
      packed + [0, 0, 0x1F, 0x8B] + Array("more than a head".utf8),
    ] {
      let file = try DrawingFile(damaged)
      #expect(file.pageCount == 40)
      #expect(try file.page(38).damage.isEmpty)
      let last = try file.page(39)
      #expect("\(last.damage)".contains("the gzip data are damaged"), "\(last.damage)")
      #expect(last.strokes().strokes.count == 1)
    }
  }

  @Test func `damaged gzip bytes never trap`() {
    let packed = DeflateStream.gzip(Self.lines)
    for seed in 0..<UInt64(RunLength.count(200, long: 20_000)) {
      var mutation = Mutation(seed: seed)
      let bytes = mutation.mutated(packed)
      guard let file = try? DrawingFile(bytes, as: .quickDraw) else { continue }
      for index in 0..<file.pageCount { _ = try? file.page(index) }
    }
  }

  @Test func `unpacking gzip lines stops at a limit of memory`() throws {
    var options = ImportOptions()
    options.decompressedBytes = 10_000
    let bomb = DeflateStream.gzip(Self.lines + [UInt8](repeating: 32, count: 1 << 20))
    #expect {
      try DrawingFile(bomb, options: options)
    } throws: { error in
      "\(error)".contains("it unpacks to more than 10000 bytes (gunzip it first)")
    }
    #expect(try DrawingFile(bomb).pageCount == 40)
    // Unpacking stops at the limit, not at the end.
    let unpacked = GzipReader.unpack(bomb, limit: 10_000)
    #expect(unpacked.text.count < 10_000 + (1 << 16) + 1 && unpacked.damage == nil)
    #expect(GzipReader.textLimit(of: 1000) < 1 << 27)
  }
}
