import InkFiles
import PKDFormat
import PencilKitArchive
import Strokes
import TestSupport
import Testing

@testable import DrawingServer

/// Ink of other programs, for pages.
struct ConvertTests {
  private static let inkML = """
    <ink xmlns="http://www.w3.org/2003/InkML"><trace>10 10, 60 40, 90 10</trace>
    <trace>1 1, 2 2</trace></ink>
    """

  private static func strokes(_ reply: Reply) throws -> [PKStroke] {
    try PKDReader(reply.body).readRecording().value.drawing.strokes
  }

  @Test func `ink of any program is answered as a recording, and nothing is stored`() throws {
    let server = try TestServer()
    var random = RandomInk(seed: 4)
    let drawing = random.drawing()
    let archive = try server.send("POST", "/v1/convert", body: drawing.dataRepresentation())
    #expect(archive.status == 200)
    #expect(try Self.strokes(archive).count == drawing.strokes.count)
    let foreign = try server.send("POST", "/v1/convert", body: Array(Self.inkML.utf8))
    #expect(foreign.status == 200)
    #expect(try Self.strokes(foreign).map { $0.path.count }.count == 2)
    #expect(foreign.fields["pages"] == "1")
    let second = try server.send("POST", "/v1/convert?page=2", body: Array(Self.inkML.utf8))
    #expect(second.status == 422 && second.text.contains("page"))
    #expect(try server.send("POST", "/v1/convert?page=0", body: [1]).status == 400)
    // What it has answered is answered again.
    let again = try server.send("POST", "/v1/convert", body: foreign.body)
    #expect(try Self.strokes(again) == Self.strokes(foreign))
    #expect(try server.send("GET", "/v1/users/ann/drawings").items.isEmpty)
  }

  @Test func `content without ink is refused with a reason`() throws {
    let server = try TestServer()
    for content in [
      "", "<svg/>", "<script>alert(1)</script>", "{\"a\": [", "\u{89}PNG\r\n\u{1A}\n",
    ] {
      let reply = try server.send("POST", "/v1/convert", body: Array(content.utf8))
      #expect(reply.status == 422 && reply.text.contains("not-ink"), "\(content)")
    }
    #expect(try server.send("POST", "/v1/convert", as: nil, body: [1]).status == 401)
    #expect(try server.send("GET", "/v1/convert").status == 405)
  }
}
