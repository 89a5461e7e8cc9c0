import Strokes

/// Reads the columns of a block channel by channel. The count of a predicted channel's numbers is
/// known only after its flags.
struct PointReading {
  /// The columns of the channels that were read, with their final ranges.
  private(set) var columns: [SymbolColumn] = []
  /// The index behind the last number that was read.
  var end = 0

  private let paths: [CodedPath]
  private let table: ShapeTable
  private var layout: BlockLayout
  /// The offset in the file of the block's points, for errors.
  private let offset: Int

  init(_ paths: [CodedPath], in table: ShapeTable, offset: Int) {
    self.paths = paths
    self.table = table
    self.offset = offset
    layout = PointBlock.layout(paths, in: table)
    columns.reserveCapacity(PointColumn.count * PointChannel.allCases.count)
  }

  /// An upper bound of the count of numbers of x and y.
  var locationCount: Int { paths.reduce(0) { $0 + 2 * 3 * ($1.count + 2) } }

  /// Reads a channel's columns into the values, which grow if they are too short.
  mutating func read(
    _ channel: PointChannel, into values: inout [UInt32], _ read: SegmentDecoder.ColumnReading
  ) throws(PKDError) {
    let first = columns.count
    let start = end
    let counts = layout.counts(of: channel)
    counts.append(channel, to: &columns, end: &end, companion: columns.residualsOfX)
    if counts.isEmpty { return }
    values.grow(to: end)
    guard layout[channel.rawValue, .tails] > 0 else {
      for column in columns[first...] { try read(column, &values) }
      return
    }
    let flags = first + PointColumn.flags.rawValue
    for column in columns[first..<flags] { try read(column, &values) }
    layout[channel.rawValue, .flags] = try countFlags(channel, columns[flags - 1].range, values)
    try relayout(channel, from: start, first: first, &values)
    try read(columns[flags], &values)
    try count(channel, &values)
    try relayout(channel, from: start, first: first, &values)
    for column in columns[(flags + 1)...] { try read(column, &values) }
  }

  /// Lays out the columns of a channel again, after the lengths of some became known.
  private mutating func relayout(
    _ channel: PointChannel, from start: Int, first: Int, _ values: inout [UInt32]
  ) throws(PKDError) {
    columns.removeLast(columns.count - first)
    end = start
    layout.counts(of: channel).append(
      channel, to: &columns, end: &end, companion: columns.residualsOfX)
    values.grow(to: end)
  }

  /// The count of flags of a channel, from the counts of points without one.
  private func countFlags(
    _ channel: PointChannel, _ tails: Range<Int>, _ values: [UInt32]
  ) throws(PKDError) -> Int {
    var sum = 0
    for (path, tail) in zip(gridPaths(channel), values[tails]) {
      // The first point has a flag.
      guard tail < path.count else { throw PKDError(.entropy, at: offset) }
      sum += path.count - Int(tail)
    }
    return sum
  }

  /// Counts the numbers on and off the grid of a channel whose flags are read.
  private mutating func count(
    _ channel: PointChannel, _ values: inout [UInt32]
  ) throws(PKDError) {
    if channel == .y { combineFlags(&values) }
    var tail = range(channel, .tails).lowerBound
    var flag = range(channel, .flags).lowerBound
    for path in gridPaths(channel) {
      let flagCount = path.count - Int(values[tail])
      tail += 1
      var ones = 0
      for index in 0..<flagCount {
        guard values[flag + index] <= 1 else { throw PKDError(.entropy, at: offset) }
        if index > 0 { ones += Int(values[flag + index]) }
      }
      layout[channel.rawValue, .indices] += flagCount - 1 - ones
      layout[channel.rawValue, .bits] += ones + path.count - flagCount
      flag += flagCount
    }
  }

  /// Replaces the flags of y by their exclusive or with those of x. This turns coded flags into the
  /// points' own flags; a second call turns them back.
  func combineFlags(_ values: inout [UInt32]) {
    var (tail, flag) = (range(.y, .tails).lowerBound, range(.y, .flags).lowerBound)
    var (tailOfX, flagOfX) = (range(.x, .tails).lowerBound, range(.x, .flags).lowerBound)
    for path in paths {
      let (hasX, hasY) = (hasFlags(path, .x), hasFlags(path, .y))
      let flagsOfX = hasX ? path.count - Int(values[tailOfX]) : 0
      let flags = hasY ? path.count - Int(values[tail]) : 0
      for index in 0..<min(flags, flagsOfX) { values[flag + index] ^= values[flagOfX + index] }
      (tail, flag) = (tail + (hasY ? 1 : 0), flag + flags)
      (tailOfX, flagOfX) = (tailOfX + (hasX ? 1 : 0), flagOfX + flagsOfX)
    }
  }

  private func range(_ channel: PointChannel, _ column: PointColumn) -> Range<Int> {
    columns[PointColumn.index(channel.rawValue, column)].range
  }

  private func hasFlags(_ path: CodedPath, _ channel: PointChannel) -> Bool {
    path.count > 0 && table.shapes[path.shape].predicted.contains(channel)
      && path.hasGrid(channel, in: table)
  }

  private func gridPaths(_ channel: PointChannel) -> [CodedPath] {
    paths.filter { hasFlags($0, channel) }
  }
}

extension [UInt32] {
  fileprivate mutating func grow(to count: Int) {
    if self.count < count { append(contentsOf: repeatElement(0, count: count - self.count)) }
  }
}
