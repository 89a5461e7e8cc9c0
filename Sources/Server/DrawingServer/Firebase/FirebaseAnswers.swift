import HTTP
import JSON

/// Responses in the form of Firebase Storage.
enum FirebaseAnswers {
  static let mediaType = "application/json; charset=utf-8"

  /// A refusal that Firebase's clients do not retry. They retry every 5xx for minutes, which only
  /// makes sense for temporary problems. They know 402 as exceeded storage.
  static func patient(_ refusal: Refusal) -> Refusal {
    guard refusal.status == 507 else { return refusal }
    return Refusal(402, refusal.code, refusal.detail)
  }

  /// A refusal with the members that Firebase's clients read, and those that others read.
  static func problem(_ refusal: Refusal) -> [UInt8] {
    var json = JSONWriter()
    json.object { json in
      json.object("error") { json in
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
