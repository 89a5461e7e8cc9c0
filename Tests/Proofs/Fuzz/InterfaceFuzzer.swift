import CInterface
import CPentimento

/// The functions for C, with all arguments that a program can pass except addresses without memory.
///
/// An input is the number of bytes that choose arguments, those bytes, and a file: a drawing, texts
/// of a data set, or the columns of a batch in memory layout.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ data: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let input = bytes(data, count)
  guard let length = input.first, input.count > length else { return 0 }
  var calls = InterfaceCalls(
    choices: Array(input[1..<1 + Int(length)]), file: Array(input[(1 + Int(length))...]))
  calls.run()
  return 0
}

private struct InterfaceCalls {
  private var choices: [UInt8]
  private let file: [UInt8]
  private var error = pentimento_error()

  private static let numbers: [Float] = [
    0, 1, -1, 0.5, 2, 16, 90, 1e-30, 1e6, 1e30, .nan, .infinity, -.infinity, 28, 256,
    .leastNonzeroMagnitude,
  ]

  init(choices: [UInt8], file: [UInt8]) { (self.choices, self.file) = (choices, file) }

  private mutating func next() -> Int { Int(choices.popLast() ?? 0) }
  private mutating func number() -> Float { Self.numbers[next() & 15] }

  /// Usually a normal number, so that calls get far.
  private mutating func number(usually usual: Float) -> Float {
    next() < 192 ? usual : number()
  }

  mutating func run() {
    switch next() % 3 {
    case 0: useDrawing()
    case 1: useCollection()
    default: useColumns()
    }
  }

  private func check() {
    if !(0...6 ~= error.code) { violated("the code \(error.code)") }
    if error.code != 0, error.message.0 == 0 { violated("an error without a message") }
  }

  // MARK: - Drawings

  private mutating func useDrawing() {
    let page = Int32(next() & 1)
    let drawing = pentimento_open(file, Int64(file.count), nil, page, &error)
    check()
    guard let drawing else { return }
    defer { pentimento_close(drawing) }
    var info = pentimento_info()
    info.size = UInt32(MemoryLayout<pentimento_info>.size)
    if pentimento_get_info(drawing, &info, &error) != 0 { violated("a drawing without facts") }
    while !choices.isEmpty {
      switch next() % 5 {
      case 0: readColumn(drawing, info)
      case 1: readStroke(drawing, info)
      case 2: drawPicture(drawing)
      case 3: drawFrames(drawing)
      default:
        let format = ["pkd", "svg", "json", "inkml", "pdf", "isf", ""][next() % 7]
        pentimento_bytes_close(pentimento_encode(drawing, format, &error))
        check()
      }
    }
  }

  private mutating func readColumn(_ drawing: OpaquePointer, _ info: pentimento_info) {
    var count: Int64 = 0
    let column = pentimento_column(drawing, Int32(next() % 10), &count, &error)
    check()
    guard let column else { return }
    if count != info.point_count { violated("a column of \(count) values") }
    var sum: Float = 0
    for index in 0..<Int(count) { sum += column[index] }
    if sum == 0.123 { violated("a sum that no drawing has") }
  }

  private mutating func readStroke(_ drawing: OpaquePointer, _ info: pentimento_info) {
    var stroke = pentimento_stroke()
    stroke.size = UInt32(MemoryLayout<pentimento_stroke>.size)
    let number = Int64(next()) - 2
    let status = pentimento_get_stroke(drawing, number, &stroke, &error)
    check()
    guard status == 0 else { return }
    if !(0...stroke.end_point ~= stroke.first_point) || stroke.end_point > info.point_count {
      violated("a stroke from \(stroke.first_point) to \(stroke.end_point)")
    }
  }

  private mutating func pictureOptions() -> pentimento_picture_options {
    var options = pentimento_picture_options()
    pentimento_picture_defaults(&options)
    options.width = Int32(next() % 41)
    options.height = Int32(next() % 41)
    options.style = Int32(next() % 4)
    options.background = Int32(next() % 5)
    options.paper = Int32(next() % 10) - 1
    options.threads = Int32(next() % 3)
    options.scale = Double(number(usually: 1))
    options.margin = Double(number(usually: 0))
    let size = number(usually: 0)
    options.region = (Double(number()), Double(number()), Double(size), Double(size))
    options.maximum_pixels = 10_000
    return options
  }

  private mutating func drawPicture(_ drawing: OpaquePointer) {
    var options = pictureOptions()
    let picture = pentimento_render(drawing, &options, &error)
    check()
    var (width, height, pitch): (Int32, Int32, Int64) = (0, 0, 0)
    if let pixels = pentimento_picture_data(picture, &width, &height, &pitch, nil) {
      var sum = 0
      for y in 0..<Int(height) { sum += Int(pixels[y * Int(pitch) + 4 * Int(width) - 1]) }
      if sum > 255 * Int(height) { violated("a sum of pixels") }
    }
    pentimento_picture_close(picture)
  }

  private mutating func drawFrames(_ drawing: OpaquePointer) {
    var options = pictureOptions()
    let (rate, speed) = (Double(number(usually: 0.5)), Double(number(usually: 16)))
    let frames = pentimento_frames_open(
      drawing, &options, rate, speed, Double(number(usually: 1)), &error)
    check()
    guard let frames else { return }
    defer { pentimento_frames_close(frames) }
    var (width, height, count): (Int32, Int32, Int64) = (0, 0, 0)
    if pentimento_frames_size(frames, &width, &height, &count, &error) != 0 {
      violated("frames without a size")
    }
    var pixels = [UInt8](repeating: 0, count: Int(width) * Int(height) * 4)
    for number in [Int64(next()), 0, count - 1, count] {
      _ = pentimento_frames_draw(frames, number, &pixels, Int64(pixels.count), &error)
      check()
    }
  }

