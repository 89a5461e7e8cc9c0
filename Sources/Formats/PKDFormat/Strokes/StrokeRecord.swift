import Graphics
import Strokes

/// A stroke as a file stores it: with numbers in place of the names that it refers to.
struct StrokeRecord {
  var stroke: PKStroke
  /// Whether this is not a stroke, but only a path that an event needs.
  var isBare = false
  /// The number of the earlier record whose path it shares.
  var sharedPath: Int?
  /// The number of the stroke that it is a piece of.
  var family: Int?
  /// The number of its group.
  var group: Int?
}

/// Strokes as records, in the order in which they began, with numbers in place of names.
struct RecordList {
  private(set) var records: [StrokeRecord] = []
  private(set) var families: [Identifier] = []
  private(set) var groups: [Identifier] = []
  private var familyNumbers: [Identifier: Int] = [:]
  private var groupNumbers: [Identifier: Int] = [:]
  /// The last record of each family that has a path of its own.
  private var pathOwners: [Int: Int] = [:]
  /// The last record of each name.
  private var numbers: [Identifier: Int] = [:]

  /// Adds a stroke and returns its number.
  @discardableResult
  mutating func add(_ stroke: PKStroke, isBare: Bool = false) -> Int {
    var record = StrokeRecord(stroke: stroke, isBare: isBare)
    record.family = stroke.parentID.map { familyNumbers.number(of: $0, in: &families) }
    record.group = stroke.renderGroupID.map { groupNumbers.number(of: $0, in: &groups) }
    // A piece of a stroke has its path, and so has the same stroke in another colour.
    var owner = numbers[stroke.id]
    if let family = record.family { owner = pathOwners[family] ?? numbers[families[family]] }
    if let number = owner { owner = records[number].sharedPath ?? number }
    if !isBare, let owner, records[owner].stroke.path == stroke.path,
      records[owner].stroke.path.columns.isStored(as: stroke.path.columns)
    {
      record.sharedPath = owner
    } else if let family = record.family {
      pathOwners[family] = records.count
    }
    numbers[stroke.id] = records.count
    records.append(record)
    return records.count - 1
  }

  /// Adds the strokes and paths that an event needs.
  mutating func add(_ action: Recording.Action) {
    switch action {
    case .strokeBegun(let stroke): add(stroke)
    case .strokeExtended(_, let path): add(Self.bare(path), isBare: true)
    case .erased(_, let path, let changes):
      add(Self.bare(path), isBare: true)
      for change in changes { for stroke in change.replacements { add(stroke) } }
    case .edited(let changes, let above, let below):
      for change in changes { for stroke in change.replacements { add(stroke) } }
      for stroke in above + below { add(stroke) }
    case .strokeEnded, .undone, .redone, .moved, .cleared, .toolChanged: break
    }
  }

  private static func bare(_ path: PKStrokePath) -> PKStroke {
    PKStroke(ink: PKInk(.pen), path: path, id: .zero)
  }

  /// The number of the last stroke of a name.
  func number(of id: Identifier) -> Int? { numbers[id] }
}

extension RecordList {
  /// The strokes of a drawing.
  init(_ strokes: [PKStroke]) {
    for stroke in strokes { add(stroke) }
  }

  /// The strokes and paths of a recording, in the order in which its events need them.
  init(_ recording: Recording) {
    for event in recording.events { add(event.action) }
  }

  /// The records that a file has, to be continued.
  init(_ records: [StrokeRecord], families: [Identifier], groups: [Identifier]) {
    self.records = records
    self.families = families
    self.groups = groups
    familyNumbers = [Identifier: Int](firstIndicesIn: families)
    groupNumbers = [Identifier: Int](firstIndicesIn: groups)
    for (number, record) in records.enumerated() {
      numbers[record.stroke.id] = number
      if let family = record.family, record.sharedPath == nil { pathOwners[family] = number }
    }
  }
}

extension [Identifier: Int] {
  /// The first index of each name in a list.
  fileprivate init(firstIndicesIn list: [Identifier]) {
    self.init(minimumCapacity: list.count)
    for (index, id) in list.enumerated() where self[id] == nil { self[id] = index }
  }

  /// The number of a name; a new name gets the next number.
  fileprivate mutating func number(of id: Identifier, in list: inout [Identifier]) -> Int {
    if let number = self[id] { return number }
    self[id] = list.count
    list.append(id)
    return list.count - 1
  }
}

extension PointColumns {
  /// Whether equal points are also equal bit for bit: 0 and −0 are equal but differ in bits.
  fileprivate func isStored(as other: PointColumns) -> Bool {
    varying == other.varying && present == other.present
      && floats.elementsEqual(other.floats) { $0.bitPattern == $1.bitPattern }
  }
}

/// The names of strokes, families and groups for which a file stores none.
enum GeneratedName {
  static func stroke(_ number: Int) -> Identifier { strokes[number] }
  static func family(_ number: Int) -> Identifier { families[number] }
  static func group(_ number: Int) -> Identifier { groups[number] }

  private static let strokes = DerivedIdentifiers(of: .zero, "pkd stroke")
  private static let families = DerivedIdentifiers(of: .zero, "pkd family")
  private static let groups = DerivedIdentifiers(of: .zero, "pkd group")
}
