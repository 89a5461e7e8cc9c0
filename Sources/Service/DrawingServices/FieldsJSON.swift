import Checksums
package import JSON
package import Storage

// Documents as JSON: moments as ISO 8601 texts, bytes as hexadecimal digits. JSON has no type for
// moments, so reading returns texts.

extension Fields {
  /// The fields as JSON.
  package var json: [UInt8] {
    var writer = JSONWriter()
    write(to: &writer)
    return writer.bytes
  }

  /// Fields from a JSON object. Throws also if it has more values than its size allows.
  package init(json: [UInt8]) throws(JSONError) {
    var reader = JSONReader(json)
    var valuesLeft = Self.valueLimit(byteCount: json.count)
    guard case .map(let fields) = try FieldValue(&reader, &valuesLeft) else {
      throw reader.error("an object is expected")
    }
    try reader.end()
    self = fields
  }

  package func write(to writer: inout JSONWriter) {
    writer.object { writer in
      for (name, value) in all {
        writer.key(name)
        value.write(to: &writer)
      }
    }
  }
}

extension FieldValue {
  package func write(to writer: inout JSONWriter) {
    switch self {
    case .null: writer.null()
    case .bool(let truth): writer.value(truth)
    case .integer(let number): writer.value(Int(number))
    case .number(let number): writer.value(number)
    case .moment(let moment): writer.value(moment.iso8601)
    case .text(let text): writer.value(text)
    case .bytes(let bytes): writer.value(bytes.hexadecimal)
    case .list(let values):
      writer.list { writer in for value in values { value.write(to: &writer) } }
    case .map(let fields): fields.write(to: &writer)
    }
  }

  /// Reads any JSON value. Throws before more values than `valuesLeft` are in memory. Refuses
  /// duplicate names in an object, since other programs may use the other value.
  fileprivate init(_ reader: inout JSONReader, _ valuesLeft: inout Int) throws(JSONError) {
    valuesLeft -= 1
    guard valuesLeft >= 0 else { throw reader.error("there are too many values") }
    switch reader.peek() {
    case UInt8(ascii: "{"):
      var fields: [(String, FieldValue)] = []
      var names: Set<String> = []
      try reader.object { (name, reader) throws(JSONError) in
        guard names.insert(name).inserted else { throw reader.error("a name comes twice") }
        fields.append((name, try FieldValue(&reader, &valuesLeft)))
      }
      self = .map(Fields(fields))
    case UInt8(ascii: "["):
      var values: [FieldValue] = []
      try reader.list { (reader) throws(JSONError) in
        values.append(try FieldValue(&reader, &valuesLeft))
      }
      self = .list(values)
    case UInt8(ascii: "\""): self = .text(try reader.string())
    case UInt8(ascii: "t"), UInt8(ascii: "f"):
      let isTrue = reader.peek() == UInt8(ascii: "t")
      try reader.skip()
      self = .bool(isTrue)
    case UInt8(ascii: "n"):
      try reader.skip()
      self = .null
    default:
      let number = try reader.number()
      self = Int64(exactly: number).map { .integer($0) } ?? .number(number)
    }
  }
}
