import Glibc

// Reorders the functions of a WebAssembly module, from the standard input to the standard output, so
// that similar ones follow each other. Compression finds only what is repeated within 32 kB, and the
// compiler's order has most repetitions farther away.

/// Bytes that are read from the start.
struct Reader {
  let bytes: ArraySlice<UInt8>
  var position: Int

  init(_ bytes: ArraySlice<UInt8>) {
    self.bytes = bytes
    position = bytes.startIndex
  }

  var isAtEnd: Bool { position == bytes.endIndex }

  mutating func byte() -> UInt8 {
    defer { position += 1 }
    return bytes[position]
  }

  mutating func take(_ count: Int) -> ArraySlice<UInt8> {
    defer { position += count }
    return bytes[position..<position + count]
  }

  /// A number of the format: seven bits in each byte, the lowest first.
  mutating func number() -> Int {
    var (value, shift) = (0, 0)
    while true {
      let next = byte()
      value |= Int(next & 0x7F) << shift
      if next < 0x80 { return value }
      shift += 7
    }
  }

  /// Skips a number, which may be negative or have 64 bits.
  mutating func skipNumber() { while byte() >= 0x80 {} }
}

extension [UInt8] {
  mutating func append(number: Int) {
    var rest = number
    while rest >= 0x80 {
      append(UInt8(rest & 0x7F) | 0x80)
      rest >>= 7
    }
    append(UInt8(rest))
  }
}

func fail(_ message: String) -> Never {
  let bytes = Array("order: \(message)\n".utf8)
  _ = write(2, bytes, bytes.count)
  exit(1)
}

// MARK: - Functions

/// The code of a function: its bytes, with the places of the numbers of functions in it.
struct Function {
  let body: ArraySlice<UInt8>
  /// The functions that it names, and the ranges of their numbers.
  private(set) var references: [(place: Range<Int>, function: Int)] = []

  init(_ body: ArraySlice<UInt8>) {
    self.body = body
    var reader = Reader(body)
    for _ in 0..<reader.number() {
      reader.skipNumber()
      _ = reader.byte()
    }
    while !reader.isAtEnd { readInstruction(&reader) }
  }

  private mutating func readInstruction(_ reader: inout Reader) {
    let code = reader.byte()
    switch code {
    case 0x10, 0xD2:
      let start = reader.position
      let function = reader.number()
      references.append((start..<reader.position, function))
    // Blocks, branches, variables, tables and constants.
    case 0x02...0x04, 0x0C, 0x0D, 0x20...0x26, 0x3F, 0x40...0x42, 0xD0: reader.skipNumber()
    case 0x0E: for _ in 0...reader.number() { reader.skipNumber() }
    // Indirect calls, and loading and storing.
    case 0x11, 0x28...0x3E:
      reader.skipNumber()
      reader.skipNumber()
    case 0x1C: for _ in 0..<reader.number() { _ = reader.byte() }
    case 0x43: _ = reader.take(4)
    case 0x44: _ = reader.take(8)
    case 0x00, 0x01, 0x05, 0x0B, 0x0F, 0x1A, 0x1B, 0x45...0xC4, 0xD1: break
    case 0xFC:
      switch reader.number() {
      case 0...7: break
      case 8, 10, 12, 14:
        reader.skipNumber()
        reader.skipNumber()
      case 9, 11, 13, 15...17: reader.skipNumber()
      case let other: fail("Instruction 0xFC \(other) is unknown.")
      }
    case 0xFD:
      switch reader.number() {
      case 0...11, 92, 93:
        reader.skipNumber()
        reader.skipNumber()
      case 12, 13: _ = reader.take(16)
      case 21...34: _ = reader.byte()
      case 84...91:
        reader.skipNumber()
        reader.skipNumber()
        _ = reader.byte()
      case 14...20, 35...83, 94...255: break
      case let other: fail("Instruction 0xFD \(other) is unknown.")
      }
    default: fail("Instruction \(code) is unknown.")
    }
  }

  /// The body with the functions' new numbers.
  func renumbered(_ numbers: [Int]) -> [UInt8] {
    var (result, end) = ([UInt8](), body.startIndex)
    for (place, function) in references {
      result += body[end..<place.lowerBound]
      result.append(number: numbers[function])
      end = place.upperBound
    }
    return result + body[end...]
  }
}

// MARK: - Order

