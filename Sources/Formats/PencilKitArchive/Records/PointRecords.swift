import Graphics
import Strokes

/// The layout of point records: the offset and type of each channel.
struct RecordLayout {
  /// How a value is stored.
  enum Storage {
    case float
    case word
    /// A byte, which the columns hold as a word.
    case byte
    /// A word that counts tenths, which the columns hold as a float.
    case tenths

    var size: Int {
      switch self {
      case .float: 4
      case .word, .tenths: 2
      case .byte: 1
      }
    }
  }

  /// The size of a record in bytes.
  private(set) var size = 0
  /// The channels in the records.
  private(set) var channels: PointChannels = []
  /// The offset of each channel in a record, by the channel's raw value.
  private var offsets = SIMD16<Int32>.zero
  private var storages = InlineArray<13, Storage>(repeating: .word)
  private var isOf2018 = false

  private mutating func add(_ channel: PointChannel) {
    offsets[channel.rawValue] = Int32(size)
    channels.insert(PointChannels(channel))
    let storage: Storage =
      switch channel {
      case .width where isOf2018: .tenths
      case .altitude where isOf2018, .opacity where isOf2018: .byte
      default: channel.isFloat ? .float : .word
      }
    storages[channel.rawValue] = storage
    size += storage.size
  }

  // Channels are integers in loops over the channels of many short paths, where calls of the
  // enumeration's accessors would take longer than the loads.

  /// Whether records have a channel.
  @inline(__always)
  func has(_ channel: Int) -> Bool { channels.rawValue >> UInt16(channel) & 1 == 1 }

  @inline(__always)
  func storage(of channel: Int) -> Storage { storages[channel] }

  @inline(__always)
  func storage(of channel: PointChannel) -> Storage { storages[channel.rawValue] }

  /// The offset of a channel in a record that has it.
  @inline(__always)
  func offset(of channel: Int) -> Int { Int(offsets[channel]) }

  @inline(__always)
  func offset(of channel: PointChannel) -> Int { Int(offsets[channel.rawValue]) }

  /// The layout of records without channels.
  static let empty = RecordLayout()

  /// The layout of the 24-byte records in drawings of 2018.
  static let notes2018: RecordLayout = {
    var layout = RecordLayout()
    layout.isOf2018 = true
    for channel: PointChannel in [
      .timeOffset, .x, .y, .width, .aspect, .edge, .force, .azimuth, .altitude, .opacity,
    ] {
      layout.add(channel)
    }
    return layout
  }()
}

extension RecordLayout {
  /// The channel of each bit in a `wrd` archive's channel masks. The first bit means x and y.
  private static let wrdBits: [PointChannel] = [
    .x, .timeOffset, .width, .aspect, .edge, .force, .azimuth, .altitude, .opacity,
    .secondaryWidth, .threshold,
  ]

  /// The mask of all known channels: those of iOS 26.
  static let knownMask: UInt64 = 1 << UInt64(wrdBits.count) - 1

  /// The layout of records in `wrd` archives: the channels of a mask, the lowest bit first.
  init(mask: UInt64) {
    self.init()
    for (bit, channel) in Self.wrdBits.enumerated() where mask >> UInt64(bit) & 1 == 1 {
      add(channel)
      if channel == .x { add(.y) }
    }
  }

  /// The mask of a set of channels, without those that no archive stores.
  static func mask(of channels: PointChannels) -> UInt64 {
    var mask: UInt64 = 0
    for (bit, channel) in wrdBits.enumerated() where channels.contains(channel) {
      mask |= 1 << UInt64(bit)
    }
    return mask
  }
}

/// A cache of the last path's layouts: the paths of a drawing hardly ever differ in them.
struct RecordLayouts {
  private var masks: (points: UInt64, constants: UInt64) = (0, 0)
  private var last = (points: RecordLayout.empty, constants: RecordLayout.empty)

  /// The layouts of the varying channels and of the constant ones, for their masks.
  mutating func layouts(
    points: UInt64, constants: UInt64
  ) -> (points: RecordLayout, constants: RecordLayout) {
    if (points, constants) != masks {
      masks = (points, constants)
      last = (RecordLayout(mask: points), RecordLayout(mask: constants))
    }
    return last
  }
}

