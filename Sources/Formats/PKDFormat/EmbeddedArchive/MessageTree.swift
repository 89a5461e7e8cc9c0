/// The fields that are messages themselves, as a tree by field numbers.
struct MessageTree: Hashable {
  var children: [UInt64: MessageTree] = [:]

  /// The maximum depth of nested messages.
  static let maximumDepth = 12

  /// Whether every message of this tree is also one of the other tree.
  func isPart(of other: MessageTree) -> Bool {
    children.allSatisfy { number, child in
      other.children[number].map { child.isPart(of: $0) } ?? false
    }
  }

  /// Adds the messages of another tree.
  mutating func merge(_ other: MessageTree) {
    for (number, child) in other.children { children[number, default: MessageTree()].merge(child) }
  }
}

/// One field of a message.
struct RawField {
  let key: UInt64
  let payload: Range<Int>
  let value: UInt64

  var number: UInt64 { key >> 3 }
  var wireType: UInt64 { key & 7 }
}

extension [UInt8] {
  /// The fields of a message in its shortest form; nil if the bytes are not such a message.
  func fields(in range: Range<Int>) -> [RawField]? {
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

  /// Whether all fields that are messages by a tree are messages in their shortest form.
  func fits(_ tree: MessageTree, in range: Range<Int>) -> Bool {
    guard let fields = fields(in: range) else { return false }
    return fields.allSatisfy { field in
      guard field.wireType == 2, let child = tree.children[field.number] else { return true }
      return fits(child, in: field.payload)
    }
  }

  /// The tree of a field, from all its messages; nil if one of them is not a message.
  func messageTree(_ messages: [Range<Int>], depth: Int = 0) -> MessageTree? {
    var children: [UInt64: [Range<Int>]] = [:]
    for message in messages {
      guard let fields = fields(in: message) else { return nil }
      for field in fields where field.wireType == 2 {
        children[field.number, default: []].append(field.payload)
      }
    }
    var tree = MessageTree()
    guard depth < MessageTree.maximumDepth else { return tree }
    for (number, payloads) in children where payloads.contains(where: { !$0.isEmpty }) {
      // The 16 bytes of a name may look like a message by chance, but hardly those of all names.
      if let child = messageTree(payloads, depth: depth + 1) { tree.children[number] = child }
    }
    return tree
  }
}
