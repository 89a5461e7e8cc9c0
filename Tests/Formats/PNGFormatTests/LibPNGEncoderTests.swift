import Foundation
import Graphics
import TestSupport
import Testing

@testable import PNGFormat

/// A picture of random premultiplied pixels, many of them transparent or opaque.
func randomPicture(
  _ width: Int, _ height: Int, depth: Pixmap.Depth = .eight, space: ColorSpace = .sRGB,
  isOpaque: Bool = false, seed: UInt64 = 1
) -> Pixmap {
  let picture = Pixmap(width: width, height: height, depth: depth, colorSpace: space)
  var random = SplitMix64(seed: seed)
  for y in 0..<height {
    for x in 0..<width {
      let memory = picture.memory.base + y * picture.memory.bytesPerRow + x * depth.bytesPerPixel
      let most: UInt16 = depth == .eight ? 255 : 65_535
      let alpha =
        isOpaque
        ? most
        : [0, most, UInt16.random(in: 0...most, using: &random)][
          Int.random(in: 0..<3, using: &random)]
      for part in 0..<4 {
        let value = part == 3 ? alpha : UInt16.random(in: 0...alpha, using: &random)
        if depth == .eight {
          memory.storeBytes(of: UInt8(value), toByteOffset: part, as: UInt8.self)
        } else {
          memory.storeBytes(of: value, toByteOffset: 2 * part, as: UInt16.self)
        }
      }
    }
  }
  return picture
}

/// Whether a decoded picture equals the encoded one exactly: its straight components, premultiplied
/// again, are those of the picture.
func expectSame(_ image: PNGImage, _ picture: Pixmap) {
  #expect(image.width == picture.width && image.height == picture.height)
  #expect(image.depth == picture.depth)
  let most: UInt64 = picture.depth == .eight ? 255 : 65_535
  let unit = 65_535 / most
  var differences = 0
  for y in 0..<picture.height {
    for x in 0..<picture.width {
      let straight = image[x, y]
      let alpha = UInt64(straight[3]) / unit
      func again(_ part: Int) -> UInt16 {
        UInt16((UInt64(straight[part]) / unit * alpha * 2 + most) / (2 * most) * unit)
      }
      let pixel = Pixmap.Pixel(red: again(0), green: again(1), blue: again(2), alpha: straight[3])
      if pixel != picture[x, y] { differences += 1 }
    }
  }
  #expect(differences == 0)
}

struct LibPNGEncoderTests {
  @Test func `every 8-bit component survives unpremultiplying and premultiplying`() {
    for alpha in UInt8(1)...255 {
      for part in 0...alpha {
        let straight = Unpremultiplying.straight(part, alpha)
        let exact = Double(part) * 255 / Double(alpha)
        #expect(abs(Double(straight) - exact) <= 0.5)
        let again = (UInt32(straight) * UInt32(alpha) * 2 + 255) / 510
        if again != UInt32(part) { Issue.record("\(part) of \(alpha) became \(again)") }
      }
    }
  }

  @Test func `16-bit components survive unpremultiplying and premultiplying`() {
    let alphas: [UInt16] = [
      1, 2, 3, 127, 255, 256, 257, 4_095, 32_767, 32_768, 65_533, 65_534, 65_535,
    ]
    var wrong = 0
    for alpha in alphas {
      for part in 0...alpha {
        let straight = UInt64(Unpremultiplying.straight(part, alpha))
        if (straight * UInt64(alpha) * 2 + 65_535) / 131_070 != part { wrong += 1 }
      }
    }
    #expect(wrong == 0)
  }

  @Test(
    arguments: [(1, 1), (1, 7), (7, 1), (3, 5), (128, 3), (130, 131), (257, 2)],
    Pixmap.Depth.allCases)
  func `libpng decodes pictures unchanged`(_ extent: (Int, Int), _ depth: Pixmap.Depth) throws {
    for isOpaque in [false, true] {
      for space in ColorSpace.allCases {
        let picture = randomPicture(
          extent.0, extent.1, depth: depth, space: space, isOpaque: isOpaque)
        let bytes = try LibPNGEncoder.encode(picture, isOpaque: isOpaque)
        let image = try PNGDecoder().decode(bytes)
        #expect(image.hasAlpha == !isOpaque)
        expectSame(image, picture)
      }
    }
  }

