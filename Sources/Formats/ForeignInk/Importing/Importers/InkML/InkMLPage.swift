import InkFiles
import Graphics
import Strokes

/// Makes a page from the traces of a document.
struct InkMLPage {
  private let document: InkMLDocument
  private let traces: InkMLTraces
  private var page: PageBuilder
  /// The points in a unit of the page, which is the unit of locations.
  private let unit: Double
  /// The end of the last stroke, if known.
  private var end: Timestamp?

  init(_ document: InkMLDocument, page index: Int, fileBytes: Int, _ options: ImportOptions) {
    self.document = document
    let traces = InkMLTraces(document)
    self.traces = traces
    var notes = document.definitions.notes
    let first = document.traces.first.map { traces[$0] }
    if let length = first?.lengths.x {
      unit = length
    } else {
      unit = Self.likelyUnit(traces)
      notes.add("the file states no unit of length: the size is a guess")
    }
    if first?.ignoresResolution == true {
      notes.add("places are hundredths of a millimetre, as Microsoft's programs write them")
    }
    page = PageBuilder(unit: unit, page: index, fileBytes: fileBytes, options)
    page.notes = notes
  }

  /// The page; `name` is used if it has no name itself.
  mutating func imported(
    _ part: InkMLPlace, named name: String, damage: ImportError?
  ) throws(ImportError) -> ImportedPage {
    for index in document.traces.indices where traces.prior[index] == nil {
      var stroke: ForeignStroke?
      var next: Int? = index
      while let index = next {
        let trace = document.traces[index]
        let trailing = read(trace, part)
        if stroke == nil { stroke = trailing } else { stroke?.append(trailing) }
        next = traces.next[index]
      }
      guard var stroke else { continue }
      stroke.isVisible = isShown(index)
      if stroke.isVisible { place(&stroke, isPlaced: document.traces[index].timeOffset != nil) }
      try page.add(stroke)
    }
    if let damage { page.add(damage) }
    if traces.usedSetups.contains(where: { $0.brush.width == nil && $0.width == nil }) {
      page.notes.add("brushes without a width get 1.5 points")
    }
    if traces.usedSetups.contains(where: { $0.isUndeclared && $0.time != nil }) {
      page.notes.add("third values of points without a format are times in milliseconds")
    }
    let unread = ["OR", "C", "CR", "CG", "CB", "S"]
    if traces.usedSetups.contains(where: { setup in unread.contains { setup.channels[$0] != nil } })
    {
      page.notes.add("channels of rotation, color and switches are left out")
    }
    if document.hasTemplate { page.notes.add("the picture below the ink is left out") }
    var metadata = document.texts
    let background = metadata.removeValue(forKey: "background").flatMap { Color(hex: $0) }
    return page.page(
      name: document.name.isEmpty ? name : document.name, size: canvasSize, background: background,
      metadata: metadata)
  }

  /// The extent of the canvas in points, if it has one that begins at its origin.
  private var canvasSize: Size? {
    guard let trace = document.traces.first, let canvas = traces[trace].canvas else { return nil }
    func side(_ name: String) -> Double? {
      guard let channel = canvas.channels.first(where: { $0.name == name }),
        channel.minimum ?? 0 == 0, let maximum = channel.maximum, maximum > 0
      else { return nil }
      return InkMLUnits.points(in: channel.units).map { $0 * maximum }
    }
    guard let width = side("X"), let height = side("Y") else { return nil }
    return Size(width: width, height: height)
  }

  // MARK: - Order

  private mutating func isShown(_ index: Int) -> Bool {
    switch traces.visibility(of: index) {
    case .shown: return true
    case .penUp: page.notes.add("the ways of a pen above the page are left out")
    case .notViewed: page.notes.add("traces that are defined but not shown are left out")
    }
    return false
  }

  /// Makes strokes whose times restart at 0 follow each other.
  private mutating func place(_ stroke: inout ForeignStroke, isPlaced: Bool) {
    guard let start = stroke.start else { return }
    if !isPlaced, let end, start < end {
      stroke.start = nil
      return
    }
    end = start + max(stroke.points.last?.timeOffset ?? 0, 0)
  }

  // MARK: - Strokes

  /// Reads a trace as a stroke.
  private mutating func read(_ trace: InkMLTrace, _ part: InkMLPlace) -> ForeignStroke {
    let setup = traces[trace]
    var text = InkMLTraceText(setup.format)
    let characters = document.text
    if let reason = text.read(characters.span.extracting(trace.text)) {
      page.add(part.error(reason, at: trace.offset))
    }
    var stroke = ForeignStroke(ink: ink(setup.brush))
    stroke.shape = setup.brush.isFitted == false ? .polygon : .samples
    stroke.transform = setup.transform(to: unit)
    stroke.points = points(text, setup)
    setTimes(&stroke, trace, setup, text)
    return stroke
  }

  private func ink(_ brush: InkMLBrush) -> PKInk {
    // Stated widths are drawn widths for every ink.
    if let type = brush.inkType, let color = brush.inkColor {
      return PKInk(type, color: color, widthLaw: .plain)
    }
    var color = brush.color ?? .black
    color.alpha *= 1 - min(max((brush.transparency ?? 0) / 255, 0), 1)
    let isHighlighter = brush.isMask == true || brush.isRectangle == true && color.alpha < 1
    return isHighlighter
      ? ForeignBrush.highlighter.ink(color) : ForeignBrush.pen.ink(color)
  }

