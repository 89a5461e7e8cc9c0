import Foundation
import Strokes
import TestSupport
import Testing

@testable import PKDFormat

struct TokenTests {
  @Test func `every number has one token, whose range contains it`() {
    var next: UInt64 = 0
    for token in 0..<Token.escape {
      let (base, bitCount) = Token.range(of: token)
      #expect(UInt64(base) == next, "ranges of tokens are adjacent")
      next += 1 << UInt64(bitCount)
      #expect(Token.of(base) == token)
      #expect(Token.of(UInt32(next - 1)) == token)
      let range = Token.ranges[token]
      #expect(range.base == base && range.bitCount == UInt32(bitCount))
      #expect(UInt64(range.mask) + 1 == 1 << UInt64(bitCount))
    }
    // Numbers in the highest quarter are coded by the escape.
    #expect(next == 3 << 30)
    for value: UInt32 in [3 << 30, 3 << 30 + 1, .max] { #expect(Token.of(value) == Token.escape) }
    #expect(Token.range(of: Token.escape) == (0, 32))
    #expect(Token.ranges[Token.escape].mask == .max && Token.ranges[Token.escape].bitCount == 32)
  }

  @Test func `a history's context stays inside the tables for all numbers`() {
    let edgeCases: [UInt32] = [0, 1, 2, 15, 16, 255, 1 << 13, 1 << 14 - 1, 1 << 14, 1 << 31, .max]
    for kind in SymbolKind.allCases {
      for a in edgeCases {
        for b in edgeCases {
          var history = History(kind)
          for value in [a, b, a, a, b] {
            #expect(0..<History.classCount ~= history.context)
            #expect(PriorTables.recordOffsets.indices ~= history.size)
            for companion in edgeCases {
              #expect(0..<History.classCount ~= history.context(companion: companion))
              #expect(PriorTables.recordOffsets.indices ~= history.size(companion: companion))
            }
            history.add(value)
          }
        }
      }
    }
  }

  @Test func `the table of record offsets agrees with the computed contexts`() {
    for size in PriorTables.recordOffsets.indices {
      let context = History.classOf(size)
      #expect(Int(PriorTables.recordOffsets[size]) == context * PriorTables.recordBytes)
    }
    #expect(PriorTables.recordOffsets.count == 65_535)
  }

  @Test func `zigzag coding round-trips, and small numbers stay small`() {
    for value: Int64 in [0, -1, 1, -2, 2, .min, .max, 1 << 40] {
      #expect(value.zigzagged.unzigzagged == value)
    }
    for value: Int32 in [0, -1, 1, -2, 2, .min, .max, 1 << 20] {
      #expect(value.zigzagged.unzigzagged == value)
    }
    #expect([0, -1, 1, -2, 2].map { ($0 as Int64).zigzagged } == [0, 1, 2, 3, 4])
  }

  @Test func `ordered bits sort like their floats, and round-trip`() {
    let values: [Float] = [
      -.greatestFiniteMagnitude, -1, -.leastNonzeroMagnitude, -0.0, 0, .leastNonzeroMagnitude, 1,
      .greatestFiniteMagnitude,
    ]
    let numbers = values.map(\.ordered)
    #expect(numbers == numbers.sorted())
    #expect(numbers.map { Float(ordered: $0).bitPattern } == values.map(\.bitPattern))
    #expect(Float(-0.0).ordered == -1)
    for value in [-1e300, -0.0, 0, 5.5] {
      #expect(Double(ordered: value.ordered).bitPattern == value.bitPattern)
    }
  }
}

struct SegmentTests {
  /// Random columns of every kind, sparse and dense, with and without companions, also larger ones
  /// than blocks have.
  static func segment(_ random: inout RandomInk) -> Segment {
    var segment = Segment()
    var companion: (start: Int, count: Int)?
    for _ in 0..<random.whole(1...12) {
      let kind = SymbolKind.allCases[random.whole(0...SymbolKind.allCases.count - 1)]
      let count = random.chance(0.2) ? random.whole(0...3) : random.whole(0...300)
      let rule = random.whole(0...5)
      let hasCompanion = companion?.count == count && !kind.isSparse && random.chance()
      let start = segment.values.count
      segment.add(kind, companion: hasCompanion ? companion?.start : nil) { values in
        for _ in 0..<count {
          switch rule {
          case 0: values.append(0)
          case 1: values.append(random.chance(0.05) ? UInt32(random.whole(0...9)) : 0)
          case 2: values.append(UInt32(random.whole(0...20)))
          case 3: values.append(UInt32(truncatingIfNeeded: random.generator.next()))
          case 4: values.append(random.chance(0.02) ? .max : UInt32(random.whole(0...3000)))
          default: values.append(UInt32(1) << UInt32(random.whole(0...31)))
          }
        }
      }
      if random.chance() { companion = (start, count) }
    }
    return segment
  }

