import Strokes

/// Encodes the residue of an archive.
struct ArchiveEncoder {
  private let bytes: [UInt8]
  private var names: ArraySlice<Identifier>
  private var memory: ArchiveMemory
  private var coder = AdaptiveEncoder()

  /// Encodes a residue. `names` are those of the strokes, in order.
  static func encode(_ residue: ArchiveResidue, names: [Identifier]) -> [UInt8] {
    let bytes = residue.bytes
    var flags: ArchiveFlags = residue.form == .notes2018 ? [.notes2018] : []
    let header = residue.form == .pencilKit ? min(6, bytes.count) : 0
    if residue.form == .pencilKit, Array(bytes[..<header]) != ArchiveTemplate.header {
      flags.insert(.header)
    }
    let message = header..<bytes.count
    func encoded(_ flags: ArchiveFlags, _ tree: MessageTree?) -> [UInt8] {
      var writer = ByteWriter()
      writer.byte(flags.rawValue)
      if flags.contains(.header) {
        writer.count(header)
        writer.append(bytes[..<header])
      }
      var encoder = ArchiveEncoder(
        bytes: bytes, names: names[...], memory: ArchiveMemory.initial(.latest))
      if let tree {
        if flags.contains(.tree) { write(tree, into: &writer) }
        encoder.message(message, tree, ArchiveMemory.rootPath)
      } else {
        writer.count(message.count)
        for offset in message {
          encoder.byte(bytes[offset], ArchiveMemory.rootPath, .raw, 0, 0)
        }
      }
      writer.append(encoder.coder.finish())
      return writer.bytes
    }
    guard let tree = bytes.messageTree([message]) else { return encoded(flags.union(.raw), nil) }
    let fits = bytes.fits(ArchiveTemplate.tree, in: message)
    let typical = fits ? encoded(flags, ArchiveTemplate.tree) : nil
    if let typical, tree.isPart(of: ArchiveTemplate.tree) { return typical }
    let own = encoded(flags.union(.tree), tree)
    guard let typical, typical.count <= own.count else { return own }
    return typical
  }

  /// The state of coding after outlines, as readers and writers start with it.
  static func memory(after templates: [ArchiveTemplate]) -> ArchiveMemory {
    templates.reduce(into: ArchiveMemory()) { memory, template in
      var encoder = ArchiveEncoder(
        bytes: template.bytes, names: template.names[...], memory: memory)
      encoder.message(template.bytes.indices, ArchiveTemplate.tree, ArchiveMemory.rootPath)
      memory = encoder.memory
      memory.forgetValues()
    }
  }

  private init(bytes: [UInt8], names: ArraySlice<Identifier>, memory: ArchiveMemory) {
    self.bytes = bytes
    self.names = names
    self.memory = memory
  }

  private static func write(_ tree: MessageTree, into writer: inout ByteWriter) {
    writer.count(tree.children.count)
    for number in tree.children.keys.sorted() {
      writer.varint(number)
      write(tree.children[number] ?? MessageTree(), into: &writer)
    }
  }

  private mutating func message(_ range: Range<Int>, _ tree: MessageTree, _ path: UInt64) {
    var lastKey: UInt64 = 0
    for field in bytes.fields(in: range) ?? [] {
      varint(field.key, path, .key, lastKey)
      lastKey = field.key
      let fieldPath = ArchiveMemory.path(path, field.number)
      switch field.wireType {
      case 0:
        varint(
          UInt64(bitPattern: Int64(bitPattern: field.value &- memory.lastNumber(fieldPath))).zigzag,
          fieldPath, .number, 0)
        memory.setNumber(field.value, of: fieldPath)
      case 2:
        if let child = tree.children[field.number] {
          message(field.payload, child, fieldPath)
        } else {
          lengthDelimited(field.payload, fieldPath)
        }
      default: fixed(field.payload, fieldPath)
      }
    }
    varint(0, path, .key, lastKey)
  }

  private mutating func lengthDelimited(_ range: Range<Int>, _ path: UInt64) {
    varint((UInt64(range.count) &- memory.lastNumber(path)).zigzag, path, .length, 0)
    memory.setNumber(UInt64(range.count), of: path)
    if range.count == ArchiveMemory.nameLength {
      let isNext = names.first?.bytes == Array(bytes[range])
      bit(isNext ? 1 : 0, path, .name)
      if isNext {
        names = names.dropFirst()
      } else {
        name(bytes[range], path)
      }
      return
    }
    for (index, offset) in range.enumerated() { byte(bytes[offset], path, .bytes, 0, index) }
  }

  /// Encodes a name that is not the name of a stroke. It is all zeros, or random except for the
  /// bits of its UUID version.
  private mutating func name(_ name: ArraySlice<UInt8>, _ path: UInt64) {
    let isZero = name.allSatisfy { $0 == 0 }
    bit(isZero ? 1 : 0, path, .name, index: 1)
    if isZero { return }
    for (index, byte) in name.enumerated() {
      let modelled = ArchiveMemory.versionBits(ofByte: index)
      for shift in (0..<8).reversed() {
        let bit = Int(byte >> UInt8(shift)) & 1
        if 7 - shift < modelled {
          self.bit(bit, path, .nameVersion, index: 8 * index + 7 - shift)
        } else {
          coder.encode(bit)
        }
      }
    }
  }

  private mutating func fixed(_ range: Range<Int>, _ path: UInt64) {
    var (last, value) = (memory.lastBytes(path), UInt64(0))
    for (index, offset) in range.enumerated() {
      byte(bytes[offset] &- UInt8(truncatingIfNeeded: last), path, .bytes, 1, index)
      last >>= 8
      value |= UInt64(bytes[offset]) << UInt64(8 * index)
    }
    memory.setBytes(value, of: path)
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

  private mutating func bit(
    _ bit: Int, _ path: UInt64, _ role: ArchiveMemory.Role, index: Int = 0
  ) {
    let model = memory.modelIndex(path, role, UInt64(index), 0)
    memory.withModel(model) { coder.encode(bit, &$0) }
  }

  private mutating func byte(
    _ byte: UInt8, _ path: UInt64, _ role: ArchiveMemory.Role, _ detail: UInt64, _ index: Int
  ) {
    let model = memory.modelIndex(path, role, detail, index)
    memory.withModels(from: model) { coder.encode(byte, $0) }
  }
}

extension UInt64 {
  /// A wrapped difference of small magnitude as a small number.
  fileprivate var zigzag: UInt64 { Int64(bitPattern: self).zigzagged }
}
