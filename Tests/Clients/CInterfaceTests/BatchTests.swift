import CPentimento
import TestSupport
import Testing

struct BatchTests {
  /// Random drawings like handwriting, in a square of 256 units.
  private static func random(_ count: Int, seed: UInt64) -> [[[(Float, Float)]]] {
    var random = RandomInk(seed: seed)
    return (0..<count).map { _ in
      (0..<random.whole(0...5)).map { _ in
        (0..<random.whole(0...9)).map { _ in
          (Float(random.number(0...255)), Float(random.number(0...255)))
        }
      }
    }
  }

  @Test func `a line has the width and the place that the recipe gives it`() {
    // 304 units become 304 pixels. The drawing's greatest x is 200, so its middle at 100 is the
    // middle of the picture.
    var batch = Batch([[[(0, 0), (200, 0)]]])
    (batch.options.width, batch.options.height) = (304, 304)
    let (code, _, pixels) = batch.draw()
    #expect(code == 0)
    for y in 0..<304 {
      let isInside = 144..<160 ~= y
      #expect(pixels[y * 304 + 152] == (isInside ? 255 : 0), "row \(y)")
      #expect(pixels[y * 304 + 40] == 0 && pixels[y * 304 + 263] == 0)
    }
    #expect(pixels[151 * 304 + 52] == 255 && pixels[151 * 304 + 251] == 255)
  }

  @Test(arguments: [(28, 1), (130, 3)])
  func `the pictures do not depend on the number of threads or on the batch`(
    _ size: Int32, _ bins: Int32
  ) {
    var batch = Batch(Self.random(300, seed: 5))
    batch.numbers = (0..<300).map { Int64($0) * 7 - 400 }
    (batch.options.width, batch.options.height, batch.options.bins) = (size, size, bins)
    (batch.options.rotation, batch.options.scale, batch.options.shear) = (30, (0.5, 1.5), 10)
    (batch.options.translation, batch.options.jitter) = (0.1, 2)
    (batch.options.width_factor, batch.options.seed) = ((0.5, 2), 99)
    let all = batch.draw().pixels
    for threads: Int32 in [2, 3, 8, 0] {
      batch.options.threads = threads
      #expect(batch.draw().pixels == all)
    }
    var part = batch
    part.drawings = Array(batch.drawings[100..<110])
    part.numbers = Array((batch.numbers ?? [])[100..<110])
    let bytes = Int(size * size * bins)
    #expect(part.draw().pixels == Array(all[100 * bytes..<110 * bytes]))
    batch.options.seed += 1
    #expect(batch.draw().pixels != all)
  }

  @Test func `black on white is the opposite of white on black`() {
    var batch = Batch(Self.random(40, seed: 6))
    (batch.options.width, batch.options.height) = (140, 50)
    let white = batch.draw().pixels
    batch.options.is_inverted = 1
    #expect(batch.draw().pixels == white.map { 255 - $0 })
  }

  @Test func `a drawing that is fitted fills its picture, wherever its points are`() {
    for (x, y, size) in [(0, 0, 1), (-5e5, 3e6, 800), (0.001, 0.001, 0.0001)]
      as [(Float, Float, Float)]
    {
      var batch = Batch([[[(x, y), (x + size, y + size)], [(x + size, y)]]])
      batch.options.placement = Int32(PENTIMENTO_PLACE_FITTED)
      (batch.options.line_width, batch.options.padding) = (2, 3)
      (batch.options.width, batch.options.height) = (40, 40)
      let pixels = batch.draw().pixels
      let rows = (0..<40).filter { row in pixels[row * 40..<row * 40 + 40].contains { $0 > 0 } }
      #expect(rows.first == 3 && rows.last == 36, "\(rows)")
    }
    // A dot has no extent that could be scaled.
    var batch = Batch([[[(5, 5)]]])
    batch.options.placement = Int32(PENTIMENTO_PLACE_FITTED)
    batch.options.line_width = 4
    batch.options.padding = 2
    let pixels = batch.draw().pixels
    #expect(pixels[14 * 28 + 14] == 255 && pixels[0] == 0)
  }

  @Test func `a batch with a given frame shows that part of the page unscaled`() {
    var batch = Batch([[[(10, 10), (10, 20)]]])
    batch.options.placement = Int32(PENTIMENTO_PLACE_FRAME)
    batch.options.frame = (0, 0, 20, 20)
    (batch.options.line_width, batch.options.padding) = (2, 0)
    (batch.options.width, batch.options.height) = (20, 20)
    let pixels = batch.draw().pixels
    #expect(pixels[15 * 20 + 9] == 255 && pixels[15 * 20 + 10] == 255)
    #expect(pixels[15 * 20 + 8] == 0 && pixels[15 * 20 + 11] == 0 && pixels[5 * 20 + 10] == 0)
  }

