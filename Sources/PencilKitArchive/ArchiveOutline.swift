package import Strokes

/// What an archive says beyond the drawing model: its messages with everything taken out that the
/// model holds. Such a field stays as an empty one, so that the order of the fields is kept.
///
/// The outline is itself a message of the archive's kind, with the archive's header in front. It is
/// what a drawing carries as its residue, and with the drawing it gives the archive back.
struct OutlineBuilder {
  var writer = WireWriter()

  /// Keeps a field as it is.
  mutating func keep(_ field: WireField, of bytes: [UInt8]) {
    writer.append(bytes[field.range])
  }

  /// Marks the place of a field that the model holds.
  mutating func mark(_ number: Int) { writer.field(number, bytes: EmptyCollection()) }

  /// Keeps the outline of a message.
  mutating func keep(_ number: Int, outline: OutlineBuilder) {
    writer.field(number, bytes: outline.writer.bytes)
  }
}

/// The strokes of an outline: what is needed to find the strokes of a drawing again.
struct OutlineRecord {
  /// The stroke's outline in the residue.
  let range: Range<Int>
  let identifier: Identifier
  /// Whether the record has a path; a deleted stroke has none.
  let hasPath: Bool
  let inkIndex: UInt64
}

/// Which record each stroke of a drawing is written into.
struct RecordPlan {
  enum Entry {
    /// A record of the outline with the strokes that it holds, several where an eraser has cut it.
    case kept(OutlineRecord, [PKStroke])
    /// A record whose strokes are gone, or that was deleted before.
    case deleted(OutlineRecord)
    /// Strokes that no record knows.
    case new([PKStroke])
  }

  private(set) var entries: [Entry] = []

  /// Walks through strokes and records side by side. Records that no stroke claims keep their place
  /// behind the record they followed.
  init(strokes: [PKStroke], records: [OutlineRecord]) {
    let groups = Self.groups(of: strokes)
    let claims = Self.claims(of: groups, in: records)
    let claimed = Set(claims.compactMap { $0 })
    var next = 0
    func flush(below limit: Int, into entries: inout [Entry]) {
      while next < limit {
        if !claimed.contains(next) { entries.append(.deleted(records[next])) }
        next += 1
      }
    }
    for (group, claim) in zip(groups, claims) {
      if let claim {
        flush(below: claim, into: &entries)
        entries.append(.kept(records[claim], group))
        next = max(next, claim + 1)
      } else {
        entries.append(.new(group))
      }
    }
    flush(below: records.count, into: &entries)
  }

  /// Neighbouring pieces of one stroke that still share all but their masks.
  private static func groups(of strokes: [PKStroke]) -> [[PKStroke]] {
    var groups: [[PKStroke]] = []
    for stroke in strokes {
      if let parent = stroke.parentID, let first = groups.last?.first, first.parentID == parent,
        first.ink == stroke.ink, first.transform == stroke.transform, first.path == stroke.path,
        first.randomSeed == stroke.randomSeed, first.renderGroupID == stroke.renderGroupID
      {
        groups[groups.count - 1].append(stroke)
      } else {
        groups.append([stroke])
      }
    }
    return groups
  }

  private static func claims(
    of groups: [[PKStroke]], in records: [OutlineRecord]
  ) -> [Int?] {
    var byIdentifier: [Identifier: [Int]]? = nil
    var taken = Set<Int>()
    var next = 0
    return groups.map { group in
      guard let key = group.first.map({ $0.parentID ?? $0.id }) else { return nil }
      while next < records.count, !records[next].hasPath { next += 1 }
      if next < records.count, records[next].identifier == key, taken.insert(next).inserted {
        next += 1
        return next - 1
      }
      let index =
        byIdentifier
        ?? Dictionary(grouping: records.indices.filter { records[$0].hasPath }) {
          records[$0].identifier
        }
      byIdentifier = index
      guard let claim = index[key]?.first(where: { !taken.contains($0) }) else { return nil }
      taken.insert(claim)
      return claim
    }
  }
}

extension OutlineRecord {
  /// The record of a stroke's outline in a `wrd` archive.
  init(outline: WireReader, index: Int) {
    self.init(
      range: outline.offset..<outline.end,
      identifier: outline.firstIdentifier(StrokeField.identifier) ?? WrdDecoder.nameless(index),
      hasPath: outline.first(StrokeField.path) != nil,
      inkIndex: outline.first(StrokeField.ink)?.value ?? 0)
  }
}

extension ArchiveResidue {
  /// A residue from bytes that came from elsewhere than a reader of archives; nil where they are
  /// none.
  package init?(checking bytes: [UInt8], as form: Form) {
    func isSound(_ message: WireReader, _ nested: [Int: (WireReader) -> Bool] = [:]) -> Bool {
      var reader = message
      do {
        while let field = try reader.nextField() {
          if let check = nested[field.number],
            field.kind != .bytes || !check(field.message(in: reader))
          {
            return false
          }
        }
        return true
      } catch {
        return false
      }
    }
    let leaf: (WireReader) -> Bool = { isSound($0) }
    let stroke: (WireReader) -> Bool =
      form == .notes2018
      ? leaf : { isSound($0, [StrokeField.path: leaf, StrokeField.pieces: leaf]) }
    let drawing: (WireReader) -> Bool = {
      isSound(
        $0, [DrawingField.strokes: stroke, DrawingField.clocks: leaf, DrawingField.inks: leaf])
    }
    switch form {
    case .pencilKit:
      guard bytes.count >= WrdDecoder.headerSize, bytes.starts(with: WrdDecoder.magic),
        drawing(WireReader(bytes, in: WrdDecoder.headerSize..<bytes.count))
      else { return nil }
    case .notes2018:
      let content: (WireReader) -> Bool = { isSound($0, [Document2018Field.drawing: drawing]) }
      guard isSound(WireReader(bytes, in: 0..<bytes.count), [Document2018Field.content: content])
      else { return nil }
    }
    self.init(form: form, bytes: bytes)
  }
}
