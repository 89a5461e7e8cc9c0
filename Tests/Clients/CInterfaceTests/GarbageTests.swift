import InkFiles
import CPentimento
import ForeignSamples
import ForeignInk
import PencilKitArchive
import Strokes
import TestSupport
import Testing

/// Calls with any input give results or errors. The fuzzer `Interface` tries more of it.
struct GarbageTests {
  private static let known: ClosedRange<Int> = 0...7

  /// Calls all functions that accept a drawing.
  private static func use(_ drawing: OpaquePointer) {
    var info = pentimento_info()
    info.size = UInt32(MemoryLayout<pentimento_info>.size)
    #expect(pentimento_get_info(drawing, &info, nil) == 0)
    for column: Int32 in -1...9 { _ = pentimento_column(drawing, column, nil, nil) }
    for number in 0..<min(info.stroke_count, 5) {
      var stroke = pentimento_stroke()
      stroke.size = UInt32(MemoryLayout<pentimento_stroke>.size)
      #expect(pentimento_get_stroke(drawing, number, &stroke, nil) == 0)
    }
    for number in 0..<info.damage_count { #expect(pentimento_damage(drawing, number, nil) != nil) }
    var options = pentimento_picture_options()
    pentimento_picture_defaults(&options)
    (options.width, options.height) = (24, 24)
    let picture = Calls.failure {
      pentimento_picture_close(pentimento_render(drawing, &options, $0))
    }
    #expect(known ~= picture.code)
    for format in ["pkd", "svg"] {
      let bytes = Calls.failure { pentimento_bytes_close(pentimento_encode(drawing, format, $0)) }
      #expect(known ~= bytes.code)
    }
    if let frames = pentimento_frames_open(drawing, &options, 0.5, 1e3, 0.1, nil) {
      var pixels = [UInt8](repeating: 0, count: 24 * 24 * 4)
      for number: Int64 in [1, 0] {
        _ = pentimento_frames_draw(frames, number, &pixels, Int64(pixels.count), nil)
      }
      pentimento_frames_close(frames)
    }
  }

  @Test func `files with damage anywhere are drawings or errors`() throws {
    var random = RandomInk(seed: 11)
    let drawing = PKDrawing(strokes: (0..<3).map { _ in random.stroke() })
    let files = [drawing.dataRepresentation()] + (try ForeignSample.all().map(\.bytes))
    var mutation = Mutation(seed: 12)
    for file in files {
      for _ in 0..<RunLength.count(6, long: 2_000) {
        let bytes = mutation.mutated(file, splicing: files[random.whole(0...files.count - 1)])
        let failure = Calls.failure { error in
          guard let handle = pentimento_open(bytes, Int64(bytes.count), nil, 0, error) else {
            return
          }
          Self.use(handle)
          pentimento_close(handle)
        }
        #expect(Self.known ~= failure.code)
        #expect(failure.code == 0 || !failure.message.isEmpty)
      }
    }
  }

  @Test func `collections with damage anywhere have consistent columns, which can be drawn`() throws
  {
    let samples = try ForeignSample.all()
    let kinds: [(String, Int)] = [
      ("quickdraw", PENTIMENTO_QUICKDRAW), ("quickdrawbin", PENTIMENTO_QUICKDRAW_BINARY),
      ("omniglot", PENTIMENTO_OMNIGLOT), ("inkml", PENTIMENTO_INKML),
    ]
    var mutation = Mutation(seed: 13)
    for (format, kind) in kinds {
      let file = try #require(samples.first { $0.format.rawValue == format }).bytes
      for _ in 0..<RunLength.count(300, long: 100_000) {
        let bytes = mutation.mutated(file + file, splicing: samples[0].bytes)
        try Self.check(bytes, kind)
      }
    }
  }

  private static func check(_ bytes: [UInt8], _ kind: Int) throws {
    let collection = try Calls.read([bytes, [], bytes], kind, threads: 2)
    defer { pentimento_collection_close(collection) }
    let points = try Calls.column(collection, PENTIMENTO_POINTS, of: Float.self, each: 2)
    let strokes = try Calls.column(collection, PENTIMENTO_STROKE_ENDS, of: Int64.self)
    let drawings = try Calls.column(collection, PENTIMENTO_DRAWING_ENDS, of: Int64.self)
    #expect(strokes.last ?? 0 == points.count / 2 && drawings.last ?? 0 == strokes.count)
    #expect(points.allSatisfy { $0.isFinite })
    let labelEnds = try Calls.column(collection, PENTIMENTO_LABEL_ENDS, of: Int64.self)
    let recognized = try Calls.column(collection, PENTIMENTO_RECOGNIZED, of: Int8.self)
    #expect(labelEnds.count == drawings.count && recognized.count == drawings.count)
    var lines = pentimento_lines()
    lines.size = UInt32(MemoryLayout<pentimento_lines>.size)
    lines.step = 2
    (lines.point_count, lines.stroke_count) = (Int64(points.count / 2), Int64(strokes.count))
    lines.drawing_count = Int64(drawings.count)
    var pixels = [UInt8](repeating: 0, count: drawings.count * 784)
    points.withUnsafeBufferPointer { points in
      strokes.withUnsafeBufferPointer { strokes in
        drawings.withUnsafeBufferPointer { drawings in
          (lines.x, lines.y) = (points.baseAddress, points.baseAddress.map { $0 + 1 })
          (lines.stroke_ends, lines.drawing_ends) = (strokes.baseAddress, drawings.baseAddress)
          #expect(
            pentimento_render_batch(&lines, nil, nil, &pixels, Int64(pixels.count), nil) == 0)
        }
      }
    }
  }

