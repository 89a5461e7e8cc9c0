// An archive's residue is a protobuf message, most of which repeats for each stroke: version
// numbers that count up, and random names. So each number is coded relative to the last one of its
// field, and each byte of a fixed-width field relative to the same byte of the last one. A name
// that is also a stroke's is coded as a single bit. Nothing here depends on the meaning of any
// field.

/// The state that encoder and decoder share: the models of all contexts, and the last value of
/// every field.
struct ArchiveMemory {
  private var modelIndices: [UInt64: Int] = [:]
  private(set) var models: [AdaptiveModel] = []
  private var lastNumbers: [UInt64: UInt64] = [:]
  private var lastBytes: [UInt64: [UInt8]] = [:]

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
    modelIndices[hash] = new
    models.append(contentsOf: repeatElement(AdaptiveModel(), count: 256))
    return new
  }

  /// Forgets the last numbers and bytes, but not the models.
  mutating func forgetValues() { (lastNumbers, lastBytes) = ([:], [:]) }

  /// The state in which coding starts: empty at first, and since version 2 as after coding typical
  /// outlines.
  static func initial(_ version: FormatVersion) -> ArchiveMemory {
    version == .first ? ArchiveMemory() : primed
  }

  private static let primed = ArchiveEncoder.memory(after: ArchiveTemplate.all)

  mutating func withModel<Result>(_ index: Int, _ body: (inout AdaptiveModel) -> Result) -> Result {
    body(&models[index])
  }

  /// The last number or length of a field; 0 before the first.
  func lastNumber(_ field: UInt64) -> UInt64 { lastNumbers[field] ?? 0 }
  mutating func setNumber(_ number: UInt64, of field: UInt64) { lastNumbers[field] = number }
  /// The last bytes of a field of fixed length; empty before the first.
  func lastBytes(_ field: UInt64) -> [UInt8] { lastBytes[field] ?? [] }
  mutating func setBytes(_ bytes: [UInt8], of field: UInt64) { lastBytes[field] = bytes }
}
