import InkFiles
import Foundation
import Graphics
import ForeignInk
import PKDFormat
import PencilKitArchive
import Strokes
import TestSupport
import Testing

struct ConsumerTests {
  /// Long runs search for faults; usual runs detect regressions.
  private static let rounds = RunLength.count(4, long: 2000)

  private func expectIntact(
    _ bytes: [UInt8], _ name: String, seed: UInt64,
    _ location: SourceLocation = #_sourceLocation
  ) {
    guard let violation = Consumers(seed: seed).violation(bytes) else { return }
    if let folder = ProcessInfo.processInfo.environment["TEST_FAILURES"] {
      let file = URL(filePath: folder).appending(path: "\(name)-\(seed)")
      try? Data(bytes).write(to: file)
    }
    Issue.record("\(name), seed \(seed): \(violation)", sourceLocation: location)
  }

  @Test(arguments: 0..<4)
  func `a drawing of any numbers goes through every consumer`(_ part: UInt64) throws {
    for round in 0..<Self.rounds {
      let seed = part << 32 | UInt64(round)
      var random = RandomInk(seed: seed)
      let drawing = random.hostileDrawing()
      let recording = random.hostileRecording()
      expectIntact(drawing.dataRepresentation(), "an archive", seed: seed)
      expectIntact(JSONDrawingWriter.encode(drawing), "JSON", seed: seed)
      expectIntact(try PKDWriter.encode(drawing), "a drawing", seed: seed)
      expectIntact(try PKDWriter.encode(recording), "a recording", seed: seed)
    }
  }

  @Test(arguments: 0..<4)
  func `accepted content of damaged files goes through every consumer`(_ part: UInt64) throws {
    for round in 0..<Self.rounds {
      let seed = part << 32 | UInt64(round)
      var random = RandomInk(seed: seed)
      var damage = ChunkDamage(seed: seed)
      var mutation = Mutation(seed: seed)
      var drawing = random.erasedDrawing(strokeCount: 1...4)
      if random.chance() { drawing = try PKDrawing(data: drawing.dataRepresentation()) }
      let archive = drawing.dataRepresentation()
      let recording = try PKDWriter.encode(random.recording(eventCount: 1...8))
      let kept = try PKDWriter.encode(drawing)
      for _ in 0..<3 {
        expectIntact(mutation.mutated(archive), "an archive", seed: seed)
        expectIntact(mutation.mutated(JSONDrawingWriter.encode(drawing)), "JSON", seed: seed)
        expectIntact(damage.damaged(kept), "a drawing", seed: seed)
        expectIntact(damage.damaged(damage.damaged(recording)), "a recording", seed: seed)
        expectIntact(mutation.mutated(recording), "a cut recording", seed: seed)
      }
    }
  }

  @Test func `real archives and damaged ones go through every consumer`() throws {
    guard Corpus.isPresent else { return print(Corpus.absence) }
    for name in Corpus.names(in: "pkdrawing", suffix: ".drawing") {
      let bytes = try Corpus.bytes("pkdrawing/\(name)")
      expectIntact(bytes, name, seed: 1)
      guard bytes.count <= 4096 else { continue }
      let recording = try PKDWriter.encode(try PKDrawing(data: bytes))
      var mutation = Mutation(seed: 5)
      var damage = ChunkDamage(seed: 5)
      for round in 0..<UInt64(Self.rounds / 4) {
        expectIntact(mutation.mutated(bytes), name, seed: round)
        expectIntact(damage.damaged(recording), name, seed: round)
      }
    }
  }

  @Test(arguments: ["erased", "handwriting", "inks", "mood"])
  func `samples and damaged ones go through every consumer`(_ name: String) throws {
    let path = Corpus.project.appendingPathComponent("Samples/\(name).pkd")
    let bytes = [UInt8](try Data(contentsOf: path))
    var damage = ChunkDamage(seed: 7)
    expectIntact(bytes, name, seed: 1)
    for round in 0..<UInt64(Self.rounds / 4) {
      expectIntact(damage.damaged(bytes), name, seed: round)
    }
  }
}
