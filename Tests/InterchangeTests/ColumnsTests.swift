import Testing

@testable import Interchange

/// Data sets as columns hold what `DrawingFile` reads.
struct ColumnsTests {
  @Test func `an Omniglot drawing has its strokes, places and times in columns`() {
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

  @Test func `a row that is no point is told, and costs no other point`() {
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
}
