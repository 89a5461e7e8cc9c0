import Foundation
import TestSupport

/// Drawings to upload.
enum Recordings {
  /// A sample of the project by its name.
  static func sample(_ name: String = "inks") throws -> [UInt8] {
    Array(try Data(contentsOf: Corpus.project.appendingPathComponent("Samples/\(name).pkd")))
  }

  /// A form with a recording and fields.
  static func form(
    _ parts: [(name: String, bytes: [UInt8])], boundary: String = "xxBOUNDARYxx"
  ) -> (type: String, body: [UInt8]) {
    var body: [UInt8] = []
    for part in parts {
      body += Array(
        "--\(boundary)\r\nContent-Disposition: form-data; name=\"\(part.name)\"; filename=\"f\"\r\n\r\n"
          .utf8)
      body += part.bytes + [13, 10]
    }
    return ("multipart/form-data; boundary=\(boundary)", body + Array("--\(boundary)--\r\n".utf8))
  }
}
