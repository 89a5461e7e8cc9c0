// Mutations of messages that keep every length valid, so that they pass the first checks.

extension [WireNode] {
  /// Makes one to four changes.
  mutating func mutate(_ random: inout Randomness) {
    for _ in 0...random.below(4) { mutateOnce(&random) }
  }

  private mutating func mutateOnce(_ random: inout Randomness) {
    switch random.below(16) {
    case 0...3: edit(&random) { $0[$1].value.mutate(&$2) }
    case 4: edit(&random) { $0[$1].number = $2.fieldNumber(near: $0[$1].number) }
    case 5: edit(&random) { $0[$1].value = $2.value() }
    case 6: edit(&random) { siblings, index, _ in siblings.remove(at: index) }
    case 7:
      edit(&random) { siblings, index, random in
        siblings.insert(siblings[index], at: random.below(siblings.count + 1))
      }
    case 8:
      edit(&random) { siblings, index, random in
        siblings.swapAt(index, random.below(siblings.count))
      }
    case 9: swapValues(&random)
    case 10: copyField(&random)
    case 11, 12, 13: edit(&random, where: { $0.hasShape(.path) }) { $0[$1].mutatePath(&$2) }
    case 14: edit(&random, where: { $0.hasShape(.stroke) }) { $0[$1].mutatePieces(&$2) }
    default: edit(&random, where: { $0.hasShape(.stroke2018) }) { $0[$1].mutatePoints2018(&$2) }
    }
  }

  /// Swaps the values of two fields.
  private mutating func swapValues(_ random: inout Randomness) {
    let count = count { _ in true }
    guard count > 1 else { return }
    let indices = (random.below(count), random.below(count))
    let values = (value(at: indices.0), value(at: indices.1))
    setValue(at: indices.0, to: values.1)
    setValue(at: indices.1, to: values.0)
  }

  /// Inserts a copy of a field into another message, or before another field of the same one.
  private mutating func copyField(_ random: inout Randomness) {
    let count = count { _ in true }
    guard count > 1 else { return }
    var copy: WireNode?
    var remaining = random.below(count)
    edit(&remaining, among: { _ in true }) { copy = $0[$1] }
    edit(&random) { siblings, index, _ in
      if let copy { siblings.insert(copy, at: index) }
    }
  }

  private mutating func value(at index: Int) -> WireValue {
    var (remaining, value) = (index, WireValue.varint(0))
    edit(&remaining, among: { _ in true }) { value = $0[$1].value }
    return value
  }

  private mutating func setValue(at index: Int, to value: WireValue) {
    var remaining = index
    edit(&remaining, among: { _ in true }) { $0[$1].value = value }
  }
}

// MARK: - Values

extension Randomness {
  private static let numbers: [UInt64] = [
    0, 1, 2, 3, 7, 14, 127, 128, 255, 0x1FF, 0x3FF, 0x7FE, 0x7FF, 0x800, 16_383, 16_384, 65_535,
    1 << 31 - 1, 1 << 31, 1 << 32, 1 << 37, 1 << 53, 1 << 60, 1 << 62, 1 << 63 - 1, 1 << 63,
    .max - 1, .max,
  ]
  private static let floats: [Float] = [
    0, -0.0, 1, -1, 0.5, 2, 9.25, 100, 1000.5, -300, 32_767, 65_536, 262_144, 3e9, 1e10, 1e19, 1e20,
    -1e20, 1e30, 1e38, .greatestFiniteMagnitude, -.greatestFiniteMagnitude, .leastNonzeroMagnitude,
    .leastNormalMagnitude, 1e-20, .nan, .signalingNaN, .infinity, -.infinity,
  ]
  private static let doubles: [Double] = [
    0, -0.0, 1, -1, 27_266.608, 8e8, -978_307_200, 1e10, 1e15, 1e19, -1e19, 1e300,
    .greatestFiniteMagnitude, -.greatestFiniteMagnitude, .leastNonzeroMagnitude, .nan,
    .signalingNaN, .infinity, -.infinity,
  ]

  mutating func varint() -> UInt64 { oneIn(4) ? next() >> UInt64(below(64)) : pick(Self.numbers) }
  mutating func float() -> UInt32 {
    oneIn(8) ? UInt32(truncatingIfNeeded: next()) : pick(Self.floats).bitPattern
  }
  /// The bits of a plausible float, in the range of handwriting.
  mutating func soundFloat() -> UInt32 {
    Float(below(1 << 14)).bitPattern &- UInt32(below(1 << 12))
  }
  mutating func double() -> UInt64 { oneIn(8) ? next() : pick(Self.doubles).bitPattern }

