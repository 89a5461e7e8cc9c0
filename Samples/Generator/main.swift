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

/// A recording of a page's strokes and words, without other events.
func still(_ page: Page, _ title: String) -> Recording {
  var recording = Recording(page.drawing, canvas: Recording.Canvas(metadata: ["title": title]))
  if !page.words.isEmpty { recording.words = RecognizedText(page.words, in: page.drawing) }
  return recording
}

guard CommandLine.arguments.count == 2 else {
  print("usage: SampleDrawings OUTPUT-FOLDER")
  exit(2)
}
for sample in samples {
  var recording = sample.draw()
  let words = recording.words
  recording.words = nil
  var bytes = try PKDWriter.encode(recording)
  // Added as `pkd index` adds them: everything else keeps its bytes.
  if let words { bytes = try PKDReader(bytes).replacingWords(words) ?? bytes }
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
