import InkFiles
import Glibc
import ForeignInk
import Strokes

/// `pkd cat`: prints the events of a recording as JSON lines.
let catCommand = CommandDefinition(
  name: "cat",
  summary: "Print the events of recordings, one line of JSON each.",
  operands: "FILE…",
  operandCount: 1...Int.max,
  options: InputFiles.options + InputOptions.table,
  examples: [
    (
      "pkd cat page.pkd | head -2 | cut -c 1-200",
      "The header line, and the start of the first event."
    ),
    ("pkd cat *.pkd", "One after the other; each begins with a header line."),
    ("pkd cat page.drawing | pkd record page.pkd", "Convert through events, without loss."),
    (#"pkd cat page.pkd | grep -c '"event": "begin"'"#, "The number of strokes that were begun."),
  ]
) { arguments, console in
  let options = InputOptions(arguments)
  for path in try InputFiles(arguments, of: "cat", &console).paths {
    try printEvents(of: path, options, &console)
  }
}

private func printEvents(
  of path: SystemString, _ options: InputOptions, _ console: inout Console
) throws {
  guard let (_, file) = console.open(path, options) else { return }
  console.noteOtherPages(of: file, path, options)
  let contents = file.contents(withArchive: false)
  var writer = EventStreamWriter()
  var bytes = EventStreamWriter.header(contents.canvas)
  for event in contents.recording.events {
    bytes += writer.line(event)
    if bytes.count > 1 << 16 {
      try writeAll(bytes, to: STDOUT_FILENO, "standard output")
      bytes.removeAll(keepingCapacity: true)
    }
  }
  try writeAll(bytes, to: STDOUT_FILENO, "standard output")
  for damage in contents.damage {
    console.fail("\(path): \(damage); only the readable events were printed", .badData)
  }
}