  @Test(arguments: [1, 4])
  func `random columns of every kind round-trip through the coder`(_ lanes: Int) throws {
    var encoder = SegmentEncoder()
    var decoder = SegmentDecoder()
    for seed in 0..<150 {
      var random = RandomInk(seed: UInt64(seed))
      let segment = Self.segment(&random)
      var writer = ByteWriter()
      writer.append([1, 2, 3])
      encoder.encode(segment, lanes: lanes, into: &writer)
      var values = [UInt32](repeating: 7, count: segment.values.count + 1)
      try decoder.decode(
        writer.bytes, in: 3..<writer.bytes.count, columns: segment.columns, lanes: lanes,
        into: &values)
      #expect(values.dropLast() == segment.values[...], "seed \(seed)")
      #expect(values.last == 7)
    }
  }

  @Test(arguments: [1, 4])
  func `a changed byte of a segment is an error or other numbers, never a trap`(
    _ lanes: Int
  ) throws {
    var encoder = SegmentEncoder()
    var decoder = SegmentDecoder()
    var mutation = Mutation(seed: 6)
    for seed in 0..<30 {
      var random = RandomInk(seed: UInt64(seed))
      let segment = Self.segment(&random)
      var writer = ByteWriter()
      encoder.encode(segment, lanes: lanes, into: &writer)
      var values = [UInt32](repeating: 0, count: segment.values.count)
      for _ in 0..<20 {
        let bytes = mutation.mutated(writer.bytes)
        _ = Result {
          try decoder.decode(
            bytes, in: 0..<bytes.count, columns: segment.columns, lanes: lanes, into: &values)
        }
      }
      // One byte more or less is always an error, since all bytes must be used.
      for bytes in [Array(writer.bytes.dropLast()), writer.bytes + [0]] {
        #expect(throws: PKDError.self) {
          try decoder.decode(
            bytes, in: 0..<bytes.count, columns: segment.columns, lanes: lanes, into: &values)
        }
      }
    }
  }

  @Test(arguments: [1, 4]) func `random bytes never trap the decoder`(_ lanes: Int) {
    var decoder = SegmentDecoder()
    for seed in 0..<400 {
      var random = RandomInk(seed: UInt64(seed))
      let columns = Self.segment(&random).columns
      let kinds: [() -> UInt8] = [
        { UInt8(random.whole(0...255)) }, { 0 }, { 0xFF }, { random.chance() ? 0 : 1 },
      ]
      let kind = kinds[seed % kinds.count]
      let count = random.whole(0...400)
      let bytes = (0..<count).map { _ in kind() }
      var values = [UInt32](repeating: 0, count: columns.last?.range.upperBound ?? 0)
      _ = Result {
        try decoder.decode(
          bytes, in: 0..<bytes.count, columns: columns, lanes: lanes, into: &values)
      }
    }
  }

  @Test func `the statistics' counts sum up, and every context has an escape`() {
    let counts = PriorTables.shipped.counts
    #expect(counts.count == PriorTables.tableCount * Token.count)
    for start in stride(from: 0, to: counts.count, by: Token.count) {
      #expect(counts[start..<start + Token.count].reduce(0, +) == 1024)
      #expect(counts[start + Token.escape] > 0)
    }
    #expect(
      PriorTables.pack(counts).utf8.allSatisfy { (48...112).contains($0) },
      "characters that a raw string may contain")
  }

  /// A line at rest has the most points per byte. Readers must not refuse it because of their
  /// limit.
  @Test func `coded points cost enough bits for the limit of points per byte`() {
    let counts = PriorTables.shipped.counts
    var maximum: UInt16 = 0
    for context in 0..<History.classCount {
      let start = PriorTables.index(.location, context) * Token.count
      maximum = max(maximum, counts[start..<start + Token.count].max() ?? 0)
    }
    // Two numbers a point: bits per number are log2(1024 / count), at least (1024 - count) / 1024
    // times 1.4427.
    let bits = 2 * 1.4426 * Double(1024 - maximum) / 1024
    #expect(8 / bits < Double(PKDLimits().pointsPerByte), "\(8 / bits) points a byte")
  }
}

