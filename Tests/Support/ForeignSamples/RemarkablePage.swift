/// A page of a reMarkable tablet, made of blocks or layers.
enum RemarkablePage {
  static func header(_ version: String) -> TabletBytes {
    TabletBytes("reMarkable .lines file, version=\(version)          ")
  }

  /// A point: x, y, width in pixels, pressure from 0 to 1.
  typealias PenPoint = (x: Float, y: Float, width: Float, pressure: Float)

  static func oldPoints(_ points: [PenPoint]) -> TabletBytes {
    var bytes = TabletBytes()
    for point in points {
      for value in [point.x, point.y, 7, 3, point.width, point.pressure] { bytes.add(value) }
    }
    return bytes
  }

  static func newPoints(_ points: [PenPoint]) -> TabletBytes {
    var bytes = TabletBytes()
    for point in points {
      bytes.add(point.x)
      bytes.add(point.y)
      bytes.add(UInt16(9))
      bytes.add(UInt16(point.width * 4))
      bytes.add(UInt8(77))
      bytes.add(UInt8(point.pressure * 255))
    }
    return bytes
  }

  // MARK: - Versions 3 and 5

  struct LayeredStroke {
    var tool: UInt32 = 17
    var color: UInt32 = 0
    var points: [PenPoint] = [(100, 200, 4, 0.5), (300, 200, 8, 1)]
  }

  static func layered(_ layers: [[LayeredStroke]], version: Int = 5) -> [UInt8] {
    var bytes = header("\(version)")
    bytes.add(UInt32(layers.count))
    for layer in layers {
      bytes.add(UInt32(layer.count))
      for stroke in layer {
        bytes.add(stroke.tool)
        bytes.add(stroke.color)
        bytes.add(UInt32(0))
        bytes.add(Float(2))
        if version == 5 { bytes.add(UInt32(0)) }
        bytes.add(UInt32(stroke.points.count))
        bytes.add(oldPoints(stroke.points))
      }
    }
    return bytes.bytes
  }

  // MARK: - Version 6

  struct ID {
    var author: UInt8 = 1
    var counter: UInt64

    init(_ counter: UInt64, author: UInt8 = 1) {
      self.author = author
      self.counter = counter
    }

    static let none = ID(0, author: 0)
    static let root = ID(1, author: 0)
    static let layer = ID(11, author: 0)
  }

  static func number(_ value: UInt64) -> TabletBytes {
    var (rest, bytes) = (value, TabletBytes())
    while rest > 0x7F {
      bytes.add(UInt8(rest & 0x7F | 0x80))
      rest >>= 7
    }
    bytes.add(UInt8(rest))
    return bytes
  }

  static func field(_ index: UInt64, byte: UInt8) -> TabletBytes {
    tagged(index, 1) { $0.add(byte) }
  }
  static func field(_ index: UInt64, word: UInt32) -> TabletBytes {
    tagged(index, 4) { $0.add(word) }
  }
  static func field(_ index: UInt64, float: Float) -> TabletBytes {
    tagged(index, 4) { $0.add(float) }
  }
  static func field(_ index: UInt64, double: Double) -> TabletBytes {
    tagged(index, 8) { $0.add(double) }
  }
  static func field(_ index: UInt64, id: ID) -> TabletBytes {
    tagged(index, 0xF) {
      $0.add(id.author)
      $0.add(number(id.counter))
    }
  }
  static func field(_ index: UInt64, _ parts: TabletBytes...) -> TabletBytes {
    tagged(index, 0xC) { bytes in
      var inner = TabletBytes()
      for part in parts { inner.add(part) }
      bytes.addBlock(inner)
    }
  }

  private static func tagged(
    _ index: UInt64, _ kind: UInt64, _ body: (inout TabletBytes) -> Void
  ) -> TabletBytes {
    var bytes = number(index << 4 | kind)
    body(&bytes)
    return bytes
  }

