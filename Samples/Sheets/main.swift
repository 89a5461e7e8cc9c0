import Glibc
import PKDFormat
import Rasterization
import Strokes

// Draws the documentation's composite pictures from the samples: the same bytes on every run.

guard CommandLine.arguments.count == 3 else {
  print("usage: PictureSheets SAMPLE-FOLDER DOCS-FOLDER")
  exit(2)
}
try draw("pictures/papers") { try papers(sample("minute")) }
try draw("formats/contact-sheet") { try contactSheet() }
try draw("pictures/stages") { try stages(sample("mood")) }
for style in [RenderOptions.Style.light, .dark] {
  try draw("pictures/ink-sheet-\(style)") {
    try inkSheet(style, scale: 1, columns: [0, 1, 2, 3, 4, 5, 6])
  }
  try draw("pictures/ink-sheet-\(style)-3") {
    try inkSheet(style, scale: 3, columns: [1, 3, 4, 5])
  }
}

/// Draws a picture into the folder of the documentation.
func draw(_ name: String, _ picture: () throws -> [UInt8]) throws {
  let path = "\(CommandLine.arguments[2])/\(name).png"
  guard write(try picture(), to: path) else {
    print("cannot write \(path)")
    exit(1)
  }
}

/// The strokes of a sample.
func sample(_ name: String) throws -> PKDrawing {
  guard let bytes = read("\(CommandLine.arguments[1])/\(name).pkd") else {
    print("cannot read the sample \(name)")
    exit(1)
  }
  return try PKDReader(bytes).readDrawing().value
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
