import XML

/// The text elements of a response, in their order. Stores' responses have all their data in such
/// elements.
enum ObjectXML {
  struct Element {
    /// The name of the element around it.
    let parent: String
    let name: String
    let text: String
  }

  static func read(_ bytes: [UInt8]) throws(XMLError) -> [Element] {
    let reader = Reader()
    try XMLReader.read(bytes, into: reader)
    return reader.elements
  }

  private final class Reader: XMLHandler {
    var elements: [Element] = []
    private var names: [String] = []
    private var text: [UInt8] = []
    private var hasChildren = false

    func begin(_ element: XMLElement) {
      names.append(element.name)
      (text, hasChildren) = ([], false)
    }

    func text(_ bytes: UnsafeBufferPointer<UInt8>) { text += bytes }

    func end(_ name: String) {
      names.removeLast()
      if !hasChildren {
        elements.append(
          Element(
            parent: names.last ?? "", name: name, text: String(decoding: text, as: UTF8.self)))
      }
      (text, hasChildren) = ([], true)
    }
  }
}
