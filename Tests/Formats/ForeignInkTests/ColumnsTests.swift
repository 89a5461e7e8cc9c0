import InkFiles
import Testing

@testable import ForeignSamples
@testable import ForeignInk

/// Columns of data sets have the values that `DrawingFile` reads.
struct ColumnsTests {
  @Test func `an Omniglot drawing is read into columns of strokes, points and times`() {
    let text = "START\n10,-20,1000\n10.5,-21.25,1016\n12,-24,1050\nBREAK\n30,-40,2000\nBREAK\n"
    var columns = InkColumns()
    Array(text.utf8).withUnsafeBufferPointer { OmniglotImporter.read($0, into: &columns) }
    #expect(columns.damage.isEmpty && columns.drawingCount == 1)
    #expect(columns.strokeEnds == [3, 4] && columns.drawingEnds == [2])
    #expect(columns.places == [10, 20, 10.5, 21.25, 12, 24, 30, 40])
    #expect(columns.hasTimes)
    for (time, expected) in zip(columns.times, [0, 0.016, 0.05, 1] as [Float]) {
      #expect(abs(time - expected) < 1e-5)
    }
  }

  @Test func `an invalid Omniglot row is reported and loses no other point`() {
    let text = "START\n1,-2,0\n1,x\n3,-4,5\nBREAK\n5,-6,7\n"
    var columns = InkColumns()
    Array(text.utf8).withUnsafeBufferPointer { OmniglotImporter.read($0, into: &columns) }
    #expect(columns.strokeEnds == [2, 3] && columns.places == [1, 2, 3, 4, 5, 6])
    #expect(
      columns.damage.map(\.text) == [
        "\(ImportError(.expected("a row of x, y and time"), at: .line(3)))",
        "\(ImportError(.missing("the end of the last stroke"), at: .line(7)))",
      ])
  }

  @Test func `a damaged Omniglot drawing is reported and loses no other one`() {
    let names = ["Greek/character01/0001_01", "Greek/character02/0002_01"]
    var bytes = Packing.zip([
      (names[0] + ".txt", Array("START\n1,-2,0\nBREAK\n".utf8)),
      (names[1] + ".txt", Array("START\n3,-4,0\n5,-6,7\nBREAK\n".utf8)),
      ("readme.md", Array("no drawing".utf8)),
    ])
    func read(_ bytes: [UInt8]) -> InkColumns {
      var columns = InkColumns()
      bytes.withUnsafeBufferPointer { OmniglotImporter.read($0, into: &columns) }
      return columns
    }
    var columns = read(bytes)
    #expect(columns.damage.isEmpty && columns.drawingCount == 2)
    #expect(
      String(decoding: columns.labels.bytes, as: UTF8.self)
        == "Greek/character01Greek/character02")
    #expect(String(decoding: columns.keys.bytes, as: UTF8.self) == names.joined())
    #expect(columns.places == [1, 2, 3, 4, 5, 6] && columns.drawingEnds == [1, 2])
    // Damages a byte of the first text, so that its checksum is wrong.
    bytes[30 + "\(names[0]).txt".utf8.count + 6] ^= 1
    columns = read(bytes)
    #expect(columns.drawingCount == 2 && columns.places == [3, 4, 5, 6])
    #expect(columns.damage.map(\.drawing) == [0])
    #expect(columns.damage.first?.text.hasPrefix(names[0]) ?? false)
    // An archive without its central directory.
    columns = read(Array(bytes.prefix(60)))
    #expect(columns.drawingCount == 1 && columns.damageCount == 1 && columns.places.isEmpty)
  }
}
