import Graphics
import Strokes

/// What can be told of a stroke without its points.
struct StrokeHead {
  var form: Int
  /// Whether its path is its own, and so its date.
  var ownsPath = true
  /// The number of its points; 0 where the path is another stroke's.
  var pointCount = 0
  /// Milliseconds from the first point to the last, rounded up.
  var duration: UInt32 = 0
  var date = Timestamp.referenceDate
  /// In whole points.
  var box: Rect?
  var family = 0
  var group = 0
  var sharedPath = 0
  var placeSteps = PlaceSteps()
  /// What only few strokes say.
  var extras: StrokeExtras?
}

/// What only few strokes say. It lies apart, so that the many others are cheap to copy.
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
  /// The nearest whole millisecond since 2001; moments too far away give the last that can be told.
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

  /// By how many units in the last place this misses its whole millisecond; nil for many.
  var correction: Int64? {
    let (off, overflow) = secondsSinceReferenceDate.ordered
      .subtractingReportingOverflow((Double(milliseconds) / 1000).ordered)
    return overflow || abs(off) > 3 ? nil : off
  }
}

extension Double {
  /// The bits as a number whose order is that of the values.
  var ordered: Int64 {
    let bits = Int64(bitPattern: bitPattern)
    return bits < 0 ? bits ^ .max : bits
  }

  init(ordered: Int64) {
    self.init(bitPattern: UInt64(bitPattern: ordered < 0 ? ordered ^ .max : ordered))
  }
}

extension StrokeForm {
  /// Whether the path is the stroke's own, and so its date.
  var ownsPath: Bool { shape != nil }

  /// The columns in which a stroke of this form has a number.
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

/// The columns that heads are coded in, in this order.
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

/// Times and places that a stroke's are told against: those of the stroke before.
struct HeadChain {
  private var end: Int64
  private var date: Timestamp
  private var corner = (x: Int64(0), y: Int64(0))
  private var form: Int32 = 0
  private var placeSteps = PlaceSteps()

  init(base: Timestamp) {
    date = base
    end = base.milliseconds
  }

  /// Goes on behind a stroke. One that shares a path says nothing of time.
  mutating func follow(_ head: StrokeHead) {
    form = Int32(truncatingIfNeeded: head.form)
    if let box = head.box { corner = (Int64(clamping: box.maxX), Int64(clamping: box.minY)) }
    guard head.ownsPath else { return }
    date = head.date
    end = head.date.milliseconds &+ Int64(head.duration)
    placeSteps = head.placeSteps
  }

  /// Whether a date's distance can be told in milliseconds.
  func reaches(_ date: Timestamp) -> Bool {
    date.correction != nil && Int32(exactly: date.milliseconds - end) != nil
  }

  /// Whether a box can be told in 32 bits.
  func reaches(_ box: Rect) -> Bool {
    let limit = 1e8
    return abs(box.minX) < limit && abs(box.minY) < limit && box.width < limit
      && box.height < limit && abs(Double(corner.x)) < 2 * limit && abs(Double(corner.y)) < limit
  }

  /// What a column says of a stroke.
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
    case .xSteps: Int32(head.placeSteps.x - placeSteps.x).zigzagged
    case .ySteps: Int32(head.placeSteps.y - placeSteps.y).zigzagged
    case .family: UInt32(head.family)
    case .group: UInt32(head.group)
    case .sharedPath: UInt32(head.sharedPath)
    }
  }

  /// The form that a number of its column names; nil for one beyond the table.
  func form(_ number: UInt32, count: Int) -> Int? {
    let form = Int(form) + Int(number.unzigzagged)
    return 0..<count ~= form ? form : nil
  }

  /// The steps that the numbers of their columns name; nil for some beyond the table.
  func placeSteps(x: UInt32, y: UInt32, count: Int) -> PlaceSteps? {
    let steps = PlaceSteps(
      x: placeSteps.x + Int(x.unzigzagged), y: placeSteps.y + Int(y.unzigzagged))
    return 0..<count ~= steps.x && 0..<count ~= steps.y ? steps : nil
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

  /// Dates that are not in milliseconds are told by their bits.
  func step(to date: Timestamp) -> Int64 {
    date.secondsSinceReferenceDate.ordered &- self.date.secondsSinceReferenceDate.ordered
  }

  func date(step: Int64) -> Timestamp {
    Timestamp(
      secondsSinceReferenceDate: Double(ordered: date.secondsSinceReferenceDate.ordered &+ step))
  }
}
