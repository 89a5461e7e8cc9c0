@testable import PKDFormat

extension ChunkedFile {
  /// Mutates the list of chunks, or the content of one.
  mutating func mutate(_ random: inout Randomness) {
    let index = random.below(parts.count)
    guard index < parts.count else { return }
    if random.oneIn(32) { return togglePage() }
    if parts[index].type == .page, !random.oneIn(8), var sections = sections(of: parts[index]) {
      sections.mutate(&random)
      return parts[index].payload = sections.page
    }
    switch random.below(24) {
    case 0: parts.remove(at: index)
    case 1: parts.insert(parts[index], at: random.below(parts.count + 1))
    case 2: parts.swapAt(index, random.below(parts.count))
    case 3:
      parts[index].type = random.pick([
        .header, .table, .strokes, .live, .events, .names, .archive, .index, .tail, .page,
        .named("nEWS"), .named("NEWS"),
      ])
    case 4: parts.append(Part(type: .events, payload: events(&random)))
    case 5...8:
      // A byte of a table row, a head or an event.
      guard !parts[index].payload.isEmpty else { return }
      let byte = random.below(parts[index].payload.count)
      parts[index].payload[byte] = random.pick([0, 1, 2, 3, 0x7F, 0x80, 0x81, 0xFF])
    case 9...10:
      // A number far outside of any page, which may replace a float that is stored uncoded.
      let number = Self.bytesOfExtremeNumber(&random)
      let rest = parts[index].payload.count - number.count
      guard rest >= 0 else { return }
      let start = random.below(rest + 1)
      parts[index].payload.replaceSubrange(start..<start + number.count, with: number)
    default:
      let changed = blindlyMutated(parts[index].payload)
      parts[index].payload = changed
    }
  }

  // MARK: - Pages

  /// The sections of a page as chunks.
  private func sections(of part: Part) -> ChunkedFile? {
    let payload = part.payload
    let page = Chunk(type: .page, offset: 0, payload: payload.indices, end: payload.count)
    let sections = page.sections(payload).chunks
    guard !sections.isEmpty else { return nil }
    return ChunkedFile(sections.map { Part(type: $0.type, payload: Array(payload[$0.payload])) })
  }

  /// The chunks as sections of a page; others are left out.
  private var page: [UInt8] {
    var writer = ByteWriter()
    for part in parts { PageSections.append(part.type, part.payload, to: &writer) }
    return writer.bytes
  }

  /// Makes chunks of the page, or a page of the chunks.
  private mutating func togglePage() {
    if let first = parts.first, first.type == .page, let sections = sections(of: first) {
      parts.replaceSubrange(0..<1, with: sections.parts)
    } else {
      let rest = parts.filter { !PageSections.contains($0.type) && $0.type != .page }
      parts = [Part(type: .page, payload: page)] + rest
    }
  }

  private static func bytesOfExtremeNumber(_ random: inout Randomness) -> [UInt8] {
    let doubles: [Double] = [1e307, -1e307, 1e155, 1e30, -0.0, 0x1p63, .leastNonzeroMagnitude]
    let (double, float) = (random.pick(doubles), Float(random.pick(doubles.dropFirst(2) + [3e38])))
    return random.oneIn(2)
      ? withUnsafeBytes(of: double.bitPattern.littleEndian) { Array($0) }
      : withUnsafeBytes(of: float.bitPattern.littleEndian) { Array($0) }
  }

  /// Events that refer to the first records, and need nothing from tables.
  private func events(_ random: inout Randomness) -> [UInt8] {
    let count = random.below(12)
    var payload = [UInt8(count)]
    for _ in 0..<count {
      switch random.below(8) {
      case 0: payload += [4]
      case 1: payload += [5]
      case 2: payload += [7]
      case 3: payload += [0]
      case 4: payload += [1, UInt8(1 + random.below(8))]
      case 5: payload += [2, UInt8(1 + random.below(8))]
      case 6: payload += [8, 4]
      default:
        let changes = random.below(3)
        payload += [3, 2] + [0, 0, 0, 0, 0, 0, 0x20, 0x40] + [UInt8(changes)]
        for _ in 0..<changes { payload += [UInt8(1 + random.below(8)), UInt8(random.below(3))] }
      }
    }
    return payload
  }
}
