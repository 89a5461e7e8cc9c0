package import Strokes

// The outline of an archive is its content beyond the drawing model: its messages, in which an
// empty field, the placeholder, replaces every field that the model represents. Placeholders keep
// the order of the fields. The outline is itself a message of the archive's kind, preceded by the
// archive's header. A drawing carries it as its residue; from drawing and residue the writer
// restores the archive.

extension WireWriter {
  /// Appends an empty field in place of one that the model represents.
  mutating func appendPlaceholder(_ number: Int) { end(begin(number)) }
}

/// A stroke of an outline, with the data for matching it with strokes of a drawing.
struct OutlineRecord {
  /// The bytes of the stroke's outline in the residue.
  let range: Range<Int>
  /// The stroke's identifier, derived from the index if the record has none.
  let identifier: Identifier
  /// Whether the identifier is derived from the index.
  let hasDerivedIdentifier: Bool
  /// Whether the record shows strokes. A deleted stroke has no path, or only deleted pieces.
  let isShown: Bool
  let inkIndex: UInt64
  /// The number of strokes that the record shows: 1, or the number of its pieces that are not
  /// deleted.
  let strokeCount: Int
}

/// Decides which record of the outline each stroke of a drawing is written into.
struct RecordPlan {
  /// The indices of strokes that share a record: one stroke, or neighbouring pieces of one that an
  /// eraser has cut.
  typealias Group = Range<Int>

  enum Entry {
    /// A record of the outline, and the strokes that are written into it.
    case kept(OutlineRecord, Group)
    /// A record whose strokes were removed, or that was deleted before.
    case deleted(OutlineRecord)
    /// Strokes that have no record.
    case new(Group)
  }

  private(set) var entries: [Entry] = []

  /// Matches strokes with records. A record that no stroke claims stays behind the record that it
  /// followed.
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

  /// Adds the unclaimed ones among the next records, up to a limit, as deleted.
  private mutating func flush(
    _ records: [OutlineRecord], _ isClaimed: [Bool], from next: inout Int, below limit: Int
  ) {
    while next < limit {
      if !isClaimed[next] { entries.append(.deleted(records[next])) }
      next += 1
    }
  }

  /// Groups neighbouring pieces of one stroke that still share the values that only their record
  /// can store.
  private static func groups(of strokes: [PKStroke]) -> [Group] {
    var groups: [Group] = []
    groups.reserveCapacity(strokes.count)
    for index in strokes.indices {
      // Accesses the parent in place: a copy of every stroke would cost more than the rest of this
      // function.
      if let parent = strokes[index].parentID, let group = groups.last,
        strokes[group.lowerBound].parentID == parent,
        canShareRecord(strokes[group.lowerBound], strokes[index])
      {
        groups[groups.count - 1] = group.lowerBound..<index + 1
      } else {
        groups.append(index..<index + 1)
      }
    }
    return groups
  }

  /// The groups, split where neighbouring records with the same identifier hold their strokes.
  private static func split(
    _ groups: [Group], of strokes: [PKStroke], by records: [OutlineRecord]
  ) -> [Group] {
    let records = records.filter { $0.isShown }
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

  /// Whether two pieces can share a record: group, path and state for rendering are equal. Each
  /// piece has its own ink, transform, mask and seed.
  private static func canShareRecord(_ a: PKStroke, _ b: PKStroke) -> Bool {
    a.renderGroupID == b.renderGroupID && a.path == b.path && isWidened(a.ink, like: b.ink)
      && a.renderState.isEquivalent(to: b.renderState)
  }

  /// Whether the points of two inks are written with the same sizes: those of the plain law are
  /// converted for their ink.
  private static func isWidened(_ a: PKInk, like b: PKInk) -> Bool {
    a.widthLaw == b.widthLaw && (a.widthLaw == .pencilKit || a.inkType == b.inkType)
  }

  /// The index of each group's record, if it has one. Most drawings are written as they were read,
  /// so the next record is tried first, and identifiers are looked up only where that fails.
  private static func claims(
    of groups: [Group], among strokes: [PKStroke], in records: [OutlineRecord]
  ) -> [Int?] {
    var byIdentifier: [Identifier: [Int]]? = nil
    var isTaken = [Bool](repeating: false, count: records.count)
    var next = 0
    return groups.map { group in
      let key = strokes[group.lowerBound].rootID
      while next < records.count, !records[next].isShown { next += 1 }
      if next < records.count, records[next].identifier == key, !isTaken[next] {
        isTaken[next] = true
        next += 1
        return next - 1
      }
      let index =
        byIdentifier
        ?? Dictionary(grouping: records.indices.filter { records[$0].isShown }) {
          records[$0].identifier
        }
      byIdentifier = index
      guard let claim = index[key]?.first(where: { !isTaken[$0] }) else { return nil }
      isTaken[claim] = true
      return claim
    }
  }
}

extension StrokeFlags {
  /// The flags of a piece in an outline.
  init(ofPiece piece: WireReader) { self.init(rawValue: piece.last(StrokeField.flags)?.value ?? 0) }
}

extension OutlineRecord {
  /// Reads the record of a stroke's outline in a `wrd` archive.
  init(outline: WireReader, index: Int) {
    var identifier: Identifier?
    var hasPath = false
    var inkIndex: UInt64 = 0
    var pieceCount = 0
    var isCut = false
    var reader = outline
    while let field = try? reader.nextField() {
      switch field.number {
      case StrokeField.identifier: identifier = try? reader.identifier(field, "")
      case StrokeField.ink: inkIndex = field.value
      case StrokeField.path: hasPath = true
      case StrokeField.pieces:
        isCut = true
        if !StrokeFlags(ofPiece: field.message(in: reader)).isDeleted { pieceCount += 1 }
      default: break
      }
    }
    self.init(
      range: outline.offset..<outline.end,
      identifier: identifier ?? WrdDecoder.derivedIdentifier(index),
      hasDerivedIdentifier: identifier == nil,
      isShown: hasPath && (!isCut || pieceCount > 0), inkIndex: inkIndex,
      strokeCount: isCut ? pieceCount : 1)
  }
}

extension ArchiveResidue {
  /// A residue from bytes that were not made by an archive reader; nil if they are not an outline.
  /// `PKDrawing.hasIntactResidue` checks whether a residue fits its drawing.
  package init?(checking bytes: [UInt8], as form: Form) {
    self.init(form: form, bytes: bytes)
    guard isReadable else { return nil }
  }

  /// Whether the bytes are an outline: the header of their form and complete fields behind it. A
  /// `.pkd` file may hold any bytes as a residue.
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
  /// Whether the drawing and its residue make an archive that can be read. Writes the whole archive
  /// and reads it again.
  package var hasIntactResidue: Bool {
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
