// An archive's residue is a protobuf message, most of which repeats for each stroke: version
// numbers that count up, and random names. So each number is coded relative to the last one of its
// field, and each byte of a fixed-width field relative to the same byte of the last one. A name
// that is also a stroke's is coded as a single bit. Nothing here depends on the meaning of any
// field.

/// The state that encoder and decoder share: the models of all contexts, and the last value of
/// every field.
struct ArchiveMemory {
  private var modelIndices = RecentKeys()
  private(set) var models: [AdaptiveModel] = []
  private var fields = RecentKeys()
  private var lastValues: [LastValue] = []

  /// The last value of a field: a number or length, or the bytes of a fixed length.
  private struct LastValue {
    var number: UInt64 = 0
    /// The first byte is the lowest; those behind the last one are 0.
    var bytes: UInt64 = 0
  }

  /// Further contexts share the models of earlier ones, so that an outline of nothing but new
  /// fields takes 16 MB and not a thousand times its size. Real outlines have some hundreds of
  /// contexts.
  private static let maximumContexts = 1 << 14

  /// The length of a name. Fields of this length may hold the name of a stroke.
  static let nameLength = 16

  /// For each byte of a name, the number of bits that hold the UUID version. They are not random.
  static func versionBits(ofByte index: Int) -> Int { index == 6 ? 4 : index == 8 ? 2 : 0 }

  /// The path of the outermost message.
  static let rootPath: UInt64 = 1

  /// The meaning of the coded bytes or bits in a context.
  enum Role: UInt64 {
    case key, number, length, bytes, name, raw
    /// The bits of a name that hold the UUID version; used since format version 2.
    case nameVersion
  }

  /// The path of a field from the outermost message, as one number.
  static func path(_ parent: UInt64, _ field: UInt64) -> UInt64 {
    (parent &* 0x1_0000_01B3) ^ (field &+ 0x51)
  }

  /// The index of the first of a context's 256 models.
  mutating func modelIndex(
    _ path: UInt64, _ role: Role, _ detail: UInt64, _ index: Int
  ) -> Int {
    var hash = path &* 0x9E37_79B9_7F4A_7C15
    for part in [role.rawValue, detail, UInt64(min(index, 40))] {
      hash = (hash ^ part) &* 0xD6E8_FEB8_6659_FD93
      hash ^= hash >> 32
    }
    if let known = modelIndices[hash] { return known }
    guard modelIndices.count < Self.maximumContexts else {
      return Int(hash % UInt64(Self.maximumContexts)) << 8
    }
    let new = models.count
    modelIndices.add(hash, new)
    models.append(contentsOf: repeatElement(AdaptiveModel(), count: 256))
    return new
  }

  /// Forgets the last numbers and bytes, but not the models.
  mutating func forgetValues() { (fields, lastValues) = (RecentKeys(), []) }

  /// The state in which coding starts: empty at first, and since version 2 as after coding typical
  /// outlines.
  static func initial(_ version: FormatVersion) -> ArchiveMemory {
    version == .first ? ArchiveMemory() : primed
  }

  private static let primed = ArchiveEncoder.memory(after: ArchiveTemplate.all)

  @inline(__always)
  mutating func withModel<Result>(_ index: Int, _ body: (inout AdaptiveModel) -> Result) -> Result {
    body(&models[index])
  }

  /// Calls the closure with the 256 models of a context.
  @inline(__always)
  mutating func withModels<Result>(
    from index: Int, _ body: (UnsafeMutablePointer<AdaptiveModel>) -> Result
  ) -> Result {
    models.withUnsafeMutableBufferPointer { models in
      precondition(index + 256 <= models.count, "a context has 256 models")
      // The buffer is not empty.
      return body(models.baseAddress.unsafelyUnwrapped + index)
    }
  }

  /// The last number or length of a field; 0 before the first.
  mutating func lastNumber(_ field: UInt64) -> UInt64 { lastValues[row(of: field)].number }
  mutating func setNumber(_ number: UInt64, of field: UInt64) {
    lastValues[row(of: field)].number = number
  }
  /// The last bytes of a field of fixed length, the first one lowest; 0 before the first.
  mutating func lastBytes(_ field: UInt64) -> UInt64 { lastValues[row(of: field)].bytes }
  mutating func setBytes(_ bytes: UInt64, of field: UInt64) {
    lastValues[row(of: field)].bytes = bytes
  }

  /// The row of a field's last value, which is added if it is new.
  private mutating func row(of field: UInt64) -> Int {
    if let known = fields[field] { return known }
    fields.add(field, lastValues.count)
    lastValues.append(LastValue())
    return lastValues.count - 1
  }
}

/// A dictionary that keeps the keys of the last searches beside it. An archive repeats some hundred
/// keys, and hashing them safely would take a fifth of the time of coding it.
private struct RecentKeys {
  private var all: [UInt64: Int] = [:]
  private var recent = [Entry](repeating: Entry(), count: size)

  private struct Entry {
    var key: UInt64 = 0
    /// Negative without a key.
    var value = -1
  }

  /// A power of two.
  private static let size = 512

  var count: Int { all.count }

  subscript(key: UInt64) -> Int? {
    @inline(__always)
    mutating get {
      let entry = recent[Self.place(of: key)]
      return entry.key == key && entry.value >= 0 ? entry.value : found(key)
    }
  }

  private mutating func found(_ key: UInt64) -> Int? {
    guard let value = all[key] else { return nil }
    recent[Self.place(of: key)] = Entry(key: key, value: value)
    return value
  }

  mutating func add(_ key: UInt64, _ value: Int) {
    all[key] = value
    recent[Self.place(of: key)] = Entry(key: key, value: value)
  }

  @inline(__always)
  private static func place(of key: UInt64) -> Int {
    Int(truncatingIfNeeded: key ^ key >> 32) & (size - 1)
  }
}
