import Strokes

// What an archive said beyond the drawing is a message in protobuf's wire form, most of it the same
// for each stroke: versions that count up, and names that nobody can foretell. So each number is
// told against the last one of the same field, each byte by what stood in its place, and names that
// strokes have anyway are not told again. Nothing here knows what any field means.

/// Which fields are messages themselves: a tree by field numbers.
struct MessageTree: Hashable {
  var children: [UInt64: MessageTree] = [:]

  /// Fields inside each other, at most.
  static let deepest = 12
}

/// One field of a message.
private struct RawField {
  let key: UInt64
  let payload: Range<Int>
  let value: UInt64

  var number: UInt64 { key >> 3 }
  var kind: UInt64 { key & 7 }
}

extension [UInt8] {
  /// The fields of a message in its shortest form; nil for anything else.
  fileprivate func fields(in range: Range<Int>) -> [RawField]? {
    var reader = ByteReader(self, in: range)
    var fields: [RawField] = []
    while reader.remaining > 0 {
      guard let key = try? reader.varint(), key >> 3 != 0, key >> 3 < 1 << 29 else { return nil }
      var value: UInt64 = 0
      var length = 0
      switch key & 7 {
      case 0:
        guard let number = try? reader.varint() else { return nil }
        value = number
      case 1: length = 8
      case 5: length = 4
      case 2:
        guard let count = try? reader.varint(), count <= UInt64(reader.remaining) else {
          return nil
        }
        length = Int(count)
      default: return nil
      }
      guard let payload = try? reader.range(length) else { return nil }
      fields.append(RawField(key: key, payload: payload, value: value))
    }
    return fields
  }

  /// The tree of a message, by what all messages of a kind hold; nil where it is none.
  fileprivate func messageTree(_ messages: [Range<Int>], depth: Int = 0) -> MessageTree? {
    var children: [UInt64: [Range<Int>]] = [:]
    for message in messages {
      guard let fields = fields(in: message) else { return nil }
      for field in fields where field.kind == 2 {
        children[field.number, default: []].append(field.payload)
      }
    }
    var tree = MessageTree()
    guard depth < MessageTree.deepest else { return tree }
    for (number, payloads) in children where payloads.contains(where: { !$0.isEmpty }) {
      // Names are 16 bytes, which by chance may look like a message, though hardly all of them.
      if let child = messageTree(payloads, depth: depth + 1) { tree.children[number] = child }
    }
    return tree
  }
}

/// What both directions remember: the models of all contexts and the last value of every field.
private struct ArchiveMemory {
  private var places: [UInt64: Int] = [:]
  private(set) var models: [AdaptiveModel] = []
  private var lastNumbers: [UInt64: UInt64] = [:]
  private var lastBytes: [UInt64: [UInt8]] = [:]

  /// Further contexts share the models of those before, so that outlines of nothing but new fields
  /// cost 16 MB and not a thousand times their size. Real ones have some hundreds.
  private static let mostContexts = 1 << 14

  /// What a context means.
  enum Role: UInt64 {
    case key, number, length, bytes, name, raw
  }

  /// The first of the 256 models of a context's byte.
  mutating func place(_ path: UInt64, _ role: Role, _ detail: UInt64, _ index: Int) -> Int {
    var hash = path &* 0x9E37_79B9_7F4A_7C15
    for part in [role.rawValue, detail, UInt64(min(index, 40))] {
      hash = (hash ^ part) &* 0xD6E8_FEB8_6659_FD93
      hash ^= hash >> 32
    }
    if let place = places[hash] { return place }
    guard places.count < Self.mostContexts else {
      return Int(hash % UInt64(Self.mostContexts)) << 8
    }
    let place = models.count
    places[hash] = place
    models.append(contentsOf: repeatElement(AdaptiveModel(), count: 256))
    return place
  }

  mutating func withModel<Result>(_ place: Int, _ body: (inout AdaptiveModel) -> Result) -> Result {
    body(&models[place])
  }

  func lastNumber(_ field: UInt64) -> UInt64 { lastNumbers[field] ?? 0 }
  mutating func setNumber(_ number: UInt64, of field: UInt64) { lastNumbers[field] = number }
  func lastBytes(_ field: UInt64) -> [UInt8] { lastBytes[field] ?? [] }
  mutating func setBytes(_ bytes: [UInt8], of field: UInt64) { lastBytes[field] = bytes }
}

/// A path through the tree as one number.
private func path(_ parent: UInt64, _ number: UInt64) -> UInt64 {
  (parent &* 0x1_0000_01B3) ^ (number &+ 0x51)
}

/// Whether a field's bytes are as likely as not anything: the names of 16 bytes.
private let nameSize = 16

// MARK: - Writing

struct ArchiveEncoder {
  private let bytes: [UInt8]
  private var names: ArraySlice<Identifier>
  private var memory = ArchiveMemory()
  private var coder = AdaptiveEncoder()

