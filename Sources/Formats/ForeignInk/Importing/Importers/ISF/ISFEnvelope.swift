import InkFiles

/// The location of the ink in a file: the whole file, a block of a GIF that shows the ink to other
/// programs, or either of them in base64.
struct ISFEnvelope {
  /// The stream of ink.
  let ink: ArraySlice<UInt8>
  /// The container of the ink; nil if the file itself is the ink.
  private var container: String?

  init(ink: ArraySlice<UInt8>) { self.ink = ink }

  /// The ink in a file; nil if there is none.
  init?(_ bytes: [UInt8]) {
    if Self.isInk(bytes[...]) {
      self.init(ink: bytes[...])
    } else if let ink = Self.ink(inGIF: bytes) {
      self.init(ink: ink[...])
      container = "the ink in the GIF"
    } else if let inner = Self.base64(bytes), let envelope = Self(inner) {
      self = envelope
      container = envelope.container ?? "the ink in base64"
    } else {
      return nil
    }
  }

  /// An error with its position in the file.
  func located(_ error: ImportError) -> ImportError {
    guard let container, let offset = error.offset else { return error }
    return ImportError(error.reason, at: .part(container, byte: offset))
  }

  // MARK: - Ink

  /// Whether bytes are ink: a version, a size, and tags that fit into it.
  private static func isInk(_ bytes: ArraySlice<UInt8>) -> Bool {
    guard bytes.first == 0 else { return false }
    var tags = ByteCursor(bytes.dropFirst())
    // Truncated data is accepted only after enough valid tags; random bytes also parse for a while.
    var (count, ownProperties) = (0, 0)
    do throws(ImportError) {
      let size = try tags.variableLength()
      guard size > 1 else { return false }
      tags = try tags.part(Int(clamping: min(size, UInt64(tags.remaining))))
      while count < 16, tags.remaining > 0 {
        let number = try tags.variableLength()
        guard let isSkipped = try skip(number, &tags, &ownProperties) else { return false }
        guard isSkipped else { return count > 2 }
        count += 1
      }
      return count > 0
    } catch {
      return count > 2
    }
  }

  /// Skips the content of a tag. False if the bytes end before that; nil if no ink has such a tag.
  private static func skip(
    _ number: UInt64, _ tags: inout ByteCursor, _ ownProperties: inout Int
  ) throws(ImportError) -> Bool? {
    let tag = ISFTag(rawValue: number)
    switch tag {
    case .inkSpace: for _ in 0..<4 { _ = try tags.variableLength() }
    case .attributesIndex, .layoutIndex, .transformIndex, .metricIndex, .rotation:
      _ = try tags.variableLength()
    case .transform: try tags.skip(24)
    case .isotropicScale: try tags.skip(4)
    case .anisotropicScale, .translation: try tags.skip(8)
    case .scaleAndTranslation: try tags.skip(16)
    case .noX, .noY, .buttons, .strokeProperties, .pointProperty, .mantissa: return nil
    default:
      let isProperty = number >= ISFTag.firstProperty
      let first = ISFTag.firstOwnProperty
      if tag == nil {
        // Custom properties are those of the file's table.
        let isKnown =
          number < first
          ? number <= ISFProperty.rasterOperation.rawValue
          : number - first < UInt64(ownProperties)
        guard isProperty, isKnown else { return nil }
      }
      let size = try tags.variableLength()
      if tag == .guids {
        guard size % 16 == 0 else { return nil }
        ownProperties = Int(clamping: size / 16)
      }
      let total = size.addingReportingOverflow(isProperty ? 1 : 0)
      guard !total.overflow, total.partialValue <= UInt64(tags.remaining) else { return false }
      try tags.skip(Int(total.partialValue))
    }
    return true
  }

  // MARK: - GIF

  /// The ink in a comment or an application block.
  private static func ink(inGIF bytes: [UInt8]) -> [UInt8]? {
    guard bytes.starts(with: "GIF8".utf8), bytes.count > 13 else { return nil }
    var gif = ByteCursor(bytes)
    do throws(ImportError) {
      try gif.skip(10)
      let flags = try gif.byte()
      try gif.skip(2 + paletteSize(flags))
      while true {
        switch try gif.byte() {
        case 0x21:
          let label = try gif.byte()
          // The first sub-block of an application block is its name.
          if label == 0xFF { try gif.skip(Int(try gif.byte())) }
          let isRead = label == 0xFE || label == 0xFF
          let data = try blocks(&gif, keeping: isRead)
          if isRead, isInk(data[...]) { return data }
        case 0x2C:
          try gif.skip(8)
          let flags = try gif.byte()
          try gif.skip(paletteSize(flags) + 1)
          _ = try blocks(&gif, keeping: false)
        default: return nil
        }
      }
    } catch {
      return nil
    }
  }

  private static func paletteSize(_ flags: UInt8) -> Int {
    flags & 0x80 == 0 ? 0 : 6 << Int(flags & 7)
  }

  /// Sub-blocks of at most 255 bytes, up to an empty one or to the end of a truncated file.
  private static func blocks(
    _ gif: inout ByteCursor, keeping isKept: Bool
  ) throws(ImportError) -> [UInt8] {
    var data: [UInt8] = []
    while gif.remaining > 0 {
      let size = Int(try gif.byte())
      if size == 0 { break }
      let part = try gif.take(min(size, gif.remaining))
      if isKept { data += part }
    }
    return data
  }

  // MARK: - Base64

  /// The bytes of a base64 text, which may begin with its name; nil for other texts.
  private static func base64(_ bytes: [UInt8]) -> [UInt8]? {
    let name = "base64:".utf8
    let text = bytes.starts(with: name) ? bytes.dropFirst(name.count) : bytes[...]
    // Ink begins with six zero bits, a GIF with its name.
    guard text.first == UInt8(ascii: "A") || text.starts(with: "R0lGOD".utf8) else { return nil }
    var result: [UInt8] = []
    result.reserveCapacity(text.count / 4 * 3)
    var (bits, count): (UInt32, Int) = (0, 0)
    for letter in text {
      let value: UInt8
      switch letter {
      case UInt8(ascii: "A")...UInt8(ascii: "Z"): value = letter - 65
      case UInt8(ascii: "a")...UInt8(ascii: "z"): value = letter - 71
      case UInt8(ascii: "0")...UInt8(ascii: "9"): value = letter + 4
      case UInt8(ascii: "+"): value = 62
      case UInt8(ascii: "/"): value = 63
      case 0x09, 0x0A, 0x0D, 0x20: continue
      // The padding, or the zero byte with which programs in C end a text.
      case UInt8(ascii: "="), 0: return result
      default: return nil
      }
      bits = bits << 6 | UInt32(value)
      count += 6
      if count >= 8 {
        count -= 8
        result.append(UInt8(truncatingIfNeeded: bits >> UInt32(count)))
      }
    }
    return result
  }
}
