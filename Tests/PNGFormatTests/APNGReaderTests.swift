import Foundation
import Graphics
import TestSupport
import Testing

@testable import PNGFormat

/// Prints of each frame how long it is shown and what the canvas shows then, by a reader that shares no
/// code with ours.
private let foreignReader = """
  import sys, zlib
  from PIL import Image
  for name in sys.argv[1:]:
      image = Image.open(name)
      print(name, image.n_frames, image.info.get("loop"), image.info.get("default_image"))
      for number in range(image.n_frames):
          image.seek(number)
          pixels = bytearray(image.convert("RGBA").tobytes())
          for place in range(3, len(pixels), 4):
              if pixels[place] == 0:
                  pixels[place - 3:place] = bytes(3)
          print(round(image.info["duration"] * 1000), zlib.crc32(pixels))

  """

struct APNGReaderTests {
  private static let isPresent =
    (try? Program.shell("python3 -c 'import PIL'", in: Corpus.project).code == 0) ?? false
  private static let absence = "skipped: there is no python3 with Pillow on this machine"

  @Test(.enabled(if: isPresent, Comment(rawValue: absence)))
  func `a foreign reader composes the same frames`() throws {
    let folder = try TemporaryFolder()
    try Data(foreignReader.utf8).write(to: folder.file("read.py"))
    var expected = ""
    for (place, kind) in OddPicture.allCases.enumerated() {
      for (number, count) in [1, 7].enumerated() {
        let frames = RandomFrames(kind, 83, 61, count: count, seed: UInt64(place))
        let name = "\(kind.rawValue)-\(number).png"
        // The foreign reader takes a file of one frame for a still.
        let bytes = try count == 1 ? frames.encoded() : frames.streamed()
        try Data(bytes).write(to: folder.file(name))
        expected += "\(name) \(count) \(count == 1 ? "None None" : "3 False")\n"
        guard count > 1 else { continue }
        for frame in frames.frames {
          let microseconds = (frame.duration.seconds * 1e6).rounded(.toNearestOrEven)
          expected += "\(Int(microseconds)) \(Self.checksum(of: frame.picture))\n"
        }
      }
    }
    let result = try Program.shell("python3 read.py *.png", in: folder.url)
    #expect(result.code == 0, "\(result.errors)")
    func files(_ text: String) -> [[Substring]] {
      var files: [[Substring]] = []
      for line in text.split(separator: "\n") {
        if line.contains("png") {
          files.append([line])
        } else {
          files[files.count - 1].append(line)
        }
      }
      return files.filter { !$0[0].contains("-0.png") }
        .sorted { $0[0] < $1[0] }
    }
    #expect(files(result.text) == files(expected))
  }

  /// The checksum of straight pixels, clear ones without a colour.
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
