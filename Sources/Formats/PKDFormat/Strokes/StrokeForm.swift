import Graphics
import Strokes

/// The properties that strokes of one kind share. A drawing has few forms, so files store them in a
/// table, and a stroke stores the row of its form.
struct StrokeForm: Hashable, Sendable {
  /// The row of its path's shape; nil if the path is another stroke's.
  var shape: Int?
  /// The row of its ink.
  var ink: Int
  var traits: StrokeTraits
}

/// The optional fields that a stroke has besides its points.
struct StrokeTraits: OptionSet, Hashable {
  let rawValue: UInt32

  /// A bounding box in whole points; without it nothing is drawn.
  static let box = StrokeTraits(rawValue: 1 << 0)
  /// The box comes from an archive.
  static let archivedBox = StrokeTraits(rawValue: 1 << 1)
  /// The archive's box is not in whole points, and stored as four numbers.
  static let exactBox = StrokeTraits(rawValue: 1 << 2)
  /// The date is stored in milliseconds and a few units in the last place.
  static let milliseconds = StrokeTraits(rawValue: 1 << 3)
  static let seed = StrokeTraits(rawValue: 1 << 4)
  static let transform = StrokeTraits(rawValue: 1 << 5)
  static let mask = StrokeTraits(rawValue: 1 << 6)
  static let archivedRanges = StrokeTraits(rawValue: 1 << 7)
  static let part = StrokeTraits(rawValue: 1 << 8)
  /// One of the pieces of a stroke.
  static let piece = StrokeTraits(rawValue: 1 << 9)
  static let group = StrokeTraits(rawValue: 1 << 10)
  /// Not a stroke of the drawing, but a path that an event needs.
  static let bare = StrokeTraits(rawValue: 1 << 11)

  static let known = StrokeTraits(rawValue: (1 << 12) - 1)
}

/// The tables of a file, to which strokes refer. Rows are added and never removed.
struct FormTable {
  var shapes: ShapeTable
  private(set) var inks: [PKInk] = []
  private(set) var forms: [StrokeForm] = []
  /// The count of numbers, 0 or 1, that a stroke of each form has in each column of heads.
  private(set) var columnCounts: [SIMD16<Int>] = []
  private var inkIndex = RowIndex<PKInk>()
  private var formIndex = RowIndex<StrokeForm>()

  init(version: FormatVersion) { shapes = ShapeTable(version: version) }

  /// The version of the file.
  var version: FormatVersion { shapes.version }

  /// The row of an ink, which is added if it is new.
  mutating func row(of ink: PKInk) -> Int {
    if let row = inkIndex.row(of: ink, in: inks) { return row }
    append(ink)
    return inks.count - 1
  }

  /// The row of a form, which is added if it is new.
  mutating func row(of form: StrokeForm) -> Int {
    if let row = formIndex.row(of: form, in: forms) { return row }
    append(form)
    return forms.count - 1
  }

  private mutating func append(_ ink: PKInk) { inks.append(ink) }

  private mutating func append(_ form: StrokeForm) {
    forms.append(form)
    var counts = SIMD16<Int>.zero
    for column in HeadColumn.allCases where form.has(column) { counts[column.rawValue] = 1 }
    columnCounts.append(counts)
  }
}

/// The number of rows of each table that have been written.
struct FormTableMark: Equatable {
  var steps: Int
  var shapes = 0
  var inks = 0
  var forms = 0
}

extension FormTable {
  /// The mark of a table without stored rows.
  var emptyMark: FormTableMark { FormTableMark(steps: version.knownSteps.count) }

  var mark: FormTableMark {
    FormTableMark(
      steps: shapes.steps.count, shapes: shapes.shapes.count, inks: inks.count,
      forms: forms.count)
  }

