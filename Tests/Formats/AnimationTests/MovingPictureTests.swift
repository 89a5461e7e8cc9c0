import CMovingPictures
import Graphics
import Rasterization
import Replay
import Strokes
import TestSupport
import Testing

@testable import Animation

/// GIF and WebP, through libraries that may be missing.
@Suite struct MovingPictureTests {
  // MARK: - GIF

  @Test(arguments: Sample.all)
  func `every picture of a GIF equals the frame of its moment`(sample: Sample) throws {
    try checkGIF(sample, RenderOptions(extent: .longerSide(150)))
  }

  @Test(arguments: Sample.all.filter { ["erased", "minute"].contains($0.name) })
  func `pixels of a GIF become transparent again`(sample: Sample) throws {
    var sample = sample
    let last = sample.recording.events.last?.time ?? .referenceDate
    sample.recording.events.append(Recording.Event(time: last + 0.2, action: .cleared))
    sample.recording.events.append(Recording.Event(time: last + 0.5, action: .undone))
    let options = RenderOptions(
      extent: .longerSide(120), background: .transparent)
    let reader = try #require(try checkGIF(sample, options))
    #expect(reader.pictures.contains { $0.canvas.allSatisfy { $0 == nil } })
  }

  @Test func `GIFs of random recordings equal their frames`() throws {
    var random = RandomInk(seed: 21)
    for number in 0..<12 {
      var recording = random.recording(eventCount: 5...30)
      recording.canvas = Recording.Canvas(size: Size(width: 700, height: 900))
      let background: RenderOptions.Background = number % 2 == 0 ? .page : .transparent
      try checkGIF(
        Sample(name: "random \(number)", recording: recording),
        RenderOptions(extent: .longerSide(90), background: background))
    }
  }

  @Test(arguments: [(1, nil), (0, 0), (2, 1), (7, 6)])
  func `a GIF stores how often it is repeated`(_ count: Int, _ stored: Int?) throws {
    let sample = try #require(Sample.all.first { $0.name == "minute" })
    guard let bytes = try gif(sample, RenderOptions(extent: .longerSide(40)), loopCount: count)
    else { return }
    #expect(try GIFReader(bytes).loop == stored)
  }

  @Test(arguments: [30, 60, 100])
  func `delays of a GIF neither drift nor get too short for viewers`(_ rate: Int) throws {
    let sample = try #require(Sample.all.first { $0.name == "minute" })
    let options = RenderOptions(extent: .longerSide(60))
    let bytes = try gif(sample, options, rate: rate, playback: .init(duration: 2.5, hold: 1.234))
    guard let bytes else { return }
    let reader = try GIFReader(bytes)
    #expect(reader.pictures.allSatisfy { $0.delay >= 2 })
    let total = reader.pictures.reduce(0) { $0 + $1.delay }
    // The last moment is one more frame, which lasts for the hold.
    #expect(abs(Double(total) - 250 - 123.4) <= 1.5 + 100 / Double(rate), "\(total)")
  }

  @Test func `pauses may exceed the maximum delay of a GIF`() throws {
    let sample = try #require(Sample.all.first { $0.name == "minute" })
    let bytes = try gif(
      sample, RenderOptions(extent: .longerSide(40)), playback: .init(duration: 1, hold: 1500))
    guard let bytes else { return }
    let total = try GIFReader(bytes).pictures.reduce(0) { $0 + $1.delay }
    #expect(abs(total - 150_100) <= 2)
  }

  @Test func `sizes that GIF or WebP do not support are refused with a reason`() throws {
    let palette = ColorPalette(of: Pixmap(width: 1, height: 1))
    for (width, height) in [(0, 5), (70_000, 5)] {
      do throws(VideoFailure<Never>) {
        _ = try GIFVideo<Never>(width: width, height: height, palette: palette) { _ in }
        Issue.record("\(width)×\(height)")
      } catch {
        guard case .video(let error) = error else { return }
        if case .missing = error { continue }
        #expect("\(error)".contains("65535"))
      }
    }
    do throws(VideoFailure<Never>) {
      _ = try WebPVideo<Never>(width: 20_000, height: 5) { _ in }
      Issue.record("20000×5")
    } catch {
      guard case .video(let error) = error else { return }
      if case .missing = error { return }
      #expect("\(error)".contains("16383"))
    }
  }

