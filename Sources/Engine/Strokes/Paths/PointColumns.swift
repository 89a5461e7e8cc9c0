/// The stored control points of a path: one column for each channel, or a single value for a
/// channel that is the same in all points.
///
/// Every channel is in `floats` or `words`, in channel order, as `count` values or as one. So the
/// index of a value is found by counting bits, in constant time, and a point takes only the memory
/// of the channels that vary.
///
/// Some members are `@usableFromInline` for the loops of other modules: without this, package
/// functions are not inlined there.
@usableFromInline
package struct PointColumns: Sendable {
  @usableFromInline package let count: Int
  /// The scale of the word channels.
  package let scale: PointScale
  /// The channels with one value for each point.
  package let varying: PointChannels
  /// The channels that the source has; the others have default values.
  package let present: PointChannels
  /// The values of all float channels, one channel after the other.
  @usableFromInline package let floats: [Float]
  /// The values of all word channels, one channel after the other.
  package let words: [UInt16]

  /// Columns from their arrays, which must have the lengths that `varying` implies.
  package init(
    count: Int, scale: PointScale, varying: PointChannels, present: PointChannels,
    floats: [Float], words: [UInt16]
  ) {
    precondition(
      floats.count == Self.length(of: varying, in: .floats, count: count)
        && words.count == Self.length(of: varying, in: .words, count: count),
      "a column is missing values or has too many")
    precondition(
      varying.isSuperset(of: PointChannels([.x, .y])), "every point has a location of its own")
    self.count = count
    self.scale = scale
    self.varying = varying
    self.present = present
    self.floats = floats
    self.words = words
  }

  /// The number of values of all channels of one kind, floats or words.
  package static func length(
    of varying: PointChannels, in kind: PointChannels, count: Int
  ) -> Int {
    let long = varying.intersection(kind).rawValue.nonzeroBitCount
    return long * count + kind.rawValue.nonzeroBitCount - long
  }

  /// The address of the values, which is the same for all copies of these columns.
  package var address: UInt {
    floats.withUnsafeBufferPointer { UInt(bitPattern: $0.baseAddress) }
  }

  /// The index of a channel's first value in `floats` or `words`, and the step to the next point's
  /// value: 1 for a column, 0 for a single value.
  @inline(__always)
  package func layout(of channel: PointChannel) -> (start: Int, step: Int) {
    let kind: PointChannels = channel.isFloat ? .floats : .words
    let long = varying.intersection(kind).count(before: channel)
    let short = kind.count(before: channel) - long
    return (long * count + short, varying.contains(channel) ? 1 : 0)
  }

  /// The value of a float channel at a point.
  @inline(__always)
  package func float(_ channel: PointChannel, at index: Int) -> Float {
    let (start, step) = layout(of: channel)
    return floats[start + step * index]
  }

  /// The value of a word channel at a point.
  @inline(__always)
  package func word(_ channel: PointChannel, at index: Int) -> UInt16 {
    let (start, step) = layout(of: channel)
    return words[start + step * index]
  }

  package subscript(index: Int) -> StoredPoint { PointCursor(self).point(at: index) }

  /// The location of a point. Locations are never single values, so they are the first two columns.
  @inlinable @inline(__always)
  package func location(at index: Int) -> SIMD2<Double> {
    SIMD2(Double(floats[index]), Double(floats[count + index]))
  }

  /// The location of a control point. The indices -1 and `count` give the reflections beyond the
  /// ends.
  @inlinable @inline(__always)
  package func controlLocation(_ index: Int) -> SIMD2<Double> {
    let last = count - 1
    if index >= 0 && index <= last { return location(at: index) }
    let end = index < 0 ? 0 : last
    guard last > 0 else { return location(at: end) }
    return 2 * location(at: end) - location(at: end == 0 ? 1 : last - 1)
  }

  /// The span between the control points `index` and `index + 1`; a dot has the span 0.
  @inlinable @inline(__always)
  package func span(_ index: Int) -> SplineSpan {
    if index >= 1, index + 2 < count {
      return SplineSpan(
        location(at: index - 1), location(at: index), location(at: index + 1),
        location(at: index + 2))
    }
    return SplineSpan(
      controlLocation(index - 1), controlLocation(index), controlLocation(index + 1),
      controlLocation(index + 2))
  }
}

/// Reads whole points from columns. It computes the layout of the channels once.
struct PointCursor {
  private let columns: PointColumns
  private let starts: SIMD16<Int>
  private let steps: SIMD16<Int>

