import Graphics
import Strokes

/// How a channel lies in a point's record of an archive.
struct RecordChannel {
  enum Storage: Int {
    case float = 4
    /// A 16-bit word.
    case word = 2
    /// A byte, widened.
    case byte = 1
    /// A 16-bit word of tenths, kept as a float.
    case tenths = -2

    var size: Int { abs(rawValue) }
  }

  let channel: PointChannel
  let storage: Storage
}

/// The layout of point records: the channels in order, without padding.
struct RecordLayout {
  let channels: [RecordChannel]
  let size: Int

  init(_ channels: [RecordChannel]) {
    self.channels = channels
    size = channels.reduce(0) { $0 + $1.storage.size }
  }

  /// The records of `wrd` archives: the channels of a mask, the lowest bit first.
  init(mask: UInt64) {
    self.init(
      Self.wrdBits.enumerated().flatMap { bit, channels in
        mask >> UInt64(bit) & 1 == 1 ? channels : []
      })
  }

  /// What each bit of a channel mask stands for.
  private static let wrdBits: [[RecordChannel]] = [
    [RecordChannel(channel: .x, storage: .float), RecordChannel(channel: .y, storage: .float)],
    [RecordChannel(channel: .timeOffset, storage: .float)],
    [RecordChannel(channel: .width, storage: .float)],
    [RecordChannel(channel: .aspect, storage: .word)],
    [RecordChannel(channel: .edge, storage: .word)],
    [RecordChannel(channel: .force, storage: .word)],
    [RecordChannel(channel: .azimuth, storage: .word)],
    [RecordChannel(channel: .altitude, storage: .word)],
    [RecordChannel(channel: .opacity, storage: .word)],
    [RecordChannel(channel: .secondaryWidth, storage: .float)],
    [RecordChannel(channel: .threshold, storage: .word)],
  ]

  /// The mask of all channels that are known: those of iOS 26.
  static let knownMask: UInt64 = 1 << UInt64(wrdBits.count) - 1

  static let notes2018 = RecordLayout([
    RecordChannel(channel: .timeOffset, storage: .float),
    RecordChannel(channel: .x, storage: .float),
    RecordChannel(channel: .y, storage: .float),
    RecordChannel(channel: .width, storage: .tenths),
    RecordChannel(channel: .aspect, storage: .word),
    RecordChannel(channel: .edge, storage: .word),
    RecordChannel(channel: .force, storage: .word),
    RecordChannel(channel: .azimuth, storage: .word),
    RecordChannel(channel: .altitude, storage: .byte),
    RecordChannel(channel: .opacity, storage: .byte),
  ])

  var channelSet: PointChannels { PointChannels(channels.map(\.channel)) }

  /// The mask of a set of channels, leaving out what no archive stores.
  static func mask(of channels: PointChannels) -> UInt64 {
    wrdBits.enumerated().reduce(0) { mask, entry in
      entry.element.allSatisfy { channels.contains($0.channel) }
        ? mask | 1 << UInt64(entry.offset) : mask
    }
  }

  /// Where a channel begins in a record.
  func offset(of channel: PointChannel) -> RecordOffset? {
    var offset = 0
    for entry in channels {
      if entry.channel == channel { return RecordOffset(offset: offset, storage: entry.storage) }
      offset += entry.storage.size
    }
    return nil
  }
}

struct RecordOffset {
  let offset: Int
  let storage: RecordChannel.Storage
}

/// Columns from the records of an archive, and back.
///
/// The two loops here touch memory without checks; their callers have compared the sizes first.
enum PointRecords {
  /// Columns of records. A channel of `constant` comes from its single record; one in neither is
  /// the default.
  static func columns(
    _ bytes: [UInt8], records: Range<Int>, layout: RecordLayout, count: Int,
    constants: Range<Int>, constantLayout: RecordLayout, scale: PointScale
  ) -> PointColumns {
    precondition(
      records.count == count * layout.size && constants.count == constantLayout.size,
      "the sizes of point records must be compared before they are read")
    let varying = layout.channelSet
    let defaults = StoredPoint(defaultsIn: scale)
    return bytes.withUnsafeBytes { memory in
      let recordBase = UnsafeRawBufferPointer(rebasing: memory[records])
      let constantBase = UnsafeRawBufferPointer(rebasing: memory[constants])

      let floats = [Float](
        unsafeUninitializedCapacity: PointColumns.length(of: varying, in: .floats, count: count)
      ) { column, filled in
        for channel in PointChannel.floats {
          if let place = layout.offset(of: channel) {
            gather(recordBase, place, stride: layout.size, count: count) { value in
              column.initializeElement(at: filled, to: value)
              filled += 1
            }
          } else {
            let place = constantLayout.offset(of: channel)
            column.initializeElement(
              at: filled,
              to: place.map { float(constantBase, $0, at: 0) } ?? defaults[float: channel])
            filled += 1
          }
        }
      }
      let words = [UInt16](
        unsafeUninitializedCapacity: PointColumns.length(of: varying, in: .words, count: count)
      ) { column, filled in
        for channel in PointChannel.words {
          if let place = layout.offset(of: channel) {
            for index in 0..<count {
              column.initializeElement(
                at: filled, to: word(recordBase, place, at: index * layout.size))
              filled += 1
            }
          } else {
            let place = constantLayout.offset(of: channel)
            column.initializeElement(
              at: filled, to: place.map { word(constantBase, $0, at: 0) } ?? defaults[word: channel]
            )
            filled += 1
          }
        }
      }
      return PointColumns(
        count: count, scale: scale, varying: varying,
        present: varying.union(constantLayout.channelSet), floats: floats, words: words)
    }
  }

