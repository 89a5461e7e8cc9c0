import InkFiles
import Graphics

/// The lines of a UNIPEN file, read from the first to the last.
struct UNIPENDocument {
  private(set) var pages = [UNIPENPage()]
  private(set) var version = 0
  private(set) var notes = ImportNotes()
  /// Whether the file includes other files.
  private(set) var includesFiles = false
  /// Whether positions have fractions.
  private(set) var hasFractions = false
  /// The points in a unit if no resolution is stated. All pages share it, so that their relative
  /// sizes are kept.
  private(set) var likelyUnit = 1.0

  private let bytes: [UInt8]
  /// The number of the line that is read.
  private var line = 0
  /// The meaning of the current rows of numbers.
  private var rows = Rows.unexpected
  private var channels = Channels()
  private var (xPerInch, yPerInch): (Double?, Double?)
  private var clock = UNIPENClock()
  private var componentCount = 0
  /// The samples of the stroke that is read.
  private var samples: [UNIPENSample] = []
  /// The number of rows that were measured above the paper, since the pen left it.
  private var airRows = 0
  /// Whether the next stroke begins a page.
  private var startsPage = false
  /// The segments, each with the page that contains its line.
  private var segments: [(segment: UNIPENSegment, page: Int)] = []
  private var highestPressure = 0.0
  /// The numbers of a row.
  private var values: [Double] = []

  private enum Rows { case ink, air, text, unexpected }

  /// The meaning of the numbers in a row.
  private struct Channels {
    /// The indices of channels in a row.
    var (x, y) = (0, 1)
    var time, pressure: Int?
    /// The count of numbers in a point; nil if the file does not state it.
    var count: Int?
  }

  /// Reads a file.
  init(_ bytes: [UInt8]) {
    self.bytes = bytes
    var start = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
    while start < bytes.count {
      var end = start
      while end < bytes.count, bytes[end] != 0x0A, bytes[end] != 0x0D { end += 1 }
      line += 1
      readLine(start..<end)
      // CR and LF together are one line break.
      if end + 1 < bytes.count, bytes[end] == 0x0D, bytes[end + 1] == 0x0A { end += 1 }
      start = end + 1
    }
    endComponent()
    addSegments()
    let longest = pages.map(\.longerSide).max() ?? 0
    likelyUnit = LikelyUnit.points(forSide: longest)
  }

  /// The force of a pressure: 1 at half of the highest one of the file.
  func force(of pressure: Double) -> Double {
    guard pressure.isFinite, highestPressure > 0 else { return 1 }
    return max(pressure / highestPressure, 0) * 2
  }

  private mutating func readLine(_ range: Range<Int>) {
    let text = bytes[range].drop { $0 <= 0x20 }
    guard let first = text.first else { return }
    let isLetter = text.dropFirst().first.map { (0x41...0x5A).contains($0 & 0xDF) } ?? false
    if first == UInt8(ascii: "."), isLetter {
      let keyword = text.dropFirst().prefix { $0 > 0x20 }
      let arguments = bytes[keyword.endIndex..<range.upperBound].drop { $0 <= 0x20 }
      read(String(decoding: keyword, as: UTF8.self), arguments)
    } else {
      readRow(text.startIndex..<range.upperBound)
    }
  }

  // MARK: - Keywords

  private mutating func read(_ keyword: String, _ arguments: ArraySlice<UInt8>) {
    switch keyword {
    case "PEN_DOWN": beginComponent(.ink, arguments)
    case "PEN_UP": beginComponent(.air, arguments)
    case "DT":
      endComponent()
      rows = .unexpected
      if let pause = number(arguments, "a pause in milliseconds", in: 0...1e9) {
        clock.wait(pause / 1000)
      }
    default:
      endComponent()
      // Texts may have several lines.
      rows = .text
      readSetting(keyword, arguments)
    }
  }

  private mutating func readSetting(_ keyword: String, _ arguments: ArraySlice<UInt8>) {
    let scale = 1e-9...1e9
    switch keyword {
    case "COORD": readChannels(arguments)
    case "X_POINTS_PER_INCH": xPerInch = number(arguments, "a resolution", in: scale) ?? xPerInch
    case "Y_POINTS_PER_INCH": yPerInch = number(arguments, "a resolution", in: scale) ?? yPerInch
    case "X_POINTS_PER_MM":
      xPerInch = number(arguments, "a resolution", in: scale).map { $0 * 25.4 } ?? xPerInch
    case "Y_POINTS_PER_MM":
      yPerInch = number(arguments, "a resolution", in: scale).map { $0 * 25.4 } ?? yPerInch
    case "POINTS_PER_SECOND":
      clock.rate = number(arguments, "a number of points a second", in: scale) ?? clock.rate
    case "START_SET", "START_BOX": startsPage = !pages[pages.count - 1].strokes.isEmpty
    case "SEGMENT":
      if let segment = UNIPENSegment(arguments) {
        segments.append((segment, pages.count - (startsPage ? 0 : 1)))
      }
    case "INCLUDE":
      includesFiles = true
      notes.add("files that the file includes are not read")
    case "VERSION":
      version = Int(clamping: number(arguments, "a version", in: 0...1e6) ?? 0)
    default: break
    }
  }