  /// The rows behind a mark, as a chunk's payload.
  func rows(after mark: FormTableMark) -> [UInt8] {
    var writer = ByteWriter()
    let steps = shapes.steps[mark.steps...]
    writer.count(steps.count)
    for steps in steps { write(steps, into: &writer) }
    writer.count(shapes.shapes.count - mark.shapes)
    for shape in shapes.shapes[mark.shapes...] { write(shape, into: &writer) }
    writer.count(inks.count - mark.inks)
    for ink in inks[mark.inks...] { writer.ink(ink) }
    writer.count(forms.count - mark.forms)
    for form in forms[mark.forms...] {
      writer.count(form.shape.map { $0 + 1 } ?? 0)
      writer.count(form.ink)
      writer.varint(UInt64(form.traits.rawValue))
    }
    return writer.bytes
  }

  private func write(_ steps: ValueSteps, into writer: inout ByteWriter) {
    switch steps {
    case .bits: writer.byte(0)  // never: row 0 of all files
    case .grid(let step, let offset):
      writer.byte(offset == 0 ? 1 : 2)
      writer.double(step)
      if offset != 0 { writer.double(offset) }
    case .stretched(let step):
      writer.byte(3)
      writer.double(step)
    }
  }

  private func write(_ shape: PathShape, into writer: inout ByteWriter) {
    writer.byte(shape.scale.rawValue)
    writer.varint(UInt64(shape.varying.rawValue))
    writer.varint(UInt64(shape.present.rawValue))
    // A channel's row is one number; zeros at the end are left out.
    let rows = shape.channels.map {
      UInt64($0.kind.rawValue) + UInt64(version.rowKindCount) * UInt64($0.steps)
    }
    let used = rows.lastIndex { $0 != 0 }.map { $0 + 1 } ?? 0
    writer.count(used)
    for row in rows[..<used] { writer.varint(row) }
  }
}

extension FormTable {
  /// Adds the rows of a chunk. Every reference is checked here, so that strokes need no such
  /// checks.
  mutating func append(_ reader: inout ByteReader, limits: PKDLimits) throws(PKDError) {
    for _ in 0..<(try reader.count(limit: limits.tableRows - shapes.steps.count, .steps)) {
      shapes.append(try readSteps(&reader))
    }
    for _ in 0..<(try reader.count(limit: limits.tableRows - shapes.shapes.count, .shapes)) {
      shapes.append(try readShape(&reader))
    }
    for _ in 0..<(try reader.count(limit: limits.tableRows - inks.count, .inks)) {
      append(try reader.ink(version, limits: limits))
    }
    for _ in 0..<(try reader.count(limit: limits.tableRows - forms.count, .shapes)) {
      let start = reader.offset
      let shape = try reader.count(limit: shapes.shapes.count, .shapes)
      let ink = try reader.count(limit: max(inks.count - 1, 0), .inks)
      let traits = StrokeTraits(
        rawValue: UInt32(truncatingIfNeeded: try reader.count(limit: 1 << 20, .shapes)))
      guard ink < inks.count else {
        throw PKDError(.reference(.inks, index: ink, count: inks.count), at: start)
      }
      guard traits.isSubset(of: .known) else {
        throw PKDError(.unknownValue("trait", UInt64(traits.rawValue)), at: start)
      }
      append(StrokeForm(shape: shape == 0 ? nil : shape - 1, ink: ink, traits: traits))
    }
  }

  private func readSteps(_ reader: inout ByteReader) throws(PKDError) -> ValueSteps {
    let start = reader.offset
    let kind = try reader.byte()
    switch kind {
    case 1, 2:
      let step = try reader.double()
      let offset = kind == 2 ? try reader.double() : 0
      guard step > 0, kind == 1 || offset != 0 else { throw PKDError(.notCanonical, at: start) }
      return .grid(step: step, offset: offset)
    case 3:
      let step = try reader.double()
      guard step > 0 else { throw PKDError(.notCanonical, at: start) }
      return .stretched(step: step)
    default: throw PKDError(.unknownValue("kind of steps", UInt64(kind)), at: start)
    }
  }

