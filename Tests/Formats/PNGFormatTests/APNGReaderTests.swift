import Foundation
import Graphics
import TestSupport
import Testing

@testable import PNGFormat

/// Prints the duration of each frame and its composed canvas, by a decoder that shares no code with
/// ours.
private let foreignReader = """
  import sys, zlib
  from PIL import Image
  for name in sys.argv[1:]:
      image = Image.open(name)
      print(name, image.n_frames, image.info["loop"])
      for number in range(image.n_frames):
          image.seek(number)
          pixels = bytearray(image.convert("RGBA").tobytes())
          for index in range(3, len(pixels), 4):
              if pixels[index] == 0:
                  pixels[index - 3:index] = bytes(3)
          print(round(image.info["duration"] * 1000), zlib.crc32(pixels))

  """

struct APNGReaderTests {
  private static let isPresent =
    (try? Program.shell("python3 -c 'import PIL'", in: Corpus.project).code == 0) ?? false
  private static let absence = "skipped: there is no python3 with Pillow on this machine"

  @Test(.enabled(if: isPresent, Comment(rawValue: absence)))
  func `another decoder composes the same frames`() throws {
    let folder = try TemporaryFolder()
    try Data(foreignReader.utf8).write(to: folder.file("read.py"))
    var expected: [String] = []
    for (index, kind) in OddPicture.allCases.enumerated() {
      let frames = RandomFrames(kind, 83, 61, count: 7, seed: UInt64(index))
      try Data(try frames.streamed()).write(to: folder.file("\(kind.rawValue).png"))
      expected.append("\(kind.rawValue).png 7 3")
      for frame in frames.frames {
        let microseconds = (frame.duration.seconds * 1e6).rounded(.toNearestOrEven)
        expected.append("\(Int(microseconds)) \(Self.checksum(of: frame.picture))")
      }
    }
    let names = OddPicture.allCases.map { $0.rawValue + ".png" }.joined(separator: " ")
    let result = try Program.shell("python3 read.py \(names)", in: folder.url)
    #expect(result.code == 0, "\(result.errors)")
    let lines = result.text.split(separator: "\n").map(String.init)
    #expect(lines.count == expected.count)
    for (theirs, ours) in zip(lines, expected) { #expect(theirs == ours) }
  }

  /// The checksum of straight pixels, where transparent ones have no colour.
  private static func checksum(of picture: Pixmap) -> UInt32 {
    var pixels: [UInt8] = []
    for y in 0..<picture.height {
      for x in 0..<picture.width {
        let parts = picture.pixel(x, y).parts
        for part in 0..<3 {
          pixels.append(
            parts.w == 0
              ? 0 : parts.w == 255 ? parts[part] : Unpremultiplying.straight(parts[part], parts.w))
        }
        pixels.append(parts.w)
      }
    }
    return ChunkReader.checksum(pixels[...])
  }
}
