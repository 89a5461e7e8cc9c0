import CMath
package import Strokes

/// What a file spends its bytes on.
package struct SizeBreakdown {
  /// What a byte of a file can be for.
  package enum Part: String, CaseIterable {
    case header, tables, heads, points, live, names, archive, events, preview, index
    /// Chunks that are not known here.
    case other
    /// The signature, and around every chunk its length, its type and its checksum.
    case overhead
    /// What lies behind the first damage.
    case unread
  }

  /// The bytes of each part; together they are the file.
  package private(set) var parts: [Part: Int] = [:]
  /// The bytes of each channel of the points: what its numbers cost by the statistics that they are
  /// coded with.
  package private(set) var channels: [PointChannel: Double] = [:]
  /// What points cost beyond their channels: the coder's states, and bits that fill up a byte.
  package private(set) var rest = 0.0
  /// How many points were counted. Pieces of a stroke share theirs.
  package private(set) var pointCount = 0

  /// Takes a file apart, up to the first damage. Channels are only counted if they are asked for, as that
  /// decodes all points.
  package init(_ reader: PKDReader, hasChannels: Bool = true) {
    let bytes = reader.bytes
    add(Signature.bytes.count, to: .overhead)
    for chunk in reader.chunks {
      add(Chunk.overhead, to: .overhead)
      if chunk.type != .strokes { add(chunk.payload.count, to: Part(chunk.type)) }
    }
    add(bytes.count - (reader.chunks.last?.end ?? bytes.count), to: .unread)
    for (chunk, block) in zip(reader.chunks.lazy.filter { $0.type == .strokes }, reader.blocks) {
      add(block.heads.points.count, to: .points)
      add(chunk.payload.count - block.heads.points.count, to: .heads)
    }
    guard hasChannels else { return }
    // Blocks that opening has read can be read again.
    try? reader.forEachBlock { chunk, heads, table, tools throws(PKDError) in
      addPoints(of: heads, in: bytes, table: table, tools: &tools)
    }
  }

  private mutating func add(_ count: Int, to part: Part) {
    if count > 0 { parts[part, default: 0] += count }
  }

  /// Finds what the channels of a block cost; a block that is damaged counts as a rest.
  private mutating func addPoints(
    of heads: StrokeBlock.Heads, in bytes: [UInt8], table: FormTable, tools: inout BlockTools
  ) {
    let coded = heads.codedPaths(table)
    let count = coded.reduce(0) { $0 + $1.count }
    guard count > 0 else { return }
    pointCount += count
    var costs = [PointChannel: Double]()
    if heads.coding == .plain {
      for path in coded {
        let varying = table.shapes.shapes[path.shape].varying
        for channel in PointChannel.allCases {
          let length = varying.contains(channel) ? path.count : 1
          costs[channel, default: 0] += Double((channel.isFloat ? 4 : 2) * length)
        }
      }
    } else if let columns = try? StrokeBlock.readNumbers(
      bytes, of: heads, coded, table: table.shapes, tools: &tools)
    {
      let lanes = PointBlock.lanes(pointCount: count)
      for channel in PointChannel.allCases {
        costs[channel] =
          columns[4 * channel.rawValue..<4 * channel.rawValue + 4].reduce(0) { sum, column in
            sum + Self.cost(of: column, in: tools.values, lanes: lanes)
          } / 8
      }
    }
    for (channel, cost) in costs where cost > 0 { channels[channel, default: 0] += cost }
    rest += Double(heads.points.count) - costs.values.reduce(0, +)
  }

  /// The bits of a column.
  private static func cost(of column: SymbolColumn, in values: [UInt32], lanes: Int) -> Double {
    guard !column.range.isEmpty else { return 0 }
    guard let companion = column.companion else {
      return Segment(values[column.range], column.kind).cost(lanes: lanes)
    }
    // The companion's numbers say how likely the others are, and cost nothing here.
    let beside = values[companion..<companion + column.range.count]
    var segment = Segment(beside, column.kind)
    let alone = segment.cost(lanes: lanes)
    segment.add(column.kind, companion: 0) { $0 += values[column.range] }
    return segment.cost(lanes: lanes) - alone
  }
}

extension SizeBreakdown.Part {
  fileprivate init(_ type: ChunkType) {
    switch type {
    case .header: self = .header
    case .table: self = .tables
    case .live: self = .live
    case .names: self = .names
    case .archive: self = .archive
    case .events: self = .events
    case .preview: self = .preview
    case .index, .tail: self = .index
    default: self = .other
    }
  }
}

extension Segment {
  fileprivate init(_ numbers: ArraySlice<UInt32>, _ kind: SymbolKind) {
    self.init()
    add(kind) { $0 += numbers }
  }

  /// The bits that coding takes in the long run.
  fileprivate func cost(lanes: Int) -> Double {
    let counts = PriorTables.shipped.counts
    var bits = 0.0
    _ = forEachSymbol(lanes: lanes) { kind, context, _, _, value in
      let table = PriorTables.place(kind, context) * Token.count
      var token = Token.of(value)
      if counts[table + token] == 0 { token = Token.escape }
      bits += log2(Double(PriorTables.total) / Double(counts[table + token]))
      bits += Double(Token.range(of: token).bitCount)
    }
    return bits
  }
}