  // MARK: - Batches

  private mutating func batchOptions() -> pentimento_batch_options {
    var options = pentimento_batch_options()
    pentimento_batch_defaults(&options)
    options.width = Int32(next() % 41)
    options.height = next() < 240 ? 28 : 300
    options.placement = Int32(next() % 4)
    options.bins = Int32(next() % 5)
    options.threads = Int32(next() % 3)
    options.is_inverted = Int32(next() & 1)
    options.line_width = number(usually: 2)
    options.padding = number(usually: 1)
    options.frame = (number(), number(), number(usually: 256), number(usually: 256))
    options.rotation = number(usually: 90)
    options.scale = (number(usually: 0.5), number(usually: 2))
    options.shear = number(usually: 16)
    options.translation = number(usually: 0.5)
    options.jitter = number(usually: 1)
    options.width_factor = (number(usually: 1), number(usually: 2))
    return options
  }

  private mutating func draw(_ lines: pentimento_lines, most: Int) {
    var (options, lines) = (batchOptions(), lines)
    // Memory for the needs of any call; the call is given its size.
    var pixels = [UInt8](
      repeating: 0,
      count: max(0, min(most, 64)) * Int(options.bins * options.width * options.height))
    let status = pentimento_render_batch(
      &lines, &options, nil, &pixels, Int64(pixels.count), &error)
    check()
    if status != 0, status != 1, status != 4 { violated("a batch with the error \(status)") }
  }

  private mutating func useCollection() {
    let kind = Int32(next() % 5)
    let half = Int64(file.count / 2)
    let ends = next() & 1 == 0 ? [half, Int64(file.count)] : [half, half - Int64(next() & 1)]
    let isOne = next() & 1 == 0
    let collection = pentimento_collection_read(
      file, Int64(file.count), isOne ? nil : ends, isOne ? 0 : 2, kind, Int32(next() % 3), &error)
    check()
    guard let collection else { return }
    defer { pentimento_collection_close(collection) }
    var lines = pentimento_lines()
    lines.size = UInt32(MemoryLayout<pentimento_lines>.size)
    lines.step = 2
    func column<Element>(_ number: Int, _ count: inout Int64, _: Element.Type)
      -> UnsafePointer<Element>?
    {
      pentimento_collection_column(collection, Int32(number), &count, nil)?
        .assumingMemoryBound(to: Element.self)
    }
    var unused: Int64 = 0
    lines.x = column(PENTIMENTO_POINTS, &lines.point_count, Float.self)
    lines.y = lines.x.map { $0 + 1 }
    lines.times = column(PENTIMENTO_TIMES, &unused, Float.self)
    lines.stroke_ends = column(PENTIMENTO_STROKE_ENDS, &lines.stroke_count, Int64.self)
    lines.drawing_ends = column(PENTIMENTO_DRAWING_ENDS, &lines.drawing_count, Int64.self)
    draw(lines, most: Int(lines.drawing_count))
    let damage = pentimento_collection_damage_count(collection, nil)
    for number in 0..<min(damage, 100) {
      if pentimento_collection_damage(collection, number, nil, nil) == nil {
        violated("no damage \(number) of \(damage)")
      }
    }
  }

  /// Uses the file as points and times, and chosen bytes as offsets.
  private mutating func useColumns() {
    var places = [Float](repeating: 0, count: file.count / 4)
    places.withUnsafeMutableBytes { $0.copyBytes(from: file.prefix($0.count)) }
    if next() & 1 == 0 {
      for index in places.indices where !places[index].isFinite { places[index] = Float(index) }
    }
    let points = places.count / 3
    func ends(_ count: Int, of limit: Int, _ call: inout Self) -> [Int64] {
      var last = 0
      var ends = (0..<count).map { _ -> Int64 in
        last += call.next() % 9
        return Int64(last)
      }
      // Usually the offsets are consistent.
      if call.next() < 200 {
        for index in ends.indices { ends[index] = min(ends[index], Int64(limit)) }
        if !ends.isEmpty { ends[ends.count - 1] = Int64(limit) }
      }
      return ends
    }
    let strokes = ends(next() % 7, of: points, &self)
    let drawings = ends(next() % 5, of: strokes.count, &self)
    places.withUnsafeBufferPointer { places in
      strokes.withUnsafeBufferPointer { strokes in
        drawings.withUnsafeBufferPointer { drawings in
          var lines = pentimento_lines()
          lines.size = UInt32(MemoryLayout<pentimento_lines>.size)
          lines.step = 1
          lines.x = places.baseAddress
          lines.y = places.baseAddress.map { $0 + points }
          if next() & 1 == 0 { lines.times = places.baseAddress.map { $0 + 2 * points } }
          lines.stroke_ends = strokes.baseAddress
          lines.drawing_ends = drawings.baseAddress
          lines.point_count = next() < 250 ? Int64(points) : -1
          lines.stroke_count = Int64(strokes.count)
          lines.drawing_count = Int64(drawings.count)
          draw(lines, most: drawings.count)
        }
      }
    }
  }
}