  @Test func `options of random bytes are errors or pictures`() throws {
    var random = RandomInk(seed: 14)
    let handle = try Calls.open(PKDrawing(strokes: [random.stroke()]).dataRepresentation())
    defer { pentimento_close(handle) }
    let numbers: [Double] = [0, 1, -1, 0.5, 1e-9, 1e9, 1e300, .nan, .infinity, -.infinity, 3]
    func number(_ random: inout RandomInk) -> Double {
      numbers[random.whole(0...numbers.count - 1)]
    }
    for _ in 0..<RunLength.count(500, long: 100_000) {
      var options = pentimento_picture_options()
      pentimento_picture_defaults(&options)
      options.width = Int32(random.whole(-1...40))
      options.height = Int32(random.whole(-1...40))
      options.style = Int32(random.whole(-1...3))
      options.paper = Int32(random.whole(-2...8))
      options.background = Int32(random.whole(-1...4))
      options.threads = Int32(random.whole(-1...3))
      if random.chance(0.3) { options.scale = number(&random) }
      if random.chance(0.3) { options.margin = number(&random) }
      if random.chance(0.3) {
        options.region = (number(&random), number(&random), number(&random), number(&random))
      }
      options.maximum_pixels = [1, 10_000, 0, -5, .max][random.whole(0...4)]
      let failure = Calls.failure { error in
        pentimento_picture_close(pentimento_render(handle, &options, error))
        if error.pointee.code == 0 {
          let rate = number(&random)
          pentimento_frames_close(
            pentimento_frames_open(handle, &options, rate, number(&random), number(&random), error))
        }
      }
      #expect(Self.known ~= failure.code)
    }
  }

  @Test func `batches with random numbers in all options are errors or pictures`() {
    var random = RandomInk(seed: 15)
    let numbers: [Float] = [0, 1, -1, 0.5, 16, 90, 1e-30, 1e6, 1e30, .nan, .infinity, -.infinity]
    func number(_ random: inout RandomInk) -> Float { numbers[random.whole(0...numbers.count - 1)] }
    for _ in 0..<RunLength.count(2_000, long: 500_000) {
      var batch = Batch(
        (0..<random.whole(0...3)).map { _ in
          (0..<random.whole(0...3)).map { _ in
            (0..<random.whole(0...5)).map { _ in
              random.chance(0.9)
                ? (Float(random.number(-300...300)), Float(random.number(-300...300)))
                : (number(&random), number(&random))
            }
          }
        })
      batch.options.width = Int32(random.whole(1...40))
      batch.options.height = Int32(random.whole(1...300))
      batch.options.bins = Int32(random.whole(1...4))
      batch.options.placement = Int32(random.whole(0...2))
      batch.options.line_width = random.chance() ? 2 : number(&random)
      batch.options.padding = random.chance() ? 1 : number(&random)
      if random.chance() { batch.times = (0..<100).map { _ in number(&random) } }
      if random.chance(0.3) { batch.options.rotation = number(&random) }
      if random.chance(0.3) { batch.options.shear = number(&random) }
      if random.chance(0.3) { batch.options.translation = number(&random) }
      if random.chance(0.3) { batch.options.jitter = number(&random) }
      if random.chance(0.3) { batch.options.scale = (number(&random), number(&random)) }
      if random.chance(0.3) { batch.options.width_factor = (number(&random), number(&random)) }
      if random.chance(0.3) {
        batch.options.frame = (number(&random), number(&random), number(&random), number(&random))
      }
      let (code, message, _) = batch.draw()
      #expect(code == 0 || code == 1 && !message.isEmpty, "\(code) \(message)")
    }
  }
}
