import Foundation
import TestSupport
import Testing

/// The lines of docs/guides/serve.md, all of which must work unchanged.
struct ServeGuideTests {
  private static let hasCurl =
    (try? Program.shell("command -v curl", in: URL(fileURLWithPath: "/tmp")).code) == 0

  @Test(.enabled(if: hasCurl, "skipped: curl is not installed"))
  func `every line with curl works when it is pasted`() throws {
    let guide = try String(
      contentsOf: Corpus.project.appendingPathComponent("docs/guides/serve.md"), encoding: .utf8)
    let blocks = guide.components(separatedBy: "```sh\n").dropFirst().compactMap {
      $0.components(separatedBy: "\n```").first
    }
    let lines = blocks.joined(separator: "\n").replacingOccurrences(of: "\\\n", with: " ")
      .components(separatedBy: "\n").filter { $0.hasPrefix("curl ") }
    #expect(lines.count >= 10)
    let folder = try TemporaryFolder()
    let server = try RunningServer(["--dev"], root: folder.file("store").path)
    let sample = Corpus.project.appendingPathComponent("Samples/mood.pkd").path
    let made = try Program.shell(
      "cp \(sample) page.drawing; pkd render page.drawing -o page.png", in: folder.url)
    #expect(made.code == 0)
    // In the order of the guide, where later lines use what earlier ones have made.
    for line in lines {
      let isStream = line.contains("-N ")
      // A stream has no end; 28 is curl's code for one that was waited for.
      let options = "--fail --silent --show-error" + (isStream ? " --max-time 1" : "")
      let command = line.replacingOccurrences(of: "curl ", with: "curl \(options) ")
      let result = try Program.shell(
        "URL=\(server.url)/v1/users/dev; \(command)", in: folder.url)
      #expect(result.code == 0 || isStream && result.code == 28, "\(line): \(result.errors)")
      if !isStream, !line.contains("-X DELETE"), !line.contains(" -o ") {
        #expect(!result.text.isEmpty, "\(line)")
      }
    }
  }
}
