import HTTP

/// Requests: a header and a body of several parts, in one text. The lines before the first empty
/// one are a request line and fields; the rest is a body. An accepted header has only one meaning,
/// and a body gives the same parts in pieces of any size.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ data: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let input = bytes(data, count)
  let end = input.firstRange(of: [10, 10])
  let lines = input[..<(end?.lowerBound ?? input.endIndex)].split(separator: 10)
  let words = (lines.first ?? []).split(separator: 32, maxSplits: 2)
  let head = RequestHead(
    method: Array(words.first ?? []), target: Array(words.dropFirst().first ?? []),
    minorVersion: words.count > 2 && words[2].last == UInt8(ascii: "0") ? 0 : 1,
    fields: lines.dropFirst().map { line in
      let colon = line.firstIndex(of: UInt8(ascii: ":")) ?? line.endIndex
      return RequestHead.Field(Array(line[..<colon]), Array(line[colon...].dropFirst()))
    })
  do throws(Refusal) {
    check(try head.check(), head)
  } catch {
    guard 400...599 ~= error.status else { violated("a refusal with the status \(error.status)") }
  }
  if let type = head.text("content-type").flatMap(MediaType.init) {
    checkBody(Array(input[(end?.upperBound ?? input.endIndex)...]), type)
  }
  return 0
}

private func check(_ checked: RequestHead.Checked, _ head: RequestHead) {
  for segment in checked.target.segments {
    let parts = segment.split(separator: "/", omittingEmptySubsequences: false)
    if parts.contains(where: { $0.isEmpty || $0 == "." || $0 == ".." }) {
      violated("a path leads elsewhere")
    }
    if segment.utf8.contains(where: { $0 < 32 || $0 == 127 }) { violated("a control character") }
  }
  let lengths = head.fields.count { $0.name == "content-length" }
  let codings = head.fields.count { $0.name == "transfer-encoding" }
  if lengths + codings > 1 { violated("a body with two lengths") }
  if case .none = checked.body, codings > 0 { violated("a coding without a body") }
  _ = try? Preconditions(head).outcome(checked.method, current: EntityTag("a"))
  for size in [0, 1, 10, 1 << 40] {
    if case .part(let range) = ByteRange(head, count: size, tag: EntityTag("a")),
      range.isEmpty || range.lowerBound < 0 || range.upperBound > size
    {
      violated("a range outside")
    }
  }
}

private func checkBody(_ body: [UInt8], _ type: MediaType) {
  let whole = events(of: body, type, piece: body.count + 1)
  for piece in [1, 2, 7, 64] where events(of: body, type, piece: piece) != whole {
    violated("other parts in pieces of \(piece)")
  }
}

/// The parts of a body with their contents; nil if it is refused.
private func events(of body: [UInt8], _ type: MediaType, piece: Int) -> [[MultipartReader.Event]]? {
  do throws(Refusal) {
    var reader = try MultipartReader(type, maximumPartCount: 8)
    var parts: [[MultipartReader.Event]] = []
    var content: [UInt8] = []
    var rest = body[...]
    while !rest.isEmpty {
      try reader.read(rest.prefix(piece)) { (event) throws(Refusal) in
        switch event {
        case .part: parts.append([event])
        case .content(let bytes): content += bytes
        case .endOfPart:
          parts[parts.count - 1].append(.content(content))
          content = []
        }
      }
      rest = rest.dropFirst(piece)
    }
    try reader.finish()
    return parts
  } catch {
    return nil
  }
}

/// Mutates an input by its bytes.
@_cdecl("LLVMFuzzerCustomMutator")
public func customMutator(
  _ data: UnsafeMutablePointer<UInt8>, _ count: Int, _ maximum: Int, _ seed: CUnsignedInt
) -> Int {
  mutate(data, count, maximum: maximum, seed: seed) { input, random in
    let words = [
      "Content-Length: 3\n", "Transfer-Encoding: chunked\n", "Range: bytes=0-9\n", "\r\n--b\r\n",
      "--b--\r\n", "Content-Disposition: form-data; name=\"a\"\r\n\r\n", "%2e%2e", "%2f", "/../",
      "\"",
      "If-None-Match: W/\"a\", *\n",
    ]
    guard !input.isEmpty else { return Array(random.pick(words).utf8) }
    var bytes = input
    for _ in 0...random.below(3) {
      let place = random.below(bytes.count + 1)
      switch random.below(3) {
      case 0: bytes.insert(contentsOf: random.pick(words).utf8, at: place)
      case 1: bytes.removeSubrange(place..<min(place + random.below(20), bytes.count))
      default: return nil
      }
      if bytes.isEmpty { break }
    }
    return bytes
  }
}
