import CPNGKernels
import Graphics

/// Puts a file together from chunks: a length, a name, bytes, and a checksum of the last two.
struct ChunkWriter {
  /// The bytes that nobody has taken yet.
  let room: ByteRoom
  let kernels: UnsafePointer<PNGKernels>
  /// Where the newest chunk begins.
  private(set) var start = 0

  /// How many bytes the chunk has that was begun last, without its head.
  var byteCount: Int { room.count - start - 8 }

  init(into room: ByteRoom, _ kernels: UnsafePointer<PNGKernels>) {
    (self.room, self.kernels) = (room, kernels)
  }

  func addSignature() {
    room.add(UInt32(0x8950_4E47))
    room.add(UInt32(0x0D0A_1A0A))
  }

  mutating func begin(_ name: StaticString) {
    start = room.count
    room.add(UInt32(0))
    room.add(UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount))
  }

  mutating func end() {
    room.set(UInt32(byteCount), at: start)
    let crc = kernels.pointee.check(0, room.start + start + 4, room.count - start - 4)
    room.add(crc)
  }

  /// Forgets all bytes before the newest chunk, which somebody has taken.
  mutating func dropFinished() {
    room.removeFirst(start)
    start = 0
  }

  mutating func add(_ name: StaticString, _ bytes: some Collection<UInt8>) {
    begin(name)
    room.add(bytes)
    end()
  }
}

extension ChunkWriter {
  /// All that stands before the pixels; of a colour that is clear only where pixels have no opacity.
  mutating func addHead(
    _ properties: PNGProperties, _ form: PixelForm, palette: [UInt32],
    animation: (frameCount: Int, loopCount: Int)? = nil, clear: UInt32? = nil
  ) {
    addSignature()
    begin("IHDR")
    room.add(UInt32(properties.width))
    room.add(UInt32(properties.height))
    room.add(UInt32(form.bitDepth) << 24 | UInt32(form.colorType) << 16)
    room.add(UInt8(0))
    end()
    if let animation {
      addAnimation(frameCount: animation.frameCount, loopCount: animation.loopCount)
    }
    addColorSpace(properties)
    if let pixelsPerMeter = properties.pixelsPerMeter {
      begin("pHYs")
      room.add(pixelsPerMeter)
      room.add(pixelsPerMeter)
      room.add(UInt8(1))
      end()
    }
    for text in properties.texts { add(text) }
    if form.hasPalette { addPalette(palette) }
    if let clear, form == .solids { addClear(clear) }
  }

  private mutating func addColorSpace(_ properties: PNGProperties) {
    switch properties.colorSpace {
    case .sRGB:
      begin("sRGB")
      // Relative colours.
      room.add(UInt8(1))
      end()
      // For those who know no more, the curve and the primaries; an icon would be a fifth larger.
      guard properties.width * properties.height > Self.iconArea else { return }
      begin("gAMA")
      room.add(UInt32(45_455))
      end()
      begin("cHRM")
      for part: UInt32 in [31_270, 32_900, 64_000, 33_000, 30_000, 60_000, 15_000, 6_000] {
        room.add(part)
      }
      end()
    case .displayP3:
      add("cICP", Self.codePointsOfP3)
      begin("iCCP")
      room.add("Display P3".utf8)
      room.add([0, 0])
      room.add(Self.packedP3)
      end()
    }
  }

  private static let iconArea = 64 * 64

  /// Primaries of P3 with D65, the curve of sRGB, RGB, the full range (ITU-T H.273).
  static let codePointsOfP3: [UInt8] = [12, 13, 0, 1]

  /// The profile as a zlib stream of one stored block: it is too short to be worth more.
  private static let packedP3: [UInt8] = {
    let profile = ICCProfile.displayP3
    let count = UInt16(profile.count)
    var adler = Adler()
    var (sum, weighted) = (UInt64(0), UInt64(0))
    for (place, byte) in profile.enumerated() {
      sum += UInt64(byte)
      weighted += UInt64(place) * UInt64(byte)
    }
    adler.add(count: UInt64(profile.count), sum: sum, weightedSum: weighted)
    func bytes(_ number: UInt16) -> [UInt8] { [UInt8(number & 255), UInt8(number >> 8)] }
    return [0x78, 0x01, 1] + bytes(count) + bytes(~count) + profile
      + withUnsafeBytes(of: adler.value.bigEndian, Array.init)
  }()

  /// Adds a text, which was checked before.
  private mutating func add(_ text: PNGText) {
    guard let keyword = try? text.keywordBytes(), let bytes = try? text.textBytes().dropLast()
    else { preconditionFailure("a text that no PNG can keep") }
    if bytes.allSatisfy({ $0 < 127 }) {
      add("tEXt", keyword + bytes)
    } else {
      // Not packed, in no language, under no other name.
      add("iTXt", keyword + [0, 0, 0, 0] + bytes)
    }
  }

  /// Says which colour is not shown.
  private mutating func addClear(_ color: UInt32) {
    add("tRNS", [0, 8, 16].flatMap { [0, UInt8(truncatingIfNeeded: color >> $0)] })
  }

  private mutating func addPalette(_ palette: [UInt32]) {
    begin("PLTE")
    for color in palette {
      for shift in [0, 8, 16] as [UInt32] { room.add(UInt8(truncatingIfNeeded: color >> shift)) }
    }
    end()
    guard let last = palette.lastIndex(where: { $0 >> 24 < 255 }) else { return }
    add("tRNS", palette[...last].lazy.map { UInt8($0 >> 24) })
  }
}
