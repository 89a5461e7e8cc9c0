import Glibc
import PencilKitArchive
import Strokes

// Writes the drawings of `Samples/`: the same bytes on every run, from the guides in this folder.

let samples: [(name: String, draw: () -> PKDrawing)] = [
  ("handwriting", handwriting),
  ("landscape", landscape),
  ("mood", mood),
  ("inks", inkSampler),
  ("erased", erased),
  ("minute", minute),
]

guard CommandLine.arguments.count == 2 else {
  print("usage: SampleDrawings OUTPUT-FOLDER")
  exit(2)
}
for sample in samples {
  let drawing = sample.draw()
  let bytes = drawing.dataRepresentation()
  let path = "\(CommandLine.arguments[1])/\(sample.name).drawing"
  guard write(bytes, to: path) else {
    print("cannot write \(path)")
    exit(1)
  }
  let points = drawing.strokes.reduce(0) { $0 + $1.path.count }
  print(
    "\(sample.name): \(drawing.strokes.count) strokes, \(points) points, \(bytes.count) bytes")
}

/// Writes a file, over one that may be there; false where that fails.
func write(_ bytes: [UInt8], to path: String) -> Bool {
  guard let file = fopen(path, "wb") else { return false }
  let written = fwrite(bytes, 1, bytes.count, file)
  return fclose(file) == 0 && written == bytes.count
}
