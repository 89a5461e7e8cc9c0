import Glibc
import PKDFormat
import Strokes

// Writes the recordings of `Samples/`: the same bytes on every run, from the guides in this folder.

let samples: [(name: String, draw: () -> Recording)] = [
  ("handwriting", { still(handwriting(), "Handwriting") }),
  ("landscape", { still(landscape(), "A landscape in all inks") }),
  ("mood", { still(mood(), "A mood") }),
  ("inks", { still(inkSampler(), "The inks") }),
  ("erased", { still(erased(), "A jar of plums") }),
  ("minute", minute),
]

/// A recording of a drawing's strokes, without other events.
func still(_ drawing: PKDrawing, _ title: String) -> Recording {
  Recording(drawing, canvas: Recording.Canvas(metadata: ["title": title]))
}

guard CommandLine.arguments.count == 2 else {
  print("usage: SampleDrawings OUTPUT-FOLDER")
  exit(2)
}
for sample in samples {
  let recording = sample.draw()
  let bytes = try PKDWriter.encode(recording)
  let path = "\(CommandLine.arguments[1])/\(sample.name).pkd"
  guard write(bytes, to: path) else {
    print("cannot write \(path)")
    exit(1)
  }
  let strokes = recording.drawing.strokes
  let points = strokes.reduce(0) { $0 + $1.path.count }
  print(
    "\(sample.name): \(recording.events.count) events, \(strokes.count) strokes, "
      + "\(points) points, \(bytes.count) bytes")
}

/// Writes or replaces a file; false if that fails.
func write(_ bytes: [UInt8], to path: String) -> Bool {
  guard let file = fopen(path, "wb") else { return false }
  let written = fwrite(bytes, 1, bytes.count, file)
  return fclose(file) == 0 && written == bytes.count
}
