import Foundation
import PNGFormat
import TestSupport
import Testing
import Threads

extension PageVisit {
  /// A picture that `pkd render` drew of a recording.
  struct Picture {
    /// The size, and FNV-1a of the pixels, as `page_tools.js` computes it.
    let hash: String

    init(
      recording: [UInt8], region: String, scale: String, style: String, background: String
    ) throws {
      let folder = try TemporaryFolder()
      try Data(recording).write(to: folder.file("a.pkd"))
      let result = try Program.run(
        "pkd",
        [
          "render", "a.pkd", "-o", "a.png", "--effort", "fast", "--region", region, "--scale",
          scale, "--style", style, "--background", background,
        ], in: folder.url)
      guard result.code == 0 else { throw HTMLBrowser.Failure(description: result.errors) }
      let image = try PNGDecoder().decode([UInt8](try Data(contentsOf: folder.file("a.png"))))
      var value: UInt32 = 0x811c_9dc5
      image.components.withUnsafeBytes { bytes in
        for word in bytes.bindMemory(to: UInt32.self) {
          value = (value ^ UInt32(littleEndian: word)) &* 0x0100_0193
        }
      }
      hash = "\(image.width)x\(image.height) \(value)"
    }
  }
}

extension PageTests {
  /// Compares the pixels on the screen with those that the server renders.
  @Suite struct PixelTests {
    /// A drawing with the pixels that the page has shown.
    private struct Shown: Sendable {
      let id, region, scale, style, background, hash, state: String

      init(_ answer: [String: Any]) {
        func text(_ name: String) -> String { answer[name] as? String ?? "" }
        (id, style, background) = (text("id"), text("style"), text("background"))
        (hash, state) = (text("hash"), text("state"))
        (scale, region) = (text("scale"), text("region"))
      }

      /// The difference to the server's picture; nil if there is none.
      func fault(_ server: RunningServer) -> String? {
        do {
          guard
            let reply = try server.send("GET", "/v1/users/dev/drawings/\(id)/recording.pkd")
          else { return "\(id): no answer" }
          // A drawing whose gestures were all cancelled leaves nothing.
          if reply.status == 404, state == "empty" { return nil }
          guard reply.status == 200 else { return "\(id): \(reply.text)" }
          let picture = try PageVisit.Picture(
            recording: reply.body, region: region, scale: scale, style: style,
            background: background)
          return picture.hash == hash ? nil : "\(self): the server drew \(picture.hash)"
        } catch {
          return "\(id): \(error)"
        }
      }
    }

    @Test func `the screen shows random drawings with the pixels of the server`() throws {
      let count = RunLength.count(60, long: 1000)
      let visit = try PageVisit()
      let browser = visit.browser
      var drawings: [[String: Any]] = []
      // Screens of one pixel per point, and sharper ones.
      for (ratio, width, height, part) in [
        (1.0, 520, 400, 2), (1.5, 360, 300, 4), (2.0, 320, 260, 4),
      ] {
        browser.window = (width, height, ratio, false)
        try visit.openDraw("draw?no-worker")
        let end = drawings.count + count / part
        while drawings.count < end {
          let seed = drawings.count + 1
          let batch = try browser.evaluate(
            """
            (async () => {
              const all = [];
              for (let seed = \(seed); seed < \(min(seed + 10, end + 1)); seed++) all.push(await hand.randomDrawing(seed));
              return all;
            })()
            """)
          drawings += try #require(batch as? [[String: Any]])
        }
      }
      try browser.keepPicture("page-random.png")
      #expect(drawings.count == count)
      #expect(Set(drawings.compactMap { $0["style"] as? String }) == ["light", "dark"])
      let shown = drawings.map(Shown.init)
      let found = ConditionMutex<[String]>([])
      let server = visit.server
      DispatchQueue.concurrentPerform(iterations: shown.count) { index in
        if let fault = shown[index].fault(server) { found.withLock { $0.append(fault) } }
      }
      #expect(found.withLock { $0 } == [])
      try visit.end()
    }
  }
}
