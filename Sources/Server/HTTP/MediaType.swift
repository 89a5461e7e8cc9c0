/// A media type with parameters: `multipart/form-data; boundary="x"`.
package struct MediaType: Hashable, Sendable {
  /// The type and subtype in lower case.
  package let name: String
  /// The parameters; names are in lower case.
  package let parameters: [String: String]

  /// Reads the value of a header; nil if it is malformed or has a parameter twice.
  package init?(_ text: String) {
    guard let (name, parameters) = HeaderParameters.parse(text),
      name.split(separator: "/", omittingEmptySubsequences: false).count == 2,
      name.utf8.allSatisfy({ $0.isTokenCharacter || $0 == UInt8(ascii: "/") }),
      name.first != "/", name.last != "/"
    else { return nil }
    self.name = name.lowercased()
    self.parameters = parameters
  }
}

/// Values followed by parameters after semicolons.
enum HeaderParameters {
  /// The value before the first semicolon, and the parameters; nil if they are malformed.
  static func parse(_ text: String) -> (value: String, parameters: [String: String])? {
    var rest = Array(text.utf8)[...]
    func take(while isTaken: (UInt8) -> Bool) -> String {
      let part = rest.prefix(while: isTaken)
      rest = rest.dropFirst(part.count)
      return String(decoding: Array(part).trimmingBlanks, as: UTF8.self)
    }
    let value = take { $0 != UInt8(ascii: ";") }
    var parameters: [String: String] = [:]
    while rest.popFirst() == UInt8(ascii: ";") {
      let name = take { $0 != UInt8(ascii: "=") && $0 != UInt8(ascii: ";") }.lowercased()
      // A trailing semicolon is allowed.
      if name.isEmpty, rest.isEmpty { break }
      guard !name.isEmpty, name.utf8.allSatisfy({ $0.isTokenCharacter }),
        rest.popFirst() == UInt8(ascii: "=")
      else { return nil }
      let parameter: String
      if rest.first == UInt8(ascii: "\"") {
        guard let quoted = quoted(&rest) else { return nil }
        parameter = quoted
      } else {
        parameter = take { $0 != UInt8(ascii: ";") }
        guard !parameter.isEmpty, parameter.utf8.allSatisfy({ $0.isTokenCharacter }) else {
          return nil
        }
      }
      guard parameters.updateValue(parameter, forKey: name) == nil else { return nil }
    }
    return rest.isEmpty ? (value, parameters) : nil
  }

  /// Reads a quoted text and the blanks after it.
  private static func quoted(_ rest: inout ArraySlice<UInt8>) -> String? {
    rest.removeFirst()
    var bytes: [UInt8] = []
    while let byte = rest.popFirst() {
      switch byte {
      case UInt8(ascii: "\""):
        rest = rest.drop { $0 == 32 || $0 == 9 }
        guard rest.isEmpty || rest.first == UInt8(ascii: ";") else { return nil }
        return String(validating: bytes, as: UTF8.self)
      case UInt8(ascii: "\\"):
        guard let next = rest.popFirst() else { return nil }
        bytes.append(next)
      default: bytes.append(byte)
      }
    }
    return nil
  }
}
