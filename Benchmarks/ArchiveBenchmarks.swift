import Graphics
import Measurement
import PencilKitArchive
import Strokes

/// Reading and writing PencilKit's archives, compared with a checksum of the same bytes.
enum ArchiveBenchmarks {
  static func figures(_ effort: Effort) -> [Figure] {
    var figures: [Figure] = []
    var archives = [
      ("handwriting page", Workload.handwriting().dataRepresentation()),
      ("one long stroke", Workload.longStroke().dataRepresentation()),
    ]
    let corpus = "../shared/corpus/pkdrawing/"
    for (name, file) in [
      ("real page of 2018, packed", "apple-notes-color"), ("real Pencil stroke", "inpaint-pencil"),
    ] {
      let bytes = contents(of: corpus + file + ".drawing")
      if !bytes.isEmpty { archives.append((name, bytes)) }
    }
    for (name, bytes) in archives {
      guard let drawing = try? PKDrawing(data: bytes) else { continue }
      let points = Double(drawing.strokes.reduce(0) { $0 + $1.path.count })
      let written = drawing.dataRepresentation()
      let samples = times(
        effort,
        [
          { consume(try? PKDrawing(data: bytes)) }, { consume(drawing.dataRepresentation()) },
          { consume(checksum(bytes)) }, { consume(checksum(written)) },
        ])
      figures += Figure.rates(
        "archive, read, \(name)", of: points, "points", samples[0], peer: "a sum of its bytes",
        samples[2], goal: .atLeast(10))
      figures += Figure.rates(
        "archive, write, \(name)", of: points, "points", samples[1], peer: "a sum of its bytes",
        samples[3], goal: .atLeast(10))
    }
    return figures
  }

  /// The minimum work of any reader: reading every byte in order.
  @inline(never)
  private static func checksum(_ bytes: [UInt8]) -> UInt32 {
    var (a, b): (UInt32, UInt32) = (1, 0)
    for byte in bytes {
      a = (a &+ UInt32(byte)) % 65_521
      b = (b &+ a) % 65_521
    }
    return b << 16 | a
  }
}
