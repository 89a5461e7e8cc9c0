import InkFiles
import Graphics
import PencilKitArchive
import Strokes
import TestSupport
import Testing

@testable import ForeignInk
@testable import PKDFormat

/// A file and two later versions of it, as archives and as recordings.
private struct Files {
  let base, one, two: Recording

  init(seed: UInt64) {
    var random = RandomInk(seed: seed)
    base = random.continued(Recording(), from: 0, count: 2...6)
    one = random.continued(base, from: 100, count: 1...4)
    two = random.continued(base, from: 101, count: 1...4)
  }

  private init(_ recordings: [Recording]) {
    (base, one, two) = (recordings[0], recordings[1], recordings[2])
  }

  /// The files with a title.
  func titled(_ title: String) -> Files {
    let canvas = Recording.Canvas(metadata: ["title": title])
    return Files([base, one, two].map { Recording(canvas: canvas, events: $0.events) })
  }

  static func archive(_ recording: Recording) -> [UInt8] { recording.drawing.dataRepresentation() }
  static func pkd(_ recording: Recording) throws -> [UInt8] { try PKDWriter.encode(recording) }
  static let seeds = 0..<UInt64(RunLength.count(15, long: 500))
}

struct MergedDrawingTests {
  private func merge(_ base: [UInt8]?, _ one: [UInt8], _ two: [UInt8]) throws -> [UInt8] {
    let merged = try DrawingFile.merging(base: base, ours: one, theirs: two)
    let mirrored = try DrawingFile.merging(base: base, ours: two, theirs: one)
    #expect(merged == mirrored)
    return merged
  }

  @Test func `merging two archives gives an archive with the merged drawing`() throws {
    for seed in Files.seeds {
      let files = Files(seed: seed)
      let bytes = [files.base, files.one, files.two].map { Files.archive($0) }
      let drawings = try bytes.map { try PKDrawing(data: $0) }
      let merged = try PencilKitReader(try merge(bytes[0], bytes[1], bytes[2]))
      let expected = PKDrawing.merging(
        base: drawings[0], ours: drawings[1], theirs: drawings[2])
      #expect(merged.summary.form == .wrd)
      // An archive stores parts of a path as masks, so only identifiers are compared.
      #expect(merged.drawing.strokes.map { $0.id } == expected.strokes.map { $0.id }, "\(seed)")
      #expect(try merge(nil, bytes[1], bytes[2]).starts(with: Array("wrd".utf8)))
    }
  }

  @Test func `merging two recordings gives a recording with the merged events`() throws {
    for seed in Files.seeds {
      let files = Files(seed: seed)
      let merged = try DrawingFile(
        try merge(try Files.pkd(files.base), try Files.pkd(files.one), try Files.pkd(files.two)))
      let expected = Recording.merging(base: files.base, ours: files.one, theirs: files.two)
      let isSame = merged.contents().recording == expected
      #expect(merged.format == .pkd && merged.damage.isEmpty)
      #expect(isSame, "\(seed)")
    }
  }

  @Test func `merging an archive and a recording gives a recording with its page`() throws {
    for seed in Files.seeds {
      let files = Files(seed: seed).titled("page")
      let (base, one) = (try Files.pkd(files.base), try Files.pkd(files.one))
      let archive = Files.archive(files.two)
      // Skips cases in which one side has not changed.
      for base in [base, Files.archive(files.base), nil] where base != one && base != archive {
        let merged = try DrawingFile(try merge(base, one, archive))
        #expect(merged.format == .pkd && merged.contents().damage.isEmpty)
        #expect(merged.canvas.metadata == ["title": "page"])
        let roots = Set(merged.strokes().strokes.map { $0.rootID })
        let (before, ours, theirs) = (names(files.base), names(files.one), names(files.two))
        #expect(roots.isSuperset(of: ours.union(theirs).subtracting(before)), "\(seed)")
        if base != nil {
          #expect(
            roots.isSubset(
              of: ours.intersection(theirs).union(ours.union(theirs).subtracting(before))))
        }
      }
    }
  }

  private func names(_ recording: Recording) -> Set<Identifier> {
    Set(recording.drawing.strokes.map { $0.rootID })
  }

  @Test func `merging keeps the bytes of a side if only that side changed`() throws {
    let files = Files(seed: 1)
    for encode in [Files.archive, { try Files.pkd($0) }] as [(Recording) throws -> [UInt8]] {
      let (base, one) = (try encode(files.base), try encode(files.one))
      #expect(try merge(base, base, one) == one)
      #expect(try merge(base, one, one) == one)
      #expect(try merge(nil, one, one) == one)
      // An unreadable base is ignored.
      #expect(try merge([1, 2, 3], one, one) == one)
    }
    // If one recording continues the other and there is no base, the result is the longer one.
    #expect(
      try merge(nil, try Files.pkd(files.base), try Files.pkd(files.one)) == Files.pkd(files.one))
  }

  @Test func `a merged archive gets the version that its new inks need`() throws {
    var random = RandomInk(seed: 3)
    func drawing(_ type: PKInk.InkType, at time: Double) throws -> [UInt8] {
      var stroke = random.plainStroke(at: time)
      stroke.ink = PKInk(type)
      return PKDrawing(strokes: [stroke]).dataRepresentation()
    }
    let (new, old) = (try drawing(.crayon, at: 1), try drawing(.pen, at: 2))
    #expect(try PencilKitReader(old).summary.version == 1)
    let merged = try PencilKitReader(try merge(nil, new, old))
    #expect(merged.summary.version == 2)
    #expect(merged.drawing.strokes.count == 2)
  }

  @Test func `a drawing of another program is refused as a side of a merge`() throws {
    let ink = Array("<ink xmlns='http://www.w3.org/2003/InkML'><trace>0 0, 9 9</trace></ink>".utf8)
    #expect(try !DrawingFile(ink).contents().drawing.strokes.isEmpty)
    let one = try Files.pkd(Files(seed: 2).one)
    #expect(throws: DrawingFileError.unknownFormat(firstBytes: Array(ink.prefix(8)))) {
      try merge(nil, one, ink)
    }
  }

  @Test func `a damaged side of a merge is refused`() throws {
    let files = Files(seed: 2)
    let (base, one, two) = (
      try Files.pkd(files.base), try Files.pkd(files.one), Files.archive(files.two)
    )
    #expect(throws: DrawingFileError.self) { try merge(base, Array(one.dropLast(9)), two) }
    #expect(throws: DrawingFileError.self) { try merge(base, one, Array(two.dropLast(9))) }
    #expect(throws: DrawingFileError.unknownFormat(firstBytes: [])) { try merge(base, one, []) }
    #expect(throws: DrawingFileError.self) { try merge(nil, one, Array("<InkML/>".utf8)) }
    var mutation = Mutation(seed: 4)
    var refused = 0
    let count = RunLength.count(60, long: 5000)
    for number in 0..<count {
      let damaged = mutation.mutated(number.isMultiple(of: 2) ? one : two, splicing: base)
      do {
        _ = try DrawingFile.merging(base: base, ours: damaged, theirs: number % 3 == 0 ? one : two)
      } catch is DrawingFileError {
        refused += 1
      } catch is PKDContentError {
        refused += 1
      }
      _ = try DrawingFile.merging(base: damaged, ours: one, theirs: two)
    }
    #expect(refused > count / 3)
  }
}