struct ArchiveCodingTests {
  private func expectRoundTrip(
    _ bytes: [UInt8], _ form: ArchiveResidue.Form, names: [Identifier] = [],
    _ location: SourceLocation = #_sourceLocation
  ) throws {
    let residue = ArchiveResidue(form: form, bytes: bytes)
    let coded = [9, 9] + ArchiveEncoder.encode(residue, names: names)
    let again = try ArchiveDecoder.decode(
      coded, in: 2..<coded.count, names: names, limits: PKDLimits())
    #expect(again.bytes == bytes, sourceLocation: location)
    #expect(again.form == form, sourceLocation: location)
    #expect(ArchiveEncoder.encode(residue, names: names) == Array(coded.dropFirst(2)))
  }

  /// A message of random fields, nested messages and names.
  private func message(
    _ random: inout RandomInk, _ names: inout [Identifier], depth: Int = 0
  ) -> [UInt8] {
    var writer = ByteWriter()
    for _ in 0..<random.whole(0...6) {
      let number = UInt64(random.chance(0.9) ? random.whole(1...12) : random.whole(1...1 << 28))
      switch random.whole(0...5) {
      case 0, 1:
        writer.varint(number << 3)
        writer.varint(random.chance(0.2) ? random.generator.next() : UInt64(random.whole(0...40)))
      case 2:
        writer.varint(number << 3 | 1)
        writer.double(random.number(-9...9))
      case 3:
        writer.varint(number << 3 | 5)
        writer.littleEndian(random.generator.next(), count: 4)
      default:
        var payload: [UInt8]
        if random.chance(0.4) {
          let name = random.identifier()
          if random.chance(0.8) { names.append(name) }
          payload = name.bytes
        } else if depth < 15, random.chance(0.8) {
          payload = message(&random, &names, depth: depth + 1)
        } else {
          payload = (0..<random.whole(0...20)).map { _ in UInt8(random.whole(0...255)) }
        }
        writer.varint(number << 3 | 2)
        writer.count(payload.count)
        writer.append(payload)
      }
    }
    return writer.bytes
  }

  @Test(arguments: 0..<10)
  func `random messages round-trip, with names from the strokes`(
    _ group: UInt64
  ) throws {
    for seed in 4 * group..<4 * group + 4 {
      var random = RandomInk(seed: seed)
      var names: [Identifier] = []
      var bytes: [UInt8] = []
      for _ in 0..<4 { bytes += message(&random, &names) }
      try expectRoundTrip(bytes, .notes2018, names: names)
      try expectRoundTrip(Array("wrd".utf8) + [0xF0, 1, 0] + bytes, .pencilKit, names: names)
    }
  }

  @Test func `arbitrary messages round-trip`() throws {
    for seed in 0..<120 {
      var random = RandomInk(seed: UInt64(seed))
      let bytes = (0..<random.whole(0...300)).map { _ in
        UInt8(random.whole(0...(seed % 3 == 0 ? 3 : 255)))
      }
      try expectRoundTrip(bytes, seed % 2 == 0 ? .pencilKit : .notes2018)
    }
    for count in 0..<8 {
      try expectRoundTrip([UInt8](repeating: 8, count: count), .pencilKit)
      try expectRoundTrip([UInt8](repeating: 0, count: count), .notes2018)
    }
    try expectRoundTrip([UInt8](repeating: 0, count: 5000), .notes2018)
  }

  @Test func `an outline with more fields than contexts round-trips`() throws {
    var writer = ByteWriter()
    for number in 1...8000 as ClosedRange<UInt64> {
      writer.varint(number << 3)
      writer.varint(number * number)
    }
    try expectRoundTrip(writer.bytes, .notes2018)
  }

