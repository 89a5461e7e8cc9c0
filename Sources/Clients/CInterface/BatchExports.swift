public import CPentimento
import Threads

/// Sets the usual options of batches.
@_cdecl("pentimento_batch_defaults")
public func batchDefaults(_ options: UnsafeMutablePointer<pentimento_batch_options>?) {
  options?.pointee = .usual
}

/// Draws many drawings as grey pictures.
@_cdecl("pentimento_render_batch")
public func renderBatch(
  _ lines: UnsafePointer<pentimento_lines>?, _ options: UnsafePointer<pentimento_batch_options>?,
  _ numbers: UnsafePointer<Int64>?, _ pixels: UnsafeMutablePointer<UInt8>?, _ capacity: Int64,
  _ error: UnsafeMutablePointer<pentimento_error>?
) -> Int32 {
  status(error) { () throws(InterfaceError) in
    let options = try BatchOptions(options)
    let lines = try value(lines, size: lines?.pointee.size, "lines")
    guard let batch = try LineBatch(lines, tiles: options.tiles) else { return }
    let size = options.bins * options.width * options.height
    // Counts up to 2^40 and pictures up to 2^30 can have a product that overflows.
    let (needed, isTooLarge) = batch.drawingCount.multipliedReportingOverflow(by: size)
    guard let pixels, !isTooLarge, capacity >= needed else {
      throw InterfaceError(
        .invalid, "\(batch.drawingCount) drawings need \(size) bytes each; pixels has \(capacity)")
    }
    let bytesEach = BatchPainter.byteCount(for: batch, options)
    try checkMemory(bytesEach, for: "a drawing of \(batch.maximumPointCount) points")
    let work = ConditionMutex(Work(count: batch.drawingCount, lanes: options.lanes))
    let lanes = min(options.lanes, work.withLock { $0.partCount })
    Lanes.run(laneCount(lanes, bytesEach: bytesEach)) { _ in
      let painter = BatchPainter(batch, options)
      while let part = work.withLock({ $0.next() }) {
        for drawing in part {
          let number = numbers?[drawing] ?? Int64(drawing)
          guard painter.paint(drawing, number: number, into: pixels + drawing * size) else {
            return work.withLock { $0.fail(at: drawing) }
          }
        }
      }
    }
    if let drawing = work.withLock({ $0.failure }) {
      throw InterfaceError(
        .invalid, "drawing \(drawing) has a point that is infinite or not a number")
    }
  }
}

/// The next drawings to draw. The pictures do not depend on the thread that draws them.
private struct Work {
  private let count: Int
  private let partSize: Int
  private var started = 0
  /// The first drawing that cannot be drawn.
  private(set) var failure: Int?

  /// A part of up to 64 small drawings takes less than a millisecond, which is long compared to
  /// taking the lock. Each thread gets several parts, so that all threads end at about the same
  /// time.
  init(count: Int, lanes: Int) {
    self.count = count
    partSize = min(max(count / (8 * lanes), 1), 64)
  }

  var partCount: Int { (count + partSize - 1) / partSize }

  mutating func next() -> Range<Int>? {
    guard started < count, failure == nil else { return nil }
    defer { started = min(started + partSize, count) }
    return started..<min(started + partSize, count)
  }

  mutating func fail(at drawing: Int) { failure = min(failure ?? drawing, drawing) }
}