  // MARK: - Colours

  @Test func `a palette keeps the colours of a picture with few colours`() throws {
    let sample = try #require(Sample.all.first { $0.name == "handwriting" })
    let renderer = try sample.renderer(RenderOptions(extent: .scale(1)))
    _ = try renderer.show(Playback(renderer.timeline).state(at: .infinity))
    var count = ColorCount(hasClear: false)
    count.add(renderer.picture)
    try #require(count.counts.count <= ColorPalette.maximumColorCount)
    let palette = ColorPalette(of: renderer.picture)
    #expect(Set(palette.colors) == Set(count.counts.keys))
  }

  @Test(arguments: ["landscape", "inks"])
  func `a palette has a close match for each of many colours`(_ name: String) throws {
    let sample = try #require(Sample.all.first { $0.name == name })
    let renderer = try sample.renderer(RenderOptions(extent: .longerSide(400)))
    _ = try renderer.show(Playback(renderer.timeline).state(at: .infinity))
    var count = ColorCount(hasClear: false)
    count.add(renderer.picture)
    try #require(count.counts.count > 1000)
    let palette = ColorPalette(of: renderer.picture)
    #expect(palette.colors.count <= 255 && palette.colors.count > 200)
    var lookup = PaletteLookup(palette)
    var (sum, pixels) = (0.0, 0)
    for (color, times) in count.counts {
      let near = palette.colors[Int(lookup.index(ofColor: color))]
      let square = [16, 8, 0].reduce(0) { sum, shift in
        let difference = Int(color >> UInt32(shift) & 255) - Int(near >> UInt32(shift) & 255)
        return sum + difference * difference
      }
      sum += Double(square * times)
      pixels += times
    }
    // The root mean square error of a component is below four steps of 255.
    #expect((sum / Double(pixels) / 3).squareRoot() < 4)
    #expect(palette == ColorPalette(of: renderer.picture), "the palette is not deterministic")
  }

  // MARK: - WebP

  @Test(arguments: Sample.all.filter { ["minute", "erased"].contains($0.name) })
  func `a WebP has the requested times and loop count`(sample: Sample) throws {
    guard let bytes = try webP(sample, Playback.Options(duration: 2, hold: 0.7), loopCount: 3)
    else { return }
    let chunks = try RIFFReader(bytes).chunks
    #expect(chunks.first?.name == "VP8X")
    let loop = try #require(chunks.first { $0.name == "ANIM" }).body
    #expect(loop[4] == 3 && loop[5] == 0)
    let frames = chunks.filter { $0.name == "ANMF" }.map(\.body)
    #expect(frames.map(Self.duration(ofFrame:)).reduce(0, +) == 2700)
    #expect(frames.count > 10)
    // Lossless frames have another chunk type than lossy ones.
    #expect(frames.allSatisfy { String(decoding: $0[16..<20], as: UTF8.self) == "VP8L" })
  }

  @Test func `a WebP shows a frame for 16,777 seconds at most`() throws {
    let sample = try #require(Sample.all.first { $0.name == "minute" })
    guard let bytes = try webP(sample, Playback.Options(duration: 1, hold: 60_000)) else { return }
    let last = try #require(try RIFFReader(bytes).chunks.last { $0.name == "ANMF" }).body
    #expect(Self.duration(ofFrame: last) == 16_777_000)
  }

  // MARK: - Helpers

  /// Makes a GIF and compares each of its pictures with the frame of that moment.
  @discardableResult
  private func checkGIF(_ sample: Sample, _ options: RenderOptions) throws -> GIFReader? {
    guard let bytes = try gif(sample, options) else { return nil }
    let reader = try GIFReader(bytes)
    let renderer = try sample.renderer(options)
    let schedule = try schedule(renderer, rate: 20, Playback.Options(duration: 4, hold: 0.5))
    var lookup = PaletteLookup(try renderer.palette(schedule))
    var (index, end) = (0, reader.pictures[0].delay)
    for number in 0..<schedule.count {
      while number * 5 >= end, index + 1 < reader.pictures.count {
        index += 1
        end += reader.pictures[index].delay
      }
      _ = try renderer.show(schedule.state(ofFrame: number))
      let hasClear = lookup.palette.hasClear
      var wrong = 0
      for y in 0..<renderer.height {
        renderer.picture.withRow(y) { row in
          for x in 0..<renderer.width {
            let color = SolidColor(row, x, hasClear: hasClear)
            let expected =
              color.isClear ? nil : lookup.palette.colors[Int(lookup.index(of: color))]
            if reader.pictures[index].canvas[y * renderer.width + x] != expected { wrong += 1 }
          }
        }
      }
      #expect(wrong == 0, "\(sample.name), frame \(number)")
    }
    return reader
  }

