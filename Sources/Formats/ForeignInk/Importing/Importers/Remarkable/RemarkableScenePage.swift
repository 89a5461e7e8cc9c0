import InkFiles
import Graphics
import Strokes

/// Draws the tree of a page of version 6.
struct RemarkableScenePage {
  private let scene: RemarkableScene
  private let options: ImportOptions
  private let screen: Size
  private var builder: PageBuilder
  private var extent: RemarkableExtent
  /// Whether the page is only measured. Its extent must be known before strokes are placed on it.
  private var isMeasuring = false
  private var visited: Set<RemarkableID> = []

  init(_ cursor: ByteCursor, number: Int, _ options: ImportOptions) {
    scene = RemarkableScene(cursor)
    self.options = options
    screen = scene.screen ?? RemarkableScreen.size
    extent = RemarkableExtent(screen: screen)
    // x counts from the middle of the page.
    builder = PageBuilder(
      unit: RemarkableScreen.unit, page: number, fileBytes: cursor.bytes.count, options)
  }

  consuming func page() -> ImportedPage {
    var measured = copy self
    measured.isMeasuring = true
    try? measured.draw(.root, at: Point(x: screen.width / 2, y: 0), isVisible: true)
    extent = measured.extent
    builder.notes.add(scene.notes)
    builder.damage = scene.damage
    if scene.text?.isEmpty == false { builder.notes.add("typed text is left out") }
    do throws(ImportError) {
      let offset = extent.offset
      try draw(
        .root, at: Point(x: offset.x + screen.width / 2, y: offset.y), isVisible: true)
      try addStrays()
    } catch {
      builder.damage.append(error)
    }
    return builder.page(size: extent.size)
  }

  /// A group that is being drawn.
  private struct Level {
    let items: [RemarkableScene.Item]
    let origin: Point
    let isVisible: Bool
    var next = 0
  }

  /// Draws a group and all groups in it, without recursion, as damaged files nest them deeply.
  private mutating func draw(
    _ root: RemarkableID, at origin: Point, isVisible: Bool
  ) throws(ImportError) {
    guard let first = level(root, at: origin, isVisible: isVisible) else { return }
    var levels = [first]
    while let level = levels.last {
      guard level.next < level.items.count else {
        levels.removeLast()
        continue
      }
      levels[levels.count - 1].next += 1
      switch level.items[level.next].contents {
      case .nothing: break
      case .group(let node):
        if let inner = self.level(node, at: level.origin, isVisible: level.isVisible) {
          levels.append(inner)
        }
      case .line(let fields, let hasOldPoints):
        try addLine(fields, hasOldPoints: hasOldPoints, at: level.origin, level.isVisible)
      case .textHighlight(let fields):
        try addHighlight(fields, at: level.origin, level.isVisible)
      }
    }
  }

  /// A group; nil if it was drawn already.
  private mutating func level(
    _ id: RemarkableID, at origin: Point, isVisible: Bool
  ) -> Level? {
    guard visited.insert(id).inserted else { return nil }
    let (items, isWhole) = scene.sortedChildren(of: id)
    if !isWhole { builder.notes.add("groups whose order contradicts itself keep that of the file") }
    var (origin, isVisible) = (origin, isVisible)
    if let node = scene.nodes[id] {
      if !node.isVisible {
        if isVisible, !options.readsHidden { builder.notes.add("hidden layers are left out") }
        isVisible = false
      }
      if let anchor = node.anchor {
        builder.notes.add("places beside typed text are estimated by its lines")
        origin.x += node.originX
        origin.y += RemarkableText.y(of: anchor, in: scene.text)
      }
    }
    return Level(items: items, origin: origin, isVisible: isVisible)
  }

  /// Counts items that are in no layer.
  private mutating func addStrays() throws(ImportError) {
    for parent in scene.children.keys.filter({ !visited.contains($0) }).sorted() {
      for item in scene.children[parent] ?? [] {
        guard case .line(let fields, let hasOldPoints) = item.contents else { continue }
        builder.notes.add("strokes of deleted layers are left out")
        try addLine(fields, hasOldPoints: hasOldPoints, at: .zero, false)
      }
    }
  }

