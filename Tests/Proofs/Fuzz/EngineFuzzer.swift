import WebEngine

/// The functions that a page calls, in any order with any arguments, on any document.
///
/// An input is the number of bytes that choose calls, those bytes, and the file to open.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ data: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let input = bytes(data, count)
  guard let length = input.first, input.count > length else { return 0 }
  var calls = Calls(
    choices: Array(input[1..<1 + Int(length)]), file: Array(input[(1 + Int(length))...]))
  calls.run()
  return 0
}

/// Mutates the calls, or the chunks of the file.
@_cdecl("LLVMFuzzerCustomMutator")
public func customMutator(
  _ data: UnsafeMutablePointer<UInt8>, _ count: Int, _ maximum: Int, _ seed: CUnsignedInt
) -> Int {
  mutate(data, count, maximum: maximum, seed: seed) { input, random in
    guard let length = input.first, input.count > length else { return nil }
    let start = 1 + Int(length)
    guard random.below(2) == 0, var file = ChunkedFile(Array(input[start...])), !file.parts.isEmpty
    else { return nil }
    for _ in 0...random.below(3) { file.mutate(&random) }
    return input[..<start] + file.bytes
  }
}

/// Calls of one document, one view and one pen.
private struct Calls {
  private var choices: [UInt8]
  private let file: [UInt8]
  private var document: Int32 = 0
  private var view: Int32 = 0

  private static let numbers = [
    0, 1, -1, 0.5, 2, 10, 100, 1e-9, 1e9, 1.7e9, 1e300, -1e300, .nan, .infinity, -.infinity, 37.25,
  ]

  init(choices: [UInt8], file: [UInt8]) { (self.choices, self.file) = (choices, file) }

  private mutating func next() -> Int { Int(choices.popLast() ?? 0) }
  private mutating func number() -> Double { Self.numbers[next() & 15] }

  mutating func run() {
    document = file.withUnsafeBytes { documentOpen($0.baseAddress, $0.count) }
    if document < 0 {
      check(document)
      document = documentCreate(60, 40)
    }
    while !choices.isEmpty { call() }
    check(viewClose(view))
    check(documentClose(document))
  }

  private mutating func call() {
    switch next() % 24 {
    case 0: open(isLive: 0)
    case 1: open(isLive: 1)
    case 2: show(viewShow(view, number()))
    case 3: show(viewShowSteps(view, Int32(truncatingIfNeeded: next() &* 40_503)))
    case 4: show(viewUpdate(view))
    case 5: check(penTake(document, (0..<16).map { UInt8($0) }))
    case 6:
      let (ink, color) = (Int32(next() % 9), UInt32(next()) &* 0x0102_0407)
      if next() & 1 == 0 { check(penSetTolerance(document, number())) }
      check(penBegin(document, ink, color, number(), number()))
    case 7, 8:
      let (count, predicted) = (next() & 7, next() & 3)
      let samples = (0..<6 * (count + predicted)).map { _ in number() }
      check(penDraw(document, samples, Int32(count), Int32(predicted)))
    case 23:
      let samples = (0..<6 * 3).map { _ in number() }
      check(next() & 1 == 0 ? penTidy(document, number()) : penRedraw(document, samples, 3))
    case 9: check(penBeginErasing(document, Int32(next() & 3), number(), number()))
    case 10:
      let count = next() & 7
      check(penErase(document, (0..<6 * count).map { _ in number() }, Int32(count)))
    case 11: check(penEnd(document, number()))
    case 12: check(next() & 1 == 0 ? penCancel(document) : penClear(document, number()))
    case 13:
      check(next() & 1 == 0 ? penUndo(document, number()) : penRedo(document, number()))
      check(penChoices(document))
    case 14:
      write()
      if next() & 7 == 0 { check(documentWriteVectors(document, Int32(next() & 3), 1)) }
      if next() & 3 == 0 { merge() }
    case 15:
      let count = next() & 7
      let isAdding = Int32(next() & 1)
      switch next() & 3 {
      case 0: check(penSelectAll(document))
      case 1: check(penSelectAt(document, number(), number(), number(), isAdding))
      default:
        let corners = (0..<2 * count).map { _ in number() }
        check(penSelect(document, corners, Int32(count), isAdding))
      }
      if let box = penSelectionBounds(document), !(box[2] >= 0 && box[3] >= 0) {
        violated("a selection with the box \(box[0]), \(box[1]), \(box[2]), \(box[3])")
      }
    case 16:
      check(
        next() & 3 == 0
          ? penBeginDrag(document)
          : penDrag(document, number(), number(), number(), number(), number(), number()))
    case 17:
      check(
        next() & 1 == 0
          ? penTransform(
            document, number(), number(), number(), number(), number(), number(), number())
          : penDeleteSelection(document, number()))
    case 18: check(penReorder(document, Int32(next() & 1), number()))
    case 19: check(penDuplicate(document, number(), number(), number()))
    case 20:
      check(
        penRestyle(
          document, Int32(next() % 10) - 1, Int32(next() & 1), UInt32(next()) &* 0x0102_0407,
          number(), number()))
    case 21: insert()
    default:
      check(documentSetPaper(document, Int32(next() % 10) - 1))
      check(documentSetSize(document, number(), number()))
      check(documentIsDamaged(document) | documentStepCount(Int32(next())))
      check(documentPaper(document) | documentStrokeCount(document) | documentInks(document))
    }
  }

