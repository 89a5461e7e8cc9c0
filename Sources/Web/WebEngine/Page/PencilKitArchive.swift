import Strokes

// What an engine that reads only `.pkd` files has instead of the reader of PencilKit's archives.

enum PencilKitReader {
  static func recognizes(_ bytes: [UInt8]) -> Bool { false }
}

struct PencilKitError: Error {}

extension PKDrawing {
  init(data: [UInt8]) throws(PencilKitError) { throw PencilKitError() }
}