  @Test func `pictures of consecutive time bins make up the whole drawing`() {
    var batch = Batch([[[(0, 0), (100, 0)], [(200, 0), (200, 100)]]])
    batch.times = [0, 1, 9, 10]
    (batch.options.width, batch.options.height, batch.options.bins) = (64, 64, 1)
    let whole = batch.draw().pixels
    batch.options.bins = 2
    let parts = batch.draw().pixels
    let (first, second) = (Array(parts[..<4096]), Array(parts[4096...]))
    #expect(zip(first, second).map(max) == whole)
    // The pause in the middle is between the strokes.
    batch.drawings = [[[(0, 0), (100, 0)], []]]
    #expect(first.contains(255) && second.contains(255))
    // Without times, the pen has an even speed: half of the way lies on either side of the middle.
    var even = Batch([[[(0, 0), (200, 0)]]])
    (even.options.width, even.options.height, even.options.bins) = (304, 304, 2)
    let halves = even.draw().pixels
    let row = 151 * 304
    #expect(halves[row + 145] == 255 && halves[92_416 + row + 145] == 255)
    #expect(halves[row + 100] == 255 && halves[92_416 + row + 100] == 0)
    #expect(halves[row + 200] == 0 && halves[92_416 + row + 200] == 255)
  }

  @Test func `a batch accepts times that are missing, run back or stand still`() {
    for times in [[.nan, 1, 2, 3], [3, 2, 1, 0], [1, 1, 1, 1], [0, .infinity, 1, 2]] as [[Float]] {
      var batch = Batch([[[(0, 0), (100, 0), (100, 100)], [(50, 50)]]])
      batch.times = times
      let whole = batch.draw().pixels
      batch.options.bins = 5
      let (code, _, pixels) = batch.draw()
      let joined = (0..<784).map { pixel in (0..<5).map { pixels[$0 * 784 + pixel] }.max() ?? 0 }
      #expect(code == 0)
      #expect(zip(joined, whole).allSatisfy { abs(Int($0) - Int($1)) <= 12 })
    }
  }

  @Test func `drawings and strokes without points are black`() {
    for drawings in [[], [[]], [[[]]], [[], [[], []]]] as [[[[(Float, Float)]]]] {
      for placement in 0...2 {
        var batch = Batch(drawings)
        batch.options.placement = Int32(placement)
        (batch.options.line_width, batch.options.padding) = (2, 2)
        let (code, message, pixels) = batch.draw()
        #expect(code == 0, "\(message)")
        #expect(pixels.allSatisfy { $0 == 0 })
      }
    }
  }

  @Test func `a point that is not finite is refused with the number of its drawing`() {
    for place in [Float.nan, .infinity, -.infinity] {
      var batch = Batch(Array(repeating: [[(1, 2), (3, 4)]], count: 100))
      batch.drawings[57][0][1].1 = place
      let (code, message, _) = batch.draw()
      #expect(code == PENTIMENTO_INVALID)
      #expect(message.contains("drawing 57"), "\(message)")
    }
  }

  @Test func `points with huge coordinates are drawn without an error`() {
    for far in [Float(1e7), 1e20, .greatestFiniteMagnitude] {
      var batch = Batch([[[(0, 0), (far, far)], [(-far, 3), (far, 3)]]])
      for placement in 0...2 {
        batch.options.placement = Int32(placement)
        (batch.options.line_width, batch.options.padding) = (2, 2)
        #expect(batch.draw().code == 0)
      }
    }
  }

  @Test func `a billion points are refused before they are read`() {
    var (x, end): (Float, Int64) = (0, 1_000_000_000)
    var one: Int64 = 1
    var lines = pentimento_lines()
    lines.size = UInt32(MemoryLayout<pentimento_lines>.size)
    lines.step = 2
    lines.point_count = end
    (lines.stroke_count, lines.drawing_count) = (1, 1)
    var pixels = [UInt8](repeating: 0, count: 784)
    let failure = withUnsafePointer(to: &x) { x in
      withUnsafePointer(to: &end) { end in
        withUnsafePointer(to: &one) { one in
          (lines.x, lines.y, lines.stroke_ends, lines.drawing_ends) = (x, x, end, one)
          return Calls.failure { pentimento_render_batch(&lines, nil, nil, &pixels, 784, $0) }
        }
      }
    }
    #expect(failure.code == PENTIMENTO_TOO_LARGE)
    #expect(failure.message.contains("1000000000 points"))
  }

