import Strokes

/// The names of strokes, of the strokes that pieces were cut from, and of groups. Drawings look the
/// same without, so they lie in a chunk of their own.
struct NameTable {
  var strokes: [Identifier] = []
  var families: [Identifier] = []
  var groups: [Identifier] = []

  /// How a name is told.
  private enum Kind: UInt64 {
    /// It is the one that is made from the stroke's place.
    case made
    /// Sixteen bytes.
    case told
    /// It is made from the name of the stroke that it is a piece of, and how many came before.
    case piece
  }

  /// What is known of a record before its name is.
  struct Row {
    var family: Int?
    /// Whether it is only a path that an event needs, which has no name.
    var isBare = false
  }

  /// The names behind a mark, as a chunk's payload.
  func payload(_ rows: [Row], after mark: NameMark = NameMark()) -> [UInt8] {
    var writer = ByteWriter()
    writer.count(mark.strokes)
    writer.count(mark.families)
    writer.count(mark.groups)
    let kinds = kinds(rows, after: mark)
    // A piece's name follows from its family's, so a family's cannot follow from a piece's; and bare
    // records have none.
    let owners = Dictionary(
      strokes.enumerated().lazy
        .filter { number, _ in
          !rows[number].isBare
            && (number < mark.strokes || kinds[number - mark.strokes] != .piece)
        }
        .map { ($0.element, $0.offset) }, uniquingKeysWith: { first, _ in first })
    writer.count(families.count - mark.families)
    for (number, family) in families.enumerated().dropFirst(mark.families) {
      if family == MadeName.family(number) {
        writer.count(0)
      } else if let stroke = owners[family] {
        writer.count(2 + stroke)
      } else {
        writer.count(1)
        writer.append(family.bytes)
      }
    }
    writer.count(groups.count - mark.groups)
    for (number, group) in groups.enumerated().dropFirst(mark.groups) {
      writer.byte(group == MadeName.group(number) ? 0 : 1)
      if group != MadeName.group(number) { writer.append(group.bytes) }
    }
    // Runs of strokes whose names are told alike.
    var runs: [(kind: Kind, count: Int)] = []
    var told = ByteWriter()
    for (name, kind) in zip(strokes[mark.strokes...], kinds) {
      if kind == .told { told.append(name.bytes) }
      if runs.last?.kind == kind {
        runs[runs.count - 1].count += 1
      } else {
        runs.append((kind, 1))
      }
    }
    writer.count(runs.count)
    for (kind, count) in runs { writer.varint(kind.rawValue + 3 * UInt64(count)) }
    writer.append(told.bytes)
    return writer.bytes
  }

  /// How the name of each stroke behind a mark is told.
  private func kinds(_ rows: [Row], after mark: NameMark) -> [Kind] {
    var pieceCounts = Self.pieceCounts(rows[..<mark.strokes])
    return strokes.enumerated().dropFirst(mark.strokes).map { number, name in
      let family = rows[number].family
      defer { if let family { pieceCounts[family, default: 0] += 1 } }
      if rows[number].isBare || name == MadeName.stroke(number) { return .made }
      guard let family,
        name == families[family].derived("piece", pieceCounts[family, default: 0])
      else { return .told }
      return .piece
    }
  }

  /// Adds names for what a file may tell none for: those of live strokes where there were some.
  mutating func grow(_ rows: [Row], groupCount: Int, live: [Int: Identifier]) {
    for number in strokes.count..<rows.count {
      strokes.append(live[number] ?? MadeName.stroke(number))
      let familyCount = (rows[number].family ?? -1) + 1
      while families.count < familyCount { families.append(MadeName.family(families.count)) }
    }
    while groups.count < groupCount { groups.append(MadeName.group(groups.count)) }
  }

  /// How many names there are.
  var mark: NameMark {
    NameMark(strokes: strokes.count, families: families.count, groups: groups.count)
  }

  /// How many pieces of each stroke there are.
  private static func pieceCounts(_ rows: ArraySlice<Row>) -> [Int: Int] {
    var counts: [Int: Int] = [:]
    for case let family? in rows.lazy.map(\.family) { counts[family, default: 0] += 1 }
    return counts
  }

  /// Reads the names that one more chunk tells.
  mutating func read(
    _ bytes: [UInt8], in payload: Range<Int>, rows: [Row]
  ) throws(PKDError) {
    var reader = ByteReader(bytes, in: payload)
    let mark = NameMark(
      strokes: try reader.count(limit: rows.count, .strokes),
      families: try reader.count(limit: families.count, .strokes),
      groups: try reader.count(limit: groups.count, .strokes))
    // A file that was cut may name more than it still has.
    var owners: [(family: Int, stroke: Int)] = []
    for number in 0..<(try reader.count(limit: reader.remaining, .strokes)) {
      let place = mark.families + number
      let kind = try reader.varint()
      var name: Identifier?
      if kind == 1 { name = try reader.identifier() }
      if kind > 1, let stroke = Int(exactly: kind - 2) { owners.append((place, stroke)) }
      if let name, place < families.count { families[place] = name }
    }
    for number in 0..<(try reader.count(limit: reader.remaining, .strokes)) {
      let place = reader.offset
      let kind = try reader.byte()
      guard kind <= 1 else { throw PKDError(.notCanonical, at: place) }
      guard kind == 1 else { continue }
      let name = try reader.identifier()
      if mark.groups + number < groups.count { groups[mark.groups + number] = name }
    }
    let runCount = try reader.count(limit: reader.remaining, .strokes)
    var runs: [(kind: Kind, count: Int)] = []
    for _ in 0..<runCount {
      let number = try reader.varint()
      guard let kind = Kind(rawValue: number % 3), number / 3 <= UInt64(1 << 24) else {
        throw PKDError(.notCanonical, at: reader.offset)
      }
      runs.append((kind, Int(number / 3)))
    }
    // First the names that are told, since pieces take theirs from them.
    var pieces: [(stroke: Int, number: Int)] = []
    var pieceCounts =
      runs.contains { $0.kind == .piece } ? Self.pieceCounts(rows[..<mark.strokes]) : [:]
    var stroke = mark.strokes
    for (kind, count) in runs {
      for _ in 0..<count {
        let family = stroke < rows.count ? rows[stroke].family : nil
        switch kind {
        case .made: break
        case .told:
          let name = try reader.identifier()
          if stroke < strokes.count { strokes[stroke] = name }
        case .piece:
          guard stroke < rows.count else { break }
          guard let family else { throw PKDError(.notCanonical, at: reader.offset) }
          pieces.append((stroke, pieceCounts[family, default: 0]))
        }
        if let family { pieceCounts[family, default: 0] += 1 }
        stroke += 1
        // A run longer than the file costs no more than the file.
        if stroke > rows.count, kind != .told { break }
      }
    }
    for (family, stroke) in owners where family < families.count && stroke < strokes.count {
      families[family] = strokes[stroke]
    }
    for (stroke, number) in pieces {
      guard let family = rows[stroke].family else { continue }
      strokes[stroke] = families[family].derived("piece", number)
    }
    guard reader.remaining == 0 else {
      throw PKDError(.trailingBytes(reader.remaining), at: reader.offset)
    }
  }
}

/// How many names have been told.
struct NameMark {
  var strokes = 0
  var families = 0
  var groups = 0
}

extension ByteReader {
  mutating func identifier() throws(PKDError) -> Identifier {
    let high = try littleEndian(8).byteSwapped
    return Identifier(high: high, low: try littleEndian(8).byteSwapped)
  }
}
