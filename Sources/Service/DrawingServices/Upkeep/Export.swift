import JSON
public import Storage

/// Documents in text formats for other programs.
public enum Export {
  /// Documents as a JSON array of objects with `path` and `fields`.
  public static func json(_ documents: [Document]) -> [UInt8] {
    var writer = JSONWriter()
    writer.list(long: true) { writer in
      for document in documents {
        writer.object { writer in
          writer.field("path", document.path.description)
          writer.key("fields")
          FieldValue.map(document.fields).write(to: &writer)
        }
      }
    }
    writer.finish()
    return writer.bytes
  }

  /// Documents as CSV (RFC 4180): one line per document, one column for each field that any of them
  /// has.
  public static func csv(_ documents: [Document]) -> [UInt8] {
    let names = Set(documents.flatMap { $0.fields.all.map(\.0) }).sorted()
    var bytes = line(["path"] + names.map(withoutFormula))
    for document in documents {
      bytes += line([document.path.description] + names.map { cell(document[$0] ?? .null) })
    }
    return bytes
  }

  /// Quotes a text that a spreadsheet would execute as a formula. Compares scalars: with a
  /// combining mark the first sign is another character, but the text is still a formula.
  private static func withoutFormula(_ text: String) -> String {
    let isFormula = text.unicodeScalars.first.map { "=+-@\t\r\n＝＋－＠".unicodeScalars.contains($0) }
    return isFormula == true ? "'" + text : text
  }

  private static func cell(_ value: FieldValue) -> String {
    switch value {
    case .null: return ""
    case .text(let text):
      return withoutFormula(text)
    default:
      var writer = JSONWriter()
      value.write(to: &writer)
      var text = String(decoding: writer.bytes, as: UTF8.self)
      if case .moment = value { text = String(text.dropFirst().dropLast()) }
      return text
    }
  }

  private static func line(_ cells: [String]) -> [UInt8] {
    Array(cells.map(quoted).joined(separator: [UInt8(ascii: ",")])) + [13, 10]
  }

  /// A cell, quoted if necessary. Compares bytes: a quote with a combining mark is still a quote in
  /// CSV.
  private static func quoted(_ cell: String) -> [UInt8] {
    let quote = UInt8(ascii: "\"")
    guard cell.utf8.contains(where: { [10, 13, quote, UInt8(ascii: ",")].contains($0) }) else {
      return Array(cell.utf8)
    }
    return [quote] + cell.utf8.flatMap { $0 == quote ? [quote, quote] : [$0] } + [quote]
  }
}
