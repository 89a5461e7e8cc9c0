import Graphics
import Strokes

/// The stored fields of a stroke besides its points.
struct StrokeHead {
  /// The row of its form.
  var form: Int
  /// Whether its path, and with it its date, is its own.
  var ownsPath = true
  /// The number of its points; 0 if the path is another stroke's.
  var pointCount = 0
  /// Milliseconds from the first point to the last, rounded up.
  var duration: UInt32 = 0
  var date = Timestamp.referenceDate
  /// The bounding box in whole points.
  var box: Rect?
  /// The number of the stroke that it is a piece of.
  var family = 0
  /// The number of its group.
  var group = 0
  /// The distance to the record that owns its path: this record's number minus that record's.
  var sharedPath = 0
  var locationSteps = LocationSteps()
  /// The fields that only few strokes have.
  var extras: StrokeExtras?
}

/// Fields that only few strokes have. A class, so that the heads of the others are cheap to copy.
final class StrokeExtras {
  var archivedBox: Rect?
  var seed: UInt32 = 0
  var transform = AffineTransform.identity
  var mask: Path?
  var archivedRanges: [ClosedRange<Double>]?
  var part: ClosedRange<Double>?

  init() {}
}

extension Timestamp {
  /// The nearest whole millisecond since 2001, clamped to ±9·10¹⁵.
  var milliseconds: Int64 {
    let value = (secondsSinceReferenceDate * 1000).rounded()
    return Int64(clamping: min(max(value, -9e15), 9e15))
  }

  init(milliseconds: Int64, correction: Int64) {
    let seconds = Double(milliseconds) / 1000
    self.init(
      secondsSinceReferenceDate: correction == 0
        ? seconds : Double(ordered: seconds.ordered &+ correction))
  }

  /// The distance in units in the last place from the nearest whole millisecond; nil beyond ±3.
  var correction: Int64? {
    let (off, overflow) = secondsSinceReferenceDate.ordered
      .subtractingReportingOverflow((Double(milliseconds) / 1000).ordered)
    return overflow || abs(off) > 3 ? nil : off
  }
}

extension Double {
  /// The bits as a number that orders like the values.
  var ordered: Int64 {
    let bits = Int64(bitPattern: bitPattern)
    return bits < 0 ? bits ^ .max : bits
  }

  init(ordered: Int64) {
    self.init(bitPattern: UInt64(bitPattern: ordered < 0 ? ordered ^ .max : ordered))
  }
}

extension StrokeForm {
  /// Whether the path, and with it the date, is the stroke's own.
  var ownsPath: Bool { shape != nil }

  /// Whether a stroke of this form has a number in a column.
  func has(_ column: HeadColumn) -> Bool {
    switch column {
    case .form: true
    case .pointCount, .duration, .xSteps, .ySteps: ownsPath
    case .pause, .correction: ownsPath && traits.contains(.milliseconds)
    case .x, .y, .width, .height: traits.contains(.box)
    case .family: traits.contains(.piece)
    case .group: traits.contains(.group)
    case .sharedPath: !ownsPath
    }
  }
}

/// The columns of heads, in coding order.
enum HeadColumn: Int, CaseIterable {
  case form, pointCount, duration, pause, correction, x, y, width, height
  case xSteps, ySteps, family, group, sharedPath

  var kind: SymbolKind {
    switch self {
    case .form, .xSteps, .ySteps, .family, .group, .sharedPath: .reference
    case .pointCount: .pointCount
    case .duration, .pause: .pause
    case .correction: .correction
    case .x, .y: .corner
    case .width, .height: .extent
    }
  }
}

/// The values of the previous stroke that a head's numbers are relative to.
struct PreviousHead {
  private var end: Int64
  private var date: Timestamp
  private var corner = (x: Int64(0), y: Int64(0))
  private var form: Int32 = 0
  private var locationSteps = LocationSteps()

  init(base: Timestamp) {
    date = base
    end = base.milliseconds
  }

