public import Strokes

import Graphics

// Unrealistic recordings: every kind of event in any order, and columns of values that use every
// coding of points.

extension RandomInk {
  /// A moment: usually near another one, sometimes far away, before 2001 or between milliseconds.
  public mutating func moment(near moment: Timestamp) -> Timestamp {
    let seconds = moment.secondsSinceReferenceDate
    func at(_ seconds: Double) -> Timestamp {
      Timestamp(secondsSinceReferenceDate: seconds.isFinite ? seconds : 1.7e308)
    }
    switch whole(0...11) {
    case 0:
      return at(
        [-0.0, 0, 1e300, -1e300, .leastNonzeroMagnitude, 1.7e308, -63e9, 9.1e12][whole(0...7)])
    case 1: return at(seconds - number(0...100))
    case 2: return at((seconds * 1000).rounded() / 1000)
    case 3: return at(((seconds * 1000).rounded() / 1000).nextUp.nextUp)
    case 4: return at(number(-1e9...1e9))
    case 5...7: return moment
    default: return at(seconds + number(0...2))
    }
  }

  /// A tool of any kind, whose width may be outside its range.
  public mutating func tool() -> PKTool {
    switch whole(0...3) {
    case 0: return .lasso
    case 1: return .eraser(eraser())
    default:
      let ink = ink()
      var tool = PKInkingTool(ink.inkType, color: chance() ? ink.color : wideColor())
      if chance() { tool.width = number(0...30) }
      return .inking(tool)
    }
  }

  /// An eraser of any kind, whose width may be outside its range.
  public mutating func eraser() -> PKEraserTool {
    var eraser = PKEraserTool([.vector, .bitmap, .fixedWidthBitmap][whole(0...2)])
    if chance() { eraser.width = number(0...900) }
    return eraser
  }

  /// A page with random values in all properties.
  public mutating func canvas() -> Recording.Canvas {
    var canvas = Recording.Canvas()
    if chance() { canvas.size = Size(width: number(0...1e6), height: number(0...3000)) }
    if chance() { canvas.background = wideColor() }
    for name in ["title", "author", "", "名前", "a\u{301}"] where chance(0.3) {
      canvas.metadata[name] = ["", "one\nline", "ink ✍️", "\0"][whole(0...3)]
    }
    return canvas
  }

  /// A recording of any events in any order: strokes may be extended after their end, or moved
  /// before their beginning, and identifiers may belong to no stroke.
  public mutating func recording(eventCount: ClosedRange<Int> = 0...16) -> Recording {
    var recording = Recording(canvas: canvas())
    var names: [Identifier] = []
    var now = Timestamp(secondsSinceReferenceDate: number(0...9e8))
    let count = whole(eventCount)
    for index in 0..<count {
      now = moment(near: now)
      let action = action(&names)
      if case .strokeBegun(let stroke) = action, chance(0.3) { now = stroke.path.creationDate }
      // Every fourth recording is of several people.
      let person = count % 4 == 3 ? UInt16(index * index % 3) : 0
      recording.events.append(Recording.Event(time: now, action: action, person: person))
    }
    return recording
  }

  private mutating func action(_ names: inout [Identifier]) -> Recording.Action {
    func name(_ random: inout RandomInk) -> Identifier {
      random.chance(0.1)
        ? random.identifier() : names.randomElement(using: &random.generator) ?? .zero
    }
    func changes(_ random: inout RandomInk) -> [StrokeChange<PKStroke>] {
      (0..<random.whole(0...2)).map { _ in
        let pieces = (0..<random.whole(0...2)).map { _ in random.recordedStroke(names) }
        names += pieces.map(\.id)
        return StrokeChange(strokeID: name(&random), replacements: pieces)
      }
    }
    switch whole(0...12) {
    case 0...2:
      let stroke = recordedStroke(names)
      names.append(stroke.id)
      return .strokeBegun(stroke)
    case 3, 4: return .strokeExtended(name(&self), by: path(pointCount: 0...6))
    case 5: return .strokeEnded(name(&self))
    case 6:
      let changes = changes(&self)
      return .erased(eraser(), along: path(pointCount: 0...4), changes: changes)
    case 7: return .undone
    case 8: return .redone
    case 9: return .moved((0..<whole(0...3)).map { _ in name(&self) }, by: transform())
    case 11:
      let changes = changes(&self)
      let (above, below) = (
        (0..<whole(0...2)).map { _ in recordedStroke(names) },
        (0..<whole(0...2)).map { _ in recordedStroke(names) }
      )
      names += above.map(\.id) + below.map(\.id)
      return .edited(changes, above: above, below: below)
    case 10: return chance() ? .cleared : .toolChanged(tool())
    default: return .toolChanged(tool())
    }
  }

  /// A stroke, sometimes a piece of another one, or one with the same identifier.
  private mutating func recordedStroke(_ names: [Identifier]) -> PKStroke {
    var stroke = stroke(pointCount: chance(0.2) ? 0...1 : 0...8)
    if let name = names.randomElement(using: &generator), chance(0.2) {
      stroke = stroke.renamed(name)
    }
    if chance(0.3) {
      stroke.parentID = names.randomElement(using: &generator) ?? identifier()
    }
    if chance(0.2) { stroke = part(of: stroke) }
    return stroke
  }
}

// MARK: - Hostile columns