  /// The coded form of a residue. Names are those of the strokes, in order.
  static func encode(_ residue: ArchiveResidue, names: [Identifier]) -> [UInt8] {
    var writer = ByteWriter()
    writer.byte(residue.form == .pencilKit ? 0 : 1)
    writer.count(residue.bytes.count)
    let header = residue.form == .pencilKit ? min(6, residue.bytes.count) : 0
    writer.append(residue.bytes[..<header])
    let message = header..<residue.bytes.count
    var encoder = ArchiveEncoder(bytes: residue.bytes, names: names[...])
    if let tree = residue.bytes.messageTree([message]) {
      writer.byte(1)
      write(tree, into: &writer)
      encoder.message(message, tree, 1)
    } else {
      writer.byte(0)
      for place in message { encoder.byte(residue.bytes[place], 1, .raw, 0, 0) }
    }
    writer.append(encoder.coder.finish())
    return writer.bytes
  }

  private init(bytes: [UInt8], names: ArraySlice<Identifier>) {
    self.bytes = bytes
    self.names = names
  }

  private static func write(_ tree: MessageTree, into writer: inout ByteWriter) {
    writer.count(tree.children.count)
    for number in tree.children.keys.sorted() {
      writer.varint(number)
      write(tree.children[number] ?? MessageTree(), into: &writer)
    }
  }

  private mutating func message(_ range: Range<Int>, _ tree: MessageTree, _ place: UInt64) {
    var lastKey: UInt64 = 0
    for field in bytes.fields(in: range) ?? [] {
      varint(field.key, place, .key, lastKey)
      lastKey = field.key
      let here = path(place, field.number)
      switch field.kind {
      case 0:
        varint(
          UInt64(bitPattern: Int64(bitPattern: field.value &- memory.lastNumber(here))).zigzag,
          here, .number, 0)
        memory.setNumber(field.value, of: here)
      case 2:
        if let child = tree.children[field.number] {
          message(field.payload, child, here)
        } else {
          run(field.payload, here)
        }
      default: fixed(field.payload, here)
      }
    }
    varint(0, place, .key, lastKey)
  }

  private mutating func run(_ range: Range<Int>, _ here: UInt64) {
    varint((UInt64(range.count) &- memory.lastNumber(here)).zigzag, here, .length, 0)
    memory.setNumber(UInt64(range.count), of: here)
    if range.count == nameSize {
      let isNext = names.first?.bytes == Array(bytes[range])
      bit(isNext ? 1 : 0, here, .name)
      if isNext {
        names = names.dropFirst()
        return
      }
    }
    for (index, place) in range.enumerated() { byte(bytes[place], here, .bytes, 0, index) }
  }

  private mutating func fixed(_ range: Range<Int>, _ here: UInt64) {
    let last = memory.lastBytes(here)
    for (index, place) in range.enumerated() {
      let before = index < last.count ? last[index] : 0
      byte(bytes[place] &- before, here, .bytes, 1, index)
    }
    memory.setBytes(Array(bytes[range]), of: here)
  }

  private mutating func varint(
    _ value: UInt64, _ path: UInt64, _ role: ArchiveMemory.Role, _ detail: UInt64
  ) {
    var rest = value
    var index = 0
    repeat {
      let low = UInt8(rest & 0x7F)
      rest >>= 7
      byte(low | (rest > 0 ? 0x80 : 0), path, role, detail, index)
      index += 1
    } while rest > 0
  }

  private mutating func bit(_ bit: Int, _ path: UInt64, _ role: ArchiveMemory.Role) {
    let place = memory.place(path, role, 0, 0)
    memory.withModel(place) { coder.encode(bit, &$0) }
  }

  private mutating func byte(
    _ byte: UInt8, _ path: UInt64, _ role: ArchiveMemory.Role, _ detail: UInt64, _ index: Int
  ) {
    let place = memory.place(path, role, detail, index)
    var node = 1
    for shift in (0..<8).reversed() {
      let bit = Int(byte >> UInt8(shift)) & 1
      memory.withModel(place + node) { coder.encode(bit, &$0) }
      node = node << 1 | bit
    }
  }
}

extension UInt64 {
  /// A difference that wraps around as a small number.
  fileprivate var zigzag: UInt64 { Int64(bitPattern: self).zigzagged }
}

// MARK: - Reading

struct ArchiveDecoder {
  private var names: ArraySlice<Identifier>
  private var memory = ArchiveMemory()
  private var coder: AdaptiveDecoder
  private var output: [UInt8] = []
  private let size: Int
  private let offset: Int

  /// The residue of a chunk's payload.
  static func decode(
    _ bytes: [UInt8], in payload: Range<Int>, names: [Identifier], limits: PKDLimits
  ) throws(PKDError) -> ArchiveResidue {
    var reader = ByteReader(bytes, in: payload)
    let formNumber = try reader.byte()
    guard formNumber <= 1 else {
      throw PKDError(.unknownValue("form of archive", UInt64(formNumber)), at: payload.lowerBound)
    }
    let size = try reader.count(limit: limits.archiveBytes, .archiveBytes)
    let header = bytes[try reader.range(formNumber == 0 ? min(6, size) : 0)]
    let hasTree = try reader.byte()
    guard hasTree <= 1 else { throw PKDError(.notCanonical, at: reader.offset - 1) }
    let tree = hasTree == 1 ? try readTree(&reader, depth: 0) : nil
    var decoder = ArchiveDecoder(
      names: names[...], coder: AdaptiveDecoder(bytes, in: reader.offset..<reader.end),
      output: Array(header), size: size, offset: reader.offset)
    if let tree {
      try decoder.message(tree, 1)
    } else {
      while decoder.output.count < size { decoder.append(try decoder.byte(1, .raw, 0, 0)) }
    }
    guard decoder.output.count == size else { throw PKDError(.entropy, at: decoder.offset) }
    return ArchiveResidue(form: formNumber == 0 ? .pencilKit : .notes2018, bytes: decoder.output)
  }

