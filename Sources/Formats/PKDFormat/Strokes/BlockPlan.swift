import Graphics
import Strokes

/// How records are divided into blocks, with the heads, paths and table rows that this needs.
struct BlockPlan {
  struct Block {
    var heads: [StrokeHead]
    /// The indices of the paths that the block's strokes own.
    var paths: Range<Int>
  }

  private(set) var table: FormTable
  let paths: [PathNumbers]
  private(set) var blocks: [Block] = []

  /// Plans for records, whose indices are their numbers, with the rows that the file has already.
  init(
    _ records: ArraySlice<StrokeRecord>, header: Header,
    after table: FormTable = FormTable(version: .latest)
  ) {
    self.table = table
    // Numbers instead of copies, since copying a record retains many references.
    let owners = records.indices.filter { records[$0].sharedPath == nil }
    let plan = PathPlan(
      owners.map { records[$0].stroke.path.columns.rounded(to: header.profile) },
      profile: header.profile, after: table.shapes)
    self.table.shapes = plan.table
    paths = plan.paths
    var next = 0
    let pointCounts = records.indices.map {
      records[$0].sharedPath == nil ? records[$0].stroke.path.count : 0
    }
    for range in BlockLimits.blocks(of: pointCounts) {
      var block = Block(heads: [], paths: next..<next)
      var previous = PreviousHead(base: header.base)
      for number in range.map({ records.startIndex + $0 }) {
        let ownsPath = records[number].sharedPath == nil
        let head = StrokeHead(
          records[number], number: number, path: ownsPath ? paths[next] : nil, after: previous,
          table: &self.table)
        if ownsPath { next += 1 }
        previous.update(from: head)
        block.heads.append(head)
      }
      block.paths = block.paths.lowerBound..<next
      blocks.append(block)
    }
  }
}

extension StrokeHead {
  /// The head of a record.
  init(
    _ record: StrokeRecord, number: Int, path: PathNumbers?, after previous: PreviousHead,
    table: inout FormTable
  ) {
    let stroke = record.stroke
    var traits: StrokeTraits = []
    let extras = StrokeExtras()
    form = 0
    if let owner = record.sharedPath {
      sharedPath = number - owner
      ownsPath = false
    } else {
      pointCount = stroke.path.count
      duration = stroke.path.milliseconds
      date = stroke.path.creationDate
      if previous.canEncode(date) { traits.insert(.milliseconds) }
    }
    if record.isBare { traits.insert(.bare) }
    // Computing bounds takes a fifth of the time of writing; an archive's need no computing.
    let bounds = record.isBare ? .null : stroke.renderBounds
    if !bounds.isNull {
      let box = bounds.roundedOutwards
      if previous.canEncode(box) {
        self.box = box
        traits.insert(.box)
      }
    }
    if let archived = stroke.archivedBounds, archived.isFinite {
      traits.insert(.archivedBox)
      if box?.represents(archived) != true {
        extras.archivedBox = archived
        traits.insert(.exactBox)
      }
    }
    traits.formUnion(extras.collect(from: stroke))
    if let family = record.family {
      self.family = family
      traits.insert(.piece)
    }
    if let group = record.group {
      self.group = group
      traits.insert(.group)
    }
    let shapeRow = path.map { table.shapes.row(of: $0.shape) }
    if let path { locationSteps = path.locationSteps }
    let inkRow = table.row(of: stroke.ink)
    if traits.hasExtras { self.extras = extras }
    form = table.row(of: StrokeForm(shape: shapeRow, ink: inkRow, traits: traits))
  }
}

extension StrokeExtras {
  /// Takes the optional fields of a stroke, and returns the traits of those that it has.
  fileprivate func collect(from stroke: PKStroke) -> StrokeTraits {
    var traits: StrokeTraits = []
    if stroke.randomSeed != 0 {
      seed = stroke.randomSeed
      traits.insert(.seed)
    }
    if !stroke.transform.isIdentityInBits {
      transform = stroke.transform
      traits.insert(.transform)
    }
    if let mask = stroke.mask {
      self.mask = mask
      traits.insert(.mask)
    }
    if let ranges = stroke.archivedMaskRanges {
      archivedRanges = ranges
      traits.insert(.archivedRanges)
    }
    if stroke.pathRange != .wholePath {
      part = stroke.pathRange
      traits.insert(.part)
    }
    return traits
  }
}

extension AffineTransform {
  /// Whether the bits of every number are the identity's: −0 equals 0 but has other bits.
  fileprivate var isIdentityInBits: Bool {
    isIdentity && [b, c, tx, ty].allSatisfy { $0.sign == .plus }
  }
}

extension Rect {
  private var sides: [Double] { [minX, minY, maxX, maxY] }

  var isFinite: Bool { sides.allSatisfy { $0.isFinite } }

  /// Whether this box, stored in whole points, decodes to another one bit for bit: −0 equals 0, but
  /// no whole number is −0.
  fileprivate func represents(_ other: Rect) -> Bool {
    zip(sides, other.sides).allSatisfy { ($0 + 0).bitPattern == $1.bitPattern }
  }
}
