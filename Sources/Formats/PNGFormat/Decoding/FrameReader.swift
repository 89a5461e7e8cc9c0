import Graphics

extension PNGDecoder {
  /// Reads the frames of an animation; a still picture has none.
  ///
  /// The order of all chunks is checked here; pixels are decoded on request. A frame may take no
  /// more memory than a still picture, and no count is trusted before its bytes are seen.
  public func frames(of bytes: [UInt8]) throws(PNGError) -> PNGFrames {
    var chunks = try ChunkReader(bytes)
    var reader = FrameReader(decoder: self, bytes: bytes)
    while !reader.isDone { try reader.take(try chunks.next()) }
    return try reader.frames()
  }
}

/// Collects the chunks of an animation, and checks their order.
private struct FrameReader {
  let decoder: PNGDecoder
  let bytes: [UInt8]
  private(set) var isDone = false
  private var size: (width: Int, height: Int)?
  private var form: ArraySlice<UInt8> = []
  private var shared: [Range<Int>] = []
  private var animation: (frameCount: Int, loopCount: Int)?
  private var controls: [FrameControl] = []
  private var data: [[Range<Int>]] = []
  /// The offset and the name of the last chunk.
  private var last = (start: 8, name: "")
  private var number: UInt32 = 0
  /// Whether the default picture was seen, and whether it is the first frame.
  private var hasDefault = false
  private var showsDefault = false

  init(decoder: PNGDecoder, bytes: [UInt8]) { (self.decoder, self.bytes) = (decoder, bytes) }

  private func error(_ damage: FrameDamage) -> PNGError {
    PNGError(.brokenFrames(damage), at: last.start)
  }

  private func check(_ isRight: Bool, _ damage: @autoclosure () -> FrameDamage) throws(PNGError) {
    guard isRight else { throw error(damage()) }
  }

  mutating func take(_ chunk: ChunkReader.Chunk) throws(PNGError) {
    let previous = last.name
    last = (chunk.start, chunk.name)
    try check((size == nil) == (chunk.name == "IHDR"), .misplaced(chunk: chunk.name))
    switch chunk.name {
    case "IHDR": try takeHeader(chunk)
    case "PLTE", "tRNS":
      try check(!hasDefault, .misplaced(chunk: chunk.name))
      shared.append(chunk.body)
    case "acTL": try takeAnimation(chunk)
    case "fcTL": try takeControl(chunk)
    case "IDAT":
      try check(!hasDefault || previous == "IDAT", .misplaced(chunk: chunk.name))
      if !hasDefault { showsDefault = !controls.isEmpty }
      hasDefault = true
      if showsDefault { data[0].append(chunk.data) }
    case "fdAT": try takeData(chunk)
    case "IEND":
      try check(hasDefault, .misplaced(chunk: chunk.name))
      isDone = true
    default: break
    }
  }

  private mutating func takeHeader(_ chunk: ChunkReader.Chunk) throws(PNGError) {
    try expect(13, chunk)
    let width = ChunkReader.number(bytes, chunk.data.lowerBound)
    let height = ChunkReader.number(bytes, chunk.data.lowerBound + 4)
    let sides = 1...UInt32(clamping: max(decoder.limits.side, 1))
    guard sides ~= width, sides ~= height else {
      throw PNGError(.tooLarge(width: Int(width), height: Int(height)), at: chunk.start)
    }
    size = (Int(width), Int(height))
    form = bytes[chunk.data.lowerBound + 8..<chunk.data.upperBound]
  }

  private func expect(_ length: Int, _ chunk: ChunkReader.Chunk) throws(PNGError) {
    try check(
      chunk.data.count == length, .badLength(chunk: chunk.name, chunk.data.count))
  }