  @Test func `messages nested deeper than the limit round-trip as bytes`() throws {
    var bytes: [UInt8] = [8, 1]
    for _ in 0..<40 { bytes = [0x0A, UInt8(bytes.count)] + bytes }
    try expectRoundTrip(bytes, .notes2018)
  }

  @Test func `an outline of as many bytes as the limit is decoded, and a longer one is refused`()
    throws
  {
    var random = RandomInk(seed: 8)
    var names: [Identifier] = []
    let message = message(&random, &names)
    let header: [UInt8] = [0x77, 0x72, 0x64, 0xF0, 1, 0]
    // Messages, and bytes that are no messages.
    let outlines: [(ArchiveResidue.Form, [UInt8])] = [
      (.pencilKit, header + message), (.notes2018, message), (.pencilKit, header),
      (.pencilKit, [9, 9, 9, 9, 9, 9] + message), (.pencilKit, header + [7, 7, 7]),
      (.notes2018, [7, 7, 7]), (.pencilKit, [7, 7]), (.notes2018, []), (.pencilKit, []),
    ]
    for (form, bytes) in outlines {
      let residue = ArchiveResidue(form: form, bytes: bytes)
      let coded = ArchiveEncoder.encode(residue, names: names)
      func decoded(limit: Int) throws(PKDError) -> [UInt8] {
        var limits = PKDLimits()
        limits.archiveBytes = limit
        return try ArchiveDecoder.decode(coded, in: coded.indices, names: names, limits: limits)
          .bytes
      }
      #expect(try decoded(limit: bytes.count) == bytes)
      guard !bytes.isEmpty else { continue }
      for limit in [bytes.count - 1, bytes.count / 2, 0] {
        let error = #expect(throws: PKDError.self) { try decoded(limit: limit) }
        guard case .tooMany(.archiveBytes, _, limit)? = error?.reason else {
          Issue.record("\(bytes.count) bytes, limit \(limit): \(String(describing: error))")
          continue
        }
      }
    }
  }

  @Test func `the cost of a token is the logarithm of its share`() {
    #expect(PriorTables.costs.count == 1025)
    for count in 1...1024 {
      let exact = Foundation.log2(1024 / Double(count)) * 1024
      #expect(abs(Double(PriorTables.costs[count]) - exact) <= 1.01, "\(count)")
    }
  }

  @Test func `the statistics of wide kinds follow their formula`() {
    #expect(Array(PriorTables.shipped.counts.suffix(54 * 72)) == PriorTraining.wideCounts)
  }

  @Test func `a damaged outline gives an error or another outline, never a trap`() {
    var mutation = Mutation(seed: 3)
    for seed in 0..<40 {
      var random = RandomInk(seed: UInt64(seed))
      var names: [Identifier] = []
      let bytes = message(&random, &names)
      let coded = ArchiveEncoder.encode(
        ArchiveResidue(form: .notes2018, bytes: bytes), names: names)
      var limits = PKDLimits()
      limits.archiveBytes = 1 << 14
      for _ in 0..<40 {
        let damaged = mutation.mutated(coded)
        let again = Result {
          try ArchiveDecoder.decode(damaged, in: 0..<damaged.count, names: names, limits: limits)
        }
        if case .success(let residue) = again { #expect(residue.bytes.count <= 1 << 14) }
      }
    }
  }

  @Test func `bits of any probability round-trip`() {
    for seed in 0..<40 {
      var random = RandomInk(seed: UInt64(seed))
      let probability = [0, 0.001, 0.1, 0.5, 0.9, 1][seed % 6]
      let bits = (0..<random.whole(0...4000)).map { _ in random.chance(probability) ? 1 : 0 }
      let switches = (0..<bits.count).map { _ in random.whole(0...2) }
      var models = [AdaptiveModel](repeating: AdaptiveModel(), count: 3)
      var encoder = AdaptiveEncoder()
      for (bit, model) in zip(bits, switches) { encoder.encode(bit, &models[model]) }
      let bytes = [1, 2] + encoder.finish()
      models = [AdaptiveModel](repeating: AdaptiveModel(), count: 3)
      var decoder = AdaptiveDecoder(bytes, in: 2..<bytes.count)
      #expect(zip(bits, switches).allSatisfy { decoder.decode(&models[$1]) == $0 })
      #expect(!decoder.isExhausted)
    }
  }
}
