import CExpat

/// Takes the parts of a text in XML, in their order.
package protocol XMLHandler: AnyObject {
  /// An element begins.
  func begin(_ element: XMLElement) throws(XMLError)
  /// Text inside the open element; a long text comes in several pieces.
  func text(_ bytes: UnsafeBufferPointer<UInt8>) throws(XMLError)
  /// The open element ends.
  func end(_ name: String) throws(XMLError)
}

/// The start of an element. Names are without prefixes of namespaces.
package struct XMLElement {
  package let name: String
  package let attributes: [(name: String, value: String)]
  /// The number of elements around this one.
  package let depth: Int
  /// The offset of the element's first byte.
  package let offset: Int

  /// The value of an attribute; nil if there is none of this name.
  package subscript(name: String) -> String? {
    attributes.first { $0.name.utf8.elementsEqual(name.utf8) }?.value
  }
}

/// Reads XML from front to back through expat. Nothing is fetched, and a text that declares
/// entities, or uses some that another file would declare, is refused.
package enum XMLReader {
  /// Elements in elements; drawings need about ten.
  static let maximumDepth = 128
  /// The bytes that expat gets at once.
  private static let maximumPiece = 1 << 30

  /// Calls a handler for every part of a text.
  package static func read(
    _ bytes: [UInt8], into handler: some XMLHandler
  ) throws(XMLError) {
    guard let parser = XML_ParserCreate(nil) else {
      throw XMLError("there is no memory for a parser", at: 0)
    }
    defer { XML_ParserFree(parser) }
    let state = ReaderState(parser, handler)
    XML_SetUserData(parser, Unmanaged.passUnretained(state).toOpaque())
    XML_SetElementHandler(
      parser,
      { data, name, attributes in ReaderState.of(data)?.begin(name, attributes) },
      { data, name in ReaderState.of(data)?.end(name) })
    XML_SetCharacterDataHandler(
      parser, { data, text, count in ReaderState.of(data)?.text(text, Int(count)) })
    XML_SetEntityDeclHandler(
      parser,
      { data, _, _, _, _, _, _, _, _ in
        ReaderState.of(data)?.stop("entities cannot be declared")
      })
    XML_SetSkippedEntityHandler(
      parser, { data, _, _ in ReaderState.of(data)?.stop("an entity is not declared") })
    try withExtendedLifetime(state) { () throws(XMLError) in
      // Pieces that expat's counts can hold. Shorter ones would be slow, as expat reads an element
      // again from its start if a piece ends inside of it.
      var start = 0
      repeat {
        let end = min(start + maximumPiece, bytes.count)
        let status = bytes[start..<end].withUnsafeBytes { piece in
          XML_Parse(
            parser, piece.bindMemory(to: CChar.self).baseAddress, Int32(piece.count),
            end == bytes.count ? 1 : 0)
        }
        guard status == XML_STATUS_OK else { throw state.error() }
        start = end
      } while start < bytes.count
    }
  }
}

/// The state that expat's callbacks share while a text is read.
private final class ReaderState {
  private let parser: XML_Parser
  private let handler: any XMLHandler
  private var depth = 0
  private var failure: XMLError?

  init(_ parser: XML_Parser, _ handler: any XMLHandler) {
    self.parser = parser
    self.handler = handler
  }

  static func of(_ data: UnsafeMutableRawPointer?) -> ReaderState? {
    data.map { Unmanaged<ReaderState>.fromOpaque($0).takeUnretainedValue() }
  }

  private var offset: Int { max(Int(XML_GetCurrentByteIndex(parser)), 0) }

  func stop(_ reason: String) { stop(XMLError(reason, at: offset)) }

  private func stop(_ error: XMLError) {
    if failure == nil { failure = error }
    XML_StopParser(parser, 0)
  }

  func error() -> XMLError {
    if let failure { return failure }
    let text = XML_ErrorString(XML_GetErrorCode(parser)).map { String(cString: $0) }
    return XMLError(text ?? "damaged XML", at: offset)
  }

  func begin(
    _ name: UnsafePointer<CChar>?, _ attributes: UnsafeMutablePointer<UnsafePointer<CChar>?>?
  ) {
    guard failure == nil, let name else { return }
    guard depth < XMLReader.maximumDepth else {
      return stop("elements are nested too deeply")
    }
    var list: [(name: String, value: String)] = []
    if var next = attributes {
      while let name = next[0], let value = next[1] {
        list.append((Self.localName(name), String(cString: value)))
        next += 2
      }
    }
    let element = XMLElement(
      name: Self.localName(name), attributes: list, depth: depth, offset: offset)
    depth += 1
    do throws(XMLError) { try handler.begin(element) } catch { stop(error) }
  }

  func end(_ name: UnsafePointer<CChar>?) {
    guard failure == nil, let name else { return }
    depth -= 1
    do throws(XMLError) { try handler.end(Self.localName(name)) } catch { stop(error) }
  }

  func text(_ text: UnsafePointer<CChar>?, _ count: Int) {
    guard failure == nil, let text else { return }
    let bytes = UnsafeRawBufferPointer(start: text, count: count).bindMemory(to: UInt8.self)
    do throws(XMLError) { try handler.text(bytes) } catch { stop(error) }
  }

  /// A name without its prefix. Programs use different prefixes for the same namespace.
  private static func localName(_ name: UnsafePointer<CChar>) -> String {
    let text = String(cString: name)
    guard let colon = text.utf8.lastIndex(of: UInt8(ascii: ":")) else { return text }
    return String(text[text.utf8.index(after: colon)...])
  }
}
