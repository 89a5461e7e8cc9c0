/// A request that is not answered with what it asks for, and why.
package struct Refusal: Error, Hashable, Sendable {
  /// The status of the answer.
  package let status: Int
  /// A stable word for programs, such as `bad-target`.
  package let code: String
  /// The reason in one sentence, for people. It never repeats what the client sent.
  package let detail: String
  /// The part of the request that is wrong, such as a header or a field of a body.
  package let field: String?
  /// Whether the connection must not be used again, because its next request may begin anywhere.
  package let closesConnection: Bool

  package init(
    _ status: Int, _ code: String, _ detail: String, field: String? = nil,
    closesConnection: Bool = false
  ) {
    self.status = status
    self.code = code
    self.detail = detail
    self.field = field
    self.closesConnection = closesConnection
  }

  /// A request that cannot be understood in only one way.
  static func malformed(_ code: String, _ detail: String, field: String? = nil) -> Refusal {
    Refusal(400, code, detail, field: field, closesConnection: true)
  }
}
