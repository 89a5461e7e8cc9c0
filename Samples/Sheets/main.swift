import Glibc
import PKDFormat
import Strokes

// Draws the pictures of the documentation that are made of several pictures: the same bytes on every
// run, from the samples.

let sheets: [(name: String, sample: String, draw: (PKDrawing) throws -> [UInt8])] = [
  ("papers", "minute", papers),
  ("stages", "mood", stages),
]

guard CommandLine.arguments.count == 3 else {
  print("usage: PictureSheets SAMPLE-FOLDER OUTPUT-FOLDER")
  exit(2)
}
for sheet in sheets {
  guard let bytes = read("\(CommandLine.arguments[1])/\(sheet.sample).pkd") else {
    print("cannot read the sample \(sheet.sample)")
    exit(1)
  }
  let picture = try sheet.draw(PKDReader(bytes).readDrawing().value)
  let path = "\(CommandLine.arguments[2])/\(sheet.name).png"
  guard write(picture, to: path) else {
    print("cannot write \(path)")
    exit(1)
  }
}

/// The bytes of a file; nil if it cannot be read.
func read(_ path: String) -> [UInt8]? {
  guard let file = fopen(path, "rb") else { return nil }
  defer { fclose(file) }
  var bytes: [UInt8] = []
  var piece = [UInt8](repeating: 0, count: 1 << 16)
  while case let count = fread(&piece, 1, piece.count, file), count > 0 { bytes += piece[..<count] }
  return ferror(file) == 0 ? bytes : nil
}

/// Writes or replaces a file; false if that fails.
func write(_ bytes: [UInt8], to path: String) -> Bool {
  guard let file = fopen(path, "wb") else { return false }
  let written = fwrite(bytes, 1, bytes.count, file)
  return fclose(file) == 0 && written == bytes.count
}