  static func block(_ kind: UInt8, version: UInt8 = 2, _ fields: TabletBytes...) -> TabletBytes {
    var contents = TabletBytes()
    for field in fields { contents.add(field) }
    var bytes = TabletBytes()
    bytes.add(UInt32(contents.bytes.count))
    bytes.bytes += [0, 1, version, kind]
    bytes.add(contents)
    return bytes
  }

  static func scene(_ blocks: [TabletBytes]) -> [UInt8] {
    var bytes = header("6")
    for block in blocks { bytes.add(block) }
    return bytes.bytes
  }

  /// A group, with its anchor and offset beside text.
  static func node(
    _ id: ID, isVisible: Bool = true, anchor: ID? = nil, originX: Float = 0
  ) -> TabletBytes {
    var shown = TabletBytes()
    shown.add(field(1, id: .none))
    shown.add(field(2, byte: isVisible ? 1 : 0))
    var fields = field(1, id: id)
    fields.add(field(2, field(1, id: .none), field(2, TabletBytes("\u{1}\u{1}A"))))
    fields.add(field(3, shown))
    if let anchor {
      fields.add(field(7, field(1, id: .none), field(2, id: anchor)))
      fields.add(field(8, field(1, id: .none), field(2, byte: 2)))
      fields.add(field(9, field(1, id: .none), field(2, float: 35)))
      fields.add(field(10, field(1, id: .none), field(2, float: originX)))
    }
    return block(2, version: 1, fields)
  }

  /// An item of a group; without contents it is deleted.
  static func item(
    _ kind: UInt8, _ id: ID, in parent: ID = .layer, left: ID = .none, right: ID = .none,
    version: UInt8 = 2, _ contents: TabletBytes?
  ) -> TabletBytes {
    var fields = field(1, id: parent)
    fields.add(field(2, id: id))
    fields.add(field(3, id: left))
    fields.add(field(4, id: right))
    fields.add(field(5, word: contents == nil ? 1 : 0))
    if let contents {
      var value = TabletBytes()
      value.add(UInt8(3))
      value.add(contents)
      fields.add(field(6, value))
    }
    return block(kind, version: version, fields)
  }

  static func group(
    _ node: ID, as id: ID, in parent: ID = .root, left: ID = .none
  ) -> TabletBytes {
    item(4, id, in: parent, left: left, version: 1, field(2, id: node))
  }

  static func line(
    tool: UInt32 = 17, color: UInt32 = 0, stated: UInt32? = nil, old: Bool = false,
    _ points: [PenPoint] = [(-602, 200, 4, 0.5), (-402, 200, 8, 1)]
  ) -> TabletBytes {
    var fields = field(1, word: tool)
    fields.add(field(2, word: color))
    fields.add(field(3, double: 2))
    fields.add(field(4, float: 0))
    fields.add(field(5, old ? oldPoints(points) : newPoints(points)))
    fields.add(field(6, id: ID(1)))
    if let stated { fields.add(field(8, word: stated)) }
    return fields
  }

  /// A typed text in pieces, each with the identifier of its first letter.
  static func text(_ pieces: [(ID, String)], y: Double = 234) -> TabletBytes {
    var items = number(UInt64(pieces.count))
    for (id, letters) in pieces {
      var value = number(UInt64(letters.utf8.count))
      value.add(UInt8(1))
      value.add(TabletBytes(letters))
      items.add(
        field(
          0, field(2, id: id), field(3, id: .none), field(4, id: .none), field(5, word: 0),
          field(6, value)))
    }
    var place = TabletBytes()
    place.add(-468.0)
    place.add(y)
    return block(
      7, version: 1, field(1, id: .none), field(2, field(1, field(1, items))), field(3, place),
      field(4, float: 936))
  }

  /// One layer with items.
  static func page(_ items: [TabletBytes], isVisible: Bool = true) -> [UInt8] {
    scene(
      [node(.root), node(.layer, isVisible: isVisible), group(.layer, as: ID(13, author: 0))]
        + items)
  }
}
