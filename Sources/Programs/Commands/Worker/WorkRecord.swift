import Glibc
import JSON

/// The name of a record, which its result repeats.
enum WorkID: Equatable {
  case text(String)
  case number(Int)
}

/// A drawing that another program submits to a worker.
struct WorkRecord {
  /// The name; if it is not given, the record's number as text.
  var id: WorkID
  /// The path of the drawing; nil if its bytes are in the record.
  var path: SystemString?
  var bytes: [UInt8]?
  /// The path of the picture; nil to return it.
  var output: SystemString?
  /// Options in addition to those of the command line.
  var options: [(name: String, value: WorkOption)] = []
  /// The reason why the record is invalid.
  var problem: String?
  /// The number of bytes that follow, in the framed form.
  fileprivate var byteCount: Int?
  /// Whether that number is unknown.
  fileprivate var isEndless = true

  /// A record from its JSON. An error is stored: it must not end the other records, nor hide the
  /// name.
  init(_ json: [UInt8], number: Int) {
    id = .text(String(number))
    do throws(JSONError) {
      var reader = JSONReader(json)
      var names: Set<String> = []
      try reader.object { (name, reader) throws(JSONError) in
        var field = name
        let isNew = names.insert(name).inserted
        let wrong = try reader.attempt { (reader) throws(JSONError) in
          guard isNew else { throw reader.error("it comes twice") }
          try read(&field, &reader)
        }
        if let wrong { note("'\(field)': \(wrong)") }
      }
      try reader.end()
      isEndless = names.contains("byteCount") && byteCount == nil
    } catch {
      note("\(error)")
    }
  }

  private mutating func note(_ text: String) { problem = problem ?? "it is no record: \(text)" }

  /// Reads the value of a field. For a nested value, `field` becomes the path of the nested field,
  /// for error messages.
  private mutating func read(
    _ field: inout String, _ reader: inout JSONReader
  ) throws(JSONError) {
    switch field {
    case "id":
      guard reader.peek() != UInt8(ascii: "\"") else {
        id = .text(try reader.string())
        return
      }
      let wrong = reader.error("a text or a whole number is expected")
      // Beyond this range, doubles represent only some integers: a number would be returned as its
      // neighbour.
      let range = -(1 << 53) + 1...(1 << 53) - 1
      do throws(JSONError) { id = .number(try reader.integer(in: range)) } catch { throw wrong }
    case "path": path = try Self.name(&reader)
    case "output": output = try Self.name(&reader)
    case "bytes":
      guard let found = Base64.decode(try reader.string()) else {
        throw reader.error("bytes must be Base64")
      }
      bytes = found
    case "byteCount": byteCount = try reader.integer(in: 0...WorkReader.byteLimit)
    case "options":
      try reader.object { (name, reader) throws(JSONError) in
        field = "options.\(name)"
        guard !options.contains(where: { $0.name == name }) else {
          throw reader.error("it comes twice")
        }
        options.append((name, try WorkOption(&reader)))
      }
    default: throw reader.error("a record has no such field")
    }
  }

  /// The name of a file. The system would use only the part before a zero byte.
  private static func name(_ reader: inout JSONReader) throws(JSONError) -> SystemString {
    let bytes = Array(try reader.string().utf8)
    guard !bytes.contains(0) else { throw reader.error("a name has no zero byte") }
    return SystemString(bytes: bytes)
  }
}

/// The value of an option in a record.
enum WorkOption: Equatable {
  /// The option's value as on a command line; a JSON number is converted to text.
  case value(String)
  /// Whether a switch without a value is given.
  case isGiven(Bool)

  fileprivate init(_ reader: inout JSONReader) throws(JSONError) {
    switch reader.peek() {
    case UInt8(ascii: "\""): self = .value(try reader.string())
    case UInt8(ascii: "t"), UInt8(ascii: "f"): self = .isGiven(try reader.truth())
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
      let number = try reader.number()
      self = .value(Int(exactly: number).map { "\($0)" } ?? "\(number)")
    default: throw reader.error("a text, a number, true or false is expected")
    }
  }
}

/// Reads records from the standard input.
struct WorkReader {
  let isFramed: Bool
  private var number = 0
  private var buffer: [UInt8] = []
  private var start = 0
  private var isAtEnd = false

  /// The maximum size of a recording, and of a line, in bytes.
  static let byteLimit = 1 << 30
  /// The maximum size of a record in the framed form, without its recording, in bytes.
  private static let headLimit = 1 << 20

  init(isFramed: Bool) { self.isFramed = isFramed }

  /// The next record; nil at the end. Throws if the input can no longer be split into records.
  mutating func next() throws(SystemError) -> WorkRecord? {
    isFramed ? try nextFramed() : try nextLine()
  }

  private mutating func nextLine() throws(SystemError) -> WorkRecord? {
    // The number of bytes at the start that contain no line break.
    var searched = 0
    while true {
      if let end = buffer[(start + searched)...].firstIndex(of: UInt8(ascii: "\n")) {
        let line = Array(buffer[start..<end])
        (start, searched) = (end + 1, 0)
        if line.allSatisfy({ [9, 13, 32].contains($0) }) { continue }
        number += 1
        return WorkRecord(line, number: number)
      }
      searched = buffer.count - start
      guard searched <= Self.byteLimit / 3 * 4 else {
        throw Self.damaged("a line has no end")
      }
      guard try !fill() else { continue }
      if searched == 0 { return nil }
      // The last line needs no line break.
      buffer.append(UInt8(ascii: "\n"))
    }
  }

  private mutating func nextFramed() throws(SystemError) -> WorkRecord? {
    guard let size = try take(4, mayEnd: true) else { return nil }
    let count = size.reduce(0) { $0 << 8 | Int($1) }
    guard 2...Self.headLimit ~= count, let head = try take(count, mayEnd: false) else {
      throw Self.damaged("a record has the length \(count)")
    }
    number += 1
    var record = WorkRecord(head, number: number)
    if let byteCount = record.byteCount {
      record.bytes = try take(byteCount, mayEnd: false)
    } else if record.isEndless {
      // The start of the next record is unknown.
      throw Self.damaged(record.problem ?? "a record has no end")
    }
    return record
  }

  /// Consumes bytes; nil at the end of the input, if it may end here.
  private mutating func take(_ count: Int, mayEnd: Bool) throws(SystemError) -> [UInt8]? {
    while buffer.count - start < count {
      guard try fill() else {
        if mayEnd, start == buffer.count { return nil }
        throw Self.damaged("it ends within a record")
      }
    }
    defer { start += count }
    return Array(buffer[start..<start + count])
  }

  private static func damaged(_ reason: String) -> SystemError {
    SystemError("the input", code: EINVAL, reason: reason, exitCode: .badData)
  }

  /// Reads more; false at the end.
  private mutating func fill() throws(SystemError) -> Bool {
    guard !isAtEnd else { return false }
    if start > 0 {
      buffer.removeFirst(start)
      start = 0
    }
    var piece = [UInt8](repeating: 0, count: 1 << 16)
    var count = 0
    repeat { count = read(STDIN_FILENO, &piece, piece.count) } while count < 0 && errno == EINTR
    guard count >= 0 else { throw SystemError("the input") }
    buffer += piece[..<count]
    isAtEnd = count == 0
    return count > 0
  }
}
