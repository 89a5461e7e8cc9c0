import Checksums
import Foundation
import WebEngine

/// Calls of the engine, one per line: a name, and numbers or a path. `run.mjs` runs the same lines
/// in Node. Both print a line for each, with results and with hashes of the shown pixels, for
/// comparison.
struct EngineScript {
  private(set) var lines: [String] = []

  mutating func add(_ name: String, _ values: Double...) { add(name, values) }

  mutating func add(_ name: String, _ values: [Double]) {
    lines.append(([name] + values.map { "\($0)" }).joined(separator: " "))
  }

  mutating func open(_ file: URL) { lines.append("open \(file.path)") }

  /// Merges two files; nil means an unknown base.
  mutating func merge(base: URL?, _ ours: URL, _ theirs: URL) {
    lines.append("merge \(ours.path) \(theirs.path) \(base?.path ?? "")")
  }

  mutating func hash(_ file: URL) { lines.append("hash \(file.path)") }

  /// Opens a view of the whole page, or of a region.
  mutating func view(
    isLive: Bool = false, scale: Double, region: [Double] = [0, 0, 0, 0], style: Int = 0,
    paper: Int = 0, background: Int = 0, earlier: Int = 0
  ) {
    add(
      "view",
      [isLive ? 1 : 0, scale] + region
        + [Double(style), Double(paper), Double(background), 0x8090_A0FF, Double(earlier), 0])
  }

  /// The results in this process.
  func run() -> [String] {
    var engine = NativeEngine()
    return lines.map { engine.run($0) }
  }
}

/// The engine's functions in this process, with one document and one view.
private struct NativeEngine {
  private var document: Int32 = 0
  private var view: Int32 = 0

  mutating func run(_ line: String) -> String {
    let words = line.split(separator: " ").map(String.init)
    let numbers = words.dropFirst().map { Double($0) ?? 0 }
    return "\(words[0]) \(result(words[0], Array(words.dropFirst()), numbers))"
  }

  private mutating func result(_ name: String, _ paths: [String], _ n: [Double]) -> String {
    func number(_ index: Int) -> Int32 { Int32(n[index]) }
    switch name {
    case "mathematics": return "\(engineMathHash(number(0)))"
    case "open":
      return opened(bytes(paths[0]).withUnsafeBytes { documentOpen($0.baseAddress, $0.count) })
    case "merge":
      let (ours, theirs) = (bytes(paths[0]), bytes(paths[1]))
      let base = paths.count > 2 ? bytes(paths[2]) : []
      let handle = fileMerge(base, base.count, ours, ours.count, theirs, theirs.count)
      guard handle >= 0, let start = fileBytes(handle) else { return "\(handle)" }
      defer { _ = fileFree(handle) }
      return "\(fileCount(handle)) \(hash(start, Int(fileCount(handle))))"
    case "hash":
      let bytes = bytes(paths[0])
      var sum = [UInt8](repeating: 0, count: 32)
      return engineHash(bytes, bytes.count, &sum) < 0 ? "failed" : sum.hexadecimal
    case "create": return opened(documentCreate(n[0], n[1]))
    case "close": return "\(documentClose(document))"
    case "view":
      view = viewOpen(
        document, number(0), n[1], n[2], n[3], n[4], n[5], number(6), number(7), number(8),
        UInt32(n[9]), number(10), UInt32(n[11]))
      return view < 0 ? "\(view)" : "\(viewWidth(view))x\(viewHeight(view))"
    case "closeView": return "\(viewClose(view))"
    case "show": return shown(viewShow(view, n[0]))
    case "steps": return shown(viewShowSteps(view, number(0)))
    case "update": return shown(viewUpdate(view))
    case "pen": return "\(penTake(document, n.map { UInt8($0) }))"
    case "begin": return "\(penBegin(document, number(0), UInt32(n[1]), n[2], n[3]))"
    case "tolerance": return "\(penSetTolerance(document, n[0]))"
    case "draw": return "\(penDraw(document, Array(n.dropFirst(2)), number(0), number(1)))"
    case "redraw": return "\(penRedraw(document, Array(n.dropFirst()), number(0)))"
    case "tidy": return "\(penTidy(document, n[0]))"
    case "eraser": return "\(penBeginErasing(document, number(0), n[1], n[2]))"
    case "erase": return "\(penErase(document, Array(n.dropFirst()), number(0)))"
    case "end": return "\(penEnd(document, n[0]))"
    case "cancel": return "\(penCancel(document))"
    case "undo": return "\(penUndo(document, n[0]))"
    case "redo": return "\(penRedo(document, n[0]))"
    case "clear": return "\(penClear(document, n[0]))"
    case "choices": return "\(penChoices(document))"
    case "select":
      return "\(penSelect(document, Array(n.dropFirst(2)), number(0), number(1)))"
    case "selectAt": return "\(penSelectAt(document, n[0], n[1], n[2], number(3)))"
    case "selectAll": return "\(penSelectAll(document))"
    case "bounds": return penSelectionBounds(document).map { "\(hash($0, 32))" } ?? "none"
    case "inkBounds": return penInkBounds(document).map { "\(hash($0, 32))" } ?? "none"
    case "beginDrag": return "\(penBeginDrag(document))"
    case "drag": return "\(penDrag(document, n[0], n[1], n[2], n[3], n[4], n[5]))"
    case "transform":
      return "\(penTransform(document, n[0], n[1], n[2], n[3], n[4], n[5], n[6]))"
    case "restyle":
      return "\(penRestyle(document, number(0), number(1), UInt32(n[2]), n[3], n[4]))"
    case "reorder": return "\(penReorder(document, number(0), n[1]))"
    case "duplicate": return "\(penDuplicate(document, n[0], n[1], n[2]))"
    case "paste":
      let count = documentWriteSelection(document)
      guard count >= 0, let start = documentBytes(document) else { return "\(count)" }
      let copy = Array(UnsafeBufferPointer(start: start, count: Int(count)))
      return
        "\(penInsert(document, copy, count, n[0], n[1], n[2])) \(count) \(hash(copy, copy.count))"
    case "delete": return "\(penDeleteSelection(document, n[0]))"
    case "setPaper": return "\(documentSetPaper(document, number(0)))"
    case "setSize": return "\(documentSetSize(document, n[0], n[1]))"
    case "facts":
      return [
        text(documentWidth(document)), text(documentHeight(document)), "\(documentPaper(document))",
        "\(documentStrokeCount(document))", "\(documentInks(document))",
      ].joined(separator: " ")
    case "write": return written(documentWrite(document))
    case "vectors": return written(documentWriteVectors(document, number(0), n[1]))
    default: return "unknown"
    }
  }

