import Graphics
import Strokes
import TestSupport
import Testing

@testable import PKDFormat

/// Files with every kind of content, small enough to be damaged at every byte.
enum SampleFiles {
  /// One short stroke.
  static let tiny = short(.inChunks)

  /// The same stroke as a page, a file of one chunk.
  static let page = short(.init())

  private static func short(_ options: PKDWriter.Options) -> [UInt8] {
    var random = RandomInk(seed: 1)
    let drawing = PKDrawing(strokes: [random.stroke(pointCount: 3...3)])
    return (try? PKDWriter.encode(drawing, options: options)) ?? []
  }

  /// Two blocks of strokes, with pieces, masks, groups and an outline that is not an archive's.
  static let drawing: [UInt8] = {
    var random = RandomInk(seed: 3)
    var drawing = random.drawing(strokeCount: 15...15, pointCount: 0...3)
    drawing.strokes += random.erasedDrawing(strokeCount: 3...3, pointCount: 2...4).strokes
    drawing.residue = ArchiveResidue(form: .notes2018, bytes: [8, 1, 0x12, 3, 1, 2, 3])
    return (try? PKDWriter.encode(drawing, options: .inChunks)) ?? []
  }()

  /// Every kind of event.
  static let recording: [UInt8] = {
    var random = RandomInk(seed: 6)
    let recording = random.recording(eventCount: 24...24)
    return (try? PKDWriter.encode(recording, options: .inChunks)) ?? []
  }()

  static let all = [tiny, drawing, recording, page]
}

extension PKDWriter.Options {
  /// Options for a file in chunks, even if it is small.
  static var inChunks: PKDWriter.Options {
    var options = PKDWriter.Options()
    options.allowsPage = false
    return options
  }
}

struct DamageTests {
  /// Whether strokes are equal apart from their identifiers, which are in another chunk.
  private static func isSame(_ a: PKStroke, _ b: PKStroke) -> Bool {
    a.path.columns.isIdentical(to: b.path.columns) && a.ink == b.ink && a.mask == b.mask
      && a.transform == b.transform && a.path.creationDate == b.path.creationDate
      && a.randomSeed == b.randomSeed && a.pathRange == b.pathRange
      && (a.parentID == nil) == (b.parentID == nil)
      && (a.renderGroupID == nil) == (b.renderGroupID == nil)
  }

  @Test(arguments: SampleFiles.all.indices)
  func `a file cut at any byte has exactly the strokes of its complete chunks`(
    _ sample: Int
  ) throws {
    let bytes = SampleFiles.all[sample]
    let whole = try PKDReader(bytes)
    let (strokes, chunks) = (whole.readStrokes().value, whole.chunks)
    let counts = try chunks.map { chunk in
      guard chunk.type == .strokes else { return 0 }
      let file = ChunkedFile(
        chunks[...].map { other in
          ChunkedFile.Part(type: other.type, payload: Array(bytes[other.payload]))
        }.enumerated().filter { chunks[$0.offset].offset <= chunk.offset }.map(\.element))
      return try PKDReader(file.bytes).strokeCount
    }
    for length in 0..<bytes.count {
      let cut = Array(bytes[..<length])
      let reader: PKDReader
      do throws(PKDError) {
        reader = try PKDReader(cut)
      } catch {
        #expect(length < chunks[0].end, "only the header must be whole")
        #expect(error.reason == (length == 0 ? .notARecording : .truncated))
        #expect(error.offset <= length)
        continue
      }
      #expect(length >= chunks[0].end)
      #expect(!reader.isFinished)
      let complete = chunks.filter { $0.end <= length }
      #expect(reader.chunks.count == complete.count)
      let isClean = complete.last?.end == length
      if let damage = reader.wholeDamage {
        #expect(!isClean && damage.reason == .truncated)
        #expect(damage.offset >= complete.last?.end ?? 0 && damage.offset <= length)
      } else {
        #expect(isClean, "cut at \(length)")
      }
      let expected = zip(chunks, counts).filter { $0.0.end <= length }.map(\.1).max() ?? 0
      let readable = reader.readStrokes().value
      #expect(readable.count == expected)
      #expect(zip(readable, strokes).allSatisfy { Self.isSame($0, $1) }, "cut at \(length)")
    }
    #expect(whole.isFinished && whole.wholeDamage == nil)
  }

  @Test(arguments: SampleFiles.all.indices)
  func `every flipped bit is noticed, and strokes before it are read`(_ sample: Int) throws {
    var bytes = SampleFiles.all[sample]
    let strokes = try PKDReader(bytes).readStrokes().value
    for index in bytes.indices {
      // Every bit of the smallest sample; one bit of each byte of the others.
      for bit in UInt8(0)..<8 where sample == 0 || Int(bit) == index % 8 {
        bytes[index] ^= 1 << bit
        defer { bytes[index] ^= 1 << bit }
        do throws(PKDError) {
          let reader = try PKDReader(bytes)
          #expect(reader.wholeDamage != nil, "bit \(bit) of byte \(index)")
          #expect(!reader.isFinished)
          #expect(reader.wholeDamage.map { $0.offset <= bytes.count } ?? false)
          // Reading all points after every bit flip would take too long.
          guard index % 5 == 0 else { continue }
          let readable = reader.readStrokes().value
          #expect(readable.count <= strokes.count)
          #expect(zip(readable, strokes).allSatisfy { Self.isSame($0, $1) })
        } catch {
          #expect(error.offset <= bytes.count)
        }
      }
    }
  }

  @Test func `twenty thousand files with changed payloads and valid checksums never trap`() throws {
    var mutation = Mutation(seed: 1)
    var random = RandomInk(seed: 1)
    var seeds = SampleFiles.all
    for seed in 0..<12 {
      var random = RandomInk(seed: UInt64(seed))
      seeds.append(try PKDWriter.encode(random.recording(eventCount: 2...6)))
      seeds.append(
        try PKDWriter.encode(random.erasedDrawing(strokeCount: 1...1, pointCount: 0...4)))
    }
    let files = try seeds.map { try #require(ChunkedFile($0)) }
    var (whole, damaged, refused) = (0, 0, 0)
    for number in 0..<20_000 {
      var file = files[number % files.count]
      let other = files[random.whole(0...files.count - 1)]
      let index = random.whole(0...file.parts.count - 1)
      switch random.whole(0...19) {
      case 0: file.parts.remove(at: index)
      case 1: file.parts.insert(file.parts[index], at: random.whole(0...file.parts.count))
      case 2: file.parts.swapAt(index, random.whole(0...file.parts.count - 1))
      case 3: file.parts[index] = other.parts[random.whole(0...other.parts.count - 1)]
      default:
        let donor = other.parts.first { $0.type == file.parts[index].type }
        file.parts[index].payload = mutation.mutated(
          file.parts[index].payload, splicing: donor?.payload ?? [])
      }
      // Only one in twenty is also written again, because that takes longer.
      if number % 20 == 0 {
        let violation = RecordingProperties.violation(file.bytes)
        #expect(violation == nil, "mutant \(number)")
      }
      do throws(PKDError) {
        let reader = try PKDReader(file.bytes)
        if reader.wholeDamage == nil { whole += 1 } else { damaged += 1 }
      } catch {
        refused += 1
      }
    }
    // If all mutants were of one kind, this would test little.
    #expect(min(whole, damaged, refused) > 500, "\(whole), \(damaged), \(refused)")
  }
}