  @inline(__always)
  private static func gather(
    _ memory: UnsafeRawBufferPointer, _ place: RecordOffset, stride: Int, count: Int,
    _ emit: (Float) -> Void
  ) {
    for index in 0..<count { emit(float(memory, place, at: index * stride)) }
  }

  @inline(__always)
  private static func float(
    _ memory: UnsafeRawBufferPointer, _ place: RecordOffset, at record: Int
  ) -> Float {
    let offset = record + place.offset
    return place.storage == .tenths
      ? Float(UInt16(littleEndian: memory.loadUnaligned(fromByteOffset: offset, as: UInt16.self)))
        / 10
      : Float(
        bitPattern: UInt32(
          littleEndian: memory.loadUnaligned(fromByteOffset: offset, as: UInt32.self)))
  }

  @inline(__always)
  private static func word(
    _ memory: UnsafeRawBufferPointer, _ place: RecordOffset, at record: Int
  ) -> UInt16 {
    let offset = record + place.offset
    return place.storage == .byte
      ? UInt16(memory[offset])
      : UInt16(littleEndian: memory.loadUnaligned(fromByteOffset: offset, as: UInt16.self))
  }

  /// Records of the first `count` points of columns.
  static func records(_ columns: PointColumns, layout: RecordLayout, count: Int) -> [UInt8] {
    let size = layout.size
    return [UInt8](unsafeUninitializedCapacity: size * count) { room, filled in
      let memory = UnsafeMutableRawBufferPointer(room)
      var offset = 0
      for entry in layout.channels {
        let (start, step) = columns.place(of: entry.channel)
        switch entry.storage {
        case .float:
          for index in 0..<count {
            memory.storeBytes(
              of: columns.floats[start + step * index].bitPattern.littleEndian,
              toByteOffset: index * size + offset, as: UInt32.self)
          }
        case .tenths:
          for index in 0..<count {
            let tenths = UInt16(
              min(max((columns.floats[start + step * index] * 10).rounded(), 0), 65535))
            memory.storeBytes(
              of: tenths.littleEndian, toByteOffset: index * size + offset, as: UInt16.self)
          }
        case .word:
          for index in 0..<count {
            memory.storeBytes(
              of: columns.words[start + step * index].littleEndian,
              toByteOffset: index * size + offset, as: UInt16.self)
          }
        case .byte:
          for index in 0..<count {
            memory[index * size + offset] = UInt8(
              truncatingIfNeeded: columns.words[start + step * index])
          }
        }
        offset += entry.storage.size
      }
      filled = size * count
    }
  }
}

extension PointRecords {
  /// Locations as pairs of 32-bit floats.
  static func locations(_ points: [Point]) -> [UInt8] {
    points.flatMap { point in
      [Float(point.x).bitPattern, Float(point.y).bitPattern].flatMap { bits in
        (0..<4).map { UInt8(truncatingIfNeeded: bits >> (8 * $0)) }
      }
    }
  }
}

extension PointColumns {
  /// The first value that is infinite or not a number, by its channel and point.
  var firstNotFinite: (channel: PointChannel, index: Int)? {
    // The exponent of infinities and NaNs is all ones; a sum over all values finds one of them fast.
    var bad = false
    for value in floats { bad = bad || value.bitPattern & 0x7F80_0000 == 0x7F80_0000 }
    guard bad else { return nil }
    for channel in PointChannel.floats {
      for index in 0..<Swift.max(count, 1) where !float(channel, at: index).isFinite {
        return (channel, index)
      }
    }
    return nil
  }
}