  @Test func `a decoder that shares no code with libpng finds the same pixels`() throws {
    let folder = try TemporaryFolder()
    try Data(plainReader.utf8).write(to: folder.file("read.py"))
    for (index, depth) in [Pixmap.Depth.eight, .eight, .sixteen, .sixteen].enumerated() {
      let isOpaque = index % 2 == 1
      let picture = randomPicture(67, 45, depth: depth, space: .displayP3, isOpaque: isOpaque)
      let bytes = try LibPNGEncoder.encode(picture, isOpaque: isOpaque, scale: 2)
      try Data(bytes).write(to: folder.file("in.png"))
      let result = try Program.shell("python3 read.py in.png out", in: folder.url)
      #expect(result.code == 0, "\(result.errors)")
      let depthText = "\(depth.rawValue) \(isOpaque ? 2 : 6)"
      #expect(result.text == "67 45 \(depthText)\nIHDR iCCP cICP pHYs IDAT IEND\n")
      let foreign = PNGImage(
        width: 67, height: 45, depth: depth, hasAlpha: !isOpaque, pixelsPerMeter: nil, texts: [],
        components: [UInt8](try Data(contentsOf: folder.file("out"))))
      expectSame(foreign, picture)
      #expect(foreign.components == (try PNGDecoder().decode(bytes)).components)
    }
  }

  @Test func `encoded bytes are the same if they are taken after every row`() throws {
    let picture = randomPicture(400, 300)
    let encoder = try LibPNGEncoder(PNGProperties(width: 400, height: 300))
    var (bytes, pieces): ([UInt8], Int) = ([], 0)
    for y in 0..<300 {
      try picture.withRow(y) { row throws(PNGError) in try encoder.add(row) }
      if encoder.hasBytes {
        bytes += encoder.takeBytes()
        pieces += 1
      }
      #expect(!encoder.hasBytes)
    }
    try encoder.finish()
    bytes += encoder.takeBytes()
    #expect(pieces > 10)
    #expect(bytes == (try LibPNGEncoder.encode(picture)))
    expectSame(try PNGDecoder().decode(bytes), picture)
  }

  @Test func `a PNG has its colour space, resolution and texts, and no time`() throws {
    let picture = randomPicture(4, 4)
    let texts = [PNGText("Title", "plums"), PNGText("Author", "Zoë 李"), PNGText("Größe", "")]
    let bytes = try LibPNGEncoder.encode(picture, scale: 2, texts: texts)
    let chunks = RawPNG.chunks(of: bytes)
    #expect(
      chunks.map(\.name) == [
        "IHDR", "sRGB", "pHYs", "tEXt", "iTXt", "tEXt", "IDAT", "IEND",
      ])
    // 144 pixels per inch.
    #expect(chunks[2].data == RawPNG.big(5_669) + RawPNG.big(5_669) + [1])
    let image = try PNGDecoder().decode(bytes)
    #expect(image.texts == texts && image.pixelsPerMeter == 5_669)
    #expect(bytes == (try LibPNGEncoder.encode(picture, scale: 2, texts: texts)))
  }

  @Test(arguments: [0, -1, .nan, .infinity, 1e-9, 1e300])
  func `a scale without a sensible resolution is omitted`(_ scale: Double) throws {
    let bytes = try LibPNGEncoder.encode(randomPicture(1, 1), scale: scale)
    #expect(!RawPNG.chunks(of: bytes).contains { $0.name == "pHYs" })
  }

  @Test func `Display P3 is stored as cICP and as a profile`() throws {
    let bytes = try LibPNGEncoder.encode(randomPicture(1, 1, space: .displayP3))
    let chunks = RawPNG.chunks(of: bytes)
    #expect(chunks.map(\.name) == ["IHDR", "iCCP", "cICP", "IDAT", "IEND"])
    #expect(chunks[2].data == [12, 13, 0, 1])
    #expect(chunks[1].data.starts(with: Array("Display P3".utf8) + [0, 0]))
  }

  @Test func `the profile of Display P3 holds its primaries and its curve`() throws {
    let profile = ICCProfile.displayP3
    func number(_ offset: Int) -> Int {
      Int(Int32(bitPattern: profile[offset..<offset + 4].reduce(0) { $0 << 8 | UInt32($1) }))
    }
    #expect(number(0) == profile.count && profile.count % 4 == 0 && profile.count < 600)
    var tags: [String: (start: Int, count: Int)] = [:]
    for index in 0..<number(128) {
      let entry = 132 + 12 * index
      tags[String(decoding: profile[entry..<entry + 4], as: UTF8.self)] = (
        number(entry + 4), number(entry + 8)
      )
      #expect(number(entry + 4) % 4 == 0)
      #expect(number(entry + 4) + number(entry + 8) <= profile.count)
    }
    func vector(_ tag: String, _ index: Int = 0) throws -> SIMD3<Double> {
      let start = try #require(tags[tag]).start + 8 + 12 * index
      return SIMD3(
        Double(number(start)), Double(number(start + 4)), Double(number(start + 8))) / 65_536
    }
    // The chromatic adaptation maps D65, the sum of the primaries, to the profile's white.
    let rows = try (0..<3).map { try vector("chad", $0) }
    let white = SIMD3(0.3127 / 0.3290, 1, (1 - 0.3127 - 0.3290) / 0.3290)
    let sum = try vector("rXYZ") + vector("gXYZ") + vector("bXYZ")
    for axis in 0..<3 {
      #expect(abs((rows[axis] * white).sum() - (try vector("wtpt"))[axis]) < 1e-4)
      #expect(abs(sum[axis] - (try vector("wtpt"))[axis]) < 1e-4)
    }
    // The light of one primary, adapted, equals that primary's tag.
    for (tag, x, y) in [("rXYZ", 0.680, 0.320), ("gXYZ", 0.265, 0.690), ("bXYZ", 0.150, 0.060)] {
      let light = SIMD3(x, y, 1 - x - y)
      let adapted = SIMD3(
        (rows[0] * light).sum(), (rows[1] * light).sum(), (rows[2] * light).sum())
      let stored = try vector(tag)
      #expect(abs(adapted.x / adapted.sum() - stored.x / stored.sum()) < 1e-4)
      #expect(abs(adapted.y / adapted.sum() - stored.y / stored.sum()) < 1e-4)
    }
    let curve = try #require(tags["rTRC"]).start + 12
    let parts = (0..<5).map { Double(number(curve + 4 * $0)) / 65_536 }
    for encoded in stride(from: 0.0, through: 1, by: 0.05) {
      let light =
        encoded < parts[4]
        ? encoded * parts[3] : Foundation.pow(parts[1] * encoded + parts[2], parts[0])
      #expect(abs(light - ColorSpace.decode(encoded)) < 1e-4)
    }
  }

  @Test(
    arguments: [
      "", " a", "a ", "a  b", "a\nb", "a\u{0}", "日", "\u{A0}", String(repeating: "a", count: 80),
    ])
  func `a keyword that PNG does not allow is refused`(_ keyword: String) {
    #expect(throws: PNGError(.badKeyword(keyword))) {
      try LibPNGEncoder.encode(randomPicture(1, 1), texts: [PNGText(keyword, "x")])
    }
  }

  @Test func `a text with a zero, an empty picture and missing rows are refused`() throws {
    #expect(throws: PNGError(.badText("a"))) {
      try LibPNGEncoder.encode(randomPicture(1, 1), texts: [PNGText("a", "x\u{0}y")])
    }
    for (width, height) in [(0, 1), (1, 0), (1, 1 << 31)] {
      #expect(throws: PNGError(.impossibleExtent(width: width, height: height))) {
        try LibPNGEncoder(PNGProperties(width: width, height: height))
      }
    }
    let picture = randomPicture(2, 2)
    let encoder = try LibPNGEncoder(PNGProperties(width: 2, height: 1))
    #expect(throws: PNGError(.wrongRowCount(0, of: 1))) { try encoder.finish() }
    try picture.withRow(0) { row throws(PNGError) in try encoder.add(row) }
    #expect(throws: PNGError(.wrongRowCount(2, of: 1))) {
      try picture.withRow(1) { row throws(PNGError) in try encoder.add(row) }
    }
    try encoder.finish()
  }
}

