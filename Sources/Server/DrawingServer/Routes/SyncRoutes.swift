import DrawingServices
import HTTP
import HTTPServing
import JSON
import Storage

// Synchronization of devices (docs/sync-protocol.md).

/// Documents of 4 MB and as many bytes of files. The last one of each may exceed that.
private let requestLimit = 12 << 20
/// A piece of a large file.
private let pieceLimit = 2 << 20

private let cbor = "application/cbor"

extension Call {
  /// A sync request, in CBOR unless its content type is JSON.
  fileprivate func syncRequest() throws -> (request: SyncRequest, isText: Bool) {
    let type = exchange.head?.text("content-type").flatMap(MediaType.init)?.name
    switch type {
    case "application/json": return (try SyncRequest(fields(), in: environment.application), true)
    case cbor:
      let fields: Fields
      do throws(StorageError) {
        fields = try Fields(message: body)
      } catch {
        if case .badValue(let reason) = error.problem {
          throw Refusal(413, "too-many-values", "The body cannot be read: \(reason).")
        }
        throw Refusal(400, "bad-cbor", "The body is no map in canonical CBOR.")
      }
      return (try SyncRequest(fields, in: environment.application), false)
    default:
      throw Refusal(
        415, "wrong-type", "The body must be \(cbor) or application/json.", field: "content-type")
    }
  }

  fileprivate func staged() throws -> StagedFiles {
    let uid = try uid
    // Callers who may store files of drawings may also stage them.
    // Members use their own.
    _ = try DrawingService(ofOwner: environment, as: caller).fileInfo(
      DrawingFiles.recording, ofDrawing: "any", of: uid)
    return StagedFiles(environment, of: uid)
  }
}

let syncRoutes: [Route] = [
  Route(
    .post, "/v1/users/{uid}/sync",
    "Synchronize a device: bring its changes, get those of others, and files of drawings.",
    body: .upload(limit: requestLimit), answers: [(200, .json("SyncAnswer"))]
  ) { call in
    let uid = try call.uid
    let (request, isText) = try call.syncRequest()
    let response = try SyncService(call.environment, as: call.caller).answer(request, of: uid)
    let fields = response.fields(forJSON: isText)
    return Response(
      200,
      [
        ("Content-Type", isText ? "application/json" : cbor), ("Cache-Control", "no-store"),
      ], .bytes(isText ? fields.json : fields.bytes))
  },
  Route(
    .get, "/v1/users/{uid}/sync/files/{sha256}", "How many bytes of a file have arrived.",
    answers: [(200, .json("object"))]
  ) { call in
    let count = try call.staged().count(call.parameter("sha256"))
    return call.json { json in json.object { $0.field("count", count) } }
  },
  Route(
    .put, "/v1/users/{uid}/sync/files/{sha256}",
    "Send a piece of a large file, which a later change names by its SHA-256.",
    body: .upload(limit: pieceLimit),
    query: [
      QueryParameter(
        "offset", .number(0...DrawingFiles.sizeLimit), "The first byte of the piece in the file.")
    ], answers: [(200, .json("object"))]
  ) { call in
    let offset = try call.number("offset") ?? 0
    let count = try call.staged().add(call.body, to: call.parameter("sha256"), at: offset)
    return call.json { json in json.object { $0.field("count", count) } }
  },
]
