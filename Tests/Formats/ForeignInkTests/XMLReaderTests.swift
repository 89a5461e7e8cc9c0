import Foundation
import Testing

@testable import XML

struct XMLReaderTests {
  @Test func `XML elements come with their depth, attributes and offsets`() throws {
    let log = try Log.reading("<a><b:c x='1' d:y=\"two &amp; three\"/>text<e></e></a>")
    #expect(
      log.events == [
        "0<a 0", "1<c 3 x=1 y=two & three", ">c", "text", "1<e 41", ">e", ">a",
      ])
  }

  @Test func `an XML attribute is found by its name without a prefix`() throws {
    let log = try Log.reading("<a xml:id='7' id2='8'/>")
    #expect(log.last?["id"] == "7")
    #expect(log.last?["id2"] == "8")
    #expect(log.last?["i"] == nil)
  }

  @Test func `XML comments and instructions are skipped, and CDATA gives its text`() throws {
    let log = try Log.reading(
      "<?xml version='1.0'?><!-- a --><a><!-- b --><?c d?><![CDATA[<&>]]></a>")
    #expect(log.text == "<&>")
    #expect(log.events.count == 3)
  }

  @Test(arguments: [
    "<!DOCTYPE a [<!ENTITY b 'c'>]><a>&b;</a>",
    "<!DOCTYPE a [<!ENTITY b SYSTEM 'file:///etc/passwd'>]><a>&b;</a>",
    "<!DOCTYPE a [<!ENTITY % b SYSTEM 'http://localhost/c'> %b;]><a/>",
    "<!DOCTYPE a [<!ENTITY b 'bbbbbbbbbb'><!ENTITY c '&b;&b;&b;&b;&b;&b;'><!ENTITY d '&c;&c;&c;&c;'>"
      + "]><a>&d;&d;&d;&d;&d;</a>",
  ])
  func `declared XML entities are refused`(text: String) throws {
    let log = Log()
    let error = try #require(throws: XMLError.self) { try log.read(text) }
    #expect(error.reason == "entities cannot be declared")
    #expect((10..<text.utf8.count).contains(error.offset))
    #expect(log.events.isEmpty)
  }

  @Test func `the reader does not fetch an external DTD`() throws {
    #expect(try Log.reading("<!DOCTYPE a SYSTEM 'file:///etc/passwd'><a>b</a>").text == "b")
    let error = try #require(throws: XMLError.self) {
      try Log().read("<!DOCTYPE a SYSTEM 'file:///etc/passwd'><a>b&c;</a>")
    }
    #expect(error.reason == "an entity is not declared")
    #expect(error.offset == 44)
  }

  @Test(arguments: [
    ("", "no element found", 0), ("   ", "no element found", 3), ("<a>", "no element found", 3),
    ("<a></b>", "mismatched tag", 5), ("<a/><b/>", "junk after document element", 4),
    ("<a b='1' b='2'/>", "duplicate attribute", 9), ("<a>&b;</a>", "undefined entity", 3),
    ("a", "syntax error", 0), ("<a>\u{1}</a>", "not well-formed (invalid token)", 3),
    ("<?xml version='1.0' encoding='EBCDIC-US'?><a/>", "unknown encoding", 30),
  ])
  func `damaged XML gives reason and offset`(text: String, reason: String, offset: Int) throws {
    let error = try #require(throws: XMLError.self) { try Log().read(text) }
    #expect(error == XMLError(reason, at: offset))
    #expect("\(error)" == "\(reason) at byte \(offset)")
  }

  @Test func `XML elements before a damaged part are handled`() throws {
    let log = Log()
    #expect(throws: XMLError.self) { try log.read("<a><b/><c>") }
    #expect(log.events == ["0<a 0", "1<b 3", ">b", "1<c 7"])
  }

  @Test func `XML elements may be nested 128 times`() throws {
    func nested(_ count: Int) -> String {
      String(repeating: "<a>", count: count) + String(repeating: "</a>", count: count)
    }
    #expect(try Log.reading(nested(128)).events.count == 256)
    let error = try #require(throws: XMLError.self) { try Log().read(nested(129)) }
    #expect(error == XMLError("elements are nested too deeply", at: 3 * 128))
  }

  @Test(arguments: [
    String.Encoding.utf8, .utf16BigEndian, .utf16LittleEndian, .utf16, .isoLatin1,
  ])
  func `XML is read in any common encoding`(encoding: String.Encoding) throws {
    let name = [.utf8: "", .isoLatin1: " encoding='iso-8859-1'"][encoding] ?? " encoding='utf-16'"
    let mark = encoding == .utf16BigEndian || encoding == .utf16LittleEndian ? "\u{FEFF}" : ""
    let text = mark + "<?xml version='1.0'\(name)?><Größe>é</Größe>"
    let bytes = [UInt8](try #require(text.data(using: encoding)))
    let log = Log()
    try XMLReader.read(bytes, into: log)
    #expect(log.text == "é")
    #expect(log.last?.name == "Größe")
  }

  @Test func `a byte order mark is no part of the XML text`() throws {
    let log = Log()
    try XMLReader.read([0xEF, 0xBB, 0xBF] + Array("<a>b</a>".utf8), into: log)
    #expect(log.events.first == "0<a 3")
    #expect(log.text == "b")
  }

  @Test func `XML with invalid text bytes is refused`() throws {
    let bytes = Array("<a>".utf8) + [0xC3, 0x28] + Array("</a>".utf8)
    let error = try #require(throws: XMLError.self) { try XMLReader.read(bytes, into: Log()) }
    #expect(error.offset == 3)
  }

  @Test func `long XML texts and attributes are delivered whole`() throws {
    // More than a megabyte, with line ends, entities, and letters of two bytes.
    let line = "0123456789 &lt; ä\r\n"
    let text = String(repeating: line, count: 200_000)
    let value = String(repeating: "1.25 ", count: 500_000)
    let log = try Log.reading("<a b='\(value)'>\(text)</a>")
    #expect(log.last?["b"] == value)
    #expect(log.text == String(repeating: "0123456789 < ä\n", count: 200_000))
    #expect(log.pieces > 1)
  }

  @Test func `a handler can end the reading of XML`() throws {
    let log = Log()
    log.stop = "c"
    let error = try #require(throws: XMLError.self) { try log.read("<a><b/><c/><d/></a>") }
    #expect(error == XMLError("stopped", at: 7))
    #expect(log.events == ["0<a 0", "1<b 3", ">b"])
  }

  @Test func `a handler can end the reading of XML in a text and at an end tag`() throws {
    let log = Log()
    log.stop = "stop"
    #expect(throws: XMLError("stopped", at: 0)) { try log.read("<a><b>stop</b><c/></a>") }
    #expect(log.events == ["0<a 0", "1<b 3"])
    let other = Log()
    other.lastEnd = "b"
    #expect(throws: XMLError("stopped", at: 0)) { try other.read("<a><b>text</b><c/></a>") }
    #expect(other.events == ["0<a 0", "1<b 3", "text"])
  }

  @Test func `damaged XML is read or refused`() {
    let text = "<?xml version='1.0'?><!DOCTYPE a><a b='c'><d>&amp;é</d><![CDATA[x]]></a>"
    let bytes = Array(text.utf8)
    for offset in bytes.indices {
      try? XMLReader.read(Array(bytes[..<offset]), into: Log())
      for bit in 0..<8 {
        var copy = bytes
        copy[offset] ^= 1 << UInt8(bit)
        try? XMLReader.read(copy, into: Log())
      }
    }
  }
}