extension RandomInk {
  /// A path in which each channel is stored by its own rule.
  package mutating func hostilePath(pointCount: ClosedRange<Int> = 0...40) -> PKStrokePath {
    PKStrokePath(
      columns: hostileColumns(pointCount: pointCount),
      creationDate: moment(near: Timestamp(secondsSinceReferenceDate: number(0...9e8))))
  }

  /// Columns with values by a rule for each: on the grids of devices and beside them, equal to
  /// another column or constant, or any finite bits.
  package mutating func hostileColumns(pointCount: ClosedRange<Int> = 0...40) -> PointColumns {
    let count = whole(pointCount)
    let scale: PointScale = chance(0.25) ? .notes2018 : .current
    let varying = PointChannels(rawValue: UInt16(whole(0...0x1FFF)) | 3)
    let present = PointChannels(rawValue: UInt16(whole(0...0x1FFF)) | 3)
    guard count > 0 else {
      return PointColumns(emptyIn: scale, present: present, varying: varying)
    }
    let fallback = StoredPoint(defaultsIn: scale)
    var floats: [Float] = []
    var words: [UInt16] = []
    var width: ArraySlice<Float> = []
    for channel in PointChannel.floats {
      let length = varying.contains(channel) ? count : 1
      var column = hostileFloats(length)
      if chance(0.3) { column = .init(repeating: fallback[float: channel], count: length) }
      if channel == .secondaryWidth, chance(), width.count == length { column = Array(width) }
      floats += column
      if channel == .width { width = column[...] }
    }
    for channel in PointChannel.words {
      let length = varying.contains(channel) ? count : 1
      words +=
        chance(0.3)
        ? [UInt16](repeating: fallback[word: channel], count: length) : hostileWords(length)
    }
    return PointColumns(
      count: count, scale: scale, varying: varying, present: present, floats: floats, words: words)
  }

  /// Floats by one of many rules.
  package mutating func hostileFloats(_ count: Int) -> [Float] {
    switch whole(0...11) {
    case 0: return (0..<count).map { _ in anyFloat() }
    case 1: return [Float](repeating: anyFloat(), count: count)
    case 2: return (0..<count).map { _ in chance() ? 0 : -0.0 }
    case 3:
      return (0..<count).map { _ in Float(bitPattern: UInt32(whole(0...0x7F_FFFF))) }
    case 4:
      return (0..<count).map { _ in
        [.greatestFiniteMagnitude, -.greatestFiniteMagnitude, .leastNonzeroMagnitude, 1e30, -1]
          .randomElement(using: &generator) ?? 0
      }
    case 5, 6: return grid(count)
    case 7...9: return stretched(count)
    case 10:
      // Values that are close to each other and far from the origin.
      let start = Float(number(0...1e12))
      return (0..<count).map { start - Float($0) * 0x1p29 }
    default:
      var value = Float(number(-1000...1000))
      return (0..<count).map { _ in
        value += Float(number(-3...3))
        return value
      }
    }
  }

  /// Any finite bits.
  private mutating func anyFloat() -> Float {
    while true {
      let value = Float(bitPattern: UInt32(truncatingIfNeeded: generator.next()))
      if value.isFinite { return value }
    }
  }

  /// Values on a device's grid, a few of them beside it.
  private mutating func grid(_ count: Int) -> [Float] {
    let steps: [Double] = [
      1e-3, 0.1, 3.0 / 256, 1.0 / 64, 1.0 / 256, 0.5, 1, 0.01, 1.0 / 240, 1.0 / 8000, 7,
    ]
    let step = steps[whole(0...steps.count - 1)]
    let offset: Double = chance() ? 0 : number(-1...1)
    let misses = chance(0.2)
    var number = whole(-2000...2000)
    return (0..<count).map { _ in
      number += whole(-40...40)
      let value = Float(offset + Double(number) * step)
      return misses && chance(0.1) ? value.nextUp : value
    }
  }

  /// Values on a grid that a zoom has stretched, with errors of some units in the last place.
  private mutating func stretched(_ count: Int) -> [Float] {
    let step = chance() ? 1e-3 : number(0.006...0.2)
    let start = Float(number(0...900))
    let off = whole(0...4)
    var place = whole(0...200)
    return (0..<count).map { _ in
      place += whole(-30...30)
      var value = Float(Double(start) + Double(place) * step)
      for _ in 0..<whole(0...off) { value = chance() ? value.nextUp : value.nextDown }
      return value
    }
  }

  /// Words by one of several rules.
  package mutating func hostileWords(_ count: Int) -> [UInt16] {
    switch whole(0...4) {
    case 0: return (0..<count).map { _ in UInt16(whole(0...65_535)) }
    case 1: return [UInt16](repeating: UInt16(whole(0...65_535)), count: count)
    case 2: return (0..<count).map { _ in chance() ? 0 : 65_535 }
    case 3: return (0..<count).map { _ in UInt16(whole(0...255)) }
    default:
      var word = whole(0...65_535)
      return (0..<count).map { _ in
        word = min(max(word + whole(-300...300), 0), 65_535)
        return UInt16(word)
      }
    }
  }
}

extension PointColumns {
  /// Whether other columns have the same bits in the same layout.
  package func isIdentical(to other: PointColumns) -> Bool {
    count == other.count && scale == other.scale && varying == other.varying
      && present == other.present && words == other.words
      && floats.map(\.bitPattern) == other.floats.map(\.bitPattern)
  }
}
