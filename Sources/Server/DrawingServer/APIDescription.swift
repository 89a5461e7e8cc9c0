import HTTP
import JSON

/// The OpenAPI 3.1 description of the API, generated from the table of routes, so that both always
/// agree.
package enum APIDescription {
  /// The description as JSON.
  package static let json: [UInt8] = {
    var json = JSONWriter()
    write(to: &json)
    json.finish()
    return json.bytes
  }()

  private static func write(to json: inout JSONWriter) {
    json.object(long: true) { json in
      json.field("openapi", "3.1.0")
      json.object("info") { json in
        json.field("title", "Pentimento")
        json.field("version", "1")
        json.field(
          "description",
          "Drawn ink: drawings with their recordings, check-ins, gallery, cards and replays.")
      }
      json.list("security") { json in json.object { json in json.emptyList("bearer") } }
      json.object("paths", long: true) { json in
        for (path, routes) in groups {
          json.object(path, long: true) { json in
            for route in routes { operation(route, &json) }
          }
        }
      }
      json.object("components", long: true) { json in
        json.object("securitySchemes") { json in
          json.object("bearer") { json in
            json.field("type", "http")
            json.field("scheme", "bearer")
            json.field("bearerFormat", "JWT")
          }
        }
        json.key("schemas")
        schemas(&json)
      }
    }
  }

  /// The routes of each path, in the order of the table. Omits the Firebase routes, which Firebase
  /// describes, and pages, which are for people.
  private static var groups: [(path: String, routes: [Route])] {
    var groups: [(path: String, routes: [Route])] = []
    for route in Server.routes
    where !route.path.hasPrefix("/v0") && !pageRoutes.contains(where: { $0 === route }) {
      if let index = groups.firstIndex(where: { $0.path == route.path }) {
        groups[index].routes.append(route)
      } else {
        groups.append((route.path, [route]))
      }
    }
    return groups
  }

  private static func operation(_ route: Route, _ json: inout JSONWriter) {
    json.object(route.method.rawValue.lowercased()) { json in
      json.field("summary", route.summary)
      if route.access == .everyone { json.emptyList("security") }
      json.list("parameters") { json in
        for segment in route.segments {
          guard case .parameter(let name) = segment else { continue }
          parameter(name, in: "path", &json) { json in
            if name == "number" {
              json.field("type", "integer")
            } else {
              json.field("type", "string")
              json.field("pattern", "^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$")
            }
          }
        }
        for item in route.query { query(item, &json) }
      }
      body(of: route, &json)
      json.object("responses") { json in
        for answer in route.answers { response(answer.status, answer.what, &json) }
        json.object("4XX") { json in
          json.field("description", "The request is refused, for the reason in the answer.")
          content("application/problem+json", "Problem", &json)
        }
      }
    }
  }

  private static func parameter(
    _ name: String, in place: String, _ json: inout JSONWriter,
    _ schema: (inout JSONWriter) -> Void
  ) {
    json.object { json in
      json.field("name", name)
      json.field("in", place)
      if place == "path" { json.field("required", true) }
      json.key("schema")
      json.object(schema)
    }
  }

  private static func query(_ item: QueryParameter, _ json: inout JSONWriter) {
    json.object { json in
      json.field("name", item.name)
      json.field("in", "query")
      json.field("description", item.help)
      json.object("schema") { json in
        switch item.kind {
        case .text, .color(among: nil): json.field("type", "string")
        case .moment:
          json.field("type", "string")
          json.field("format", "date-time")
        case .number(let range):
          json.field("type", "integer")
          json.field("minimum", range.lowerBound)
          if range.upperBound < 1 << 53 { json.field("maximum", range.upperBound) }
        case .choice(let choices), .color(among: let choices?):
          json.field("type", "string")
          json.list("enum", choices) { $0.value($1) }
        }
      }
    }
  }

  private static func body(of route: Route, _ json: inout JSONWriter) {
    guard route.body != .none else { return }
    json.object("requestBody") { json in
      json.object("content") { json in
        if case .json = route.body {
          json.object("application/json") { json in
            json.object("schema") { $0.field("type", "object") }
          }
          return
        }
        json.object("application/octet-stream") { json in
          json.object("schema") { json in
            json.field("type", "string")
            json.field("format", "binary")
          }
        }
        guard route.path.hasSuffix("/drawings") || route.path.hasSuffix("/drawings/{id}") else {
          return
        }
        json.object("multipart/form-data") { json in
          json.object("schema") { json in
            json.field("type", "object")
            json.object("properties") { json in
              for name in ["recording", "image"] + UploadForm.parameters.map(\.name) {
                json.object(name) { json in
                  json.field("type", "string")
                  if name == "recording" || name == "image" { json.field("format", "binary") }
                }
              }
            }
            json.list("required") { $0.value("recording") }
          }
        }
      }
    }
  }

  private static func response(
    _ status: Int, _ what: Route.Content, _ json: inout JSONWriter
  ) {
    json.object(String(status)) { json in
      json.field("description", status == 204 ? "Done." : "The answer.")
      switch what {
      case .nothing: break
      case .json(let schema): content("application/json", schema, &json)
      case .types(let types):
        json.object("content") { json in
          for type in types {
            json.object(type) { _ in }
          }
        }
      }
    }
  }

  private static func content(_ type: String, _ schema: String, _ json: inout JSONWriter) {
    json.object("content") { json in
      json.object(type) { json in
        json.object("schema") { json in
          if schema == "object" {
            json.field("type", "object")
          } else {
            json.field("$ref", "#/components/schemas/\(schema)")
          }
        }
      }
    }
  }

  /// The schemas: the required properties with their types; list types include that of their
  /// elements.
  private static let shapes: [(name: String, properties: [(String, String)])] = [
    ("Document", [("id", "string")]),
    ("DocumentPage", [("items", "[Document]"), ("cursor", "string?")]),
    (
      "Problem",
      [
        ("type", "string"), ("title", "string"), ("status", "integer"), ("code", "string"),
        ("detail", "string"), ("request", "string"),
      ]
    ),
    ("File", [("path", "string"), ("size", "integer"), ("sha256", "string")]),
    ("Section", [("title", "string"), ("day", "string?"), ("drawings", "[Document]")]),
    (
      "Gallery",
      [
        ("title", "string"), ("sections", "[Section]"), ("checkIns", "[Document]"),
        ("cursor", "string?"),
      ]
    ),
    ("Tag", [("name", "string")]), ("Tags", [("items", "[Tag]")]),
    ("Card", [("date", "string"), ("drawings", "[Document]"), ("shown", "integer")]),
    ("Cards", [("items", "[Card]")]),
    ("WeekPoint", [("id", "string"), ("day", "string"), ("emotion", "string")]),
    ("WeekChart", [("items", "[WeekPoint]")]),
    ("Link", [("path", "string"), ("url", "string")]),
    ("Links", [("expires", "string"), ("items", "[Link]")]),
    ("Share", [("id", "string"), ("url", "string"), ("drawing", "string"), ("view", "string")]),
    ("Shares", [("items", "[Share]")]),
    (
      "Invitation",
      [("id", "string"), ("role", "string"), ("expires", "string"), ("uses", "integer")]
    ),
    ("Invitations", [("items", "[Invitation]")]),
    (
      "Member", [("name", "string"), ("role", "string"), ("since", "string"), ("isYou", "boolean")]
    ),
    ("Members", [("items", "[Member]"), ("owner", "string"), ("role", "string")]),
    ("Offer", [("title", "string"), ("owner", "string"), ("role", "string")]),
    ("Joined", [("owner", "string"), ("id", "string"), ("role", "string")]),
    (
      "SharedDrawing",
      [
        ("owner", "string"), ("id", "string"), ("title", "string"), ("role", "string"),
        ("thumbnailURL", "string"), ("since", "string"),
      ]
    ),
    ("SharedDrawings", [("items", "[SharedDrawing]"), ("cursor", "string?")]),
    ("Change", [("path", "string"), ("sequence", "integer"), ("isDeleted", "boolean")]),
    ("Changes", [("items", "[Change]"), ("cursor", "string"), ("hasMore", "boolean")]),
    (
      "SyncAnswer",
      [("store", "string"), ("clock", "string"), ("cursor", "integer")]
    ),
    ("Session", [("uid", "string"), ("isDevelopment", "boolean"), ("hasJournal", "boolean")]),
    ("RoomPosition", [("last", "integer")]), ("People", [("people", "array")]),
    (
      "SessionItem",
      [
        ("id", "string"), ("method", "string"), ("agent", "string"), ("createdAt", "string"),
        ("lastUsed", "string"), ("expires", "string"), ("isThis", "boolean"),
      ]
    ),
    ("Sessions", [("items", "[SessionItem]")]),
    ("Doors", [("openid", "string?"), ("signUp", "string")]),
    ("SignedIn", [("uid", "string")]),
    ("Address", [("url", "string")]),
    ("Admission", [("name", "string"), ("expires", "string")]),
    (
      "PasskeyRequest",
      [("challenge", "string"), ("rpId", "string"), ("timeout", "integer")]
    ),
    ("PasskeyCreation", [("challenge", "string"), ("timeout", "integer")]),
    (
      "Passkey",
      [("id", "string"), ("name", "string"), ("createdAt", "string"), ("lastUsed", "string?")]
    ),
    ("Passkeys", [("items", "[Passkey]")]),
    ("Status", [("status", "string")]),
  ]

  private static func schemas(_ json: inout JSONWriter) {
    json.object(long: true) { json in
      for shape in shapes {
        json.object(shape.name) { json in
          json.field("type", "object")
          json.object("properties") { json in
            for (name, type) in shape.properties {
              json.object(name) { schema(type, &$0) }
            }
          }
          json.list("required") { json in for (name, _) in shape.properties { json.value(name) } }
        }
      }
    }
  }

  private static func schema(_ type: String, _ json: inout JSONWriter) {
    if type.hasPrefix("[") {
      json.field("type", "array")
      json.object("items") {
        $0.field("$ref", "#/components/schemas/\(type.dropFirst().dropLast())")
      }
    } else if type.hasSuffix("?") {
      json.list("type") { json in
        json.value(String(type.dropLast()))
        json.value("null")
      }
    } else {
      json.field("type", type)
    }
  }
}

extension JSONWriter {
  fileprivate mutating func emptyList(_ name: String) {
    key(name)
    list { (_: inout JSONWriter) in }
  }
}
