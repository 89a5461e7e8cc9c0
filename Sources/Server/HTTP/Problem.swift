import JSON

extension Refusal {
  /// The media type of `problem`.
  package static let mediaType = "application/problem+json"

  /// The refusal as a response body (RFC 9457), with the request's number in the log.
  package func problem(request: String) -> [UInt8] {
    var json = JSONWriter()
    json.object {
      $0.field("type", "about:blank")
      $0.field("title", Self.title(ofStatus: status))
      $0.field("status", status)
      $0.field("code", code)
      $0.field("detail", detail)
      if let field { $0.field("field", field) }
      $0.field("request", request)
    }
    return json.bytes
  }

  /// The reason phrase of a status.
  package static func title(ofStatus status: Int) -> String {
    titles[status] ?? (status < 500 ? "Request refused" : "Server error")
  }

  private static let titles = [
    400: "Bad request", 401: "Not signed in", 402: "Quota exceeded", 403: "Not allowed",
    404: "Not found", 405: "Method not allowed", 406: "Not acceptable", 409: "Conflict",
    411: "Length required", 412: "Precondition failed", 413: "Content too large",
    414: "Address too long", 415: "Unknown media type", 416: "Range not satisfiable",
    417: "Expectation failed", 422: "Invalid content", 428: "Precondition required",
    429: "Too many requests", 431: "Header too large", 500: "Server error",
    501: "Not implemented", 503: "Not available",
  ]
}