/// Converts the records of an archive to columns, and back.
///
/// The loops here access memory without checks; their callers have compared the sizes before.
enum PointRecords {
  /// The columns of a path's points; throws if sizes do not match or a value is not finite.
  ///
  /// Every record must have a location of its own, so that the bytes which are really there bound
  /// the count. If the form repeats constant channels in every point, only one value of each is
  /// kept.
  static func checkedColumns(
    _ bytes: [UInt8], records: Range<Int>, declaredCount: UInt64, layout: RecordLayout,
    constants: Range<Int> = 0..<0, constantLayout: RecordLayout = .empty, scale: PointScale,
    repeatsConstants: Bool = false
  ) throws(PencilKitError) -> PointColumns {
    guard constants.count == constantLayout.size else {
      throw PencilKitError(
        .size(field: "constant values", expected: constantLayout.size, actual: constants.count),
        at: constants.lowerBound)
    }
    let count = records.count / layout.size
    guard records.count.isMultiple(of: layout.size), declaredCount == UInt64(count) else {
      throw PencilKitError(
        .pointCount(
          declared: declaredCount, bytes: records.count, bytesPerPoint: layout.size),
        at: records.lowerBound)
    }
    let columns =
      repeatsConstants && count > 0
      ? columns(
        bytes, records: records, layout: layout, count: count,
        varying: changingChannels(bytes, records: records, layout: layout),
        constants: records, constantLayout: layout, scale: scale)
      : columns(
        bytes, records: records, layout: layout, count: count, varying: layout.channels,
        constants: constants, constantLayout: constantLayout, scale: scale)
    if let bad = columns.firstNotFinite {
      throw PencilKitError(
        .notFinite(field: "\(bad.channel) of point \(bad.index)"),
        at: layout.channels.contains(bad.channel)
          ? records.lowerBound + bad.index * layout.size : constants.lowerBound)
    }
    guard count > 0 else {
      // Without points there is nothing that constant values could belong to.
      return PointColumns(emptyIn: scale, present: columns.present, varying: columns.varying)
    }
    return columns
  }

  /// The location, and the channels whose bytes differ between records of three words, like those
  /// of 2018.
  private static func changingChannels(
    _ bytes: [UInt8], records: Range<Int>, layout: RecordLayout
  ) -> PointChannels {
    precondition(layout.size == 24, "a record is three words of eight bytes")
    let differences = bytes.withUnsafeBytes { memory in
      @inline(__always) func word(_ offset: Int) -> UInt64 {
        memory.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
      }
      let start = records.lowerBound
      let first = (word(start), word(start + 8), word(start + 16))
      var differences = SIMD4<UInt64>.zero
      for offset in stride(from: start, to: records.upperBound, by: 24) {
        differences[0] |= word(offset) ^ first.0
        differences[1] |= word(offset + 8) ^ first.1
        differences[2] |= word(offset + 16) ^ first.2
      }
      return differences
    }
    var changing = PointChannels([.x, .y]).rawValue
    for channel in 0..<13 where layout.has(channel) {
      let (offset, size) = (layout.offset(of: channel), layout.storage(of: channel).size)
      // No value crosses the border of a word.
      let bits = UInt64(littleEndian: differences[offset / 8]) >> UInt64(8 * (offset % 8))
      if bits & (1 << UInt64(8 * size) - 1) != 0 { changing |= 1 << UInt16(channel) }
    }
    return PointChannels(rawValue: changing)
  }