/// Decodes a PNG in the forms of this encoder with only Python and its zlib, checks every checksum,
/// and writes four components per pixel in native byte order.
private let plainReader = #"""
  import struct, sys, zlib
  data = open(sys.argv[1], "rb").read()
  assert data[:8] == b"\x89PNG\r\n\x1a\n"
  offset, names, packed = 8, [], b""
  while offset < len(data):
      length, name = struct.unpack(">I4s", data[offset:offset + 8])
      body = data[offset + 8:offset + 8 + length]
      assert struct.unpack(">I", data[offset + 8 + length:offset + 12 + length])[0] == zlib.crc32(name + body)
      if not names or names[-1] != name.decode(): names.append(name.decode())
      if name == b"IHDR": width, height, depth, kind, *rest = struct.unpack(">IIBBBBB", body)
      if name == b"IDAT": packed += body
      if name == b"iCCP": assert zlib.decompress(body[body.index(0) + 2:])[36:40] == b"acsp"
      offset += length + 12
  parts = {2: 3, 6: 4}[kind]
  step = parts * depth // 8
  raw = zlib.decompress(packed)
  pitch = width * step
  assert rest == [0, 0, 0] and len(raw) == (pitch + 1) * height
  above, out = bytes(pitch), bytearray()
  for y in range(height):
      filter, row = raw[y * (pitch + 1)], bytearray(raw[y * (pitch + 1) + 1:(y + 1) * (pitch + 1)])
      for x in range(pitch):
          a = row[x - step] if x >= step else 0
          b = above[x]
          c = above[x - step] if x >= step else 0
          p = a + b - c
          paeth = min((abs(p - a), 0, a), (abs(p - b), 1, b), (abs(p - c), 2, c))[2]
          row[x] = row[x] + [0, a, b, (a + b) // 2, paeth][filter] & 255
      above = bytes(row)
      for x in range(width):
          pixel = row[x * step:(x + 1) * step]
          if parts == 3: pixel += b"\xff" * (depth // 8)
          if depth == 16: pixel = struct.pack("=4H", *struct.unpack(">4H", pixel))
          out += pixel
  open(sys.argv[2], "wb").write(out)
  print(width, height, depth, kind)
  print(*names)
  """#
