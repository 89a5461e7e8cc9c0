import Strokes

/// The names of strokes, of the strokes that pieces were cut from, and of groups. Drawings look the
/// same without names, so these have a chunk of their own.
struct NameTable {
  var strokes: [Identifier] = []
  var families: [Identifier] = []
  var groups: [Identifier] = []

  /// How a stroke's name is stored.
  private enum Kind: UInt64 {
    /// Not stored: it is generated from the stroke's number.
    case generated
    /// Stored in sixteen bytes.
    case stored
    /// Not stored: it is derived from the name of the stroke that it is a piece of, and from the
    /// number of pieces before it.
    case piece
  }

  /// The properties that names depend on: a record's family and kind.
  struct Row {
    var family: Int?
    /// Whether the record is only a path that an event needs, which has no name.
    var isBare = false
  }

  /// The names behind a mark, as a chunk's payload.
  func payload(_ rows: [Row], after mark: NameMark = NameMark()) -> [UInt8] {
    var writer = ByteWriter()
    writer.count(mark.strokes)
    writer.count(mark.families)
    writer.count(mark.groups)
    let kinds = kinds(rows, after: mark)
    // A family's name cannot refer to a piece, since a piece's name is derived from its family's.
    // Bare records have no names.
    var owners: [Identifier: Int] = [:]
    // Only new families need them: a journal would look at all its strokes for each chunk
    // otherwise.
    let named = families.count > mark.families ? strokes[...] : []
    for (number, name) in named.enumerated() where owners[name] == nil {
      let isPiece = number >= mark.strokes && kinds[number - mark.strokes] == .piece
      if !rows[number].isBare, !isPiece { owners[name] = number }
    }
    writer.count(families.count - mark.families)
    for (number, family) in families.enumerated().dropFirst(mark.families) {
      if family == GeneratedName.family(number) {
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
      writer.byte(group == GeneratedName.group(number) ? 0 : 1)
      if group != GeneratedName.group(number) { writer.append(group.bytes) }
    }
    // Runs of strokes whose names are stored in the same way.
    var runs: [(kind: Kind, count: Int)] = []
    var stored = ByteWriter()
    for (name, kind) in zip(strokes[mark.strokes...], kinds) {
      if kind == .stored { stored.append(name.bytes) }
      if runs.last?.kind == kind {
        runs[runs.count - 1].count += 1
      } else {
        runs.append((kind, 1))
      }
    }
    writer.count(runs.count)
    for (kind, count) in runs { writer.varint(kind.rawValue + 3 * UInt64(count)) }
    writer.append(stored.bytes)
    return writer.bytes
  }

  /// How the name of each stroke behind a mark is stored.
  private func kinds(_ rows: [Row], after mark: NameMark) -> [Kind] {
    var pieceCounts = Self.pieceCounts(rows[..<mark.strokes])
    return strokes.enumerated().dropFirst(mark.strokes).map { number, name in
      let family = rows[number].family
      defer { if let family { pieceCounts[family, default: 0] += 1 } }
      if rows[number].isBare || name == GeneratedName.stroke(number) { return .generated }
      guard let family,
        name == families[family].derived("piece", pieceCounts[family, default: 0])
      else { return .stored }
      return .piece
    }
  }

  /// Adds names for new rows and groups, for which a file may store none: the live stroke's name
  /// where there was one, else a generated one.
  mutating func grow(_ rows: [Row], groupCount: Int, live: [Int: Identifier]) {
    for number in strokes.count..<rows.count {
      strokes.append(live[number] ?? GeneratedName.stroke(number))
      let familyCount = (rows[number].family ?? -1) + 1
      while families.count < familyCount { families.append(GeneratedName.family(families.count)) }
    }
    while groups.count < groupCount { groups.append(GeneratedName.group(groups.count)) }
  }

  /// The number of names.
  var mark: NameMark {
    NameMark(strokes: strokes.count, families: families.count, groups: groups.count)
  }

  /// The number of pieces of each family.
  private static func pieceCounts(_ rows: ArraySlice<Row>) -> [Int: Int] {
    var counts: [Int: Int] = [:]
    for case let family? in rows.lazy.map({ $0.family }) { counts[family, default: 0] += 1 }
    return counts
  }

  /// Reads the names of one more chunk.
  mutating func read(
    _ bytes: [UInt8], in payload: Range<Int>, rows: [Row]
  ) throws(PKDError) {
    var reader = ByteReader(bytes, in: payload)
    let mark = NameMark(
      strokes: try reader.count(limit: rows.count, .strokes),
      families: try reader.count(limit: families.count, .strokes),
      groups: try reader.count(limit: groups.count, .strokes))
    // A file that was cut may have more names than strokes.
    let owners = try readFamilies(&reader, after: mark)
    try readGroups(&reader, after: mark)
    // First the stored names, since names of pieces are derived from them.
    let pieces = try readStrokes(&reader, rows, after: mark)
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

  /// Reads the names of families. Returns the families that have the name of a stroke.
  private mutating func readFamilies(
    _ reader: inout ByteReader, after mark: NameMark
  ) throws(PKDError) -> [(family: Int, stroke: Int)] {
    var owners: [(family: Int, stroke: Int)] = []
    for number in 0..<(try reader.count(limit: reader.remaining, .strokes)) {
      let index = mark.families + number
      let kind = try reader.varint()
      var name: Identifier?
      if kind == 1 { name = try reader.identifier() }
      if kind > 1, let stroke = Int(exactly: kind - 2) { owners.append((index, stroke)) }
      if let name, index < families.count { families[index] = name }
    }
    return owners
  }

  private mutating func readGroups(
    _ reader: inout ByteReader, after mark: NameMark
  ) throws(PKDError) {
    for number in 0..<(try reader.count(limit: reader.remaining, .strokes)) {
      let start = reader.offset
      let kind = try reader.byte()
      guard kind <= 1 else { throw PKDError(.notCanonical, at: start) }
      guard kind == 1 else { continue }
      let name = try reader.identifier()
      if mark.groups + number < groups.count { groups[mark.groups + number] = name }
    }
  }

  /// Reads the stored names of strokes. Returns the strokes whose names are derived from their
  /// families', with the number of pieces before each.
  private mutating func readStrokes(
    _ reader: inout ByteReader, _ rows: [Row], after mark: NameMark
  ) throws(PKDError) -> [(stroke: Int, number: Int)] {
    let runCount = try reader.count(limit: reader.remaining, .strokes)
    var runs: [(kind: Kind, count: Int)] = []
    for _ in 0..<runCount {
      let number = try reader.varint()
      guard let kind = Kind(rawValue: number % 3), number / 3 <= UInt64(1 << 24) else {
        throw PKDError(.notCanonical, at: reader.offset)
      }
      runs.append((kind, Int(number / 3)))
    }
    var pieces: [(stroke: Int, number: Int)] = []
    var pieceCounts =
      runs.contains { $0.kind == .piece } ? Self.pieceCounts(rows[..<mark.strokes]) : [:]
    var stroke = mark.strokes
    for (kind, count) in runs {
      for _ in 0..<count {
        let family = stroke < rows.count ? rows[stroke].family : nil
        switch kind {
        case .generated: break
        case .stored:
          let name = try reader.identifier()
          if stroke < strokes.count { strokes[stroke] = name }
        case .piece:
          guard stroke < rows.count else { break }
          guard let family else { throw PKDError(.notCanonical, at: reader.offset) }
          pieces.append((stroke, pieceCounts[family, default: 0]))
        }
        if let family { pieceCounts[family, default: 0] += 1 }
        stroke += 1
        // A run beyond the last stroke ends here, so that its declared length costs no time.
        if stroke > rows.count, kind != .stored { break }
      }
    }
    return pieces
  }
}

/// The number of names of each kind at some point of a file.
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