  /// Columns of records. A channel that does not vary comes from the first record of
  /// `constantLayout`, or has its default if that has no such channel.
  private static func columns(
    _ bytes: [UInt8], records: Range<Int>, layout: RecordLayout, count: Int,
    varying: PointChannels, constants: Range<Int>, constantLayout: RecordLayout,
    scale: PointScale
  ) -> PointColumns {
    let defaults = StoredPoint(defaultsIn: scale)

    /// The columns of channels of one kind, one after the other.
    @inline(__always)
    func gather<Value: Numeric>(
      _ channels: Range<Int>, default: (Int) -> Value,
      load: (UnsafeRawBufferPointer, RecordLayout.Storage, _ offset: Int) -> Value
    ) -> [Value] {
      // Zeros, since leaving memory uninitialized takes longer in the runtime than all the loads of
      // a short stroke.
      let mask: UInt16 = 1 << UInt16(channels.upperBound) - 1 << UInt16(channels.lowerBound)
      let longCount = (varying.rawValue & mask).nonzeroBitCount
      let length = longCount * count + channels.count - longCount
      var values: [Value] = []
      values.reserveCapacity(length)
      values.append(contentsOf: repeatElement(0, count: length))
      bytes.withUnsafeBytes { memory in
        values.withUnsafeMutableBufferPointer { column in
          var filled = 0
          for channel in channels {
            if varying.rawValue >> UInt16(channel) & 1 == 1 {
              let storage = layout.storage(of: channel)
              var offset = records.lowerBound + layout.offset(of: channel)
              for index in filled..<filled + count {
                column[index] = load(memory, storage, offset)
                offset += layout.size
              }
              filled += count
            } else {
              let isGiven = constantLayout.has(channel)
              let offset = constants.lowerBound + constantLayout.offset(of: channel)
              column[filled] =
                isGiven
                ? load(memory, constantLayout.storage(of: channel), offset) : `default`(channel)
              filled += 1
            }
          }
        }
      }
      return values
    }

    let floats: [Float] = gather(0..<6) {
      defaults.floats[$0]
    } load: { memory, storage, offset in
      storage == .tenths
        ? Float(word(memory, at: offset)) / 10 : Float(bitPattern: long(memory, at: offset))
    }
    let words: [UInt16] = gather(6..<13) {
      defaults.words[$0 - 6]
    } load: { memory, storage, offset in
      storage == .byte ? UInt16(memory[offset]) : word(memory, at: offset)
    }
    return PointColumns(
      count: count, scale: scale, varying: varying,
      present: varying.union(constantLayout.channels), floats: floats, words: words)
  }

  @inline(__always)
  private static func long(_ memory: UnsafeRawBufferPointer, at offset: Int) -> UInt32 {
    UInt32(littleEndian: memory.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
  }

  @inline(__always)
  private static func word(_ memory: UnsafeRawBufferPointer, at offset: Int) -> UInt16 {
    UInt16(littleEndian: memory.loadUnaligned(fromByteOffset: offset, as: UInt16.self))
  }

  /// Writes a field that holds the records of the first `count` points.
  static func write(
    _ number: Int, _ columns: PointColumns, layout: RecordLayout, count: Int,
    into writer: inout WireWriter
  ) {
    let mark = writer.begin(number, about: layout.size * count)
    writer.append(count: layout.size * count) { memory in
      for channel in PointChannel.allCases where layout.channels.contains(channel) {
        let (start, step) = columns.layout(of: channel)
        let offset = layout.offset(of: channel)
        /// Stores one value of the channel in every record.
        @inline(__always)
        func store<Value: FixedWidthInteger>(_ value: (Int) -> Value) {
          var target = offset
          var source = start
          for _ in 0..<count {
            memory.storeBytes(
              of: value(source).littleEndian, toByteOffset: target, as: Value.self)
            target += layout.size
            source += step
          }
        }
        let (floats, words) = (columns.floats, columns.words)
        switch layout.storage(of: channel) {
        case .float: store { floats[$0].bitPattern }
        case .tenths: store { UInt16(clamping: (floats[$0] * 10).rounded()) }
        case .word: store { words[$0] }
        case .byte: store { UInt8(truncatingIfNeeded: words[$0]) }
        }
      }
    }
    writer.end(mark)
  }
}

extension PointRecords {
  /// Locations as pairs of 32-bit floats.
  static func locations(_ points: [Point]) -> [UInt8] {
    points.flatMap { point in
      [point.x, point.y].map { Float(nearestFinite: $0).bitPattern }.flatMap { bits in
        (0..<4).map { UInt8(truncatingIfNeeded: bits >> (8 * $0)) }
      }
    }
  }
}

extension PointColumns {
  /// The first value that is infinite or not a number, by its channel and point.
  fileprivate var firstNotFinite: (channel: PointChannel, index: Int)? {
    // All bits of the exponent are set in infinities and NaNs. One pass without branches finds out
    // whether there is any.
    var bad: UInt32 = 0
    for value in floats { bad |= value.bitPattern & 0x7F80_0000 == 0x7F80_0000 ? 1 : 0 }
    guard bad != 0 else { return nil }
    for channel in PointChannel.floats {
      for index in 0..<Swift.max(count, 1) where !float(channel, at: index).isFinite {
        return (channel, index)
      }
    }
    return nil
  }
}
