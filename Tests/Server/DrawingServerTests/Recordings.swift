import Foundation
import TestSupport

/// Drawings to upload.
enum Recordings {
  /// A sample of the project by its name.
  static func sample(_ name: String = "inks") throws -> [UInt8] {
    Array(try Data(contentsOf: Corpus.project.appendingPathComponent("Samples/\(name).pkd")))
  }

  /// A recording of one line, white (1) or black (0).
  static func line(grey: Int) throws -> [UInt8] {
    let folder = try TemporaryFolder()
    let points = (0..<8).map {
      #"{"x": \#($0 * 10), "y": \#($0 % 3 * 20), "w": 6, "h": 6, "t": \#($0)}"#
    }
    let drawing = """
      {"format": "pentimento-drawing", "version": 1, "strokes": [{"ink": {"type": "pen",
      "color": [\(grey), \(grey), \(grey), 1]}, "points": [\(points.joined(separator: ","))]}]}
      """
    try Data(drawing.utf8).write(to: folder.file("line.json"))
    let made = try Program.run("pkd", ["convert", "line.json", "line.pkd"], in: folder.url)
    guard made.code == 0 else { throw CocoaError(.fileWriteUnknown, userInfo: ["": made.errors]) }
    return Array(try Data(contentsOf: folder.file("line.pkd")))
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
