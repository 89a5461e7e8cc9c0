import InkFiles
import Graphics
import ForeignInk
import Strokes
import Testing

struct InkMLPressureTests {
  /// The points of a trace with a force channel of given limits.
  private static func points(_ limits: String, _ trace: String) throws -> [PKStrokePoint] {
    let text = """
      <ink xmlns='http://www.w3.org/2003/InkML'><traceFormat><channel name='X' units='pt'/>
      <channel name='Y' units='pt'/><channel name='F' \(limits)/></traceFormat>
      <brush xml:id='b'><brushProperty name='width' value='4' units='pt'/></brush>
      <trace brushRef='#b'>\(trace)</trace></ink>
      """
    var options = ImportOptions()
    options.fit = nil
    let file = try DrawingFile(Array(text.utf8), options: options)
    #expect(file.format == .inkML && file.damage.isEmpty)
    return Array(try #require(file.strokes().strokes.first).path)
  }

  @Test func `InkML pressure begins at the minimum of its channel`() throws {
    let points = try Self.points("min='100' max='300'", "0 0 100,9 0 200,18 0 300")
    #expect(points.map(\.force) == [0, 1, 2])
    #expect(points.map(\.size.width) == [2, 4, 6])
    let signed = try Self.points("min='-8' max='8'", "0 0 -8,9 0 0,18 0 8")
    #expect(signed.map(\.force) == [0, 1, 2])
  }
}
