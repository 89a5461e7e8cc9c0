import DrawingServices
import HTTP
import HTTPServing
import Rasterization
import Storage

extension Refusal {
  /// The refusal of a request that only a user may send.
  static let noToken = Refusal(
    401, "no-token", "A bearer token is needed.", field: "authorization")

  /// The refusal of a change by a member who may only read.
  static let onlyReads = Refusal(403, "only-reads", "You may only look at this drawing.")

  /// The response to a request that failed with any error. Internal details are only shown to the
  /// operator.
  init(_ error: any Error) {
    switch error {
    case let error as Refusal: self = error
    case let error as AccessRefusal: self.init(access: error)
    case let error as FieldError:
      let code = error.problem == .missing ? "missing-field" : "bad-field"
      self.init(422, code, "\(error)", field: error.field)
    case let error as StorageError: self.init(storage: error)
    case let error as ServiceError: self.init(service: error)
    default: self.init(500, "internal", "The server could not do this.")
    }
  }

  /// The response on a connection over the limit.
  init(_ excess: Connection.Excess) {
    switch excess {
    case .ofClient:
      self.init(
        429, "too-many-connections", "All connections that one address may have are in use.",
        closesConnection: true)
    case .ofServer:
      self.init(
        503, "busy", "All connections of the server are in use.", closesConnection: true)
    }
  }

  private init(access error: AccessRefusal) {
    switch error.reason {
    case .unauthenticated:
      self = .noToken
    case .noRule: self.init(403, "not-allowed", "Nobody may do this.")
    case .notOwner: self.init(403, "not-owner", "This belongs to another user.")
    case .badName: self.init(403, "bad-name", "A drawing has no file of this name.")
    case .onlyReads: self = .onlyReads
    case .ownersField(let name):
      self.init(403, "owners-field", "Only the owner may change this field.", field: name)
    case .missingField(let name):
      self.init(422, "missing-field", "The field is needed.", field: name)
    case .wrongType(let name):
      self.init(422, "wrong-type", "The field has the wrong type.", field: name)
    case .tooLarge(let limit):
      self.init(413, "large-file", "A file must have fewer than \(limit) bytes.")
    }
  }

  private init(storage error: StorageError) {
    switch error.problem {
    case .notFound: self.init(404, "not-found", "There is nothing with this name.")
    case .alreadyExists:
      self.init(409, "exists", "Something else with this name exists already.")
    case .badPath(let reason): self.init(400, "bad-name", "A name is not valid: \(reason).")
    case .badValue(let reason): self.init(422, "bad-value", "A value is not valid: \(reason).")
    case .tooLarge(let limit): self.init(413, "large-document", "It has more than \(limit) bytes.")
    case .locked, .unavailable: self.init(503, "busy", "The service is busy.")
    case .readOnly: self.init(503, "read-only", "The service cannot be written to.")
    case .overQuota(let limit):
      self.init(402, "quota-exceeded", "All data of a user may have at most \(limit >> 20) MiB.")
    case .full: self.init(507, "full", "The disk of the server is full.")
    default: self.init(500, "internal", "The server could not do this.")
    }
  }

  private init(service error: ServiceError) {
    switch error {
    case .notARecording:
      self.init(
        422, "not-a-recording", "The recording is neither a PencilKit archive nor a .pkd file.",
        field: "recording")
    case .damagedRecording:
      self.init(422, "damaged-recording", "The recording is damaged.", field: "recording")
    case .notAnImage(let reason):
      self.init(422, "not-an-image", "The image is not a valid PNG: \(reason).", field: "image")
    case .tooLarge(let file, let limit):
      self.init(413, "large-file", "A file must have fewer than \(limit) bytes.", field: file)
    case .notRenderable(let reason):
      self.init(422, "not-renderable", "The drawing cannot be rendered: \(reason).")
    case .badRequest(let reason): self.init(400, "bad-request", "It cannot be done: \(reason).")
    case .existsAlready: self = .exists
    case .noInvitation:
      self.init(404, "no-invitation", "This invitation is not valid, or not any more.")
    case .ownDrawing: self.init(409, "own-drawing", "This drawing is your own.")
    case .badFields(let reason), .badSeed(let reason):
      self.init(400, "bad-json", "The fields cannot be read: \(reason).")
    case .unknownTimeZone:
      self.init(400, "unknown-time-zone", "The time zone is not known.", field: "timeZone")
    case .changedSince:
      self.init(412, "changed", "It was changed since it was read.", field: "if-match")
    default: self.init(500, "internal", "The server could not do this.")
    }
  }
}