  mutating func fieldNumber(near number: UInt64) -> UInt64 {
    switch below(4) {
    case 0: number &+ 1
    case 1: max(1, number &- 1)
    case 2: UInt64(1 + below(20))
    default: pick([1, 15, 16, 63, 64, 65, 2047, 1 << 28, 1 << 29 - 1, 1 << 29])
    }
  }

  /// A value of any kind.
  mutating func value() -> WireValue {
    switch below(5) {
    case 0: .varint(varint())
    case 1: .fixed32(float())
    case 2: .fixed64(double())
    case 3: .bytes(bytes(pick([0, 1, 4, 8, 15, 16, 17, 24])))
    default: .message(.numbers, numbers(below(9)))
    }
  }

  /// The 32-bit fields 1, 2, 3 …
  mutating func numbers(_ count: Int) -> [WireNode] {
    (0..<count).map { index in
      WireNode(
        number: UInt64(index + 1), value: .fixed32(oneIn(4) ? float() : soundFloat()))
    }
  }
}

extension WireValue {
  /// Another value of the same kind.
  mutating func mutate(_ random: inout Randomness) {
    switch self {
    case .varint(let value):
      self = .varint(
        random.pick([
          value &+ 1, value &- 1, value ^ 1 << UInt64(random.below(64)), random.varint(),
        ]))
    case .fixed32(let bits):
      self = .fixed32(random.oneIn(3) ? bits ^ 1 << UInt32(random.below(32)) : random.float())
    case .fixed64(let bits):
      self = .fixed64(random.oneIn(3) ? bits ^ 1 << UInt64(random.below(64)) : random.double())
    case .bytes(let bytes): self = .bytes(random.mutated(bytes))
    case .message(_, let fields) where random.oneIn(4):
      self = .bytes(random.mutated(fields.encoded))
    case .message(let shape, _) where random.oneIn(6): self = .message(shape, [])
    case .message(let shape, _) where shape == .numbers:
      self = .message(shape, random.numbers(random.below(9)))
    case .message(let shape, var fields):
      fields.shuffle(using: &random)
      self = .message(shape, fields)
    }
  }
}

extension Randomness {
  fileprivate mutating func mutated(_ bytes: [UInt8]) -> [UInt8] {
    var result = bytes
    switch below(5) {
    case 0: return blindlyMutated(bytes)
    case 1: result.removeLast(min(result.count, 1 + below(9)))
    case 2: result += self.bytes(1 + below(24))
    case 3:
      // A float at an even offset, as real ones have.
      guard bytes.count >= 4 else { return self.bytes(16) }
      result.store(float(), at: below(bytes.count / 2 - 1) * 2)
    default: return self.bytes(pick([0, 4, 8, 12, 16, 24, 48]))
    }
    return result
  }
}

extension [UInt8] {
  fileprivate mutating func store(_ bits: UInt32, at offset: Int) {
    for index in 0..<4 {
      self[offset + index] = UInt8(truncatingIfNeeded: bits >> UInt32(8 * index))
    }
  }
}

// MARK: - Points

/// The size in bytes of each channel of a mask, the lowest bit first; unknown bits have none.
private let channelSizes = [8, 4, 4, 2, 2, 2, 2, 2, 2, 4, 2]

private func recordSize(_ mask: UInt64) -> Int {
  channelSizes.enumerated().reduce(0) { $0 + (mask >> UInt64($1.offset) & 1 == 1 ? $1.element : 0) }
}

extension WireNode {
  fileprivate mutating func mutatePath(_ random: inout Randomness) {
    guard case .message(let shape, var path) = value else { return }
    switch random.below(4) {
    case 0: path.resizePoints(&random)
    case 1: path.changeChannels(&random)
    case 2: path.changeFloat(&random)
    default:
      // A count or a mask that does not match the records.
      path.set(random.pick([3, 4, 5]), .varint(random.varint()))
    }
    value = .message(shape, path)
  }
}

extension [WireNode] {
  /// Another number of points, with the matching count.
  fileprivate mutating func resizePoints(_ random: inout Randomness) {
    let count = random.below(random.oneIn(8) ? 40 : 5)
    let size = recordSize(varint(4) ?? 1)
    set(3, .varint(UInt64(count)))
    set(7, .bytes(Self.refilled(bytes(7) ?? [], count * size, &random)))
  }

