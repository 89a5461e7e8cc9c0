import Storage
import Testing

@testable import SharedStorage

struct ObjectAnswerTests {
  @Test func `texts of an S3 answer come with their element and its parent`() throws {
    let answer = "<?xml version=\"1.0\"?><R><A>1 &amp; 2</A><B><Key>k</Key><C/></B></R>"
    let found = try ObjectXML.read(Array(answer.utf8))
    #expect(found.map(\.name) == ["A", "Key", "C"])
    #expect(found.map(\.parent) == ["R", "B", "B"])
    #expect(found.map(\.text) == ["1 & 2", "k", ""])
  }

  @Test func `an object's note contains its blob's metadata`() throws {
    let info = BlobContent("a", contentType: "image/png", [1, 2, 3]).info(
      in: try BlobFolder("users/ann"), created: Moment(seconds: 5),
      updated: Moment(microseconds: -7))
    let text = ObjectNote(info).description
    let note = try #require(ObjectNote(text))
    #expect(note.info(at: info.path, "image/png") == info)
    for damaged in ["", "1", "2" + text.dropFirst(), text + " 1", text.replacing("3", with: "-3")] {
      #expect(ObjectNote(damaged) == nil, "\(damaged)")
    }
  }

  @Test func `dates of S3 answers are read`() {
    #expect(
      Moment(httpDate: "Fri, 24 May 2013 00:00:00 GMT") == Moment(seconds: 1_369_353_600))
    for text in ["", "Fri, 24 May 2013 00:00:00", "Fri, 24 Mai 2013 00:00:00 GMT"] {
      #expect(Moment(httpDate: text) == nil)
    }
  }
}