/// Records the events of a handler.
private final class Log: XMLHandler {
  var events: [String] = []
  var text = ""
  var pieces = 0
  var last: XMLElement?
  /// The element at which reading ends.
  var stop = ""
  /// The element at whose end reading ends.
  var lastEnd = ""

  static func reading(_ text: String) throws -> Log {
    let log = Log()
    try log.read(text)
    return log
  }

  func read(_ text: String) throws(XMLError) {
    try XMLReader.read(Array(text.utf8), into: self)
  }

  func begin(_ element: XMLElement) throws(XMLError) {
    guard element.name != stop else { throw XMLError("stopped", at: element.offset) }
    last = element
    let attributes = element.attributes.map { " \($0.name)=\($0.value.prefix(20))" }.joined()
    events.append("\(element.depth)<\(element.name) \(element.offset)\(attributes)")
  }

  func text(_ bytes: UnsafeBufferPointer<UInt8>) throws(XMLError) {
    let piece = String(decoding: bytes, as: UTF8.self)
    guard piece != stop else { throw XMLError("stopped", at: 0) }
    text += piece
    pieces += 1
    if pieces == 1 { events.append(String(piece.prefix(20))) }
  }

  func end(_ name: String) throws(XMLError) {
    guard name != lastEnd else { throw XMLError("stopped", at: 0) }
    events.append(">\(name)")
  }
}
