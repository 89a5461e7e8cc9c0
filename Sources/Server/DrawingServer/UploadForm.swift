import DrawingServices
import HTTP
import HTTPServing
import Storage

/// The files and fields of an upload: a multipart form, or a recording alone with its fields in the
/// query.
struct UploadForm {
  private(set) var recording: [UInt8]?
  private(set) var image: [UInt8]?
  private(set) var fields: [String: String] = [:]

  /// The fields of a drawing that a client may set.
  static let fieldNames = [
    "checkinId", "isFromCheckIn", "promptUsed", "timezoneOffsetMinutes", "createdAt",
  ]
  private static let textLimit = 16 << 10

  /// Reads the body of a request.
  init(_ call: Call, ofForm isForm: Bool) throws(Refusal) {
    if isForm {
      try read(call)
    } else {
      recording = call.body
      for name in Self.fieldNames { fields[name] = try call.text(name) }
    }
  }

  private mutating func read(_ call: Call) throws(Refusal) {
    guard let type = call.exchange.head?.text("content-type").flatMap(MediaType.init) else {
      throw Refusal(415, "no-type", "The type of the body is needed.", field: "content-type")
    }
    var reader = try MultipartReader(type, maximumPartCount: 16)
    var (name, bytes) = ("", [UInt8]())
    // The parts come in order, so one variable for the current part suffices.
    var parts: [(name: String, bytes: [UInt8])] = []
    try reader.read(call.body) { (event) throws(Refusal) in
      switch event {
      case .part(let part): (name, bytes) = (part.name ?? "", [])
      case .content(let piece): bytes += piece
      case .endOfPart: parts.append((name, bytes))
      }
    }
    try reader.finish()
    for part in parts { try take(part.name, part.bytes) }
  }

  private mutating func take(_ name: String, _ bytes: [UInt8]) throws(Refusal) {
    switch name {
    case "recording" where recording == nil: recording = bytes
    case "image" where image == nil: image = bytes
    case _ where (Self.fieldNames + ["id"]).contains(name) && fields[name] == nil:
      guard bytes.count <= Self.textLimit, let text = String(validating: bytes, as: UTF8.self)
      else {
        throw Refusal(422, "bad-field", "The field is too long, or no UTF-8.", field: name)
      }
      fields[name] = text
    default:
      throw Refusal(400, "unknown-part", "The form has a part that is not known, or comes twice.")
    }
  }

  /// Copies the fields into a submission.
  func apply(to submission: inout DrawingService.Submission) throws(Refusal) {
    submission.checkInID = fields["checkinId"]
    submission.promptUsed = fields["promptUsed"]
    if let text = fields["isFromCheckIn"] {
      guard text == "true" || text == "false" else {
        throw .badField("isFromCheckIn", "It must be true or false.")
      }
      submission.isFromCheckIn = text == "true"
    }
    if let text = fields["timezoneOffsetMinutes"] {
      guard let minutes = Int(text) else {
        throw .badField("timezoneOffsetMinutes", "It must be a whole number of minutes.")
      }
      submission.timezoneOffsetMinutes = minutes
    }
    if let text = fields["createdAt"] {
      guard let moment = Moment(iso8601: text) else {
        throw .badField("createdAt", "It must be a time such as 2026-11-22T13:00:00Z.")
      }
      submission.date = .at(moment)
    }
  }
}

extension Refusal {
  static func badField(_ name: String, _ detail: String) -> Refusal {
    Refusal(422, "bad-field", detail, field: name)
  }
}
