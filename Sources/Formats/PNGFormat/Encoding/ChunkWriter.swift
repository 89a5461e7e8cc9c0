import CPNGKernels
import Graphics

/// Appends chunks to a buffer: each has a length, a name, data, and a checksum of name and data.
struct ChunkWriter {
  /// The bytes that the caller has not taken yet.
  let buffer: ByteBuffer
  let kernels: UnsafePointer<PNGKernels>
  /// The offset of the newest chunk.
  private(set) var start = 0

  /// The data size of the newest chunk, in bytes so far.
  var byteCount: Int { buffer.count - start - 8 }

  init(into buffer: ByteBuffer, _ kernels: UnsafePointer<PNGKernels>) {
    (self.buffer, self.kernels) = (buffer, kernels)
  }

  func addSignature() {
    buffer.add(UInt32(0x8950_4E47))
    buffer.add(UInt32(0x0D0A_1A0A))
  }

  mutating func begin(_ name: StaticString) {
    start = buffer.count
    buffer.add(UInt32(0))
    buffer.add(UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount))
  }

  mutating func end() {
    buffer.set(UInt32(byteCount), at: start)
    let crc = kernels.pointee.checksum(0, buffer.start + start + 4, buffer.count - start - 4)
    buffer.add(crc)
  }

  /// Removes all bytes before the newest chunk.
  mutating func removeFinished() {
    buffer.removeFirst(start)
    start = 0
  }

  mutating func add(_ name: StaticString, _ bytes: some Collection<UInt8>) {
    begin(name)
    buffer.add(bytes)
    end()
  }
}

extension ChunkWriter {
  /// Writes all chunks before the pixels. `clear` is the colour that a picture without alpha shows
  /// as transparent.
  mutating func addHead(
    _ properties: PNGProperties, _ form: PixelForm, palette: [UInt32],
    animation: (frameCount: Int, loopCount: Int)? = nil, clear: UInt32? = nil
  ) {
    addSignature()
    begin("IHDR")
    buffer.add(UInt32(properties.width))
    buffer.add(UInt32(properties.height))
    buffer.add(UInt32(form.bitDepth) << 24 | UInt32(form.colorType) << 16)
    buffer.add(UInt8(0))
    end()
    if let animation {
      addAnimation(frameCount: animation.frameCount, loopCount: animation.loopCount)
    }
    addColorSpace(properties)
    if let pixelsPerMeter = properties.pixelsPerMeter {
      begin("pHYs")
      buffer.add(pixelsPerMeter)
      buffer.add(pixelsPerMeter)
      buffer.add(UInt8(1))
      end()
    }
    for text in properties.texts { add(text) }
    if form.hasPalette { addPalette(palette) }
    if let clear, form == .rgb { addTransparentColor(clear) }
  }

  private mutating func addColorSpace(_ properties: PNGProperties) {
    switch properties.colorSpace {
    case .sRGB:
      begin("sRGB")
      // Rendering intent: relative colorimetric.
      buffer.add(UInt8(1))
      end()
      // Gamma and primaries for programs that ignore `sRGB`. Icons omit them, since they would grow
      // by a fifth.
      guard properties.width * properties.height > Self.iconArea else { return }
      begin("gAMA")
      buffer.add(UInt32(45_455))
      end()
      begin("cHRM")
      for part: UInt32 in [31_270, 32_900, 64_000, 33_000, 30_000, 60_000, 15_000, 6_000] {
        buffer.add(part)
      }
      end()
    case .displayP3:
      add("cICP", Self.codePointsOfP3)
      begin("iCCP")
      buffer.add("Display P3".utf8)
      buffer.add([0, 0])
      buffer.add(Self.packedP3)
      end()
    }
  }

  private static let iconArea = 64 * 64

  /// P3 primaries with D65, sRGB's transfer function, RGB, full range (ITU-T H.273).
  static let codePointsOfP3: [UInt8] = [12, 13, 0, 1]

  /// The profile as a zlib stream of one stored block; compression would not pay.
  private static let packedP3: [UInt8] = {
    let profile = ICCProfile.displayP3
    let count = UInt16(profile.count)
    var adler = Adler()
    var (sum, weighted) = (UInt64(0), UInt64(0))
    for (index, byte) in profile.enumerated() {
      sum += UInt64(byte)
      weighted += UInt64(index) * UInt64(byte)
    }
    adler.add(count: UInt64(profile.count), sum: sum, weightedSum: weighted)
    func bytes(_ number: UInt16) -> [UInt8] { [UInt8(number & 255), UInt8(number >> 8)] }
    return [0x78, 0x01, 1] + bytes(count) + bytes(~count) + profile
      + withUnsafeBytes(of: adler.value.bigEndian, Array.init)
  }()

  /// Adds a text, which `PNGText.check` has accepted.
  private mutating func add(_ text: PNGText) {
    guard let keyword = try? text.keywordBytes(), let bytes = try? text.textBytes().dropLast()
    else { preconditionFailure("texts must be checked before they are written") }
    if bytes.allSatisfy({ $0 < 127 }) {
      add("tEXt", keyword + bytes)
    } else {
      // Not compressed, no language, no translated keyword.
      add("iTXt", keyword + [0, 0, 0, 0] + bytes)
    }
  }

  /// Declares the colour that is shown as transparent.
  private mutating func addTransparentColor(_ color: UInt32) {
    add("tRNS", [0, 8, 16].flatMap { [0, UInt8(truncatingIfNeeded: color >> $0)] })
  }

  private mutating func addPalette(_ palette: [UInt32]) {
    begin("PLTE")
    for color in palette {
      for shift in [0, 8, 16] as [UInt32] { buffer.add(UInt8(truncatingIfNeeded: color >> shift)) }
    }
    end()
    guard let last = palette.lastIndex(where: { $0 >> 24 < 255 }) else { return }
    add("tRNS", palette[...last].lazy.map { UInt8($0 >> 24) })
  }
}