  private init(
    names: ArraySlice<Identifier>, coder: AdaptiveDecoder, output: [UInt8], size: Int, offset: Int
  ) {
    self.names = names
    self.coder = coder
    self.output = output
    self.size = size
    self.offset = offset
  }

  private static func readTree(
    _ reader: inout ByteReader, depth: Int
  ) throws(PKDError) -> MessageTree {
    var tree = MessageTree()
    let count = try reader.count(limit: reader.remaining, .shapes)
    guard depth <= MessageTree.deepest else { throw PKDError(.notCanonical, at: reader.offset) }
    for _ in 0..<count {
      let number = try reader.varint()
      tree.children[number] = try readTree(&reader, depth: depth + 1)
    }
    return tree
  }

  private mutating func append(_ byte: UInt8) { output.append(byte) }

  private mutating func message(_ tree: MessageTree, _ place: UInt64) throws(PKDError) {
    var lastKey: UInt64 = 0
    while true {
      let key = try varint(place, .key, lastKey)
      guard key != 0 else { return }
      lastKey = key
      write(varint: key)
      let here = path(place, key >> 3)
      switch key & 7 {
      case 0:
        let step = try varint(here, .number, 0).unzigzagged
        let value = memory.lastNumber(here) &+ UInt64(bitPattern: step)
        memory.setNumber(value, of: here)
        write(varint: value)
      case 1: try fixed(8, here)
      case 5: try fixed(4, here)
      case 2:
        if let child = tree.children[key >> 3] {
          try nested(child, here)
        } else {
          try run(here)
        }
      default: throw PKDError(.entropy, at: offset)
      }
      guard output.count <= size, !coder.isExhausted else { throw PKDError(.entropy, at: offset) }
    }
  }

  /// A message inside another, whose length is known only behind it.
  private mutating func nested(_ tree: MessageTree, _ here: UInt64) throws(PKDError) {
    let start = output.count
    try message(tree, here)
    var length = ByteWriter()
    length.count(output.count - start)
    output.insert(contentsOf: length.bytes, at: start)
  }

  private mutating func run(_ here: UInt64) throws(PKDError) {
    let step = try varint(here, .length, 0).unzigzagged
    let length = memory.lastNumber(here) &+ UInt64(bitPattern: step)
    guard length <= UInt64(size - min(output.count, size)) else {
      throw PKDError(.entropy, at: offset)
    }
    memory.setNumber(length, of: here)
    write(varint: length)
    if length == nameSize, bit(here, .name) == 1 {
      guard let name = names.popFirst() else { throw PKDError(.entropy, at: offset) }
      output.append(contentsOf: name.bytes)
      return
    }
    for index in 0..<Int(length) { append(try byte(here, .bytes, 0, index)) }
  }

  private mutating func fixed(_ count: Int, _ here: UInt64) throws(PKDError) {
    let last = memory.lastBytes(here)
    var value: [UInt8] = []
    for index in 0..<count {
      value.append(try byte(here, .bytes, 1, index) &+ (index < last.count ? last[index] : 0))
    }
    memory.setBytes(value, of: here)
    output.append(contentsOf: value)
  }

  private mutating func write(varint value: UInt64) {
    var writer = ByteWriter()
    writer.varint(value)
    output.append(contentsOf: writer.bytes)
  }

  private mutating func varint(
    _ path: UInt64, _ role: ArchiveMemory.Role, _ detail: UInt64
  ) throws(PKDError) -> UInt64 {
    var value: UInt64 = 0
    for index in 0..<10 {
      let byte = try byte(path, role, detail, index)
      value |= UInt64(byte & 0x7F) << UInt64(7 * index)
      if byte < 0x80 { return value }
    }
    throw PKDError(.entropy, at: offset)
  }

  private mutating func bit(_ path: UInt64, _ role: ArchiveMemory.Role) -> Int {
    let place = memory.place(path, role, 0, 0)
    return memory.withModel(place) { coder.decode(&$0) }
  }

  private mutating func byte(
    _ path: UInt64, _ role: ArchiveMemory.Role, _ detail: UInt64, _ index: Int
  ) throws(PKDError) -> UInt8 {
    guard !coder.isExhausted else { throw PKDError(.entropy, at: offset) }
    let place = memory.place(path, role, detail, index)
    var node = 1
    for _ in 0..<8 {
      let bit = memory.withModel(place + node) { coder.decode(&$0) }
      node = node << 1 | bit
    }
    return UInt8(truncatingIfNeeded: node)
  }
}
