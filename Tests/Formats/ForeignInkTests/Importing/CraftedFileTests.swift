import InkFiles
import Compression
import PKDFormat
import PNGFormat
import Strokes
import Testing

@testable import ForeignSamples
@testable import ForeignInk

/// Small files that were made to take much memory or time.
struct CraftedFileTests {
  private func failure(_ bytes: [UInt8], _ format: DrawingFile.Format? = nil) -> String? {
    do throws(DrawingFileError) {
      _ = try DrawingFile(bytes, as: format)
      return nil
    } catch {
      return error.description
    }
  }

  private func document(_ content: String) -> [UInt8] {
    DeflateStream.gzip(Array("<xournal fileversion=\"4\">\(content)</xournal>".utf8))
  }

  @Test func `a small compressed file with far too much text is refused`() throws {
    let points = String(repeating: "0 0 ", count: 1_500_000)
    let bytes = document("<page><layer><stroke width=\"1\">\(points)</stroke></layer></page>")
    #expect(bytes.count < 10_000)
    #expect(failure(bytes)?.contains("the text has more than") == true)
  }

  @Test func `a small compressed file with far too many points is refused`() throws {
    let points = String(repeating: "0 0 ", count: 300_000)
    let bytes = document("<page><layer><stroke width=\"1\">\(points)</stroke></layer></page>")
    #expect(failure(bytes)?.contains("points for the file's size") == true)
  }

  @Test func `empty pages beyond the limit for the file's size are cut off`() throws {
    let file = try DrawingFile(document(String(repeating: "<page/>", count: 20_000)))
    #expect(file.pageCount < 4_000)
    let last = try file.page(file.pageCount - 1)
    #expect("\(last.damage)".contains("pages for the file's size"))
  }

  @Test func `a file of 50,000 one-point strokes is within the limits`() throws {
    let dots = String(repeating: "<trace>1 2</trace>", count: 50_000)
    let file = try DrawingFile(
      Array("<ink xmlns=\"http://www.w3.org/2003/InkML\">\(dots)</ink>".utf8))
    #expect(file.page?.source.strokes == 50_000 && file.damage.isEmpty)
  }

  @Test func `a ZIP64 record counts the entries of a large archive`() throws {
    var bytes = Packing.zip([("a.txt", [1]), ("b.txt", [2])])
    let end = bytes.count - 22
    let directory = bytes[end + 16..<end + 20]
    func wide(_ value: UInt64) -> [UInt8] { (0..<8).map { UInt8(value >> (8 * $0) & 0xFF) } }
    let record: [UInt8] =
      [0x50, 0x4B, 6, 6] + wide(44) + [UInt8](repeating: 0, count: 12) + wide(2) + wide(2) + wide(0)
      + directory + [0, 0, 0, 0]
    let locator: [UInt8] = [0x50, 0x4B, 6, 7, 0, 0, 0, 0] + wide(UInt64(end)) + [1, 0, 0, 0]
    bytes.insert(contentsOf: record + locator, at: end)
    let newEnd = bytes.count - 22
    for offset in 8..<12 { bytes[newEnd + offset] = 0xFF }
    #expect(try ZipArchive(bytes).entries.map(\.name) == ["a.txt", "b.txt"])
    // A count that exceeds the bytes.
    for offset in 24..<40 { bytes[end + offset] = 0x7F }
    #expect(throws: ZipError.self) { try ZipArchive(bytes) }
  }

  @Test func `an encrypted or damaged ZIP entry is refused`() throws {
    func reason(_ change: (inout [UInt8], _ directory: Int) -> Void) throws -> String? {
      var bytes = Packing.zip([("a.txt", [1, 2, 3])])
      let end = bytes.count - 22
      change(&bytes, Int(bytes[end + 16]) | Int(bytes[end + 17]) << 8)
      let archive = try ZipArchive(bytes)
      let entry = try #require(archive.entries.first)
      do throws(ZipError) {
        _ = try archive.contents(of: entry, limit: 99)
        return nil
      } catch {
        return error.reason
      }
    }
    #expect(try reason { _, _ in } == nil)
    #expect(try reason { $0[$1 + 8] |= 1 } == "a.txt is encrypted")
    #expect(try reason { $0[$1 + 10] = 99 } == "a.txt is packed by an unknown method")
    // The three stored bytes are no deflate stream.
    #expect(try reason { $0[$1 + 10] = 8 }?.hasPrefix("a.txt is damaged: ") == true)
    #expect(try reason { $0[$1 + 24] = 100 } == "a.txt has more than 99 bytes")
  }

  @Test func `a large ZIP archive without its ZIP64 record is refused`() throws {
    var bytes = Packing.zip([("a.txt", [1])])
    let end = bytes.count - 22
    let locator: [UInt8] = [0x50, 0x4B, 6, 7] + [UInt8](repeating: 0, count: 16)
    bytes.insert(contentsOf: locator, at: end)
    for offset in 8..<12 { bytes[bytes.count - 22 + offset] = 0xFF }
    let error = try #require(throws: ZipError.self) { try ZipArchive(bytes) }
    #expect(error.reason == "the directory of the archive is missing" && error.offset == end)
  }

  @Test func `a stroke without a finite date follows the one before`() throws {
    var ink = UniversalInkBytes()
    // The times are infinite, so the first sample has no finite time.
    ink.timeResolution = .leastNonzeroMagnitude
    let symbol = #"[[{"x":1,"y":2,"time":0}],[{"x":3,"y":4,"time":1e305}]]"#
    let next = Timestamp(secondsSince1970: 0.15)
    for (bytes, start) in [(ink.file, Timestamp.referenceDate), (Array(symbol.utf8), next)] {
      let file = try DrawingFile(bytes)
      let page = try #require(file.page)
      let last = try #require(page.drawing.strokes.last)
      #expect(abs(last.path.creationDate - start) < 1e-6)
      #expect(page.notes.counts.contains { $0 == ("dates that no calendar has are left out", 1) })
      #expect(throws: Never.self) { try file.contents().encodeRecording() }
    }
  }

  @Test func `erasers in events without changes cut a limited number of strokes`() throws {
    var text = "{\"format\": \"pentimento-events\", \"version\": 1}\n"
    for y in 0..<200 {
      text += "{\"event\":\"begin\",\"time\":\(2 * y)}\n"
      text += "{\"event\":\"points\",\"points\":[[0,\(y),0],[500,\(y),1]]}\n{\"event\":\"end\"}\n"
    }
    for x in 0..<100 {
      text +=
        "{\"event\":\"erase\",\"eraser\":{\"type\":\"bitmap\",\"width\":1},"
        + "\"points\":[[\(5 * x),-9],[\(5 * x),300]]}\n"
    }
    let file = try DrawingFile(Array(text.utf8))
    #expect(file.damage.contains { $0.description.contains("pieces of erased strokes") })
    #expect(!file.strokes().strokes.isEmpty)
  }

  @Test func `a drawing of ours has one page`() {
    let drawing = JSONDrawingWriter.encode(PKDrawing())
    #expect(throws: DrawingFileError.noPage(7, pageCount: 1)) { try DrawingFile(drawing, page: 6) }
  }
}
