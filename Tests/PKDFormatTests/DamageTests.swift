import Graphics
import Strokes
import TestSupport
import Testing

@testable import PKDFormat

/// Files with all that files hold, small enough to be damaged everywhere.
enum SampleFiles {
  /// One short stroke.
  static let tiny: [UInt8] = {
    var random = RandomInk(seed: 1)
    return (try? PKDWriter.encode(PKDrawing(strokes: [random.stroke(pointCount: 3...3)]))) ?? []
  }()

  /// Two blocks of strokes, pieces, masks, groups and an outline of no archive's.
  static let drawing: [UInt8] = {
    var random = RandomInk(seed: 3)
    var drawing = random.drawing(strokeCount: 15...15, pointCount: 0...3)
    drawing.strokes += random.erasedDrawing(strokeCount: 3...3, pointCount: 2...4).strokes
    drawing.residue = ArchiveResidue(form: .notes2018, bytes: [8, 1, 0x12, 3, 1, 2, 3])
    return (try? PKDWriter.encode(drawing)) ?? []
  }()

  /// Every kind of event.
  static let recording: [UInt8] = {
    var random = RandomInk(seed: 6)
    return (try? PKDWriter.encode(random.recording(eventCount: 24...24))) ?? []
  }()

  static let all = [tiny, drawing, recording]
}

struct DamageTests {
  /// What a stroke is apart from its names, which lie in another chunk.
  private static func isSame(_ a: PKStroke, _ b: PKStroke) -> Bool {
    a.path.columns.isIdentical(to: b.path.columns) && a.ink == b.ink && a.mask == b.mask
      && a.transform == b.transform && a.path.creationDate == b.path.creationDate
      && a.randomSeed == b.randomSeed && a.pathRange == b.pathRange
      && (a.parentID == nil) == (b.parentID == nil)
      && (a.renderGroupID == nil) == (b.renderGroupID == nil)
  }

  @Test(arguments: SampleFiles.all.indices)
  func `a file that is cut anywhere gives exactly the strokes of its whole chunks`(
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
  func `every flipped bit is noticed, and what was before it is read`(_ sample: Int) throws {
    var bytes = SampleFiles.all[sample]
    let strokes = try PKDReader(bytes).readStrokes().value
    for index in bytes.indices {
      // Every bit of the smallest; of the others one of each byte.
      for bit in UInt8(0)..<8 where sample == 0 || Int(bit) == index % 8 {
        bytes[index] ^= 1 << bit
        defer { bytes[index] ^= 1 << bit }
        do throws(PKDError) {
          let reader = try PKDReader(bytes)
          #expect(reader.wholeDamage != nil, "bit \(bit) of byte \(index)")
          #expect(!reader.isFinished)
          #expect(reader.wholeDamage.map { $0.offset <= bytes.count } ?? false)
          // Reading all points at every bit would take long.
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

  @Test func `twenty thousand files with changed payloads and sound checksums end well`() throws {
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
      let place = random.whole(0...file.parts.count - 1)
      switch random.whole(0...19) {
      case 0: file.parts.remove(at: place)
      case 1: file.parts.insert(file.parts[place], at: random.whole(0...file.parts.count))
      case 2: file.parts.swapAt(place, random.whole(0...file.parts.count - 1))
      case 3: file.parts[place] = other.parts[random.whole(0...other.parts.count - 1)]
      default:
        let donor = other.parts.first { $0.type == file.parts[place].type }
        file.parts[place].payload = mutation.mutated(
          file.parts[place].payload, splicing: donor?.payload ?? [])
      }
      // Most are only read; writing what was read takes longer.
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
    // A generator that only makes rubbish, or none, would test nothing.
    #expect(min(whole, damaged, refused) > 500, "\(whole), \(damaged), \(refused)")
  }
}
