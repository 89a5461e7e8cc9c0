import HTTP
import JSON

/// Answers as Firebase Storage gives them.
enum FirebaseAnswers {
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