  // MARK: - Items

  private mutating func addLine(
    _ fields: ByteCursor, hasOldPoints: Bool, at origin: Point, _ isVisible: Bool
  ) throws(ImportError) {
    var (tool, color) = (RemarkableTool.unknown, RemarkableColor(number: 0))
    var points: ByteCursor?
    do throws(ImportError) {
      var fields = RemarkableFields(fields)
      while let field = try fields.next() {
        switch (field.index, field.value) {
        case (1, .word(let value)): tool = RemarkableTool(number: Int(value))
        case (2, .word(let value)):
          color = RemarkableColor(number: Int(value), stated: color.stated)
        case (5, .part(let part)): points = part
        case (8, .word(let value)): color.stated = RemarkableColor.color(blueGreenRedAlpha: value)
        default: break
        }
      }
      guard points != nil else { throw fields.cursor.error(.missing("the points of a line")) }
    } catch {
      if builder.damage.count < 100 { builder.damage.append(error) }
    }
    guard let points else { return }
    var stroke = tool.stroke(color, &builder.notes)
    stroke.isVisible = stroke.isVisible && (isVisible || options.readsHidden)
    stroke.points = try Self.points(points, tool, areOld: hasOldPoints)
    tool.finish(&stroke)
    try add(stroke, at: origin)
  }

  private mutating func add(
    _ stroke: consuming ForeignStroke, at origin: Point
  ) throws(ImportError) {
    if isMeasuring {
      if stroke.isVisible { extent.grow(to: stroke.points, movedBy: origin) }
    } else {
      builder.origin = origin
      try builder.add(stroke)
    }
  }

  private static func points(
    _ cursor: ByteCursor, _ tool: RemarkableTool, areOld: Bool
  ) throws(ImportError) -> [PKStrokePoint] {
    var cursor = cursor
    let count = cursor.remaining / (areOld ? 24 : 14)
    var points: [PKStrokePoint] = []
    points.reserveCapacity(count)
    for _ in 0..<count {
      let (x, y) = (try cursor.float32(), try cursor.float32())
      let width, pressure: Double
      if areOld {
        try cursor.skip(8)
        (width, pressure) = (try cursor.float32(), try cursor.float32())
      } else {
        try cursor.skip(2)
        width = Double(try cursor.uint16()) / 4
        try cursor.skip(1)
        pressure = Double(try cursor.byte()) / 255
      }
      points.append(tool.point(x: x, y: y, width: width, pressure: pressure))
    }
    return points
  }

  /// Draws the rectangles of marked text.
  private mutating func addHighlight(
    _ fields: ByteCursor, at origin: Point, _ isVisible: Bool
  ) throws(ImportError) {
    var color = RemarkableColor(number: 3)
    var boxes: ByteCursor?
    do throws(ImportError) {
      var fields = RemarkableFields(fields)
      while let field = try fields.next() {
        switch (field.index, field.value) {
        case (4, .word(let value)):
          color = RemarkableColor(number: Int(value), stated: color.stated)
        case (6, .part(let part)): boxes = part
        case (8, .word(let value)), (10, .word(let value)):
          color.stated = RemarkableColor.color(blueGreenRedAlpha: value)
        default: break
        }
      }
      guard var boxes else { return }
      let count = try boxes.count(
        try boxes.variableLength(), of: "rectangles of a text highlight", bytesEach: 32)
      for _ in 0..<count {
        let (x, y) = (try boxes.float64(), try boxes.float64())
        let (width, height) = (try boxes.float64(), try boxes.float64())
        var stroke = RemarkableTool.highlighter.stroke(color, &builder.notes)
        stroke.shape = .polygon
        stroke.isShape = true
        stroke.isVisible = isVisible || options.readsHidden
        stroke.points = [x, x + width].map {
          PKStrokePoint(x: $0, y: y + height / 2, width: height)
        }
        RemarkableTool.highlighter.finish(&stroke)
        builder.notes.add("highlighted text is drawn as rectangles of a highlighter")
        try add(stroke, at: origin)
      }
    } catch {
      if builder.damage.count < 100 { builder.damage.append(error) }
    }
  }
}
