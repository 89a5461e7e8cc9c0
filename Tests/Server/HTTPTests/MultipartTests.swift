import HTTP
import TestSupport
import Testing

/// A part with the content that was read.
private struct ReadPart: Equatable {
  var name: String?
  var fileName: String?
  var type: String?
  var content: [UInt8] = []
  var isComplete = false
}

/// Reads a body in pieces of some sizes.
private func read(
  _ body: [UInt8], _ type: String = "multipart/form-data; boundary=XX", pieces: [Int] = [.max],
  maximumPartCount: Int = 4
) throws -> [ReadPart] {
  var reader = try MultipartReader(
    try #require(MediaType(type)), maximumPartCount: maximumPartCount)
  var parts: [ReadPart] = []
  var rest = body[...]
  var turn = 0
  while !rest.isEmpty {
    let piece = rest.prefix(pieces[turn % pieces.count])
    rest = rest.dropFirst(piece.count)
    turn += 1
    try reader.read(piece) { event throws(Refusal) in
      switch event {
      case .part(let part):
        parts.append(ReadPart(name: part.name, fileName: part.fileName, type: part.type?.name))
      case .content(let bytes): parts[parts.count - 1].content += bytes
      case .endOfPart: parts[parts.count - 1].isComplete = true
      }
    }
  }
  try reader.finish()
  #expect(parts.allSatisfy { $0.isComplete })
  return parts
}

private let form = Array(
  """
  ignored\r
  --XX\r
  Content-Disposition: form-data; name="meta"\r
  \r
  {"a": 1}\r
  --XX  \r
  content-disposition: FORM-DATA; name=file; filename="a \\"b\\".pkd"\r
  Content-Type: application/octet-stream\r
  \r
  \r
  --X\r
  --X-\r
  \r
  --XX--\r
  ignored too
  """.utf8)

@Suite struct MultipartTests {
  private let expected = [
    ReadPart(name: "meta", content: Array("{\"a\": 1}".utf8), isComplete: true),
    ReadPart(
      name: "file", fileName: "a \"b\".pkd", type: "application/octet-stream",
      content: Array("\r\n--X\r\n--X-\r\n".utf8), isComplete: true),
  ]

  @Test func `multipart bodies are read in pieces of any size`() throws {
    #expect(try read(form) == expected)
    for size in 1...40 { #expect(try read(form, pieces: [size]) == expected, "\(size)") }
    var random = RandomInk(seed: 3)
    for _ in 0..<200 {
      let pieces = (0..<5).map { _ in random.whole(1...30) }
      #expect(try read(form, pieces: pieces) == expected, "\(pieces)")
    }
  }

  @Test func `parts may contain any bytes, even a boundary without hyphens`() throws {
    var random = RandomInk(seed: 4)
    for round in 0..<100 {
      var content: [UInt8] = []
      for _ in 0..<random.whole(0...60) {
        content +=
          [[13], [10], [13, 10], [45, 45], [88], [13, 10, 45], [0, 255]][random.whole(0...6)]
      }
      if content.firstRange(of: Array("\r\n--XX".utf8)) != nil { continue }
      let body =
        Array("--XX\r\nContent-Type: image/png\r\n\r\n".utf8) + content + Array("\r\n--XX--".utf8)
      let parts = try read(
        body, "multipart/related; boundary=\"XX\"",
        pieces: [random.whole(1...9), random.whole(1...9)])
      #expect(
        parts == [ReadPart(type: "image/png", content: content, isComplete: true)], "\(round)")
    }
  }

  @Test func `a multipart body may be empty, and so may its parts`() throws {
    let empty = Array("--XX\r\n\r\n\r\n--XX--".utf8)
    #expect(
      try read(empty, "multipart/related; boundary=XX") == [ReadPart(isComplete: true)])
    #expect(try read(Array("--XX--".utf8)).isEmpty)
  }

  @Test(arguments: [
    "--XX\r\nContent-Disposition: form-data; name=a\r\n\r\nabc", "--XX\r\n", "", "--XX",
    "--XX\r\nContent-Disposition: form-data\r\n\r\n\r\n--XX--", "--XX\r\n\r\n\r\n--XX--",
    "--XX\r\nno colon\r\n\r\n\r\n--XX--",
    "--XX\r\nContent-Disposition: form-data; name=\"a\r\n\r\n\r\n--XX--", "--XXX\r\n",
    "--XX\r\nContent-Disposition: form-data; name=a; name=b\r\n\r\n\r\n--XX--",
  ])
  func `incomplete and malformed multipart bodies are refused`(_ body: String) {
    #expect(throws: Refusal.self) { try read(Array(body.utf8)) }
    #expect(throws: Refusal.self) { try read(Array(body.utf8), pieces: [1]) }
  }

  @Test func `multipart headers, blanks and parts have limits`() {
    let long = Array("--XX\r\nX: ".utf8) + Array(repeating: UInt8(ascii: "a"), count: 5_000)
    #expect(throws: Refusal.self) { try read(long, pieces: [100]) }
    let blanks = Array("--XX".utf8) + Array(repeating: UInt8(ascii: " "), count: 70)
    #expect(throws: Refusal.self) { try read(blanks, pieces: [1]) }
    let part = "--XX\r\nContent-Disposition: form-data; name=a\r\n\r\n\r\n"
    let many = Array((String(repeating: part, count: 5) + "--XX--").utf8)
    #expect(throws: Refusal.self) { try read(many, maximumPartCount: 4) }
    #expect(throws: Never.self) { try read(many, maximumPartCount: 5) }
  }

  @Test(arguments: [
    "multipart/form-data", "multipart/form-data; boundary=\"\"", "text/plain; boundary=XX",
    "multipart/form-data; boundary=\"a \"", "multipart/form-data; boundary=\"a\u{e9}\"",
    "multipart/form-data; boundary=" + String(repeating: "a", count: 71),
  ])
  func `a multipart type without a valid boundary is refused`(_ type: String) throws {
    let type = try #require(MediaType(type))
    #expect(throws: Refusal.self) { try MultipartReader(type, maximumPartCount: 1) }
  }

  @Test func `random multipart bytes end in an error or in parts`() {
    var random = RandomInk(seed: 5)
    for _ in 0..<3000 {
      var body = form
      for _ in 0..<random.whole(1...4) {
        body[random.whole(0...body.count - 1)] = UInt8(random.whole(0...255))
      }
      _ = try? read(
        Array(body.prefix(random.whole(0...body.count))), pieces: [random.whole(1...50)])
    }
  }
}

@Suite struct MediaTypeTests {
  @Test func `media types and parameters are read without regard to case`() throws {
    let type = try #require(MediaType("Text/HTML ; Charset=\"utf-8\" ; q=1;"))
    #expect(type.name == "text/html" && type.parameters == ["charset": "utf-8", "q": "1"])
    #expect(MediaType("a/b; x=\"\\\"\\\\\"")?.parameters["x"] == "\"\\")
  }

  @Test(arguments: [
    "", "text", "/", "a/", "/b", "a/b/c", "a b/c", "a/b; x", "a/b; =1", "a/b; x=", "a/b; x=1; X=2",
    "a/b; x=\"1", "a/b; x=\"1\"2", "a/b; x=a b", "a/b;;x=1",
  ])
  func `malformed media types are refused`(_ text: String) { #expect(MediaType(text) == nil) }

  @Test(arguments: ["a/b; x=\"y\" z", "a/b; x=\"y", "a/b; x=\"y\\", "a/b; =y", "a/b; x"])
  func `malformed media type parameters are refused`(_ text: String) {
    #expect(MediaType(text) == nil)
  }
}