  private mutating func opened(_ handle: Int32) -> String {
    document = handle
    guard handle >= 0 else { return "\(handle)" }
    let count = documentStepCount(handle)
    let steps = documentSteps(handle).map { hash($0, 24 * Int(count)) } ?? 0
    return [
      "\(documentIsDamaged(handle))", "\(documentHasBackground(handle))",
      text(documentWidth(handle)), text(documentHeight(handle)),
      "\(count)", "\(steps)",
    ].joined(separator: " ")
  }

  private func written(_ count: Int32) -> String {
    guard count >= 0, let start = documentBytes(document) else { return "\(count)" }
    return "\(count) \(hash(start, Int(count)))"
  }

  private func bytes(_ path: String) -> [UInt8] {
    [UInt8]((try? Data(contentsOf: URL(fileURLWithPath: path))) ?? Data())
  }

  private func shown(_ count: Int32) -> String {
    guard count >= 0, let changes = viewChanges(view), let start = viewPixels(view) else {
      return "\(count)"
    }
    var pixels: UInt32 = 0
    for row in 0..<Int(viewHeight(view)) {
      pixels = hash(
        start + row * Int(viewBytesPerRow(view)), 4 * Int(viewWidth(view)), from: pixels)
    }
    let rectangles = (0..<Int(count)).map { index in
      (0..<4).map { "\(changes[4 * index + $0])" }.joined(separator: ",")
    }
    return rectangles.sorted().joined(separator: " ") + " \(pixels)"
  }

  /// CRC-32C, continued from that of earlier bytes.
  private func hash(_ start: UnsafeRawPointer, _ count: Int, from earlier: UInt32 = 0) -> UInt32 {
    Checksum.of(
      UnsafeBufferPointer(start: start.assumingMemoryBound(to: UInt8.self), count: count),
      after: earlier)
  }

  /// A number in JavaScript's notation, for integers.
  private func text(_ number: Double) -> String {
    Int(exactly: number).map { "\($0)" } ?? "\(number)"
  }
}
