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
  static let parameters = [
    QueryParameter("checkinId", .text, "The check-in that it belongs to."),
    QueryParameter(
      "isFromCheckIn", .choice(["true", "false"]), "Whether it was drawn during one."),
    QueryParameter("promptUsed", .text, "The prompt that the user was given."),
    QueryParameter("timezoneOffsetMinutes", .number(-720...840), "Minutes east of Greenwich."),
    QueryParameter("createdAt", .moment, "When it was drawn; now unless given."),
  ]
  private static let textLimit = 16 << 10

  /// Reads the body of a request.
  init(_ call: Call, ofForm isForm: Bool) throws(Refusal) {
    if isForm {
      try read(call)
    } else {
      recording = call.body
      for parameter in Self.parameters { fields[parameter.name] = try call.text(parameter.name) }
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
    case _ where fields[name] == nil && (name == "id" || Self.parameter(name) != nil):
      guard bytes.count <= Self.textLimit, let text = String(validating: bytes, as: UTF8.self)
      else {
        throw Refusal(422, "bad-field", "The field is too long, or no UTF-8.", field: name)
      }
      if let problem = Self.parameter(name)?.kind.problem(with: text) {
        throw .badField(name, problem)
      }
      fields[name] = text
    default:
      throw Refusal(400, "unknown-part", "The form has a part that is not known, or comes twice.")
    }
  }

  /// Copies the fields into a submission.
  func apply(to submission: inout DrawingService.Submission) {
    submission.checkInID = fields["checkinId"]
    submission.promptUsed = fields["promptUsed"]
    submission.isFromCheckIn = fields["isFromCheckIn"].map { $0 == "true" }
    submission.timezoneOffsetMinutes = fields["timezoneOffsetMinutes"].flatMap { Int($0) }
    if let moment = fields["createdAt"].flatMap({ Moment(iso8601: $0) }) {
      submission.date = .at(moment)
    }
  }

  static func parameter(_ name: String) -> QueryParameter? {
    parameters.first { $0.name == name }
  }
}

extension Refusal {
  static func badField(_ name: String, _ detail: String) -> Refusal {
    Refusal(422, "bad-field", detail, field: name)
  }
}
