import DrawingServices
import ForeignInk
import HTTP
import HTTPServing
import InkFiles
import PKDFormat

// Ink of other programs, for pages: their engine reads only recordings and PencilKit's archives.

let convertRoutes: [Route] = [
  Route(
    .post, "/v1/convert",
    "The first page of a file of ink of any known format, as a recording. Nothing is stored.",
    body: .upload(limit: DrawingFiles.sizeLimit),
    answers: [(200, .type("application/octet-stream"))]
  ) { call in
    guard case .user = call.caller else {
      throw Refusal.noToken
    }
    do {
      let contents = try DrawingFile(call.body).contents()
      return Response(
        200,
        [("Content-Type", "application/octet-stream"), ("Cache-Control", "no-store")],
        .bytes(try DrawingFile.encode([contents], as: .pkd)))
    } catch let error as DrawingFileError {
      throw Refusal(422, "not-ink", "\(error)")
    } catch let error as PKDContentError {
      throw Refusal(422, "not-ink", "\(error)")
    }
  }
]
