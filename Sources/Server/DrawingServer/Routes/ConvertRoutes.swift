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
    "A page of a file of ink of any known format, as a recording. Nothing is stored.",
    body: .upload(limit: DrawingFiles.sizeLimit),
    query: [
      QueryParameter(
        "page", .number(1...Int(Int32.max)),
        "The page, counted from 1; the answer's field Pages has their number.")
    ],
    answers: [(200, .type("application/octet-stream"))]
  ) { call in
    guard case .user = call.caller else {
      throw Refusal.noToken
    }
    do {
      let file = try DrawingFile(call.body, page: (try call.number("page") ?? 1) - 1)
      let contents = file.contents()
      return Response(
        200,
        [
          ("Content-Type", "application/octet-stream"), ("Cache-Control", "no-store"),
          ("Pages", "\(file.pageCount)"),
        ],
        .bytes(try DrawingFile.encode([contents], as: .pkd)))
    } catch let error as DrawingFileError {
      throw Refusal(422, "not-ink", "\(error)")
    } catch let error as PKDContentError {
      throw Refusal(422, "not-ink", "\(error)")
    }
  }
]