  /// Pastes the selection, damaged at times, into the page.
  private mutating func insert() {
    let count = documentWriteSelection(document)
    check(count)
    guard count > 0, let start = documentBytes(document) else { return }
    var copy = Array(UnsafeBufferPointer(start: start, count: Int(count)))
    if next() & 1 == 0 { copy[Int(next()) % copy.count] ^= UInt8(truncatingIfNeeded: next()) }
    check(penInsert(document, copy, count, number(), number(), number()))
  }

  /// Opens a view of a few pixels; a large one would only take time.
  private mutating func open(isLive: Int32) {
    check(viewClose(view))
    let shares = [0.0, 0.25, 1, 2, .nan, -1, .infinity, 0.5]
    let region = [(0.0, 0.0, 40.0, 30.0), (5, 5, 9.5, 60), (.nan, 0, 1, 1), (0, 0, -5, 5)][
      next() & 3]
    view = viewOpen(
      document, isLive, shares[next() & 7], region.0, region.1, region.2, region.3,
      Int32(next() % 4), Int32(next() % 10) - 1, Int32(next() % 5), UInt32(next()) &* 0x0102_0304,
      Int32(next() & 3), 0x80FF_0080, Int32(next() % 90) - 40, shares[next() & 7])
    check(view)
  }

  /// Checks the rectangles that changed, and reads the pixels.
  private func show(_ count: Int32) {
    check(count)
    guard count >= 0, let changes = viewChanges(view), let pixels = viewPixels(view) else { return }
    for index in 0..<Int(count) {
      let (x, y) = (changes[4 * index], changes[4 * index + 1])
      let (right, bottom) = (x + changes[4 * index + 2], y + changes[4 * index + 3])
      if x < 0 || y < 0 || right <= x || bottom <= y || right > viewWidth(view)
        || bottom > viewHeight(view)
      {
        violated("a rectangle from \(x), \(y) to \(right), \(bottom)")
      }
    }
    let size = Int(viewBytesPerRow(view)) * Int(viewHeight(view))
    var sum = 0
    for offset in stride(from: 0, to: size, by: 4096) {
      sum &+= Int(pixels.load(fromByteOffset: offset, as: UInt8.self))
    }
    if sum < 0 { violated("a sum of pixels") }
  }

  /// Writes the document, and opens the file.
  private func write() {
    let count = documentWrite(document)
    check(count)
    guard count >= 0, let bytes = documentBytes(document) else { return }
    let copy = documentOpen(bytes, Int(count))
    if copy < 0 { violated("a document that was written cannot be opened: \(copy)") }
    check(documentClose(copy))
  }

  /// Merges the written file with the file that it continues, in both orders.
  private func merge() {
    let count = documentWrite(document)
    guard count >= 0, let bytes = documentBytes(document) else { return }
    let written = Array(UnsafeBufferPointer(start: bytes, count: Int(count)))
    let merged = [
      fileMerge(nil, 0, file, file.count, written, written.count),
      fileMerge(nil, 0, written, written.count, file, file.count),
    ].map { handle in
      check(handle)
      guard handle >= 0, let start = fileBytes(handle) else { return [UInt8]() }
      defer { check(fileFree(handle)) }
      return Array(UnsafeBufferPointer(start: start, count: Int(fileCount(handle))))
    }
    if merged[0] != merged[1] { violated("a merge that depends on the order") }
    guard !merged[0].isEmpty else { return }
    let copy = documentOpen(merged[0], merged[0].count)
    if copy < 0 { violated("a merged document that cannot be opened: \(copy)") }
    check(documentClose(copy))
  }

  private func check(_ result: Int32) {
    if result < 0, EngineError(rawValue: result) == nil { violated("the result \(result)") }
  }
}
