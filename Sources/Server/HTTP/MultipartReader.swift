/// Reads a body of several parts (RFC 2046) while it arrives, in pieces of any size.
///
/// It buffers no more than the header of a part and the length of a boundary. Bytes before the
/// first boundary and after the last are skipped.
package struct MultipartReader: Sendable {
  /// A parsed event.
  package enum Event: Hashable, Sendable {
    /// A part begins.
    case part(Part)
    /// More of the content of the part.
    case content([UInt8])
    /// The part is complete.
    case endOfPart
  }

  /// The header of a part.
  package struct Part: Hashable, Sendable {
    /// The name of a form's field; nil outside of forms.
    package let name: String?
    /// The name of the file in a form.
    package let fileName: String?
    package let type: MediaType?
  }

  private enum State { case preamble, header, content, end }

  private let isForm: Bool
  /// A line break, two hyphens and the boundary.
  private let delimiter: [UInt8]
  private let maximumPartCount: Int
  private var state = State.preamble
  private var partCount = 0
  /// Bytes that have arrived but are not parsed. The line break represents the one before the body.
  private var pending: [UInt8] = [13, 10]

  /// The maximum number of bytes of a part's header, and of blanks after a boundary.
  private static let maximumHeaderBytes = 4_096
  private static let maximumBlankCount = 64

  /// A reader for a type such as `multipart/form-data; boundary=x`.
  package init(_ type: MediaType, maximumPartCount: Int) throws(Refusal) {
    guard type.name.hasPrefix("multipart/"), let boundary = type.parameters["boundary"],
      1...70 ~= boundary.utf8.count, boundary.last != " ",
      boundary.utf8.allSatisfy({ 32...126 ~= $0 })
    else { throw Self.malformed("The type of the body has no boundary, or not a valid one.") }
    isForm = type.name == "multipart/form-data"
    delimiter = [13, 10, 45, 45] + Array(boundary.utf8)
    self.maximumPartCount = maximumPartCount
  }

  /// Reads a piece of the body.
  package mutating func read(
    _ piece: some Collection<UInt8>, _ report: (Event) throws(Refusal) -> Void
  ) throws(Refusal) {
    guard state != .end else { return }
    pending += piece
    while try step(report) {}
  }

  /// Checks that the body is complete.
  package func finish() throws(Refusal) {
    guard state == .end else { throw Self.malformed("The body ends within a part.") }
  }

  /// Parses pending bytes up to the next change of state. Returns whether there may be more to
  /// parse.
  private mutating func step(_ report: (Event) throws(Refusal) -> Void) throws(Refusal) -> Bool {
    switch state {
    case .preamble, .content:
      guard let start = pending.firstIndex(of: delimiter) else {
        // The last bytes may be the start of a delimiter.
        try pass(max(pending.count - delimiter.count + 1, 0), report)
        return false
      }
      // The boundary is followed by a line break, or by two hyphens after the last part. There may
      // be blanks.
      let afterBoundary = start + delimiter.count
      var end = afterBoundary
      while end < pending.count, pending[end] == 32 || pending[end] == 9 { end += 1 }
      guard end - afterBoundary <= Self.maximumBlankCount else {
        throw Self.malformed("Blanks follow a boundary.")
      }
      guard end + 2 <= pending.count else { return false }
      let isLast = end == afterBoundary && pending[end] == 45 && pending[end + 1] == 45
      guard isLast || (pending[end] == 13 && pending[end + 1] == 10) else {
        throw Self.malformed("A boundary is followed by something else than a line break.")
      }
      try pass(start, report)
      if state == .content { try report(.endOfPart) }
      if isLast {
        (state, pending) = (.end, [])
        return false
      }
      // The line break stays, because a blank line ends the header, even one without fields.
      pending.removeFirst(end - start)
      state = .header
      return true
    case .header:
      guard let end = pending.firstIndex(of: [13, 10, 13, 10]) else {
        guard pending.count <= Self.maximumHeaderBytes else {
          throw Self.malformed("The header of a part is too large.")
        }
        return false
      }
      guard end <= Self.maximumHeaderBytes, partCount < maximumPartCount else {
        throw Self.malformed("There are too many parts, or one has a header that is too large.")
      }
      partCount += 1
      try report(.part(try part(pending[..<end])))
      pending.removeFirst(end + 4)
      state = .content
      return true
    case .end: return false
    }
  }

  /// Reports the first pending bytes as content.
  private mutating func pass(
    _ count: Int, _ report: (Event) throws(Refusal) -> Void
  ) throws(Refusal) {
    guard count > 0 else { return }
    if state == .content { try report(.content(Array(pending[..<count]))) }
    pending.removeFirst(count)
  }

  /// Reads the header of a part.
  private func part(_ header: ArraySlice<UInt8>) throws(Refusal) -> Part {
    var disposition: (value: String, parameters: [String: String])?
    var type: MediaType?
    for line in String(decoding: header, as: UTF8.self).split(separator: "\r\n") {
      guard let colon = line.firstIndex(of: ":") else {
        throw Self.malformed("The header of a part has a line without a colon.")
      }
      let value = String(line[colon...].dropFirst())
      switch line[..<colon].lowercased() {
      case "content-disposition": disposition = HeaderParameters.parse(value)
      case "content-type": type = MediaType(value)
      default: break
      }
    }
    let name =
      disposition?.value.lowercased() == "form-data" ? disposition?.parameters["name"] : nil
    guard name != nil || !isForm else { throw Self.malformed("A part of the form has no name.") }
    return Part(name: name, fileName: disposition?.parameters["filename"], type: type)
  }

  private static func malformed(_ detail: String) -> Refusal {
    Refusal(400, "bad-multipart", detail)
  }
}

extension [UInt8] {
  /// The index of the first occurrence of some bytes, which start with a line break; nil if there
  /// is none.
  fileprivate func firstIndex(of bytes: [UInt8]) -> Int? {
    guard count >= bytes.count else { return nil }
    for start in 0...count - bytes.count where self[start] == bytes[0] {
      if self[start..<start + bytes.count].elementsEqual(bytes) { return start }
    }
    return nil
  }
}
