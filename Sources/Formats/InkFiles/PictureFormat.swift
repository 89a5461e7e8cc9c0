/// Formats of pictures, which users may give as ink by mistake.
public enum PictureFormat: String, Hashable, Sendable, CaseIterable {
  case png = "PNG"
  case jpeg = "JPEG"
  case gif = "GIF"
  case webP = "WebP"
  case pdf = "PDF"
  case svg = "SVG"
  case tiff = "TIFF"
  case bmp = "BMP"
  case heif = "HEIF"
  case avif = "AVIF"
  case jpegXL = "JPEG XL"

  /// The number of bytes that recognition needs.
  public static let neededBytes = 256

  /// The format that the first bytes show; nil if they are not a known picture's. No format of ink
  /// starts with these bytes.
  public init?(recognizing bytes: some Collection<UInt8>) {
    let start = Array(bytes.prefix(Self.neededBytes))
    func has(_ text: String, at offset: Int = 0) -> Bool {
      start.dropFirst(offset).starts(with: text.utf8)
    }
    if start.starts(with: [0x89]), has("PNG", at: 1) {
      self = .png
    } else if start.starts(with: [0xFF, 0xD8, 0xFF]) {
      self = .jpeg
    } else if has("GIF8") {
      self = .gif
    } else if has("RIFF"), has("WEBP", at: 8) {
      self = .webP
    } else if has("%PDF-") {
      self = .pdf
    } else if has("II*\0") || has("MM\0*") {
      self = .tiff
    } else if has("BM"), start.count >= 14, start[6..<10].allSatisfy({ $0 == 0 }) {
      self = .bmp
    } else if has("ftyp", at: 4),
      ["heic", "heix", "mif1", "msf1"].contains(where: { has($0, at: 8) })
    {
      self = .heif
    } else if has("ftyp", at: 4), has("avi", at: 8) {
      self = .avif
    } else if start.starts(with: [0xFF, 0x0A]) || has("JXL ", at: 4) {
      self = .jpegXL
    } else if Self.isSVG(start) {
      self = .svg
    } else {
      return nil
    }
  }

  private static func isSVG(_ start: [UInt8]) -> Bool {
    let text = start.drop { [0xEF, 0xBB, 0xBF, 0x20, 0x0A, 0x0D, 0x09].contains($0) }
    if text.starts(with: "<svg".utf8) { return true }
    guard text.starts(with: "<?xml".utf8) || text.starts(with: "<!".utf8) else { return false }
    return text.indices.contains { text[$0...].starts(with: "<svg".utf8) }
  }
}
