import Strokes

/// Decodes the residues that `ArchiveEncoder` writes.
struct ArchiveDecoder {
  private var names: ArraySlice<Identifier>
  private let version: FormatVersion
  private var memory: ArchiveMemory
  private var coder: AdaptiveDecoder
  private var output: [UInt8] = []
  private let size: Int
  private let offset: Int

  /// Decodes the residue in a chunk's payload. `names` are those of the strokes, in order.
  static func decode(
    _ bytes: [UInt8], in payload: Range<Int>, names: [Identifier],
    _ version: FormatVersion = .latest, limits: PKDLimits
  ) throws(PKDError) -> ArchiveResidue {
    var reader = ByteReader(bytes, in: payload)
    guard version == .first else { return try decode(&reader, names: names, limits: limits) }
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
      .first, names: names, &reader, output: Array(header), size: size)
    if let tree {
      try decoder.message(tree, ArchiveMemory.rootPath)
    } else {
      while decoder.output.count < size {
        decoder.append(try decoder.byte(ArchiveMemory.rootPath, .raw, 0, 0))
      }
    }
    guard decoder.output.count == size else { throw PKDError(.entropy, at: decoder.offset) }
    return ArchiveResidue(form: formNumber == 0 ? .pencilKit : .notes2018, bytes: decoder.output)
  }

  /// Decodes the residue in a chunk of version 2.
  private static func decode(
    _ reader: inout ByteReader, names: [Identifier], limits: PKDLimits
  ) throws(PKDError) -> ArchiveResidue {
    let start = reader.offset
    let number = try reader.byte()
    let flags = ArchiveFlags(rawValue: number)
    guard flags.isValid else {
      throw PKDError(.unknownValue("form of archive", UInt64(number)), at: start)
    }
    let isNotes = flags.contains(.notes2018)
    var header = isNotes ? [] : ArchiveTemplate.header
    if flags.contains(.header) {
      let count = try reader.count(limit: 6, .archiveBytes)
      header = Array(reader.bytes[try reader.range(count)])
    }
    var (tree, size) = (ArchiveTemplate.tree as MessageTree?, limits.archiveBytes)
    func checkSize(_ count: UInt64) throws(PKDError) {
      let total = max(count, count &+ UInt64(header.count))
      guard total <= UInt64(max(limits.archiveBytes, 0)) else {
        throw PKDError(
          .tooMany(.archiveBytes, declared: total, limit: limits.archiveBytes), at: start)
      }
    }
    try checkSize(0)
    if flags.contains(.tree) { tree = try readTree(&reader, depth: 0) }
    if flags.contains(.raw) {
      let count = try reader.varint()
      try checkSize(count)
      size = header.count + Int(count)
      tree = nil
    }
    var decoder = ArchiveDecoder(.second, names: names, &reader, output: header, size: size)
    if let tree {
      try decoder.message(tree, ArchiveMemory.rootPath)
    } else {
      while decoder.output.count < size {
        decoder.append(try decoder.byte(ArchiveMemory.rootPath, .raw, 0, 0))
      }
    }
    return ArchiveResidue(form: isNotes ? .notes2018 : .pencilKit, bytes: decoder.output)
  }

  private init(
    _ version: FormatVersion, names: [Identifier], _ reader: inout ByteReader, output: [UInt8],
    size: Int
  ) {
    self.version = version
    self.names = names[...]
    memory = ArchiveMemory.initial(version)
    coder = AdaptiveDecoder(reader.bytes, in: reader.offset..<reader.end, version)
    self.output = output
    self.size = size
    offset = reader.offset
  }

  private static func readTree(
    _ reader: inout ByteReader, depth: Int
  ) throws(PKDError) -> MessageTree {
    var tree = MessageTree()
    let count = try reader.count(limit: reader.remaining, .shapes)
    guard depth <= MessageTree.maximumDepth else {
      throw PKDError(.notCanonical, at: reader.offset)
    }
    for _ in 0..<count {
      let number = try reader.varint()
      tree.children[number] = try readTree(&reader, depth: depth + 1)
    }
    return tree
  }

  private mutating func append(_ byte: UInt8) { output.append(byte) }

  private mutating func message(_ tree: MessageTree, _ path: UInt64) throws(PKDError) {
    var lastKey: UInt64 = 0
    while true {
      let key = try varint(path, .key, lastKey)
      guard key != 0 else { return }
      lastKey = key
      write(varint: key)
      let fieldPath = ArchiveMemory.path(path, key >> 3)
      switch key & 7 {
      case 0:
        let step = try varint(fieldPath, .number, 0).unzigzagged
        let value = memory.lastNumber(fieldPath) &+ UInt64(bitPattern: step)
        memory.setNumber(value, of: fieldPath)
        write(varint: value)
      case 1: try fixed(8, fieldPath)
      case 5: try fixed(4, fieldPath)
      case 2:
        if let child = tree.children[key >> 3] {
          try nested(child, fieldPath)
        } else {
          try lengthDelimited(fieldPath)
        }
      default: throw PKDError(.entropy, at: offset)
      }
      guard output.count <= size else { throw overflow }
      guard !coder.isExhausted else { throw PKDError(.entropy, at: offset) }
    }
  }

  /// The error for too many bytes: more than the file declares in version 1; more than the limit in
  /// version 2, whose messages mark their own end.
  private var overflow: PKDError {
    version == .first
      ? PKDError(.entropy, at: offset)
      : PKDError(.tooMany(.archiveBytes, declared: UInt64(size) + 1, limit: size), at: offset)
  }

  /// Decodes a nested message and inserts its length, known only afterwards, in front of it.
  private mutating func nested(_ tree: MessageTree, _ path: UInt64) throws(PKDError) {
    let start = output.count
    try message(tree, path)
    var length = ByteWriter()
    length.count(output.count - start)
    output.insert(contentsOf: length.bytes, at: start)
  }

  private mutating func lengthDelimited(_ path: UInt64) throws(PKDError) {
    let step = try varint(path, .length, 0).unzigzagged
    let length = memory.lastNumber(path) &+ UInt64(bitPattern: step)
    guard length <= UInt64(size - min(output.count, size)) else { throw overflow }
    memory.setNumber(length, of: path)
    write(varint: length)
    if length == ArchiveMemory.nameLength, bit(path, .name) == 1 {
      guard let name = names.popFirst() else { throw PKDError(.entropy, at: offset) }
      output.append(contentsOf: name.bytes)
      return
    }
    if length == ArchiveMemory.nameLength, version != .first { return try name(path) }
    for index in 0..<Int(length) { append(try byte(path, .bytes, 0, index)) }
  }

  /// Decodes a name that is not the name of a stroke.
  private mutating func name(_ path: UInt64) throws(PKDError) {
    guard !coder.isExhausted else { throw PKDError(.entropy, at: offset) }
    if bit(path, .name, index: 1) == 1 {
      output.append(contentsOf: repeatElement(0, count: ArchiveMemory.nameLength))
      return
    }
    for index in 0..<ArchiveMemory.nameLength {
      var byte: UInt8 = 0
      let modelled = ArchiveMemory.versionBits(ofByte: index)
      for number in 0..<8 {
        let bit =
          number < modelled
          ? bit(path, .nameVersion, index: 8 * index + number) : coder.decode()
        byte = byte << 1 | UInt8(bit)
      }
      append(byte)
    }
  }

  private mutating func fixed(_ count: Int, _ path: UInt64) throws(PKDError) {
    var (last, value) = (memory.lastBytes(path), UInt64(0))
    for index in 0..<count {
      let byte = try byte(path, .bytes, 1, index) &+ UInt8(truncatingIfNeeded: last)
      last >>= 8
      value |= UInt64(byte) << UInt64(8 * index)
      append(byte)
    }
    memory.setBytes(value, of: path)
  }

  private mutating func write(varint value: UInt64) {
    var rest = value
    while rest >= 0x80 {
      append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    append(UInt8(truncatingIfNeeded: rest))
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

  private mutating func bit(
    _ path: UInt64, _ role: ArchiveMemory.Role, index: Int = 0
  ) -> Int {
    let model = memory.modelIndex(path, role, UInt64(index), 0)
    return memory.withModel(model) { coder.decode(&$0) }
  }

  private mutating func byte(
    _ path: UInt64, _ role: ArchiveMemory.Role, _ detail: UInt64, _ index: Int
  ) throws(PKDError) -> UInt8 {
    guard !coder.isExhausted else { throw PKDError(.entropy, at: offset) }
    let model = memory.modelIndex(path, role, detail, index)
    return memory.withModels(from: model) { coder.decodeByte($0) }
  }
}
