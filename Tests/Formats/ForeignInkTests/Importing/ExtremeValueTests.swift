import InkFiles
import ForeignSamples
import Graphics
import ForeignInk
import PKDFormat
import Strokes
import TestSupport
import Testing

/// Files in which one value is extreme: they are refused or read, and their ink stays within the
/// limits for the file's size.
struct ExtremeValueTests {
  private static let samples = (try? ForeignSample.all(.mark)) ?? []

  @Test(arguments: samples)
  func `one extreme value makes no foreign ink large`(sample: ForeignSample) throws {
    let values = ExtremeValues(sample.bytes)
    let usual = try ReadingCost(sample.bytes, as: sample.format)
    #expect(values.count > 100 && usual.points > 0)
    for bytes in values.sample(RunLength.count(40, long: .max)) {
      let cost = try ReadingCost(bytes, as: sample.format)
      expect(cost, within: usual, byteCount: bytes.count)
    }
  }

  @Test(arguments: [DrawingFile.Format.pencilKit, .json])
  func `one extreme value makes no ink of our formats large`(format: DrawingFile.Format) throws {
    let drawing = try #require(Self.samples.first { $0.format == .inkML })
    let bytes = try DrawingFile.encode(
      DrawingFile(drawing.bytes).strokes().drawing, as: format)
    let usual = try ReadingCost(bytes, as: format)
    for changed in ExtremeValues(bytes).sample(RunLength.count(100, long: .max)) {
      expect(try ReadingCost(changed, as: format), within: usual, byteCount: changed.count)
    }
  }

  /// One value may add a point or repeat some, and stretch the spans around it. Everything else
  /// must be in proportion to the file.
  private func expect(_ cost: ReadingCost, within usual: ReadingCost, byteCount: Int) {
    #expect(cost.pages <= max(usual.pages, 8 + byteCount / 8))
    #expect(cost.points <= 4 * usual.points + 2 * byteCount, "\(cost.points) points")
    #expect(cost.strokes <= 2 * usual.strokes + byteCount / 4, "\(cost.strokes) strokes")
    #expect(cost.textBytes <= 4_000 + 2 * byteCount, "\(cost.textBytes) bytes of text")
    #expect(cost.nibs <= ReadingCost.nibsOfSpan * (cost.points + 8), "\(cost.nibs) nibs")
  }

  @Test func `extreme values are inserted one by one, inside archives too`() throws {
    let text = Array("{\"a\": 12.5, \"b\": [-3]}".utf8)
    let values = ExtremeValues(text)
    let all = (0..<values.count).map { String(decoding: values[$0], as: UTF8.self) }
    #expect(
      all.contains("{\"a\": 1e308, \"b\": [-3]}") && all.contains("{\"a\": 12.5, \"b\": [NaN]}"))
    #expect(
      Set(all).count == all.count && !all.contains { $0 == String(decoding: text, as: UTF8.self) })
    let xournal = try #require(Self.samples.first { $0.format == .xournal })
    let packed = ExtremeValues(xournal.bytes)
    #expect(packed.sample(20).filter { DrawingFile.Format(recognizing: $0) == .xournal }.count > 10)
  }
}

/// The amount of data that reading a file gives, and of nibs that drawing it samples. Counts are
/// the same on every machine.
private struct ReadingCost {
  private(set) var pages = 0
  private(set) var strokes = 0
  private(set) var points = 0
  /// The bytes of names, notes and errors.
  private(set) var textBytes = 0
  /// The number of nibs that are sampled along the strokes.
  private(set) var nibs = 0

  /// More samples than the largest span on a page can have.
  static let nibsOfSpan = 20_000

  /// Reads the first pages of a file, and stores them as a recording. The cost of a refused file is
  /// its message.
  init(_ bytes: [UInt8], as format: DrawingFile.Format) throws {
    do throws(DrawingFileError) {
      let file = try DrawingFile(bytes, as: format)
      pages = file.pageCount
      for index in 0..<min(pages, 4) { try add(try file.page(index)) }
    } catch {
      textBytes += error.description.utf8.count
      #expect(!error.description.isEmpty)
    }
  }

  private mutating func add(_ page: DrawingFile) throws(DrawingFileError) {
    let contents = page.contents()
    strokes += contents.drawing.strokes.count
    textBytes += page.page?.name.utf8.count ?? 0
    for (name, text) in page.canvas.metadata { textBytes += name.utf8.count + text.utf8.count }
    for note in page.page?.notes.counts ?? [] { textBytes += note.text.utf8.count }
    for error in page.damage.prefix(100) { textBytes += error.description.utf8.count }
    for stroke in contents.drawing.strokes {
      points += stroke.path.count
      nibs += stroke.nibChains().reduce(0) { $0 + $1.count }
      #expect(stroke.path.allSatisfy { $0.location.isFinite && $0.timeOffset.isFinite })
    }
    do {
      let kept = try contents.encodeRecording(options: PKDWriter.Options())
      let verification = try PKDVerification(kept)
      #expect(verification.problems.isEmpty, "\(verification.problems)")
    } catch {
      Issue.record("a page cannot be kept: \(error)")
    }
  }
}