  /// Makes a stroke the previous one. A stroke that shares a path leaves date, end and steps as
  /// they were.
  mutating func update(from head: StrokeHead) {
    form = Int32(truncatingIfNeeded: head.form)
    if let box = head.box { corner = (Int64(clamping: box.maxX), Int64(clamping: box.minY)) }
    guard head.ownsPath else { return }
    date = head.date
    end = head.date.milliseconds &+ Int64(head.duration)
    locationSteps = head.locationSteps
  }

  /// Whether a date can be coded in milliseconds, relative to the previous end.
  func canEncode(_ date: Timestamp) -> Bool {
    date.correction != nil && Int32(exactly: date.milliseconds - end) != nil
  }

  /// Whether a box can be coded in 32 bits, relative to the previous corner.
  func canEncode(_ box: Rect) -> Bool {
    let limit = 1e8
    return abs(box.minX) < limit && abs(box.minY) < limit && box.width < limit
      && box.height < limit && abs(Double(corner.x)) < 2 * limit && abs(Double(corner.y)) < limit
  }

  /// The number of a stroke in a column.
  func number(of head: StrokeHead, in column: HeadColumn) -> UInt32 {
    switch column {
    case .form: (Int32(head.form) &- form).zigzagged
    case .pointCount: UInt32(head.pointCount)
    case .duration: head.duration
    case .pause: Int32(truncatingIfNeeded: head.date.milliseconds - end).zigzagged
    case .correction: Int32(head.date.correction ?? 0).zigzagged
    case .x: Int32(truncatingIfNeeded: Int64(clamping: head.box?.minX ?? 0) - corner.x).zigzagged
    case .y: Int32(truncatingIfNeeded: Int64(clamping: head.box?.minY ?? 0) - corner.y).zigzagged
    case .width: UInt32(clamping: head.box?.width ?? 0)
    case .height: UInt32(clamping: head.box?.height ?? 0)
    case .xSteps: Int32(head.locationSteps.x - locationSteps.x).zigzagged
    case .ySteps: Int32(head.locationSteps.y - locationSteps.y).zigzagged
    case .family: UInt32(head.family)
    case .group: UInt32(head.group)
    case .sharedPath: UInt32(head.sharedPath)
    }
  }

  /// The row of the form that a number of the column stands for; nil beyond the table.
  func form(_ number: UInt32, count: Int) -> Int? {
    let form = Int64(form) + Int64(number.unzigzagged)
    return 0..<Int64(count) ~= form ? Int(form) : nil
  }

  /// The rows of the steps that two numbers of the columns stand for; nil beyond the table.
  func locationSteps(x: UInt32, y: UInt32, count: Int) -> LocationSteps? {
    let x = Int64(locationSteps.x) + Int64(x.unzigzagged)
    let y = Int64(locationSteps.y) + Int64(y.unzigzagged)
    let rows = 0..<Int64(count)
    return rows ~= x && rows ~= y ? LocationSteps(x: Int(x), y: Int(y)) : nil
  }

  func date(pause: UInt32, correction: UInt32) -> Timestamp {
    Timestamp(
      milliseconds: end &+ Int64(pause.unzigzagged), correction: Int64(correction.unzigzagged))
  }

  func box(x: UInt32, y: UInt32, width: UInt32, height: UInt32) -> Rect {
    Rect(
      x: Double(corner.x + Int64(x.unzigzagged)), y: Double(corner.y + Int64(y.unzigzagged)),
      width: Double(width), height: Double(height))
  }

  /// The distance of a date from the previous one in ordered bits, for dates that milliseconds
  /// cannot store.
  func step(to date: Timestamp) -> Int64 {
    date.secondsSinceReferenceDate.ordered &- self.date.secondsSinceReferenceDate.ordered
  }

  func date(step: Int64) -> Timestamp {
    Timestamp(
      secondsSinceReferenceDate: Double(ordered: date.secondsSinceReferenceDate.ordered &+ step))
  }
}