  private mutating func takeAnimation(_ chunk: ChunkReader.Chunk) throws(PNGError) {
    try expect(8, chunk)
    try check(animation == nil && !hasDefault, .misplaced(chunk: chunk.name))
    let count = Int(ChunkReader.number(bytes, chunk.data.lowerBound))
    try check(count > 0, .wrongCount(0, of: 0))
    try check(count <= decoder.limits.frames, .tooMany(count))
    animation = (count, Int(ChunkReader.number(bytes, chunk.data.lowerBound + 4)))
  }

  private mutating func takeNumber(_ chunk: ChunkReader.Chunk) throws(PNGError) {
    let found = ChunkReader.number(bytes, chunk.data.lowerBound)
    try check(found == number, .wrongNumber(found, expected: number))
    number += 1
  }

  private mutating func takeControl(_ chunk: ChunkReader.Chunk) throws(PNGError) {
    try expect(26, chunk)
    guard let animation, let size else { throw error(.misplaced(chunk: chunk.name)) }
    try takeNumber(chunk)
    // The first frame may precede the default picture; all others must follow it.
    try check(hasDefault || controls.isEmpty, .misplaced(chunk: chunk.name))
    try check(data.last?.isEmpty != true, .missingPixels)
    try check(
      controls.count < animation.frameCount,
      .wrongCount(controls.count + 1, of: animation.frameCount))
    let rectangle = try rectangle(at: chunk.data.lowerBound + 4, size)
    let methods = Array(bytes[chunk.data].suffix(2))
    guard let disposal = FrameControl.Disposal(rawValue: methods[0]) else {
      throw error(.unknownMethod(methods[0]))
    }
    guard let blend = FrameControl.Blend(rawValue: methods[1]) else {
      throw error(.unknownMethod(methods[1]))
    }
    controls.append(
      FrameControl(
        rectangle, duration: duration(at: chunk.data.lowerBound + 20), disposal: disposal,
        blend: blend))
    data.append([])
  }

  private func rectangle(
    at offset: Int, _ size: (width: Int, height: Int)
  ) throws(PNGError) -> PixelRect {
    let sides = (0..<4).map { ChunkReader.number(bytes, offset + 4 * $0) }
    let (width, height, x, y) = (sides[0], sides[1], sides[2], sides[3])
    let columns = Int(x)..<Int(x) + Int(width)
    let rows = Int(y)..<Int(y) + Int(height)
    let canvas = PixelRect(width: size.width, height: size.height)
    let found = PixelRect(columns: columns, rows: rows)
    let fits = !found.isEmpty && found.intersection(canvas) == found
    // A frame that precedes the default picture must be as large as the canvas.
    guard fits, hasDefault || found == canvas else {
      throw error(.outside(x: x, y: y, width: width, height: height))
    }
    return found
  }

  private func duration(at offset: Int) -> FrameDuration {
    let times = ChunkReader.number(bytes, offset)
    // A denominator of 0 means 100, as specified.
    let parts = UInt16(times & 0xFFFF)
    return FrameDuration(UInt16(times >> 16), over: parts == 0 ? 100 : parts)
  }

  private mutating func takeData(_ chunk: ChunkReader.Chunk) throws(PNGError) {
    try check(chunk.data.count >= 4, .badLength(chunk: chunk.name, chunk.data.count))
    try takeNumber(chunk)
    // The first frame has no `fdAT` chunks if its pixels are those of the default picture.
    try check(
      hasDefault && !data.isEmpty && !(showsDefault && data.count == 1),
      .misplaced(chunk: chunk.name))
    data[data.count - 1].append(chunk.data.dropFirst(4))
  }

  func frames() throws(PNGError) -> PNGFrames {
    guard let size else { throw error(.cut) }
    try check(data.last?.isEmpty != true, .missingPixels)
    let count = animation?.frameCount ?? 0
    try check(controls.count == count, .wrongCount(controls.count, of: count))
    return PNGFrames(
      width: size.width, height: size.height, loopCount: animation?.loopCount ?? 0,
      controls: controls, showsDefault: showsDefault, decoder: decoder, bytes: bytes, form: form,
      shared: shared, data: data)
  }
}
