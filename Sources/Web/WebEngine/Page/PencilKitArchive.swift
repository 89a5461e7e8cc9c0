import Strokes

// A replacement for the reader of PencilKit's archives, in an engine that reads only `.pkd` files.

enum PencilKitReader {
  static func recognizes(_ bytes: [UInt8]) -> Bool { false }
}

struct PencilKitError: Error {}

extension PKDrawing {
  init(data: [UInt8]) throws(PencilKitError) { throw PencilKitError() }
  func keepingBytes(of archive: [UInt8]) -> PKDrawing { self }
}
