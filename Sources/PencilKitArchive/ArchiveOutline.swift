package import Strokes

// What an archive says beyond the drawing model is kept as its outline: its messages with all taken
// out that the model holds. Such a field stays as an empty one, so that the order of the fields is
// kept. The outline is itself a message of the archive's kind, with the archive's header in front.
// It is what a drawing carries as its residue, and with the drawing it gives the archive back.

extension WireWriter {
  /// Marks the place of a field that the model holds.
  mutating func mark(_ number: Int) { end(begin(number)) }
}

/// The strokes of an outline: what is needed to find the strokes of a drawing again.
struct OutlineRecord {
  /// The stroke's outline in the residue.
  let range: Range<Int>
  /// The stroke's name; one made from the place where the record has none.
  let identifier: Identifier
  /// Whether the name is made from that place.
  let isNameless: Bool
  /// Whether the record has a path; a deleted stroke has none.
  let hasPath: Bool
  let inkIndex: UInt64
  /// How many strokes the record shows: itself, or the pieces of it.
  let strokeCount: Int
}

/// Which record each stroke of a drawing is written into.
struct RecordPlan {
  /// Strokes by their places: one, or the neighbouring pieces of one that an eraser has cut.
  typealias Group = Range<Int>

  enum Entry {
    /// A record of the outline with the strokes that it holds.
    case kept(OutlineRecord, Group)
    /// A record whose strokes are gone, or that was deleted before.
    case deleted(OutlineRecord)
    /// Strokes that no record knows.
    case new(Group)
  }

  private(set) var entries: [Entry] = []

  /// Walks through strokes and records side by side.
  ///
  /// Records that no stroke claims keep their place behind the record they followed.
  init(strokes: [PKStroke], records: [OutlineRecord]) {
    let groups = Self.split(Self.groups(of: strokes), of: strokes, by: records)
    let claims = Self.claims(of: groups, among: strokes, in: records)
    var isClaimed = [Bool](repeating: false, count: records.count)
    for case let claim? in claims { isClaimed[claim] = true }
    entries.reserveCapacity(max(groups.count, records.count))
    var next = 0
    for (group, claim) in zip(groups, claims) {
      if let claim {
        flush(records, isClaimed, from: &next, below: claim)
        entries.append(.kept(records[claim], group))
        next = max(next, claim + 1)
      } else {
        entries.append(.new(group))
      }
    }
    flush(records, isClaimed, from: &next, below: records.count)
  }

  private mutating func flush(
    _ records: [OutlineRecord], _ isClaimed: [Bool], from next: inout Int, below limit: Int
  ) {
    while next < limit {
      if !isClaimed[next] { entries.append(.deleted(records[next])) }
      next += 1
    }
  }

  /// Neighbouring pieces of one stroke that still share all but their masks and seeds.
  private static func groups(of strokes: [PKStroke]) -> [Group] {
    var groups: [Group] = []
    groups.reserveCapacity(strokes.count)
    for index in strokes.indices {
      // Only a look at the parent: to copy every stroke would cost more than all the rest here.
      if let parent = strokes[index].parentID, let group = groups.last,
        strokes[group.lowerBound].parentID == parent,
        isSameButMask(strokes[group.lowerBound], strokes[index])
      {
        groups[groups.count - 1] = group.lowerBound..<index + 1
      } else {
        groups.append(index..<index + 1)
      }
    }
    return groups
  }

  /// The groups, with those taken apart that neighbouring records of one name hold.
  private static func split(
    _ groups: [Group], of strokes: [PKStroke], by records: [OutlineRecord]
  ) -> [Group] {
    let records = records.filter(\.hasPath)
    var result: [Group] = []
    result.reserveCapacity(groups.count)
    var next = 0
    for group in groups {
      var rest = group
      let name = strokes[group.lowerBound].rootID
      while next + 1 < records.count, records[next].identifier == name,
        records[next + 1].identifier == name, records[next].strokeCount < rest.count
      {
        let end = rest.lowerBound + records[next].strokeCount
        result.append(rest.lowerBound..<end)
        rest = end..<rest.upperBound
        next += 1
      }
      result.append(rest)
      next += 1
    }
    return result
  }

  private static func isSameButMask(_ a: PKStroke, _ b: PKStroke) -> Bool {
    a.ink == b.ink && a.transform == b.transform
      && a.renderGroupID == b.renderGroupID && a.path == b.path
  }

  /// The record of each group, if it has one. Most drawings are written as they were read, so the
  /// next record is tried first, and names are looked up only where that fails.
  private static func claims(
    of groups: [Group], among strokes: [PKStroke], in records: [OutlineRecord]
  ) -> [Int?] {
    var byIdentifier: [Identifier: [Int]]? = nil
    var isTaken = [Bool](repeating: false, count: records.count)
    var next = 0
    return groups.map { group in
      let key = strokes[group.lowerBound].rootID
      while next < records.count, !records[next].hasPath { next += 1 }
      if next < records.count, records[next].identifier == key, !isTaken[next] {
        isTaken[next] = true
        next += 1
        return next - 1
      }
      let index =
        byIdentifier
        ?? Dictionary(grouping: records.indices.filter { records[$0].hasPath }) {
          records[$0].identifier
        }
      byIdentifier = index
      guard let claim = index[key]?.first(where: { !isTaken[$0] }) else { return nil }
      isTaken[claim] = true
      return claim
    }
  }
}

extension OutlineRecord {
  /// The record of a stroke's outline in a `wrd` archive.
  init(outline: WireReader, index: Int) {
    var identifier: Identifier?
    var hasPath = false
    var inkIndex: UInt64 = 0
    var pieceCount = 0
    var reader = outline
    while let field = try? reader.nextField() {
      switch field.number {
      case StrokeField.identifier: identifier = try? reader.identifier(field, "")
      case StrokeField.ink: inkIndex = field.value
      case StrokeField.path: hasPath = true
      case StrokeField.pieces: pieceCount += 1
      default: break
      }
    }
    self.init(
      range: outline.offset..<outline.end,
      identifier: identifier ?? WrdDecoder.nameless(index), isNameless: identifier == nil,
      hasPath: hasPath, inkIndex: inkIndex, strokeCount: max(pieceCount, 1))
  }
}

extension ArchiveResidue {
  /// A residue from bytes that came from elsewhere than a reader of archives; nil where they cannot
  /// be one. Whether they go with a drawing, `PKDrawing.hasSoundResidue` says.
  package init?(checking bytes: [UInt8], as form: Form) {
    self.init(form: form, bytes: bytes)
    guard isReadable else { return nil }
  }

  /// Whether the bytes are an outline: the header of their form, and whole fields behind it. Those
  /// in a `.pkd` file may be anything.
  var isReadable: Bool {
    var start = 0
    if form == .pencilKit {
      start = WrdDecoder.headerSize
      guard bytes.count >= start, bytes.starts(with: WrdDecoder.magic) else { return false }
    }
    var reader = WireReader(bytes, in: start..<bytes.count)
    do throws(PencilKitError) {
      while try reader.nextField() != nil {}
      return true
    } catch {
      return false
    }
  }
}

extension PKDrawing {
  /// Whether the drawing and its residue make an archive that can be read.
  package var hasSoundResidue: Bool {
    guard let residue else { return true }
    guard residue.isReadable else { return false }
    return switch residue.form {
    case .pencilKit: (try? PencilKitReader(dataRepresentation())) != nil
    case .notes2018:
      PencilKitWriter.notes2018Message(self).map { (try? Notes2018Decoder.decode($0)) != nil }
        ?? false
    }
  }
}
