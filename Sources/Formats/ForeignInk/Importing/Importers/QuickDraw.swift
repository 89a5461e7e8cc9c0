import InkFiles
import Graphics
import Strokes

/// Reads Quick, Draw!'s lines of JSON, raw and simplified, also packed by gzip. A file may hold a
/// hundred thousand drawings, so opening only finds the lines.
enum QuickDrawImporter: InkImporter {
  /// The longest line. Those of the data set have some thousands of bytes.
  private static let lineLimit = 1 << 24
  /// The maximum number of lines. The data set has less than half a million drawings of a word. A
  /// crafted file has a line in every two bytes, and each line takes memory.
  fileprivate static let countLimit = 1 << 24

  static func recognizes(_ start: FileStart) -> Bool {
    let keys = start.keys
    return keys["drawing"] != nil && (keys["key_id"] != nil || keys["word"] != nil)
  }

  static func read(_ bytes: [UInt8], _ options: ImportOptions) throws(ImportError) -> ImportedInk {
    var (text, cut) = (bytes, ImportError?.none)
    if GzipReader.recognizes(bytes) {
      let limit = min(options.decompressedBytes, GzipReader.textLimit(of: bytes.count))
      (text, cut) = try GzipReader.text(bytes, limit: limit)
    }
    let lines = QuickDrawLines(of: text)
    guard !lines.isEmpty else { throw cut ?? ImportError(.missing("a drawing"), at: 0) }
    guard lines.count <= countLimit else {
      throw ImportError(.tooMany("drawings", limit: countLimit), at: .line(countLimit + 1))
    }
    let damage = cut
    return ImportedInk(pageCount: lines.count) { (index) throws(ImportError) in
      let (line, number) = lines[index]
      guard line.count <= lineLimit else {
        throw ImportError(.tooMany("bytes in a line", limit: lineLimit), at: .line(number))
      }
      var record = QuickDrawRecord()
      line.withUnsafeBufferPointer { record.read($0, number: number) }
      // The cut concerns the last drawing.
      if let damage, index == lines.count - 1 { record.damage.insert(damage, at: 0) }
      return record.page(index, fileBytes: line.count, options)
    }
  }
}

extension UInt8 {
  /// Whether a byte is blank in JSON. Zeros, which a crash may leave behind a line, are not.
  var isBlank: Bool { [0x20, 0x0A, 0x0D, 0x09].contains(self) }
}

/// The lines of a file that are not blank.
private struct QuickDrawLines {
  private var starts: [(offset: Int, number: Int)] = []
  private let bytes: [UInt8]

  init(of bytes: [UInt8]) {
    self.bytes = bytes
    bytes.withUnsafeBufferPointer { bytes in
      var (offset, number) = (bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0, 1)
      while offset < bytes.count, starts.count <= QuickDrawImporter.countLimit {
        var index = offset
        // The rest of a line that is blank so far.
        while index < bytes.count, bytes[index] != UInt8(ascii: "\n"), bytes[index].isBlank {
          index += 1
        }
        if index < bytes.count, bytes[index] != UInt8(ascii: "\n") {
          starts.append((offset, number))
          while index < bytes.count, bytes[index] != UInt8(ascii: "\n") { index += 1 }
        }
        offset = index + 1
        number += 1
      }
    }
  }

  var isEmpty: Bool { starts.isEmpty }
  var count: Int { starts.count }

  /// The bytes of a line, without blanks at its end.
  subscript(index: Int) -> (bytes: ArraySlice<UInt8>, number: Int) {
    let (start, number) = starts[index]
    var end = index + 1 < starts.count ? starts[index + 1].offset : bytes.count
    while end > start, bytes[end - 1].isBlank { end -= 1 }
    return (bytes[start..<end], number)
  }
}

extension QuickDrawRecord {
  /// Screens of 96 pixels an inch.
  static let unit = 72.0 / 96
  /// The width of the pen in pixels, chosen by eye. The data do not state it.
  static let penWidth = 4.0

  /// The drawing as a page.
  func page(_ number: Int, fileBytes: Int, _ options: ImportOptions) -> ImportedPage {
    var page = PageBuilder(
      unit: Self.unit, page: number, fileBytes: fileBytes, options.fitting(pixelsOf: Self.unit))
    page.damage = damage
    let ink = ForeignBrush.evenPen.ink(.black)
    do throws(ImportError) {
      for index in 0..<strokeCount {
        let points = points(ofStroke: index)
        var stroke = ForeignStroke(
          shape: isRaw ? .samples : .corners, ink: ink, hasTimes: isRaw)
        // Times beyond a year are wrong: no drawing took longer.
        let start = isRaw ? min(max(times[points].first ?? 0, -3e10), 3e10) : 0
        if isRaw || index == 0 { stroke.start = date.map { $0 + start / 1000 } }
        if isRaw, date == nil { stroke.start = .referenceDate + start / 1000 }
        try page.add(stroke, pointCount: points.count) { index in
          let point = points.lowerBound + index
          return PKStrokePoint(
            x: xs[point], y: ys[point], width: Self.penWidth,
            time: isRaw ? (times[point] - start) / 1000 : 0)
        }
      }
    } catch {
      page.damage.append(error)
    }
    page.notes.add("the drawing has no pen: a black one of \(Int(Self.penWidth)) pixels is taken")
    return page.page(name: word.isEmpty ? keyID : word, metadata: metadata)
  }

  /// The page's texts, named by the keys of a line. Only the word has another name, `title`.
  private var metadata: [String: String] {
    var texts = ["title": word, "key_id": keyID, "countrycode": countryCode]
    if let isRecognized { texts["recognized"] = isRecognized ? "true" : "false" }
    return texts.filter { !$0.value.isEmpty }
  }
}