  private func points(_ text: InkMLTraceText, _ setup: InkMLSetup) -> [PKStrokePoint] {
    let width = text.width
    let count = text.values.count / width
    let (x, y, force, widths) = (setup.x, setup.y, setup.force, setup.width)
    let pressures = setup.pressures
    let nib = nib(setup)
    let widthUnit = (setup.widthLength ?? setup.lengths.x ?? unit) / unit
    let angles = InkMLAngles(setup)
    let opacities = setup.channels[InkMLChannel.opacityName]
    // Only the inks that our own files name have blades.
    let hasTips = setup.brush.inkType != nil
    let tipWidths = hasTips ? setup.channels[InkMLChannel.tipNames.width] : nil
    let tipHeights = hasTips ? setup.channels[InkMLChannel.tipNames.height] : nil
    var points: [PKStrokePoint] = []
    points.reserveCapacity(count)
    for row in stride(from: 0, to: count * width, by: width) {
      var point = PKStrokePoint(
        x: x.map { text.values[row + $0] } ?? .nan, y: y.map { text.values[row + $0] } ?? .nan,
        width: nib.width)
      point.size.height = nib.height
      if let force, let pressures {
        let value = text.values[row + force]
        let pressure =
          (value - pressures.lowerBound) / (pressures.upperBound - pressures.lowerBound)
        if pressure >= 0, pressure <= 1 {
          point.force = pressure * 2
          // Microsoft's ink has half its width without pressure, and 1.5 times its width at full
          // pressure.
          if setup.brush.ignoresPressure != true { point.size = nib * (0.5 + pressure) }
        }
      }
      if let widths, text.values[row + widths].isFinite {
        let width = text.values[row + widths] * widthUnit
        point.size = Size(width: width, height: width)
      }
      if let tipWidths, let tipHeights {
        let (width, height) = (text.values[row + tipWidths], text.values[row + tipHeights])
        if width > 0, height > 0 { point.size = Size(width: width, height: height) * (1 / unit) }
      }
      if angles.exist { angles.set(&point, text.values, row) }
      if let opacities { point.opacity = text.values[row + opacities] }
      points.append(point)
    }
    return points
  }

  /// The size of the brush in the page's units.
  private func nib(_ setup: InkMLSetup) -> Size {
    func size(_ length: InkMLBrush.Length?) -> Double? {
      guard let length, length.value > 0 else { return nil }
      let points = InkMLUnits.points(in: length.units) ?? setup.canvasLength ?? unit
      return length.value * points / unit
    }
    let width = size(setup.brush.width) ?? Self.usualWidth / unit
    return Size(width: width, height: size(setup.brush.height) ?? width)
  }

  /// The width of Microsoft's usual pen, in points.
  private static let usualWidth = 1.5

  // MARK: - Times

  private func setTimes(
    _ stroke: inout ForeignStroke, _ trace: InkMLTrace, _ setup: InkMLSetup,
    _ text: InkMLTraceText
  ) {
    let offset = trace.timeOffset.map { $0 / 1000 }
    if setup.base != nil || offset != nil {
      stroke.start = (setup.base ?? .referenceDate) + (offset ?? 0)
    }
    if let channel = setup.time {
      let times = stride(from: channel, to: text.values.count, by: text.width)
      guard let first = times.map({ text.values[$0] }).first(where: \.isFinite) else { return }
      var last = 0.0
      for (index, place) in times.enumerated() where index < stroke.points.count {
        let time = (text.values[place] - first) * setup.timeUnit
        if time.isFinite { last = time }
        stroke.points[index].timeOffset = last
      }
      stroke.hasTimes = true
      let begin = first * setup.timeUnit
      guard abs(begin) < 1e10 else { return }
      // Times as large as this count from 1970.
      stroke.start =
        setup.base == nil && begin > 3e8
        ? Timestamp(secondsSince1970: begin) : (stroke.start ?? .referenceDate) + begin
    } else if let step = setup.step(of: trace, count: stroke.points.count) {
      for index in stroke.points.indices { stroke.points[index].timeOffset = Double(index) * step }
      stroke.hasTimes = true
    }
  }

  // MARK: - Size

  /// The points in a unit of a file that does not state it.
  private static func likelyUnit(_ traces: InkMLTraces) -> Double {
    var bounds: Rect?
    let characters = traces.document.text
    for trace in traces.document.traces {
      let setup = traces[trace]
      guard let x = setup.x, let y = setup.y else { continue }
      var text = InkMLTraceText(setup.format)
      _ = text.read(characters.span.extracting(trace.text))
      for row in stride(from: 0, to: text.values.count, by: text.width) {
        let point = Point(x: text.values[row + x], y: text.values[row + y])
        guard point.isFinite else { continue }
        let box = Rect(origin: point, size: Size(width: 0, height: 0))
        bounds = bounds.map { $0.union(box) } ?? box
      }
    }
    return LikelyUnit.points(forSide: bounds.map { max($0.width, $0.height) } ?? 0)
  }
}

extension ForeignStroke {
  /// Appends a trace that continues this one.
  fileprivate mutating func append(_ other: ForeignStroke) {
    var shift = points.last?.timeOffset ?? 0
    if let start, let begin = other.start { shift = max(begin - start, shift) }
    for var point in other.points {
      point.timeOffset += shift
      points.append(point)
    }
    hasTimes = hasTimes && other.hasTimes
  }
}
