import HTTP
import JSON

/// Answers as Firebase Storage gives them.
enum FirebaseAnswers {
  static let mediaType = "application/json; charset=utf-8"

  /// A refusal after which Firebase's programs do not repeat the request for minutes, as they do after every 5xx,
  /// unless it may pass by itself. They know 402 as a storage that is full.
  static func patient(_ refusal: Refusal) -> Refusal {
    guard refusal.status == 507 else { return refusal }
    return Refusal(402, refusal.code, refusal.detail)
  }

  /// A refusal, with what both Firebase's programs and others look for.
  static func problem(_ refusal: Refusal) -> [UInt8] {
    var json = JSONWriter()
    json.object { json in
      json.key("error")
      json.object { json in
        json.field("code", refusal.status)
        json.field("message", refusal.detail)
      }
      json.field("type", "about:blank")
      json.field("title", Refusal.title(ofStatus: refusal.status))
      json.field("status", refusal.status)
      json.field("code", refusal.code)
      json.field("detail", refusal.detail)
    }
    return json.bytes
  }
}