  private func schedule(
    _ renderer: FrameRenderer, rate: Int, _ playback: Playback.Options
  ) throws -> FrameSchedule {
    try FrameSchedule(
      Playback(renderer.timeline, playback), rate: try #require(FrameRate(rate)))
  }

  /// A GIF; nil if giflib is not installed.
  private func gif(
    _ sample: Sample, _ options: RenderOptions, rate: Int = 20,
    playback: Playback.Options = Playback.Options(duration: 4, hold: 0.5), loopCount: Int = 0
  ) throws -> [UInt8]? {
    let renderer = try sample.renderer(options)
    let schedule = try schedule(renderer, rate: rate, playback)
    let palette = try renderer.palette(schedule)
    var bytes: [UInt8] = []
    do throws(VideoFailure<Never>) {
      var video = try GIFVideo<Never>(
        width: renderer.width, height: renderer.height, palette: palette, loopCount: loopCount
      ) { bytes += $0 }
      try add(renderer, schedule, to: &video)
      try video.finish()
    } catch {
      try skip(error)
      return nil
    }
    return bytes
  }

  /// A WebP; nil if libwebp is not installed.
  private func webP(
    _ sample: Sample, _ playback: Playback.Options, loopCount: Int = 0
  ) throws -> [UInt8]? {
    let renderer = try sample.renderer(RenderOptions(extent: .longerSide(80)))
    let schedule = try schedule(renderer, rate: 20, playback)
    var bytes: [UInt8] = []
    do throws(VideoFailure<Never>) {
      var video = try WebPVideo<Never>(
        width: renderer.width, height: renderer.height, loopCount: loopCount
      ) { bytes += $0 }
      try add(renderer, schedule, to: &video)
      try video.finish()
    } catch {
      try skip(error)
      return nil
    }
    return bytes
  }

  /// The milliseconds for which a WebP shows a frame.
  private static func duration(ofFrame body: [UInt8]) -> Int {
    Int(body[12]) | Int(body[13]) << 8 | Int(body[14]) << 16
  }

  private func add<Sink: FrameSink>(
    _ renderer: FrameRenderer, _ schedule: FrameSchedule, to sink: inout Sink
  ) throws(VideoFailure<Never>) where Sink.Failure == VideoFailure<Never> {
    do throws(FrameFailure<VideoFailure<Never>>) {
      try renderer.draw(schedule) { frame throws(VideoFailure<Never>) in try sink.add(frame) }
    } catch {
      switch error {
      case .sink(let error): throw error
      case .drawing(let error): throw .video(.failed("\(error)"))
      }
    }
  }

  private func skip(_ error: VideoFailure<Never>) throws {
    guard case .video(.missing(let reason)) = error else { throw error }
    print("skipped: \(reason)")
  }
}

/// Decodes the GIFs that `GIFVideo` writes.
private struct GIFReader {
  struct Picture {
    /// All pixels after this picture was drawn; nil for transparent ones.
    let canvas: [UInt32?]
    let delay: Int
  }

  private(set) var pictures: [Picture] = []
  private(set) var loop: Int?

  struct Failure: Error {}