  init(_ columns: PointColumns) {
    self.columns = columns
    var (starts, steps) = (SIMD16<Int>.zero, SIMD16<Int>.zero)
    for channel in PointChannel.allCases {
      let (start, step) = columns.layout(of: channel)
      starts[channel.rawValue] = start
      steps[channel.rawValue] = step
    }
    (self.starts, self.steps) = (starts, steps)
  }

  @inline(__always)
  func point(at index: Int) -> StoredPoint {
    precondition(index >= 0 && index < columns.count, "the path has no control point of this index")
    let indices = starts &+ steps &* index
    let (f, w) = (columns.floats, columns.words)
    @inline(__always) func float(_ lane: Int) -> Float { f[indices[lane]] }
    @inline(__always) func word(_ lane: Int) -> UInt16 { w[indices[lane]] }
    return StoredPoint(
      floats: [float(0), float(1), float(2), float(3), float(4), float(5), 0, 0],
      words: [word(6), word(7), word(8), word(9), word(10), word(11), word(12), 0])
  }
}

extension PointColumns {
  /// Columns for points, with single values for channels that are the same in all points.
  package init(_ points: [StoredPoint], scale: PointScale, present: PointChannels = .all) {
    guard let first = points.first else {
      self.init(emptyIn: scale, present: present, varying: PointChannels([.x, .y]))
      return
    }
    let varying = Self.changing(in: points, from: first)
    var floats: [Float] = []
    var words: [UInt16] = []
    floats.reserveCapacity(Self.length(of: varying, in: .floats, count: points.count))
    words.reserveCapacity(Self.length(of: varying, in: .words, count: points.count))
    // Lanes instead of channels, and plain loops: most strokes are short, and this runs for each of
    // them.
    for lane in 0..<PointChannel.aspect.rawValue {
      if varying.rawValue >> lane & 1 == 1 {
        for point in points { floats.append(point.floats[lane]) }
      } else {
        floats.append(first.floats[lane])
      }
    }
    for channel in PointChannel.aspect.rawValue...PointChannel.threshold.rawValue {
      let lane = channel - PointChannel.aspect.rawValue
      if varying.rawValue >> channel & 1 == 1 {
        for point in points { words.append(point.words[lane]) }
      } else {
        words.append(first.words[lane])
      }
    }
    self.init(
      count: points.count, scale: scale, varying: varying, present: present, floats: floats,
      words: words)
  }

  /// The location, and the channels in which points differ, bit for bit.
  private static func changing(in points: [StoredPoint], from first: StoredPoint) -> PointChannels {
    var floatBits = SIMD8<UInt32>.zero
    var wordBits = SIMD8<UInt16>.zero
    let firstBits = unsafeBitCast(first.floats, to: SIMD8<UInt32>.self)
    for point in points {
      floatBits |= unsafeBitCast(point.floats, to: SIMD8<UInt32>.self) ^ firstBits
      wordBits |= point.words ^ first.words
    }
    var result = PointChannels([.x, .y]).rawValue
    for lane in 0..<8 {
      if floatBits[lane] != 0 { result |= 1 << UInt16(lane) }
      if wordBits[lane] != 0 { result |= 1 << UInt16(lane + PointChannel.aspect.rawValue) }
    }
    return PointChannels(rawValue: result)
  }

  /// Columns without points. Their single values are the defaults.
  package init(emptyIn scale: PointScale, present: PointChannels, varying: PointChannels) {
    let lone = StoredPoint(defaultsIn: scale)
    self.init(
      count: 0, scale: scale, varying: varying, present: present,
      floats: PointChannel.floats.filter { !varying.contains($0) }.map { lone[float: $0] },
      words: PointChannel.words.filter { !varying.contains($0) }.map { lone[word: $0] })
  }

  /// The location, and the channels whose values differ between points.
  package var changing: PointChannels {
    var result = PointChannels([.x, .y])
    guard count > 1 else { return result }
    for channel in PointChannel.allCases where varying.contains(channel) && channel != .x {
      let (start, _) = layout(of: channel)
      let isSame =
        channel.isFloat
        ? floats[start..<start + count].allSatisfy { $0.bitPattern == floats[start].bitPattern }
        : words[start..<start + count].allSatisfy { $0 == words[start] }
      if !isSame { result.insert(PointChannels(channel)) }
    }
    return result
  }

  /// The same points, with one value per point in the given channels and in those that differ
  /// between points.
  package func storing(_ wanted: PointChannels, present: PointChannels) -> PointColumns {
    guard count > 0 else {
      return PointColumns(
        emptyIn: scale, present: present, varying: wanted.union(PointChannels([.x, .y])))
    }
    return columns(storing: changing.union(wanted), present: present)
  }

