import DrawingServices
import HTTP
import HTTPServing
import JSON
import Storage

// The status of the server, for operators and programs.

let statusRoutes: [Route] = [
  Route(
    .get, "/health", "Whether the server runs.", access: .everyone,
    answers: [(200, .json("Status"))], isProbe: true, quick: { $0.status("ok") }
  ) { call in call.status("ok") },
  Route(
    .get, "/ready", "Whether the server can read its documents, and store files.",
    access: .everyone, answers: [(200, .json("Status"))], isProbe: true
  ) { call in
    if let problem = call.server.readiness.problem() {
      throw Refusal(503, "not-ready", problem)
    }
    return call.status("ready")
  },
  Route(
    .get, "/metrics", "Counts for Prometheus; only for programs on this machine.",
    access: .everyone,
    answers: [(200, .type("text/plain"))], isProbe: true
  ) { call in
    guard call.server.isFromThisMachine(call.exchange) else {
      throw Refusal(403, "not-local", "Only programs on the server's machine may read this.")
    }
    let text = call.server.metrics.text(call.server.load, streams: call.server.streams.count)
    return Response(
      200, [("Content-Type", "text/plain; version=0.0.4"), ("Cache-Control", "no-store")],
      .bytes(Array(text.utf8)))
  },
  Route(
    .get, "/v1/openapi.json", "The description of this API (OpenAPI 3.1).", access: .everyone,
    answers: [(200, .json("object"))]
  ) { call in
    Response(
      200,
      [("Content-Type", "application/json"), ("Cache-Control", "public, max-age=300")],
      .bytes(APIDescription.json))
  },
]

extension Call {
  fileprivate func status(_ text: String) -> Response {
    var response = json { json in json.object { $0.field("status", text) } }
    response.fields.removeAll { $0.name == "Cache-Control" }
    response.fields.append(("Cache-Control", "no-store"))
    return response
  }
}
