import Interchange
public import Storage

/// Documents as texts that other programs read.
public enum Export {
  /// Documents as a list of JSON, each with its path.
  public static func json(_ documents: [Document]) -> [UInt8] {
    var writer = JSONWriter()
    writer.list(long: true) { writer in
      for document in documents {
        writer.object { writer in
          writer.key("path")
          writer.value(document.path.description)
          for (name, value) in document.fields.all {
            writer.key(name)
            value.write(to: &writer)
          }
        }
      }
    }
    writer.finish()
    return writer.bytes
  }

  /// Documents as a table (RFC 4180): a line each, a column for every field that one of them has.
  public static func csv(_ documents: [Document]) -> [UInt8] {
    let names = Set(documents.flatMap { $0.fields.all.map(\.0) }).sorted()
    var bytes = line(["path"] + names)
    for document in documents {
      bytes += line([document.path.description] + names.map { cell(document[$0] ?? .null) })
    }
    return bytes
  }

  private static func cell(_ value: FieldValue) -> String {
    switch value {
    case .null: return ""
    case .text(let text):
      // A sheet would take what begins like this for a formula, and carry it out.
      let isFormula = text.first.map { "=+-@\t\r".contains($0) } ?? false
      return isFormula ? "'" + text : text
    default:
      var writer = JSONWriter()
      value.write(to: &writer)
      var text = String(decoding: writer.bytes, as: UTF8.self)
      if case .moment = value { text = String(text.dropFirst().dropLast()) }
      return text
    }
  }

  private static func line(_ cells: [String]) -> [UInt8] {
    Array(
      (cells.map { cell in
        cell.utf8.contains { [10, 13, 34, 44].contains($0) }
          ? "\"\(cell.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\""))\""
          : cell
      }.joined(separator: ",") + "\r\n").utf8)
  }
}
