import InkFiles
import Strokes

extension QuickDrawRecord {
  /// Reads a line of JSON, raw or simplified. Damage ends the line; the strokes before it are kept.
  ///
  /// - Parameters:
  ///   - line: The bytes without the line break.
  ///   - number: The line's number in its file, from 1, for errors.
  package mutating func read(_ line: UnsafeBufferPointer<UInt8>, number: Int = 1) {
    removeAll()
    var reader = LineReader(scanner: TextScanner(line), number: number)
    do throws(ImportError) {
      try reader.object(into: &self)
    } catch {
      removeOpenStroke()
      damage.append(error)
    }
  }
}

/// Reads the object of a line.
private struct LineReader {
  var scanner: TextScanner
  let number: Int

  /// The maximum number of damaged strokes in a line. The rest of a line with more is not read.
  private static let damageLimit = 100

  private func error(_ reason: ImportError.Reason, at offset: Int? = nil) -> ImportError {
    ImportError(reason, at: .part("line \(number)", byte: offset ?? scanner.offset))
  }

  private mutating func expect(_ byte: Character) throws(ImportError) {
    guard scanner.accept(byte.asciiValue ?? 0) else {
      throw scanner.isAtEnd ? error(.truncated) : error(.expected("'\(byte)'"))
    }
  }

  mutating func object(into record: inout QuickDrawRecord) throws(ImportError) {
    var hasDrawing = false
    try expect("{")
    if !scanner.accept(UInt8(ascii: "}")) {
      repeat {
        guard let key = scanner.string() else { throw error(.expected("a key")) }
        try expect(":")
        if key == "drawing" {
          hasDrawing = true
          record.removeStrokes()
          try strokes(into: &record)
        } else {
          try value(of: key, into: &record)
        }
      } while scanner.accept(UInt8(ascii: ","))
      try expect("}")
    }
    guard hasDrawing else { throw error(.missing("the key 'drawing'"), at: 0) }
    scanner.skipSpace()
    guard scanner.isAtEnd else { throw error(.expected("the end of the line")) }
  }

  /// Reads a value other than the strokes. A value of an unexpected kind is not damage.
  private mutating func value(
    of key: String, into record: inout QuickDrawRecord
  ) throws(ImportError) {
    scanner.skipSpace()
    let start = scanner.offset
    if scanner.next == UInt8(ascii: "\"") {
      guard let text = scanner.string() else { throw error(.expected("a text")) }
      switch key {
      case "key_id": record.keyID = text
      case "word": record.word = text
      case "countrycode": record.countryCode = text
      case "timestamp": record.date = Self.date(text)
      default: break
      }
      return
    }
    let truth = scanner.starts(with: "true")
    let isTruthValue = truth || scanner.starts(with: "false")
    guard scanner.skipValue() else { throw error(.expected("a value"), at: start) }
    if key == "recognized", isTruthValue { record.isRecognized = truth }
    if key == "key_id" { record.keyID = scanner.text(from: start) }
  }

  /// A text like `2017-03-02 23:25:10.07453 UTC`.
  private static func date(_ text: String) -> Timestamp? {
    text.hasSuffix(" UTC") ? Timestamp(iso8601: text.dropLast(4) + "Z") : Timestamp(iso8601: text)
  }

  private mutating func strokes(into record: inout QuickDrawRecord) throws(ImportError) {
    try expect("[")
    if scanner.accept(UInt8(ascii: "]")) { return }
    repeat { try stroke(into: &record) } while scanner.accept(UInt8(ascii: ","))
    try expect("]")
  }

  private mutating func stroke(into record: inout QuickDrawRecord) throws(ImportError) {
    let start = scanner.offset
    try expect("[")
    try numbers(into: &record.xs)
    try expect(",")
    try numbers(into: &record.ys)
    if scanner.accept(UInt8(ascii: ",")) { try numbers(into: &record.times) }
    try expect("]")
    if record.endStroke() { return }
    record.damage.append(error(.expected("a stroke with lists of one length"), at: start))
    guard record.damage.count < Self.damageLimit else {
      throw error(.tooMany("damaged strokes", limit: Self.damageLimit))
    }
  }

  private mutating func numbers(into values: inout [Double]) throws(ImportError) {
    guard scanner.numbers(into: &values) else {
      throw scanner.isAtEnd ? error(.truncated) : error(.expected("a list of numbers"))
    }
  }
}
