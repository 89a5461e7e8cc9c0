import InkFiles
import Graphics
import Strokes

/// The blocks of a page of version 6: a tree of groups, the uppermost of which are the layers, with
/// lines.
struct RemarkableScene {
  /// A group.
  struct Node {
    var isVisible = true
    /// The character of the typed text that the group moves with.
    var anchor: RemarkableID?
    /// The offset that is added to x.
    var originX = 0.0
  }

  /// A child of a group. Deleted children have no content, but others may be positioned next to
  /// them.
  struct Item {
    let id, left, right: RemarkableID
    let contents: Contents
  }

  enum Contents {
    case nothing
    case group(RemarkableID)
    /// A line: its fields, and whether its points are those of version 5.
    case line(ByteCursor, hasOldPoints: Bool)
    /// A marked piece of text: its fields.
    case textHighlight(ByteCursor)
  }

  private(set) var nodes: [RemarkableID: Node] = [:]
  private(set) var children: [RemarkableID: [Item]] = [:]
  private(set) var text: RemarkableText?
  /// The size of the screen, if the page states it.
  private(set) var screen: Size?
  private(set) var notes = ImportNotes()
  private(set) var damage: [ImportError] = []

  /// Reads all blocks. Each states its length, so damage in one does not affect the others.
  init(_ cursor: ByteCursor) {
    var cursor = cursor
    do throws(ImportError) {
      while cursor.remaining > 0 {
        let size = try cursor.uint32()
        // Zero, and the oldest version of readers that understand the block.
        try cursor.skip(2)
        let version = try cursor.byte()
        let kind = try cursor.byte()
        let contents = try cursor.part(size)
        do throws(ImportError) {
          try read(kind, version: version, contents)
        } catch {
          addDamage(error)
        }
      }
    } catch {
      addDamage(error)
    }
  }

  /// The maximum number of errors that are kept.
  private static let damageLimit = 100

  mutating func addDamage(_ error: ImportError) {
    if damage.count < Self.damageLimit { damage.append(error) }
  }

  private mutating func read(
    _ kind: UInt8, version: UInt8, _ contents: ByteCursor
  ) throws(ImportError) {
    switch kind {
    case 2: try readNode(contents)
    case 3...6: try readItem(kind, version: version, contents)
    case 7: text = try RemarkableText(contents)
    case 0x0D: try readScreen(contents)
    // The tree again, deleted items, authors, and counts.
    case 0, 1, 8, 9, 0x0A: break
    default: notes.add("blocks of unknown kinds are left out")
    }
  }

  private mutating func readNode(_ contents: ByteCursor) throws(ImportError) {
    var (id, node) = (RemarkableID.none, Node())
    var fields = RemarkableFields(contents)
    while let field = try fields.next() {
      switch (field.index, field.value) {
      case (1, .identifier(let value)): id = value
      case (3, .part(let part)):
        if case .byte(let value)? = try RemarkableFields.registered(part) {
          node.isVisible = value != 0
        }
      case (7, .part(let part)):
        if case .identifier(let value)? = try RemarkableFields.registered(part) {
          node.anchor = value
        }
      case (10, .part(let part)):
        if case .word(let value)? = try RemarkableFields.registered(part) {
          node.originX = Double(Float(bitPattern: value))
        }
      default: break
      }
    }
    nodes[id] = node
  }

  private mutating func readItem(
    _ kind: UInt8, version: UInt8, _ contents: ByteCursor
  ) throws(ImportError) {
    var (parent, id, left, right) = (
      RemarkableID.none, RemarkableID.none, RemarkableID.none, RemarkableID.none
    )
    var value: ByteCursor?
    var fields = RemarkableFields(contents)
    while let field = try fields.next() {
      switch (field.index, field.value) {
      case (1, .identifier(let found)): parent = found
      case (2, .identifier(let found)): id = found
      case (3, .identifier(let found)): left = found
      case (4, .identifier(let found)): right = found
      case (6, .part(let found)): value = found
      default: break
      }
    }
    var item = Contents.nothing
    if var value {
      // The kind of the item again.
      try value.skip(1)
      switch kind {
      case 3: item = .textHighlight(value)
      case 4: item = try Self.group(value)
      case 5: item = .line(value, hasOldPoints: version < 2)
      default: break
      }
    }
    children[parent, default: []].append(Item(id: id, left: left, right: right, contents: item))
  }

  private static func group(_ value: ByteCursor) throws(ImportError) -> Contents {
    var fields = RemarkableFields(value)
    while let field = try fields.next() {
      if field.index == 2, case .identifier(let node) = field.value { return .group(node) }
    }
    throw value.error(.missing("the node of a group"))
  }

  private mutating func readScreen(_ contents: ByteCursor) throws(ImportError) {
    var fields = RemarkableFields(contents)
    while let field = try fields.next() {
      guard field.index == 5, case .part(var part) = field.value else { continue }
      let (width, height) = (try part.uint32(), try part.uint32())
      guard (100...10_000).contains(width), (100...10_000).contains(height) else {
        throw part.error(.expected("the size of a screen"))
      }
      screen = Size(width: Double(width), height: Double(height))
    }
  }

  /// The children of a group, the lowest first.
  func sortedChildren(of node: RemarkableID) -> (items: [Item], isWhole: Bool) {
    RemarkableSequence.sorted(children[node] ?? [])
  }
}

/// A list that several devices may have changed at once. Each item names its neighbours at the time
/// of its creation.
enum RemarkableSequence {
  /// The items in order, and whether the neighbours define an order: in damaged files they
  /// contradict each other.
  ///
  /// An item follows as soon as all items before it have been output. Among several candidates, the
  /// author and then the number decides.
  static func sorted(
    _ items: [RemarkableScene.Item]
  ) -> (items: [RemarkableScene.Item], isWhole: Bool) {
    var indices: [RemarkableID: Int] = [:]
    indices.reserveCapacity(items.count)
    // Of several items with one identifier, the last counts.
    for (index, item) in items.enumerated() { indices[item.id] = index }
    var waiting = [Int](repeating: 0, count: items.count)
    var followers = [[Int]](repeating: [], count: items.count)
    for (index, item) in items.enumerated() {
      if let left = indices[item.left], left != index {
        followers[left].append(index)
        waiting[index] += 1
      }
      if let right = indices[item.right], right != index {
        followers[index].append(right)
        waiting[right] += 1
      }
    }
    var result: [RemarkableScene.Item] = []
    result.reserveCapacity(items.count)
    var ready = items.indices.filter { waiting[$0] == 0 }
    while !ready.isEmpty {
      ready.sort { (items[$0].id, $0) < (items[$1].id, $1) }
      var next: [Int] = []
      for index in ready {
        result.append(items[index])
        for follower in followers[index] {
          waiting[follower] -= 1
          if waiting[follower] == 0 { next.append(follower) }
        }
      }
      ready = next
    }
    let isWhole = result.count == items.count
    if !isWhole { result += items.indices.filter { waiting[$0] > 0 }.map { items[$0] } }
    return (result, isWhole)
  }
}