/// An order in which each function is the one of those that remain of which the functions before it
/// contain most.
func similarityOrder(_ functions: [Function]) -> [Int] {
  // Sequences of bytes; those of many functions say nothing about similarity.
  let (length, mostOwners, window) = (5, 40, 16_000)
  var numbers: [UInt64: Int] = [:]
  var owners: [[Int]] = []
  var sequences: [[Int]] = []
  for (index, function) in functions.enumerated() {
    var (ofFunction, bits) = ([Int](), UInt64(0))
    for (count, byte) in function.body.enumerated() {
      bits = (bits << 8 | UInt64(byte)) & (1 << (8 * UInt64(length)) - 1)
      guard count + 1 >= length else { continue }
      let number = numbers[bits] ?? owners.count
      if number == owners.count {
        numbers[bits] = number
        owners.append([])
      }
      if owners[number].last == index { continue }
      owners[number].append(index)
      ofFunction.append(number)
    }
    sequences.append(ofFunction)
  }
  for index in sequences.indices {
    sequences[index].removeAll { !(2...mostOwners).contains(owners[$0].count) }
  }

  // Long functions contain more, but also move more out of the window.
  let weights = functions.map { 1 / pow(Double($0.body.count), 0.7) }
  var occurrences = Array(repeating: 0, count: owners.count)
  var covered = Array(repeating: 0, count: functions.count)
  var (order, remaining) = ([Int](), Array(functions.indices))
  var (first, windowLength) = (0, 0)
  var next = functions.indices.min { functions[$0].body.count < functions[$1].body.count }
  while let added = next {
    remaining.removeAll { $0 == added }
    order.append(added)
    windowLength += functions[added].body.count
    for sequence in sequences[added] {
      occurrences[sequence] += 1
      if occurrences[sequence] == 1 { for owner in owners[sequence] { covered[owner] += 1 } }
    }
    while windowLength - functions[order[first]].body.count > window {
      windowLength -= functions[order[first]].body.count
      for sequence in sequences[order[first]] {
        occurrences[sequence] -= 1
        if occurrences[sequence] == 0 { for owner in owners[sequence] { covered[owner] -= 1 } }
      }
      first += 1
    }
    next = remaining.max { Double(covered[$0]) * weights[$0] < Double(covered[$1]) * weights[$1] }
  }
  return order
}

// MARK: - The module

/// A module without imports.
struct Module {
  private var header: ArraySlice<UInt8>
  private var sections: [(kind: UInt8, bytes: ArraySlice<UInt8>)] = []

  init(_ bytes: [UInt8]) {
    var reader = Reader(bytes[...])
    header = reader.take(8)
    while !reader.isAtEnd {
      let kind = reader.byte()
      sections.append((kind, reader.take(reader.number())))
    }
    if sections.contains(where: { [2, 8].contains($0.kind) }) {
      fail("The module has imports or a start.")
    }
  }

  func reordered() -> [UInt8] {
    let types = items(3) { reader in
      let start = reader.position
      reader.skipNumber()
      return reader.bytes[start..<reader.position]
    }
    let functions = items(10) { $0.take($0.number()) }.map(Function.init)
    let order = similarityOrder(functions)
    var numbers = Array(repeating: 0, count: order.count)
    for (number, function) in order.enumerated() { numbers[function] = number }
    var result = Array(header)
    for (kind, bytes) in sections {
      let content =
        switch kind {
        case 3: list(order.map { types[$0] }, areMeasured: false)
        case 7: exports(bytes, numbers)
        case 9: elements(bytes, numbers)
        case 10: list(order.map { functions[$0].renumbered(numbers) }, areMeasured: true)
        default: Array(bytes)
        }
      result.append(kind)
      result.append(number: content.count)
      result += content
    }
    return result
  }

  /// The items of the section of a kind.
  private func items(
    _ kind: UInt8, _ read: (inout Reader) -> ArraySlice<UInt8>
  ) -> [ArraySlice<UInt8>] {
    guard let section = sections.first(where: { $0.kind == kind }) else { return [] }
    var reader = Reader(section.bytes)
    return (0..<reader.number()).map { _ in read(&reader) }
  }

  /// The bytes of a list of items.
  private func list(_ items: [some Collection<UInt8>], areMeasured: Bool) -> [UInt8] {
    var result: [UInt8] = []
    result.append(number: items.count)
    for item in items {
      if areMeasured { result.append(number: item.count) }
      result += item
    }
    return result
  }

  private func exports(_ section: ArraySlice<UInt8>, _ numbers: [Int]) -> [UInt8] {
    var (reader, result) = (Reader(section), [UInt8]())
    let count = reader.number()
    result.append(number: count)
    for _ in 0..<count {
      let start = reader.position
      _ = reader.take(reader.number())
      let isFunction = reader.byte() == 0
      result += section[start..<reader.position]
      let number = reader.number()
      result.append(number: isFunction ? numbers[number] : number)
    }
    return result
  }

  /// Only elements of the first table at a constant place.
  private func elements(_ section: ArraySlice<UInt8>, _ numbers: [Int]) -> [UInt8] {
    var (reader, result) = (Reader(section), [UInt8]())
    let count = reader.number()
    result.append(number: count)
    for _ in 0..<count {
      let start = reader.position
      guard reader.byte() == 0, reader.byte() == 0x41 else { fail("The elements are unknown.") }
      reader.skipNumber()
      guard reader.byte() == 0x0B else { fail("The elements are unknown.") }
      let count = reader.number()
      result += section[start..<reader.position]
      for _ in 0..<count { result.append(number: numbers[reader.number()]) }
    }
    return result
  }
}

var input: [UInt8] = []
var buffer = [UInt8](repeating: 0, count: 1 << 16)
while true {
  let count = read(0, &buffer, buffer.count)
  guard count >= 0 else { fail("Reading failed.") }
  if count == 0 { break }
  input += buffer[..<count]
}
var output = Module(input).reordered()[...]
while !output.isEmpty {
  let count = output.withUnsafeBytes { write(1, $0.baseAddress, $0.count) }
  guard count > 0 else { fail("Writing failed.") }
  output = output.dropFirst(count)
}
