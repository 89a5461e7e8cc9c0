import CPentimento
import Testing

/// Calls of the functions for C, as a program makes them.
enum Calls {
  /// The result of a call that must succeed.
  static func get<Result>(
    _ call: (UnsafeMutablePointer<pentimento_error>) -> Result?
  ) throws -> Result {
    var error = pentimento_error()
    let result = call(&error)
    try #require(error.code == 0, "\(text(of: error))")
    return try #require(result)
  }

  /// The code and the message of a call that must fail.
  static func failure<Result>(
    _ call: (UnsafeMutablePointer<pentimento_error>) -> Result
  ) -> (code: Int, message: String) {
    var error = pentimento_error()
    _ = call(&error)
    return (Int(error.code), text(of: error))
  }

  static func text(of error: pentimento_error) -> String {
    withUnsafeBytes(of: error.message) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
  }

  /// Opens a file.
  static func open(_ bytes: [UInt8], format: String? = nil, page: Int32 = 0) throws -> OpaquePointer
  {
    try get { pentimento_open(bytes, Int64(bytes.count), format, page, $0) }
  }

  /// Reads a collection.
  static func read(
    _ texts: [[UInt8]], _ kind: Int, threads: Int32 = 1
  ) throws -> OpaquePointer {
    let bytes = texts.flatMap { $0 }
    let ends = texts.indices.map { Int64(texts[...$0].reduce(0) { $0 + $1.count }) }
    return try get {
      pentimento_collection_read(
        bytes, Int64(bytes.count), ends, Int64(ends.count), Int32(kind), threads, $0)
    }
  }

  /// The elements of a collection's column.
  static func column<Element>(
    _ collection: OpaquePointer, _ column: Int, of: Element.Type, each: Int = 1
  ) throws -> [Element] {
    var count: Int64 = 0
    let start = try get { pentimento_collection_column(collection, Int32(column), &count, $0) }
    return Array(
      UnsafeBufferPointer(
        start: start.assumingMemoryBound(to: Element.self), count: Int(count) * each))
  }
}

/// Drawings for a batch, and how it is drawn.
struct Batch {
  /// The drawings: strokes of points.
  var drawings: [[[(Float, Float)]]] = []
  var times: [Float]?
  var numbers: [Int64]?
  var options = {
    var options = pentimento_batch_options()
    pentimento_batch_defaults(&options)
    options.threads = 1
    return options
  }()

  init(_ drawings: [[[(Float, Float)]]]) { self.drawings = drawings }

  /// The code of the error, and the pictures.
  func draw() -> (code: Int, message: String, pixels: [UInt8]) {
    let strokes = drawings.flatMap { $0 }
    let points = strokes.flatMap { $0.flatMap { [$0.0, $0.1] } }
    let strokeEnds = strokes.indices.map { Int64(strokes[...$0].reduce(0) { $0 + $1.count }) }
    let drawingEnds = drawings.indices.map { Int64(drawings[...$0].reduce(0) { $0 + $1.count }) }
    let count =
      drawings.count * Int(options.bins) * Int(options.width) * Int(options.height)
    var pixels = [UInt8](repeating: 77, count: max(count, 0))
    let failure = points.withUnsafeBufferPointer { points in
      strokeEnds.withUnsafeBufferPointer { strokeEnds in
        drawingEnds.withUnsafeBufferPointer { drawingEnds in
          (times ?? []).withUnsafeBufferPointer { times in
            var lines = pentimento_lines()
            lines.size = UInt32(MemoryLayout<pentimento_lines>.size)
            lines.step = 2
            lines.x = points.baseAddress
            lines.y = points.baseAddress.map { $0 + 1 }
            lines.times = self.times == nil ? nil : times.baseAddress
            lines.stroke_ends = strokeEnds.baseAddress
            lines.drawing_ends = drawingEnds.baseAddress
            lines.point_count = Int64(points.count / 2)
            lines.stroke_count = Int64(strokeEnds.count)
            lines.drawing_count = Int64(drawingEnds.count)
            return withUnsafePointer(to: options) { options in
              Calls.failure { error in
                if let numbers {
                  pentimento_render_batch(
                    &lines, options, numbers, &pixels, Int64(pixels.count), error)
                } else {
                  pentimento_render_batch(&lines, options, nil, &pixels, Int64(pixels.count), error)
                }
              }
            }
          }
        }
      }
    }
    return (failure.code, failure.message, pixels)
  }
}
