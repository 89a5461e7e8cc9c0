import JSON
public import Storage

/// Documents as texts that other programs read.
public enum Export {
  /// Documents as a list of JSON, each with its path and its fields.
  public static func json(_ documents: [Document]) -> [UInt8] {
    var writer = JSONWriter()
    writer.list(long: true) { writer in
      for document in documents {
        writer.object { writer in
          writer.key("path")
          writer.value(document.path.description)
          writer.key("fields")
          FieldValue.map(document.fields).write(to: &writer)
        }
      }
    }
    writer.finish()
    return writer.bytes
  }

  /// Documents as a table (RFC 4180): a line each, a column for every field that one of them has.
  public static func csv(_ documents: [Document]) -> [UInt8] {
    let names = Set(documents.flatMap { $0.fields.all.map(\.0) }).sorted()
    var bytes = line(["path"] + names.map(defused))
    for document in documents {
      bytes += line([document.path.description] + names.map { cell(document[$0] ?? .null) })
    }
    return bytes
  }

  /// A sheet would take what begins like this for a formula, and carry it out. By its scalars, as a mark on
  /// the first sign makes another character of it, but the same formula.
  private static func defused(_ text: String) -> String {
    let isFormula = text.unicodeScalars.first.map { "=+-@\t\r\n＝＋－＠".unicodeScalars.contains($0) }
    return isFormula == true ? "'" + text : text
  }

  private static func cell(_ value: FieldValue) -> String {
    switch value {
    case .null: return ""
    case .text(let text):
      return defused(text)
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

  /// A cell, in quotes where it must be. Byte by byte, as a quote with a mark on it is one all the same.
  private static func quoted(_ cell: String) -> [UInt8] {
    let quote = UInt8(ascii: "\"")
    guard cell.utf8.contains(where: { [10, 13, quote, UInt8(ascii: ",")].contains($0) }) else {
      return Array(cell.utf8)
    }
    return [quote] + cell.utf8.flatMap { $0 == quote ? [quote, quote] : [$0] } + [quote]
  }
}