  private func columns(storing varying: PointChannels, present: PointChannels) -> PointColumns {
    func column<Value>(_ channel: PointChannel, of values: [Value], into result: inout [Value]) {
      let (start, step) = layout(of: channel)
      if !varying.contains(channel) {
        result.append(values[start])
      } else if step == 1 {
        result += values[start..<start + count]
      } else {
        result += repeatElement(values[start], count: count)
      }
    }
    var floats: [Float] = []
    var words: [UInt16] = []
    floats.reserveCapacity(Self.length(of: varying, in: .floats, count: count))
    words.reserveCapacity(Self.length(of: varying, in: .words, count: count))
    for channel in PointChannel.floats { column(channel, of: self.floats, into: &floats) }
    for channel in PointChannel.words { column(channel, of: self.words, into: &words) }
    return PointColumns(
      count: count, scale: scale, varying: varying, present: present, floats: floats, words: words)
  }

  /// The same points with secondary widths, which are the widths if the source has none.
  package var withSecondaryWidths: PointColumns {
    guard !present.contains(.secondaryWidth) else { return self }
    let secondary = PointChannels([.secondaryWidth])
    let isVarying = varying.contains(.width)
    var floats: [Float] = []
    floats.reserveCapacity(self.floats.count + count)
    for channel in PointChannel.floats {
      let (start, step) = layout(of: channel == .secondaryWidth ? .width : channel)
      floats += self.floats[start..<start + (step == 1 ? count : 1)]
    }
    return PointColumns(
      count: count, scale: scale,
      varying: isVarying ? varying.union(secondary) : varying.subtracting(secondary),
      present: present.union(secondary), floats: floats, words: words)
  }

  /// The same points with lateral jitter: one value for all of them, or one for each.
  package func withLateralJitter(_ values: [Float]) -> PointColumns {
    precondition(values.count == 1 || values.count == count, "a jitter for all points or for each")
    let jitter = PointChannels([.lateralJitter])
    var floats: [Float] = []
    floats.reserveCapacity(self.floats.count + count)
    for channel in PointChannel.floats {
      let (start, step) = layout(of: channel)
      let old = self.floats[start..<start + (step == 1 ? count : 1)]
      floats += channel == .lateralJitter ? values[...] : old
    }
    // A single point has one value either way.
    let isVarying = values.count > 1 || (count == 1 && varying.contains(.lateralJitter))
    return PointColumns(
      count: count, scale: scale,
      varying: isVarying ? varying.union(jitter) : varying.subtracting(jitter),
      present: present.union(jitter), floats: floats, words: words)
  }

  /// All points in their stored form.
  package var points: [StoredPoint] {
    let cursor = PointCursor(self)
    return (0..<count).map { cursor.point(at: $0) }
  }

  /// The same points in another scale, with each value rounded to its nearest step.
  package func converted(to target: PointScale) -> PointColumns {
    guard target != scale else { return self }
    var words = words
    func convert(_ channel: PointChannel, _ body: (UInt16) -> UInt16) {
      let (start, step) = layout(of: channel)
      for index in start..<start + (step == 1 ? count : 1) { words[index] = body(words[index]) }
    }
    convert(.azimuth) { target.storedAzimuth(scale.azimuth($0)) }
    convert(.altitude) { target.storedAltitude(scale.altitude($0)) }
    convert(.opacity) { target.storedOpacity(scale.opacity($0)) }
    return PointColumns(
      count: count, scale: target, varying: varying, present: present, floats: floats,
      words: words)
  }
}

extension PointColumns {
  /// Whether all values are the same bit for bit, in the same layout.
  func isIdentical(to other: PointColumns) -> Bool {
    count == other.count && scale == other.scale && varying == other.varying
      && present == other.present && words == other.words
      && floats.withUnsafeBufferPointer { floats in
        other.floats.withUnsafeBufferPointer { others in
          var differences: UInt32 = 0
          // Their number is the same, since the layout is.
          for index in floats.indices {
            differences |= floats[index].bitPattern ^ others[index].bitPattern
          }
          return differences == 0
        }
      }
  }
}

extension PointColumns: Hashable {
  /// Columns are equal when all points are equal, in any layout.
  @usableFromInline
  package static func == (a: PointColumns, b: PointColumns) -> Bool {
    guard a.count == b.count, a.scale == b.scale else { return false }
    guard a.count > 0 else { return true }
    if a.varying == b.varying {
      return a.floats == b.floats && a.words == b.words
    }
    return (0..<a.count).allSatisfy { a[$0] == b[$0] }
  }

  @usableFromInline
  package func hash(into hasher: inout Hasher) {
    hasher.combine(count)
    guard count > 0 else { return }
    for index in [0, count / 2, count - 1] { hasher.combine(self[index]) }
  }
}
