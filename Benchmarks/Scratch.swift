import Glibc
import Measurement

/// The first line that a shell command prints, without the line break.
func output(of command: String) -> String {
  guard let pipe = popen(command, "r") else { return "" }
  defer { pclose(pipe) }
  var bytes: [UInt8] = []
  var chunk = [UInt8](repeating: 0, count: 1 << 16)
  while true {
    let count = fread(&chunk, 1, chunk.count, pipe)
    if count == 0 { break }
    bytes += chunk[..<count]
  }
  return String(decoding: bytes, as: UTF8.self).split(separator: "\n").first.map(String.init) ?? ""
}

/// Calls a body with the path of a temporary file with some bytes, which is deleted afterwards. Files
/// at the same time need different names.
func withTemporaryFile<Result>(
  _ bytes: [UInt8], name: String = "", _ body: (String) -> Result
) -> Result {
  let path = "/tmp/pentimento-benchmark-\(getpid())\(name)"
  write(bytes, to: path)
  defer { unlink(path) }
  return body(path)
}

/// Writes a file, if that is possible.
func write(_ bytes: [UInt8], to path: String) {
  guard let file = fopen(path, "w") else { return }
  fwrite(bytes, 1, bytes.count, file)
  fclose(file)
}

/// Calls a body with a temporary folder in `TMPDIR`, or else `/tmp`, which is deleted afterwards;
/// nil if none can be created.
func withTemporaryFolder<Result>(_ body: (String) -> Result) -> Result? {
  let parent = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
  var path = Array("\(parent)/pentimento-XXXXXX".utf8CString)
  guard mkdtemp(&path) != nil else { return nil }
  let folder = String(
    decoding: path.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  defer { _ = output(of: "rm -rf '\(folder)'") }
  return body(folder)
}