  @Test func `offsets that run back or do not cover all points are refused`() {
    let points = [Float](repeating: 1, count: 8)
    var pixels = [UInt8](repeating: 0, count: 4 * 784)
    let cases: [(strokes: [Int64], drawings: [Int64], points: Int64)] = [
      ([2, 1, 4], [3], 4), ([2, 4], [1], 4), ([2, 5], [2], 4), ([2, 3], [2], 4), ([-1, 4], [2], 4),
      ([2, 4], [2, 1], 4), ([2, 4], [3], 4), ([.min, .max], [2], 4), ([4], [.max], 4),
      ([4], [1], -1),
      ([4], [1], .max), ([], [1], 4), ([4], [0], 4),
    ]
    for (strokes, drawings, count) in cases {
      let failure = points.withUnsafeBufferPointer { points in
        strokes.withUnsafeBufferPointer { strokes in
          drawings.withUnsafeBufferPointer { drawings in
            var lines = pentimento_lines()
            lines.size = UInt32(MemoryLayout<pentimento_lines>.size)
            lines.step = 2
            (lines.x, lines.y) = (points.baseAddress, points.baseAddress.map { $0 + 1 })
            lines.stroke_ends = strokes.baseAddress
            lines.drawing_ends = drawings.baseAddress
            lines.point_count = count
            lines.stroke_count = Int64(strokes.count)
            lines.drawing_count = Int64(drawings.count)
            return Calls.failure { error in
              pentimento_render_batch(&lines, nil, nil, &pixels, Int64(pixels.count), error)
            }
          }
        }
      }
      #expect(failure.code == PENTIMENTO_INVALID, "\(strokes) \(drawings): \(failure)")
    }
  }

  @Test func `options out of their ranges are refused by name`() {
    let changes: [(String, (inout pentimento_batch_options) -> Void)] = [
      ("size", { $0.size = 12 }), ("pixels", { $0.width = 0 }), ("pixels", { $0.height = 2049 }),
      ("bins", { $0.bins = 0 }), ("bins", { $0.bins = 257 }), ("placement", { $0.placement = 3 }),
      ("threads", { $0.threads = -1 }), ("threads", { $0.threads = .max }),
      ("line_width", { $0.line_width = 0 }), ("line_width", { $0.line_width = .nan }),
      ("padding", { $0.padding = -1 }), ("frame[2]", { $0.frame.2 = 0 }),
      ("frame[0]", { $0.frame.0 = .infinity }), ("rotation", { $0.rotation = 181 }),
      ("scale", { $0.scale = (0, 1) }), ("scale", { $0.scale = (2, 1) }),
      ("scale", { $0.scale = (.nan, 1) }), ("shear", { $0.shear = 61 }),
      ("translation", { $0.translation = -0.5 }), ("jitter", { $0.jitter = .infinity }),
      ("width_factor", { $0.width_factor = (1, .infinity) }),
      ("no room", { ($0.placement, $0.line_width, $0.padding) = (1, 8, 10) }),
    ]
    for (name, change) in changes {
      var batch = Batch([[[(0, 0), (9, 9)]]])
      change(&batch.options)
      // The test can only run if this much memory could exist.
      let needed = batch.options
      (batch.options.width, batch.options.height, batch.options.bins) = (28, 28, 1)
      var copy = batch
      copy.options = needed
      if 1...2048 ~= needed.width, 1...2048 ~= needed.height, 1...256 ~= needed.bins {
        let (code, message, _) = copy.draw()
        #expect(code == PENTIMENTO_INVALID, "\(name)")
        #expect(message.contains(name), "\(message)")
      } else {
        var options = needed
        let failure = Calls.failure { pentimento_render_batch(nil, &options, nil, nil, 0, $0) }
        #expect(failure.code == PENTIMENTO_INVALID && failure.message.contains(name))
      }
    }
  }

  @Test func `too little memory for the pictures is refused`() {
    var lines = pentimento_lines()
    lines.size = UInt32(MemoryLayout<pentimento_lines>.size)
    lines.step = 2
    lines.drawing_count = 2
    let ends: [Int64] = [0, 0]
    var pixels = [UInt8](repeating: 0, count: 2 * 784 - 1)
    let failure = ends.withUnsafeBufferPointer { ends in
      lines.drawing_ends = ends.baseAddress
      return Calls.failure {
        pentimento_render_batch(&lines, nil, nil, &pixels, Int64(pixels.count), $0)
      }
    }
    #expect(failure.code == PENTIMENTO_INVALID && failure.message.contains("784 bytes"))
  }
}
