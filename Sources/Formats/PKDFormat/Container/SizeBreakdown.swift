package import Strokes

/// The bytes that each part of a file takes.
package struct SizeBreakdown {
  /// A part of a file.
  package enum Part: String, CaseIterable {
    case header, tables, heads, points, live, names, archive, events, preview, words, index
    /// Chunks of unknown types.
    case other
    /// The signature, and the length, type and checksum of every chunk.
    case overhead
    /// The bytes behind the first damage.
    case unread
  }

  /// The bytes of each part; their sum is the size of the file.
  package private(set) var parts: [Part: Int] = [:]
  /// The bytes of each channel of the points: the cost of its numbers by the statistics that they
  /// are coded with.
  package private(set) var channels: [PointChannel: Double] = [:]
  /// The bytes of points beyond those of their channels: the coder's states, and padding bits.
  package private(set) var rest = 0.0
  /// The number of points. Points that pieces of a stroke share count once.
  package private(set) var pointCount = 0

  /// The sizes of a file's parts, up to the first damage. Sizes of channels are optional because
  /// they need all points decoded.
  package init(_ reader: PKDReader, hasChannels: Bool = true) {
    let bytes = reader.bytes
    for chunk in reader.chunks where chunk.type != .strokes {
      add(chunk.payload.count, to: Part(chunk.type))
    }
    let end = reader.chunks.last?.end ?? bytes.count
    add(end - reader.chunks.reduce(0) { $0 + $1.payload.count }, to: .overhead)
    add(bytes.count - end, to: .unread)
    for (chunk, block) in zip(reader.chunks.lazy.filter { $0.type == .strokes }, reader.blocks) {
      add(block.heads.points.count, to: .points)
      add(chunk.payload.count - block.heads.points.count, to: .heads)
    }
    guard hasChannels else { return }
    // Opening has read these blocks without an error, so reading them again cannot fail.
    try? reader.forEachBlock { chunk, heads, table, tools throws(PKDError) in
      addPoints(of: heads, in: bytes, table: table, tools: &tools)
    }
  }

  private mutating func add(_ count: Int, to part: Part) {
    if count > 0 { parts[part, default: 0] += count }
  }

  /// Adds the cost of a block's channels; a damaged block counts as `rest`.
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
    } else if let reading = try? StrokeBlock.readNumbers(
      bytes, of: heads, coded, table: table.shapes, tools: &tools)
    {
      // The flags of y as they are coded.
      reading.combineFlags(&tools.values)
      let lanes = PointBlock.lanes(pointCount: count)
      for channel in PointChannel.allCases {
        let first = PointColumn.index(channel.rawValue, .starts)
        costs[channel] =
          reading.columns[first..<first + PointColumn.count].reduce(0) { sum, column in
            sum + Self.cost(of: column, in: tools.values, lanes: lanes)
          } / 8
      }
    }
    for (channel, cost) in costs where cost > 0 { channels[channel, default: 0] += cost }
    rest += Double(heads.points.count) - costs.values.reduce(0, +)
  }

  /// The cost of a column in bits.
  private static func cost(of column: SymbolColumn, in values: [UInt32], lanes: Int) -> Double {
    guard !column.range.isEmpty else { return 0 }
    guard let companion = column.companion else {
      return Segment(values[column.range], column.kind).bitCount(lanes: lanes)
    }
    // The companion's numbers serve as contexts, and cost nothing here.
    let companions = values[companion..<companion + column.range.count]
    var segment = Segment(companions, column.kind)
    let alone = segment.bitCount(lanes: lanes)
    segment.add(column.kind, companion: 0) { $0 += values[column.range] }
    return segment.bitCount(lanes: lanes) - alone
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
    case .words: self = .words
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

  /// The bits that coding takes.
  fileprivate func bitCount(lanes: Int) -> Double { Double(cost(lanes: lanes)) / 1024 }
}
