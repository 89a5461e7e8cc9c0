/// An error response to a request, with its reason.
package struct Refusal: Error, Hashable, Sendable {
  /// The status of the response.
  package let status: Int
  /// A stable word for programs, such as `bad-target`.
  package let code: String
  /// The reason in one sentence, for people. It never contains text of the request.
  package let detail: String
  /// The part of the request that is wrong, such as a header or a field of a body.
  package let field: String?
  /// Whether the connection must be closed, because the start of its next request is unknown.
  package let closesConnection: Bool
  /// The time after which the request may succeed, in seconds; for refusals that pass.
  package let retrySeconds: Int

  package init(
    _ status: Int, _ code: String, _ detail: String, field: String? = nil,
    closesConnection: Bool = false, retrySeconds: Int = 1
  ) {
    self.status = status
    self.code = code
    self.detail = detail
    self.field = field
    self.closesConnection = closesConnection
    self.retrySeconds = retrySeconds
  }

  /// A malformed or ambiguous request.
  static func malformed(_ code: String, _ detail: String, field: String? = nil) -> Refusal {
    Refusal(400, code, detail, field: field, closesConnection: true)
  }
}