  /// Other channels for the points and for the constants; the sizes usually match.
  fileprivate mutating func changeChannels(_ random: inout Randomness) {
    let all = random.pick([0x1FF, 0x3FF, 0x7FF, UInt64(random.below(0x800))]) | 1
    let varying = (random.next() & all) | (random.oneIn(16) ? 0 : 1)
    let constant = random.oneIn(12) ? random.next() & 0xFFF : all & ~varying
    let count = Int(clamping: Swift.min(varint(3) ?? 0, 16))
    set(4, .varint(varying))
    set(5, .varint(constant))
    guard !random.oneIn(6) else { return }
    set(3, .varint(UInt64(count)))
    set(6, .bytes(Self.refilled(bytes(6) ?? [], recordSize(constant), &random)))
    set(7, .bytes(Self.refilled(bytes(7) ?? [], recordSize(varying) * count, &random)))
  }

  /// Replaces one float of a point or of the constants.
  fileprivate mutating func changeFloat(_ random: inout Randomness) {
    let isConstant = random.oneIn(3)
    let mask = varint(isConstant ? 5 : 4) ?? 1
    var bytes = bytes(isConstant ? 6 : 7) ?? []
    let size = recordSize(mask)
    guard size > 0, bytes.count >= size else { return }
    let floats = [0, 1, 2, 9].filter { mask >> UInt64($0) & 1 == 1 }
    guard !floats.isEmpty else { return }
    let bit = random.pick(floats)
    var offset = random.below(bytes.count / size) * size + recordSize(mask & (1 << UInt64(bit) - 1))
    if bit == 0, random.oneIn(2) { offset += 4 }
    bytes.store(random.float(), at: offset)
    set(isConstant ? 6 : 7, .bytes(bytes))
  }

  /// Bytes truncated to a count, or extended to it with plausible floats.
  fileprivate static func refilled(
    _ old: [UInt8], _ count: Int, _ random: inout Randomness
  ) -> [UInt8] {
    var result = old
    while result.count < count {
      let start = result.count
      result += [0, 0, 0, 0]
      result.store(random.soundFloat(), at: start)
    }
    result.removeLast(result.count - count)
    return result
  }
}

extension WireNode {
  /// Points of 2018, with a count that usually matches.
  fileprivate mutating func mutatePoints2018(_ random: inout Randomness) {
    guard case .message(let shape, var stroke) = value else { return }
    let count = random.below(5)
    var points = [WireNode].refilled(stroke.bytes(5) ?? [], count * 24, &random)
    if count > 0, random.oneIn(2) {
      points.store(random.float(), at: random.below(count) * 24 + 4 * random.below(3))
    }
    stroke.set(4, .varint(random.oneIn(8) ? random.varint() : UInt64(count)))
    stroke.set(5, .bytes(points))
    value = .message(shape, stroke)
  }

  /// Adds a piece like those of an eraser, with or without a mask, ranges, bounds and an
  /// identifier, or removes all pieces.
  fileprivate mutating func mutatePieces(_ random: inout Randomness) {
    guard case .message(let shape, var stroke) = value else { return }
    if random.oneIn(5) {
      stroke.removeAll { $0.number == 11 }
    } else {
      let piece = WireNode(number: 11, value: .message(.piece, Self.piece(&random)))
      stroke.insert(piece, at: random.oneIn(2) ? stroke.count : random.below(stroke.count + 1))
    }
    value = .message(shape, stroke)
  }

  private static func piece(_ random: inout Randomness) -> [WireNode] {
    var fields: [WireNode] = []
    func add(_ number: UInt64, _ value: WireValue) {
      fields.append(WireNode(number: number, value: value))
    }
    if random.oneIn(2) { add(1, .bytes([UInt8](repeating: UInt8(random.below(3)), count: 16))) }
    // Writing a piece without bounds computes them from its whole path, which is slow.
    if !random.oneIn(8) { add(6, .message(.numbers, random.numbers(4))) }
    if random.oneIn(2) { add(8, .varint(random.oneIn(2) ? 14 : random.varint())) }
    if random.oneIn(2) {
      add(10, .bytes([WireNode].refilled([], 8 * random.below(6), &random)))
    }
    for _ in 0..<random.below(5) {
      let parameter = random.oneIn(6) ? random.float() : (Float(random.below(40)) / 4).bitPattern
      add(12, .fixed32(parameter))
    }
    return fields
  }
}
