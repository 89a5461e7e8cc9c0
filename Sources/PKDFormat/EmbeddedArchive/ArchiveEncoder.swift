import Strokes

/// Encodes the residue of an archive.
struct ArchiveEncoder {
  private let bytes: [UInt8]
  private var names: ArraySlice<Identifier>
  private var memory = ArchiveMemory()
  private var coder = AdaptiveEncoder()

  /// Encodes a residue. `names` are those of the strokes, in order.
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
      encoder.message(message, tree, ArchiveMemory.rootPath)
    } else {
      writer.byte(0)
      for offset in message {
        encoder.byte(residue.bytes[offset], ArchiveMemory.rootPath, .raw, 0, 0)
      }
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
        return
      }
    }
    for (index, offset) in range.enumerated() { byte(bytes[offset], path, .bytes, 0, index) }
  }

  private mutating func fixed(_ range: Range<Int>, _ path: UInt64) {
    let last = memory.lastBytes(path)
    for (index, offset) in range.enumerated() {
      let before = index < last.count ? last[index] : 0
      byte(bytes[offset] &- before, path, .bytes, 1, index)
    }
    memory.setBytes(Array(bytes[range]), of: path)
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
    let model = memory.modelIndex(path, role, 0, 0)
    memory.withModel(model) { coder.encode(bit, &$0) }
  }

  private mutating func byte(
    _ byte: UInt8, _ path: UInt64, _ role: ArchiveMemory.Role, _ detail: UInt64, _ index: Int
  ) {
    let model = memory.modelIndex(path, role, detail, index)
    var node = 1
    for shift in (0..<8).reversed() {
      let bit = Int(byte >> UInt8(shift)) & 1
      memory.withModel(model + node) { coder.encode(bit, &$0) }
      node = node << 1 | bit
    }
  }
}

extension UInt64 {
  /// A wrapped difference of small magnitude as a small number.
  fileprivate var zigzag: UInt64 { Int64(bitPattern: self).zigzagged }
}
