import Foundation
import Strokes
import TestSupport
import Testing

/// Random pictures, from strokes to a PNG file and back.
struct RandomRenderTests {
  /// Checks some pictures, and returns the number of drawn ones. If a picture crashes the run, its
  /// options are left in a file in `.build/pictures`.
  private func check(_ renders: some Sequence<RandomRender>, note name: String) throws -> Int {
    let folder = Corpus.project.appendingPathComponent(".build/pictures")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let note = folder.appendingPathComponent("last render of \(name).txt")
    defer { try? FileManager.default.removeItem(at: note) }
    var drawnCount = 0
    for render in renders {
      try Data("\(render)\n".utf8).write(to: note)
      do {
        if try render.check() { drawnCount += 1 }
      } catch {
        Issue.record("\(error): \(render)")
      }
    }
    return drawnCount
  }

  @Test(arguments: PKInk.InkType.known)
  func `pictures of every width from 1 to 130 decode to the same pixels`(
    _ ink: PKInk.InkType
  ) throws {
    let count = try check(
      (1...130).lazy.map { RandomRender(ink: ink, width: $0) }, note: ink.name)
    #expect(count == 130)
  }

  @Test func `pictures of 16 bits with empty rows between strokes decode to the same pixels`()
    throws
  {
    let count = try check((0..<60).lazy.map { RandomRender(highPage: $0) }, note: "high pages")
    #expect(count == 60)
  }

  @Test func `pictures of several greys have the same bytes with any number of threads`() throws {
    for seed in UInt64(0)..<40 {
      let render = RandomRender(greys: seed)
      let alone = try render.file(threads: 1)
      for threads in [2, 3, 8] {
        #expect(try render.file(threads: threads) == alone, "\(render), \(threads) threads")
      }
      #expect(try render.check())
    }
  }

  @Test(arguments: 0..<UInt64(RunLength.count(4, long: 10)))
  func `pictures of any size, with any options, decode to the same pixels`(
    _ hundred: UInt64
  ) throws {
    let count = try check(
      (100 * hundred..<100 * (hundred + 1)).lazy.map { RandomRender(seed: $0) },
      note: "hundred \(hundred)")
    // Some options are refused: an empty picture, or too many pixels.
    #expect(count > 60, "\(count) pictures")
  }
}
