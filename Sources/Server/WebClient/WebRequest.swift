/// A request to a server.
struct WebRequest {
  let method: WebConnection.Method
  let url: String
  let fields: [(name: String, value: String)]
  /// Nil if there is no body, which differs from an empty one.
  let body: [UInt8]?
  let seconds: Double?

  /// A request to a safe URL. Refuses fields that would change the meaning of the request.
  init(
    _ method: WebConnection.Method, _ url: String, _ fields: [(name: String, value: String)] = [],
    body: [UInt8] = [], seconds: Double? = nil
  ) throws(WebProblem) {
    (self.method, self.url, self.fields, self.seconds) = (method, url, fields, seconds)
    self.body = method.mustHaveBody || !body.isEmpty ? body : nil
    guard body.isEmpty || method.mayHaveBody else {
      throw WebProblem(.other, "a request with \(method.rawValue) has no body")
    }
    for field in fields {
      // A name is only shown if it is valid; the value may be a secret.
      guard !field.name.isEmpty, field.name.utf8.allSatisfy(Self.isTokenCharacter) else {
        throw WebProblem(.unsafeField, "a field of the header has a name that is none")
      }
      guard !Self.ownFields.contains(field.name.lowercased()) else {
        throw WebProblem(.unsafeField, "the field \(field.name) is sent by the connection itself")
      }
      guard field.value.utf8.allSatisfy({ $0 == 9 || ($0 >= 32 && $0 != 127) }) else {
        throw WebProblem(.unsafeField, "the field \(field.name) has control characters")
      }
    }
  }

  /// The fields in the library's form: a name with only a colon would remove a field.
  var lines: [String] {
    // Without a type the library would send any body as a form.
    let isTyped = body == nil || fields.contains { $0.name.lowercased() == "content-type" }
    return fields.map { $0.value.isEmpty ? "\($0.name);" : "\($0.name): \($0.value)" }
      + (isTyped ? [] : ["Content-Type:"])
  }

  /// The fields that determine the end and the recipient of a request.
  private static let ownFields: Set<String> = [
    "connection", "content-length", "expect", "host", "te", "trailer", "transfer-encoding",
    "upgrade",
  ]

  private static func isTokenCharacter(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "a")...UInt8(ascii: "z"):
      true
    default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
    }
  }
}