  init(_ bytes: [UInt8]) throws {
    guard bytes.starts(with: Array("GIF89a".utf8)), bytes.count > 13 else { throw Failure() }
    func word(_ offset: Int) -> Int { Int(bytes[offset]) | Int(bytes[offset + 1]) << 8 }
    let (width, height) = (word(6), word(8))
    let colorCount = 2 << Int(bytes[10] & 7)
    let colors = (0..<colorCount).map { number in
      let offset = 13 + 3 * number
      return UInt32(bytes[offset]) << 16 | UInt32(bytes[offset + 1]) << 8
        | UInt32(bytes[offset + 2])
    }
    var offset = 13 + 3 * colorCount
    var canvas = [UInt32?](repeating: nil, count: width * height)
    var (delay, disposal, clear) = (0, 0, Int?.none)
    func blocks() -> [UInt8] {
      var data: [UInt8] = []
      while bytes[offset] > 0 {
        data += bytes[(offset + 1)...(offset + Int(bytes[offset]))]
        offset += Int(bytes[offset]) + 1
      }
      offset += 1
      return data
    }
    while bytes[offset] != 0x3B {
      if bytes[offset] == 0x21 {
        let kind = bytes[offset + 1]
        offset += 2
        let data = blocks()
        if kind == 0xF9 {
          (delay, disposal) = (Int(data[1]) | Int(data[2]) << 8, Int(data[0] >> 2 & 7))
          clear = data[0] & 1 == 1 ? Int(data[3]) : nil
        } else if kind == 0xFF, data.starts(with: Array("NETSCAPE2.0".utf8)) {
          loop = Int(data[12]) | Int(data[13]) << 8
        }
        continue
      }
      guard bytes[offset] == 0x2C, bytes[offset + 9] == 0 else { throw Failure() }
      let (left, top) = (word(offset + 1), word(offset + 3))
      let (columns, rows) = (word(offset + 5), word(offset + 7))
      let codeBits = Int(bytes[offset + 10])
      offset += 11
      let indices = try Self.unpack(blocks(), codeBits)
      guard indices.count == columns * rows, left + columns <= width, top + rows <= height
      else { throw Failure() }
      for (number, index) in indices.enumerated() where Int(index) != clear {
        canvas[(top + number / columns) * width + left + number % columns] = colors[Int(index)]
      }
      pictures.append(Picture(canvas: canvas, delay: delay))
      guard disposal == 2 else { continue }
      for y in top..<top + rows {
        for x in left..<left + columns { canvas[y * width + x] = nil }
      }
    }
    guard offset == bytes.count - 1 else { throw Failure() }
  }

  private static func unpack(_ data: [UInt8], _ codeBits: Int) throws -> [UInt8] {
    let (clear, end) = (1 << codeBits, (1 << codeBits) + 1)
    var table: [[UInt8]] = []
    var (output, last): ([UInt8], [UInt8]?) = ([], nil)
    var (width, bits, count, offset) = (codeBits + 1, 0, 0, 0)
    func reset() {
      table = (0..<clear).map { [UInt8($0)] } + [[], []]
      width = codeBits + 1
      last = nil
    }
    reset()
    while true {
      while count < width {
        guard offset < data.count else { throw Failure() }
        bits |= Int(data[offset]) << count
        (count, offset) = (count + 8, offset + 1)
      }
      let code = bits & (1 << width - 1)
      (bits, count) = (bits >> width, count - width)
      if code == end { return output }
      if code == clear {
        reset()
        continue
      }
      var entry: [UInt8]
      if code < table.count {
        entry = table[code]
      } else {
        guard let known = last, code == table.count else { throw Failure() }
        entry = known + known.prefix(1)
      }
      if let known = last, table.count < 4096 { table.append(known + entry.prefix(1)) }
      if table.count == 1 << width, width < 12 { width += 1 }
      output += entry
      last = entry
    }
  }
}

/// Reads the RIFF container of a WebP.
private struct RIFFReader {
  private(set) var chunks: [(name: String, body: [UInt8])] = []

  struct Failure: Error {}

  init(_ bytes: [UInt8]) throws {
    func text(_ offset: Int) -> String {
      String(decoding: bytes[offset..<offset + 4], as: UTF8.self)
    }
    func number(_ offset: Int) -> Int {
      (0..<4).reduce(0) { $0 | Int(bytes[offset + $1]) << (8 * $1) }
    }
    guard bytes.count > 12, text(0) == "RIFF", text(8) == "WEBP", number(4) == bytes.count - 8
    else { throw Failure() }
    var offset = 12
    while offset + 8 <= bytes.count {
      let length = number(offset + 4)
      guard offset + 8 + length <= bytes.count else { throw Failure() }
      chunks.append((text(offset), Array(bytes[offset + 8..<offset + 8 + length])))
      offset += 8 + length + length % 2
    }
  }
}