  private mutating func readChannels(_ arguments: ArraySlice<UInt8>) {
    let names = arguments.split { $0 <= 0x20 }.map { String(decoding: $0, as: UTF8.self) }
    guard let x = names.firstIndex(of: "X"), let y = names.firstIndex(of: "Y") else {
      return add(.expected(".COORD with X and Y"))
    }
    channels = Channels(
      x: x, y: y, time: names.firstIndex(of: "T"), pressure: names.firstIndex(of: "P"),
      count: names.count)
    let known = [x, y, channels.time, channels.pressure].compactMap { $0 }
    if known.count < names.count {
      notes.add("channels besides X, Y, T and P are left out", count: names.count - known.count)
    }
  }

  /// The number after a keyword. Nil, which counts as damage, if it is missing or out of range.
  private mutating func number(
    _ arguments: ArraySlice<UInt8>, _ meaning: String, in range: ClosedRange<Double>
  ) -> Double? {
    var index = arguments.startIndex
    let value = NumberText.number(in: bytes.span, at: &index)
    guard let value, range.contains(value) else {
      add(.expected(meaning))
      return nil
    }
    return value
  }

  private mutating func add(_ reason: ImportError.Reason) {
    pages[pages.count - 1].add(ImportError(reason, at: .line(line)))
  }

  // MARK: - Ink

  private mutating func beginComponent(_ kind: Rows, _ arguments: ArraySlice<UInt8>) {
    endComponent()
    if kind == .ink, startsPage {
      startsPage = false
      pages.append(UNIPENPage())
      pages[pages.count - 1].firstComponent = componentCount
    }
    componentCount += 1
    rows = kind
    // Numbers may begin on the keyword's line.
    if !arguments.isEmpty { readRow(arguments.startIndex..<arguments.endIndex) }
  }

  private mutating func readRow(_ range: Range<Int>) {
    switch rows {
    case .text: return
    case .air: airRows += 1
    case .unexpected: add(.expected("a keyword"))
    case .ink:
      guard readValues(range) else { return add(.expected("a row of numbers")) }
      let count = channels.count ?? values.count
      guard values.count >= 2, values.count % count == 0 else {
        return add(.expected("a row of \(channels.count ?? 2) numbers"))
      }
      for start in stride(from: 0, to: values.count, by: count) { addSample(at: start) }
    }
  }

  /// Reads the numbers of a row; false if there is anything else.
  private mutating func readValues(_ range: Range<Int>) -> Bool {
    values.removeAll(keepingCapacity: true)
    let bytes = bytes
    let row = bytes.span.extracting(range)
    var index = 0
    while true {
      NumberText.skipSpace(in: row, at: &index)
      guard index < row.count else { return true }
      guard let value = NumberText.number(in: row, at: &index), value.isFinite,
        index == row.count || row[index] <= 0x20
      else { return false }
      values.append(value)
    }
  }

  private mutating func addSample(at start: Int) {
    var sample = UNIPENSample(x: values[start + channels.x], y: values[start + channels.y])
    if let time = channels.time { sample.time = values[start + time] / 1000 }
    if let pressure = channels.pressure {
      sample.pressure = values[start + pressure]
      highestPressure = max(highestPressure, sample.pressure)
    }
    if sample.x.rounded() != sample.x || sample.y.rounded() != sample.y { hasFractions = true }
    samples.append(sample)
  }

  /// Ends a component: a movement of the pen on the paper or above it.
  private mutating func endComponent() {
    let last = pages.count - 1
    if airRows > 0 {
      clock.wait(samples: airRows)
      pages[last].notes.add("the ways of a pen above the page are left out")
      airRows = 0
    }
    guard !samples.isEmpty else { return }
    if pages[last].strokes.isEmpty, let x = xPerInch ?? yPerInch, let y = yPerInch ?? xPerInch {
      pages[last].resolution = UNIPENResolution(x: x, y: y)
    }
    if channels.count == nil {
      pages[last].notes.add("without .COORD, rows are taken to begin with x and y")
    }
    pages[last].strokes.append(
      clock.stroke(of: samples, haveTimes: channels.time != nil, &pages[last].notes))
    samples.removeAll(keepingCapacity: true)
  }

  // MARK: - Segments

  /// Adds segments to the pages of their first components, or to the pages that contain their
  /// lines.
  private mutating func addSegments() {
    for (segment, place) in segments {
      var index = min(place, pages.count - 1)
      if let first = segment.firstComponent, first < componentCount {
        index = pages.partitioningIndex { $0.firstComponent > first } - 1
      }
      pages[index].segments.append(segment)
    }
    segments = []
  }
}