  private func readShape(_ reader: inout ByteReader) throws(PKDError) -> PathShape {
    let start = reader.offset
    let scale = try reader.pointScale()
    let varying = try reader.pointChannels()
    let present = try reader.pointChannels()
    let all = PointChannel.allCases
    let used = try reader.count(limit: all.count, .shapes)
    var rows = ChannelRows()
    for channel in all.prefix(used) {
      let kinds = version.rowKindCount
      let number = try reader.count(limit: kinds * shapes.steps.count - 1, .steps)
      rows[channel.rawValue] = ChannelShape(
        kind: ChannelShape.Kind(rawValue: UInt8(number % kinds)) ?? .default, steps: number / kinds)
    }
    let shape = PathShape(scale: scale, varying: varying, present: present, channels: rows)
    guard shape.isValid(in: shapes) else {
      throw PKDError(.unknownValue("shape", UInt64(shapes.shapes.count)), at: start)
    }
    return shape
  }
}

extension ByteReader {
  mutating func pointScale() throws(PKDError) -> PointScale {
    let start = offset
    let number = try byte()
    guard let scale = PointScale(rawValue: number) else {
      throw PKDError(.unknownValue("scale", UInt64(number)), at: start)
    }
    return scale
  }

  mutating func pointChannels() throws(PKDError) -> PointChannels {
    let start = offset
    let bits = try varint()
    guard bits <= UInt64(PointChannels.all.rawValue) else {
      throw PKDError(.unknownValue("channels", bits), at: start)
    }
    return PointChannels(rawValue: UInt16(bits))
  }
}

extension PathShape {
  /// Whether x and y of a path of this shape may have these steps.
  func isValid(_ steps: LocationSteps, in table: ShapeTable) -> Bool {
    isValid(.x, steps.x, in: table) && isValid(.y, steps.y, in: table)
  }

  private func isValid(_ channel: PointChannel, _ steps: Int, in table: ShapeTable) -> Bool {
    let row = channels[channel.rawValue]
    if case .stretched = table.steps[steps] { return row.isDifferenced }
    return row.hasNumbers || steps == 0
  }

  /// Whether points of this shape can be decoded.
  fileprivate func isValid(in table: ShapeTable) -> Bool {
    guard varying.isSuperset(of: PointChannels([.x, .y])) else { return false }
    return PointChannel.allCases.allSatisfy { channel in
      let row = channels[channel.rawValue]
      // The steps of x and y come with each path.
      if channel == .x || channel == .y, row.steps != 0 { return false }
      switch row.kind {
      case .default: return row.steps == 0
      case .width:
        return row.steps == 0 && channel == .secondaryWidth
          && channels[PointChannel.width.rawValue].isChanging
          && varying.isSuperset(of: PointChannels([.width, .secondaryWidth]))
      case .predicted, .steady:
        guard channel.isFloat, varying.contains(channel) else { return false }
        if case .stretched = table.steps[row.steps] { return false }
        return true
      case .function:
        let isSource = PointChannels([.x, .y, .timeOffset, .width]).contains(channel)
        return !isSource && varying.isSuperset(of: PointChannels([.width, channel]))
          && channels[PointChannel.width.rawValue].isChanging
          && (channel.isFloat ? row.steps == 0 : table.steps[row.steps].areWordSteps)
      case .constant, .firstDifferences, .secondDifferences:
        guard row.kind == .constant || varying.contains(channel) else { return false }
        switch table.steps[row.steps] {
        case .bits: return true
        case .grid: return channel.isFloat || table.steps[row.steps].areWordSteps
        case .stretched: return channel.isFloat && row.kind != .constant
        }
      }
    }
  }
}

extension ValueSteps {
  /// Whether words may have these steps.
  fileprivate var areWordSteps: Bool {
    switch self {
    case .bits: true
    case .grid(let step, let offset):
      offset == 0 && (1...65_535).contains(step) && step == step.rounded()
    case .stretched: false
    }
  }
}
